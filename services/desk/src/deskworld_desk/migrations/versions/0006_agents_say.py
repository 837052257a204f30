"""What an agent says of itself when it claims a turn.

Revision ID: 0006
"""

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE turns ADD COLUMN model text, ADD COLUMN playbook text")


def downgrade() -> None:
    op.execute("ALTER TABLE turns DROP COLUMN model, DROP COLUMN playbook")
