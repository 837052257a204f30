"""Several receivers of events, each with deliveries of its own; commands on bank changes; who asked for what; holds with
a date.

Revision ID: 0002
"""

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

STATEMENTS = (
    """CREATE TABLE outbox_receivers (
  name text PRIMARY KEY, url text NOT NULL, secret text, active boolean NOT NULL, made_by text, at timestamptz NOT NULL
)""",
    """CREATE TABLE outbox_deliveries (
  receiver text NOT NULL, seq bigint NOT NULL REFERENCES outbox ON DELETE CASCADE,
  wanted integer NOT NULL DEFAULT 1, sent integer NOT NULL DEFAULT 0, attempts integer NOT NULL DEFAULT 0,
  delivered_at timestamptz, dead_at timestamptz, last_error text, PRIMARY KEY (receiver, seq)
)""",
    "INSERT INTO outbox_receivers SELECT 'webhook', '', NULL, true, NULL, now() WHERE EXISTS (SELECT FROM outbox)",
    """INSERT INTO outbox_deliveries
SELECT 'webhook', seq, wanted, sent, attempts, delivered_at, dead_at, last_error FROM outbox""",
    """CREATE INDEX outbox_deliveries_waiting ON outbox_deliveries (receiver, seq)
WHERE sent < wanted AND dead_at IS NULL""",
    "CREATE INDEX outbox_deliveries_dead ON outbox_deliveries (seq, receiver) WHERE dead_at IS NOT NULL",
    "CREATE INDEX outbox_deliveries_seq ON outbox_deliveries (seq)",
    "DROP INDEX outbox_pending",
    "DROP INDEX outbox_dead",
    """ALTER TABLE outbox DROP COLUMN wanted, DROP COLUMN sent, DROP COLUMN attempts, DROP COLUMN delivered_at,
DROP COLUMN dead_at, DROP COLUMN last_error""",
    """CREATE FUNCTION outbox_fan_out() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO outbox_deliveries (receiver, seq)
    SELECT r.name, f.seq FROM fresh AS f CROSS JOIN outbox_receivers AS r WHERE r.active;
    RETURN NULL; END $$""",
    """CREATE TRIGGER outbox_fan_out AFTER INSERT ON outbox REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT
    EXECUTE FUNCTION outbox_fan_out()""",
    "ALTER TABLE commands ALTER COLUMN invoice_id DROP NOT NULL, ADD COLUMN change_id text",
    """CREATE TABLE askings (
  invoice_id text NOT NULL REFERENCES invoices ON DELETE CASCADE, action text NOT NULL, username text NOT NULL,
  at timestamptz NOT NULL, PRIMARY KEY (invoice_id, action, username)
)""",
    "CREATE INDEX holds_due ON holds (until) WHERE released_at IS NULL AND until IS NOT NULL",
)
BACK = (
    "DROP INDEX holds_due",
    "DROP TABLE askings",
    "DELETE FROM commands WHERE invoice_id IS NULL",
    "ALTER TABLE commands ALTER COLUMN invoice_id SET NOT NULL, DROP COLUMN change_id",
    "DROP TRIGGER outbox_fan_out ON outbox",
    "DROP FUNCTION outbox_fan_out()",
    """ALTER TABLE outbox ADD COLUMN wanted integer NOT NULL DEFAULT 1, ADD COLUMN sent integer NOT NULL DEFAULT 0,
ADD COLUMN attempts integer NOT NULL DEFAULT 0, ADD COLUMN delivered_at timestamptz,
ADD COLUMN dead_at timestamptz, ADD COLUMN last_error text""",
    """UPDATE outbox AS o SET wanted = d.wanted, sent = d.sent, attempts = d.attempts, delivered_at = d.delivered_at,
dead_at = d.dead_at, last_error = d.last_error FROM outbox_deliveries AS d
WHERE d.seq = o.seq AND d.receiver = 'webhook'""",
    "CREATE INDEX outbox_pending ON outbox (seq) WHERE sent < wanted AND dead_at IS NULL",
    "CREATE INDEX outbox_dead ON outbox (seq) WHERE dead_at IS NOT NULL",
    "DROP TABLE outbox_deliveries",
    "DROP TABLE outbox_receivers",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    for statement in BACK:
        op.execute(statement)
