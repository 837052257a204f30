"""The audit's rows are hung on inside the database: what stands in a row is what was hashed.

Each step inside sees what was committed before it took the head; as one statement it would be planned anew for each
writer that waited.

Revision ID: 0005
"""

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

# `befores` and `afters`: a row's canonical form around `prev_hash` and `seq`; gives the new head's seq
APPEND = """CREATE FUNCTION audit_append(befores text[], afters text[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  last bigint;
  head text;
  whole text;
BEGIN
  SELECT seq, hash INTO STRICT last, head FROM audit_head FOR UPDATE;
  FOR place IN 1 .. cardinality(befores) LOOP
    last := last + 1;
    whole := befores[place] || head || '","seq":' || last || afters[place];
    head := encode(sha256(convert_to(whole, 'UTF8')), 'hex');
    INSERT INTO audit (seq, at, entity_kind, entity_id, vendor_id, action, client, "user", decision_id, detail,
      prev_hash, hash)
    SELECT seq, at, entity->>'kind', entity->>'id', vendor_id, action, client, "user", decision_id, detail,
      prev_hash, head
    FROM json_to_record(CAST(whole AS json)) AS said (seq bigint, at timestamptz, entity json, vendor_id text,
      action text, client text, "user" jsonb, decision_id text, detail jsonb, prev_hash text);
  END LOOP;
  UPDATE audit_head SET seq = last, hash = head;
  RETURN last;
END $$"""


def upgrade() -> None:
    op.execute(APPEND)


def downgrade() -> None:
    op.execute("DROP FUNCTION audit_append(text[], text[])")
