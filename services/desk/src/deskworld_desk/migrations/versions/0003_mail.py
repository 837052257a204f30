"""Whom a letter did not reach; mail set aside and what became of it; one open question a case.

Revision ID: 0003
"""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

STATEMENTS = (
    "ALTER TABLE letters ADD COLUMN failed json NOT NULL DEFAULT '[]'",
    """
ALTER TABLE mails ADD COLUMN whole boolean NOT NULL DEFAULT true, ADD COLUMN why text,
  ADD COLUMN joined_by text CHECK (joined_by IN ('reference', 'token', 'person')),
  DROP CONSTRAINT mails_state_check,
  ADD CONSTRAINT mails_state_check
    CHECK (state IN ('STORED', 'JOINED', 'DONE', 'ASIDE', 'DISMISSED', 'REPEATED'))""",
    """
UPDATE mails SET why = CASE WHEN octet_length(raw) = 0 AND size > 0 THEN 'too-large' ELSE 'unmatched' END
WHERE state = 'ASIDE'""",
    "CREATE INDEX ix_mails_aside ON mails (id) WHERE state = 'ASIDE'",
    "CREATE UNIQUE INDEX uq_questions_one_open_per_case ON questions (case_id) WHERE state = 'OPEN'",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    op.execute("DROP INDEX uq_questions_one_open_per_case")
    op.execute("DROP INDEX ix_mails_aside")
    op.execute("UPDATE mails SET state = 'ASIDE' WHERE state = 'DISMISSED'")
    op.execute(
        "ALTER TABLE mails DROP CONSTRAINT mails_state_check, DROP COLUMN whole, DROP COLUMN why, DROP COLUMN joined_by"
    )
    op.execute(
        "ALTER TABLE mails ADD CONSTRAINT mails_state_check "
        "CHECK (state IN ('STORED', 'JOINED', 'DONE', 'ASIDE', 'REPEATED'))"
    )
    op.execute("ALTER TABLE letters DROP COLUMN failed")
