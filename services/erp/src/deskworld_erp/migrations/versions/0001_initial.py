"""The ERP's documents, exceptions, audit and outbox.

Revision ID: 0001
"""

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE vendors (
  id text PRIMARY KEY, name text NOT NULL, terms text NOT NULL, contacts jsonb NOT NULL, at timestamptz NOT NULL
);
CREATE TABLE bank_accounts (
  id text PRIMARY KEY, vendor_id text NOT NULL REFERENCES vendors, position integer NOT NULL,
  account text NOT NULL, routing text NOT NULL, status text NOT NULL
    CHECK (status IN ('ACTIVE', 'PENDING_VERIFICATION', 'SUPERSEDED', 'REJECTED')),
  at timestamptz NOT NULL
);
CREATE INDEX bank_accounts_vendor ON bank_accounts (vendor_id);
CREATE TABLE bank_changes (
  id text PRIMARY KEY, vendor_id text NOT NULL REFERENCES vendors,
  account_id text NOT NULL UNIQUE REFERENCES bank_accounts,
  requested_from text NOT NULL, proposed_by text NOT NULL, proposed_at timestamptz NOT NULL,
  status text NOT NULL CHECK (status IN ('PROPOSED', 'CALLED_BACK', 'VERIFIED', 'REJECTED')),
  call_back jsonb, confirmation jsonb, rejection jsonb
);
CREATE INDEX bank_changes_vendor ON bank_changes (vendor_id);
CREATE TABLE orders (
  id text PRIMARY KEY, number text NOT NULL UNIQUE, vendor_id text NOT NULL REFERENCES vendors,
  buyer text NOT NULL, currency text NOT NULL, date date NOT NULL, lines jsonb NOT NULL,
  revision integer NOT NULL, at timestamptz NOT NULL
);
CREATE INDEX orders_vendor ON orders (vendor_id);
CREATE TABLE receipts (
  id text PRIMARY KEY, order_id text NOT NULL REFERENCES orders, po_number text NOT NULL,
  vendor_id text NOT NULL REFERENCES vendors, date date NOT NULL, lines jsonb NOT NULL,
  reverses text UNIQUE REFERENCES receipts, posted_by jsonb, at timestamptz NOT NULL
);
CREATE INDEX receipts_order ON receipts (order_id);
CREATE INDEX receipts_vendor ON receipts (vendor_id);
CREATE TABLE invoices (
  id text PRIMARY KEY, vendor_id text NOT NULL REFERENCES vendors, sequence integer NOT NULL,
  number text NOT NULL, po_reference text, date date NOT NULL, currency text NOT NULL, lines jsonb NOT NULL,
  tax numeric(20, 2) NOT NULL, freight numeric(20, 2) NOT NULL, stated_total numeric(20, 2) NOT NULL,
  computed_total numeric(20, 2) NOT NULL, matched_po text,
  status text NOT NULL
    CHECK (status IN ('RECEIVED', 'MATCHED', 'EXCEPTION', 'APPROVED', 'ON_HOLD', 'REJECTED', 'PAID')),
  version integer NOT NULL, approved_amount numeric(20, 2), credits numeric(20, 2) NOT NULL,
  payable numeric(20, 2) NOT NULL, counts jsonb NOT NULL, cleared jsonb NOT NULL, received_at timestamptz NOT NULL,
  CONSTRAINT invoices_vendor_sequence UNIQUE (vendor_id, sequence)
);
CREATE INDEX invoices_matched_po ON invoices (matched_po);
CREATE TABLE exceptions (
  id text PRIMARY KEY, invoice_id text NOT NULL REFERENCES invoices, vendor_id text NOT NULL REFERENCES vendors,
  reason text NOT NULL, summary text NOT NULL, lines jsonb NOT NULL, amount numeric(20, 2) NOT NULL,
  currency text NOT NULL, status text NOT NULL CHECK (status IN ('OPEN', 'RESOLVED')), masked jsonb NOT NULL,
  raised_at timestamptz NOT NULL, resolved_at timestamptz
);
CREATE INDEX exceptions_invoice ON exceptions (invoice_id);
CREATE INDEX exceptions_status ON exceptions (status, id);
CREATE UNIQUE INDEX exceptions_one_open_per_reason ON exceptions (invoice_id, reason) WHERE status = 'OPEN';
CREATE TABLE holds (
  id text PRIMARY KEY, exception_id text NOT NULL REFERENCES exceptions,
  invoice_id text NOT NULL REFERENCES invoices, why text NOT NULL, by text NOT NULL, since timestamptz NOT NULL,
  until timestamptz, released_at timestamptz, released_by text, released_why text
);
CREATE INDEX holds_invoice ON holds (invoice_id);
CREATE UNIQUE INDEX holds_one_standing ON holds (exception_id) WHERE released_at IS NULL;
CREATE TABLE commands (
  caller text NOT NULL, key text NOT NULL, request text NOT NULL, action text NOT NULL, invoice_id text NOT NULL,
  vendor_id text, by jsonb NOT NULL, at timestamptz NOT NULL, outcome text, code text, version integer,
  status integer, body bytea, PRIMARY KEY (caller, key)
);
CREATE INDEX commands_key ON commands (key);
CREATE INDEX commands_vendor ON commands (vendor_id);
CREATE TABLE authority_grants (
  username text NOT NULL, role text NOT NULL, limits jsonb, PRIMARY KEY (username, role)
);
CREATE TABLE audit (
  seq bigint PRIMARY KEY, at timestamptz NOT NULL, entity_kind text NOT NULL, entity_id text NOT NULL,
  vendor_id text NOT NULL, action text NOT NULL, client text NOT NULL, "user" jsonb, decision_id text,
  detail jsonb NOT NULL, prev_hash text NOT NULL, hash text NOT NULL
);
CREATE INDEX audit_entity ON audit (entity_id, seq);
CREATE INDEX audit_vendor ON audit (vendor_id, seq);
CREATE TABLE audit_head (id smallint PRIMARY KEY, seq bigint NOT NULL, hash text NOT NULL);
INSERT INTO audit_head VALUES (1, 0, repeat('0', 64));
CREATE TABLE outbox (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL UNIQUE, key text NOT NULL,
  scope text NOT NULL, type text NOT NULL, subject text NOT NULL, at timestamptz NOT NULL, body text NOT NULL,
  wanted integer NOT NULL DEFAULT 1, sent integer NOT NULL DEFAULT 0, attempts integer NOT NULL DEFAULT 0,
  delivered_at timestamptz, dead_at timestamptz, last_error text
);
CREATE INDEX outbox_pending ON outbox (seq) WHERE sent < wanted AND dead_at IS NULL;
CREATE INDEX outbox_dead ON outbox (seq) WHERE dead_at IS NOT NULL;
CREATE INDEX outbox_scope ON outbox (scope, seq);
"""

# Each insert wakes the dispatcher when it commits, and takes a lock until then: the order of seq is the order of commits.
ANNOUNCE = (
    """CREATE FUNCTION outbox_announce() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('outbox:order')); PERFORM pg_notify('outbox', ''); RETURN NULL; END $$""",
    """CREATE TRIGGER outbox_announce BEFORE INSERT ON outbox FOR EACH STATEMENT
    EXECUTE FUNCTION outbox_announce()""",
)


def upgrade() -> None:
    for statement in TABLES.split(";\n"):
        if statement.strip():
            op.execute(statement)
    for statement in ANNOUNCE:
        op.execute(statement)


def downgrade() -> None:
    op.execute("DROP TRIGGER outbox_announce ON outbox")
    op.execute("DROP FUNCTION outbox_announce()")
    op.execute(
        "DROP TABLE outbox, audit_head, audit, authority_grants, commands, holds, exceptions, invoices, receipts, "
        "orders, bank_changes, bank_accounts, vendors"
    )
