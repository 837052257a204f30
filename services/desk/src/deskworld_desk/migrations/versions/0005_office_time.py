"""Office time of cases; events that come before the one that opens their case.

Revision ID: 0005
"""

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
ALTER TABLE cases ADD COLUMN office_ahead interval NOT NULL DEFAULT '0',
  ADD COLUMN rechecked_version integer, ADD COLUMN status_version integer, ADD COLUMN memory_versions json NOT NULL DEFAULT '{}'""",
    "UPDATE cases SET rechecked_version = record_version, status_version = record_version",
    """
ALTER TABLE cases ALTER COLUMN rechecked_version SET NOT NULL, ALTER COLUMN status_version SET NOT NULL, ALTER COLUMN office_ahead DROP DEFAULT,
  ALTER COLUMN memory_versions DROP DEFAULT""",
    "ALTER TABLE events ADD COLUMN case_id text, ADD COLUMN parked boolean NOT NULL DEFAULT false",
    "ALTER TABLE events ALTER COLUMN parked DROP DEFAULT",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    op.execute("ALTER TABLE events DROP COLUMN case_id, DROP COLUMN parked")
    op.execute("ALTER TABLE cases DROP COLUMN office_ahead, DROP COLUMN rechecked_version, DROP COLUMN status_version, DROP COLUMN memory_versions")
