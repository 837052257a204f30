"""Reading timeline rows: what they are called in a finding, and picking them by kind."""

from collections.abc import Iterable

from deskworld.values.evidence import Row


def name_of(row: Row) -> str:
    """`<end of the case id>#<seq>`: ids made in one moment share their beginning, not their end."""
    case_id = row["case_id"]
    return f"{case_id[-8:] if case_id else 'desk'}#{row['seq']}"


def names_of(rows: Iterable[Row]) -> tuple[str, ...]:
    return tuple(name_of(row) for row in rows)


def audit_name(row: Row) -> str:
    return f"erp:{row['seq']}"


def of_kind(rows: Iterable[Row], *kinds: str) -> tuple[Row, ...]:
    return tuple(row for row in rows if row["kind"] in kinds)


def last_of(rows: Iterable[Row], *kinds: str) -> Row | None:
    found = of_kind(rows, *kinds)
    return found[-1] if found else None
