"""What a mail's reading found that bars what commits: one row a finding, until two people clear it.

Revision ID: 0002
"""

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
CREATE TABLE flags (
  id text PRIMARY KEY, case_id text NOT NULL, mail_id text NOT NULL,
  flag text NOT NULL CHECK (flag IN ('instructions', 'reader_failed')),
  state text NOT NULL CHECK (state IN ('RAISED', 'ASKED', 'CLEARED')),
  raised_at timestamptz NOT NULL, raised_seq integer NOT NULL, reason text,
  asked_by text, asked_by_sub text, asked_at timestamptz, asked_seq integer,
  confirmed_by text, confirmed_by_sub text, cleared_at timestamptz,
  UNIQUE (mail_id, flag),
  CONSTRAINT ck_flags_asked CHECK ((state = 'RAISED') = (asked_by_sub IS NULL)),
  CONSTRAINT ck_flags_two_people CHECK (
    (state = 'CLEARED') = (confirmed_by_sub IS NOT NULL) AND confirmed_by_sub <> asked_by_sub
  )
)""",
    "CREATE INDEX ix_flags_case_id ON flags (case_id)",
    "CREATE INDEX ix_flags_state ON flags (state)",
    """
INSERT INTO flags (id, case_id, mail_id, flag, state, raised_at, raised_seq)
SELECT gen_random_uuid()::text, case_id, id, found.flag, 'RAISED', received_at, coalesce(seq, 1)
FROM mails CROSS JOIN LATERAL (VALUES
  ('instructions', reading->>'contains_instructions'), ('reader_failed', reading->>'failed')
) AS found (flag, raised)
WHERE case_id IS NOT NULL AND found.raised = 'true'""",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    op.execute("DROP TABLE flags")
