"""The office clock of a vendor's records, and the faults that the stage door injects.

Revision ID: 0003
"""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE vendors ADD COLUMN office_ahead interval NOT NULL DEFAULT '0'")
    op.execute(
        """CREATE TABLE faults (
  id text PRIMARY KEY, vendor_id text REFERENCES vendors, everybody boolean NOT NULL, kind text NOT NULL
    CHECK (kind IN ('latency', 'status', 'commit-then-timeout', 'stale-read', 'drop')),
  method text, route text, rate double precision NOT NULL, calls integer, seed text NOT NULL,
  milliseconds integer, status integer, retry_after integer, at timestamptz NOT NULL
)"""
    )
    op.execute("CREATE INDEX faults_vendor ON faults (vendor_id)")


def downgrade() -> None:
    op.execute("DROP TABLE faults")
    op.execute("ALTER TABLE vendors DROP COLUMN office_ahead")
