"""Leases of their own length, budgets of single cases, pauses of all agents.

Revision ID: 0004
"""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE turns ADD COLUMN lease_seconds integer NOT NULL DEFAULT 30")
    op.execute("ALTER TABLE turns ALTER COLUMN lease_seconds DROP DEFAULT")
    op.execute(
        "CREATE TABLE case_budgets (case_id text PRIMARY KEY, turns integer NOT NULL, input_tokens bigint NOT NULL)"
    )
    op.execute(
        "CREATE TABLE agent_pauses (id text PRIMARY KEY, paused_at timestamptz NOT NULL, paused_by json NOT NULL, "
        "reason text NOT NULL, resumed_at timestamptz, resumed_by json)"
    )
    op.execute("CREATE UNIQUE INDEX uq_agent_pauses_one_open ON agent_pauses ((resumed_at IS NULL)) WHERE resumed_at IS NULL")


def downgrade() -> None:
    op.execute("DROP TABLE agent_pauses")
    op.execute("DROP TABLE case_budgets")
    op.execute("ALTER TABLE turns DROP COLUMN lease_seconds")
