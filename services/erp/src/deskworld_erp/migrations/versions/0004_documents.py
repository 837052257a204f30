"""Revisions of orders, units of items, credit notes, documents as they came, what else an invoice states.

Revision ID: 0004
"""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

STATEMENTS = (
    "ALTER TABLE vendors ADD COLUMN identifiers jsonb NOT NULL DEFAULT '[]'",
    "CREATE INDEX vendors_identifiers ON vendors USING gin (identifiers jsonb_path_ops)",
    """CREATE TABLE item_units (
  vendor_id text NOT NULL REFERENCES vendors, item text NOT NULL, units jsonb NOT NULL, at timestamptz NOT NULL,
  PRIMARY KEY (vendor_id, item)
)""",
    """CREATE TABLE order_revisions (
  order_id text NOT NULL REFERENCES orders, vendor_id text NOT NULL REFERENCES vendors, revision integer NOT NULL,
  buyer text NOT NULL, date date NOT NULL, lines jsonb NOT NULL, posted_by jsonb, at timestamptz NOT NULL,
  PRIMARY KEY (order_id, revision)
)""",
    "CREATE INDEX order_revisions_vendor ON order_revisions (vendor_id)",
    """INSERT INTO order_revisions
SELECT id, vendor_id, revision, buyer, date, lines, NULL, at FROM orders""",
    """ALTER TABLE invoices ADD COLUMN allowance numeric(20, 2) NOT NULL DEFAULT 0,
ADD COLUMN rounding numeric(20, 2) NOT NULL DEFAULT 0, ADD COLUMN prepaid numeric(20, 2) NOT NULL DEFAULT 0,
ADD COLUMN sums jsonb, ADD COLUMN taxes jsonb, ADD COLUMN credited jsonb NOT NULL DEFAULT '{}',
ADD COLUMN notes jsonb NOT NULL DEFAULT '[]'""",
    """CREATE TABLE credit_notes (
  id text PRIMARY KEY, vendor_id text NOT NULL REFERENCES vendors, invoice_id text NOT NULL REFERENCES invoices,
  number text NOT NULL, number_key text, date date NOT NULL, currency text NOT NULL, amount numeric(20, 2) NOT NULL,
  lines jsonb NOT NULL, posted_by jsonb, at timestamptz NOT NULL,
  CONSTRAINT credit_notes_once UNIQUE (invoice_id, number_key)
)""",
    "CREATE INDEX credit_notes_vendor ON credit_notes (vendor_id)",
    """CREATE TABLE source_documents (
  record_id text PRIMARY KEY, vendor_id text NOT NULL REFERENCES vendors, media_type text NOT NULL,
  sha256 text NOT NULL, content bytea NOT NULL, at timestamptz NOT NULL
)""",
    "CREATE INDEX source_documents_vendor ON source_documents (vendor_id)",
    """CREATE TABLE posted_keys (
  caller text NOT NULL, key text NOT NULL, request text NOT NULL, body bytea, at timestamptz NOT NULL,
  PRIMARY KEY (caller, key)
)""",
    """CREATE FUNCTION as_sent() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'what was sent is never changed: %', TG_TABLE_NAME; END $$""",
    """CREATE TRIGGER invoices_as_sent BEFORE UPDATE OF number, po_reference, date, currency, lines, tax, freight,
stated_total, allowance, rounding, prepaid, sums, taxes ON invoices FOR EACH STATEMENT EXECUTE FUNCTION as_sent()""",
    *(
        f"CREATE TRIGGER {table}_as_sent BEFORE UPDATE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION as_sent()"
        for table in ("order_revisions", "receipts", "credit_notes", "source_documents")
    ),
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    op.execute("DROP FUNCTION as_sent() CASCADE")
    op.execute("DROP TABLE posted_keys, source_documents, credit_notes, order_revisions, item_units")
    op.execute(
        "ALTER TABLE invoices DROP COLUMN allowance, DROP COLUMN rounding, DROP COLUMN prepaid, DROP COLUMN sums, "
        "DROP COLUMN taxes, DROP COLUMN credited, DROP COLUMN notes"
    )
    op.execute("ALTER TABLE vendors DROP COLUMN identifiers")
