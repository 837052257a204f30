"""What the ERP's events mean for cases."""

from typing import Any

from deskworld_desk.world import Cause, Changed, Closes, Heard, Json, Opens, Rechecked

PREFIX = "deskworld.erp."
FINAL = frozenset({"APPROVED", "REJECTED", "PAID"})


def hear(event: Json) -> Heard:
    """Raises KeyError, TypeError or ValueError when the event is not one of the ERP's."""
    kind = str(event["type"])
    if not kind.startswith(PREFIX):
        raise ValueError(f"{kind[:80]!r} is not an event of the ERP")
    kind = kind.removeprefix(PREFIX)
    data = event["data"]
    return Heard(event_id=str(event["id"]), type=kind, subject=str(event["subject"]), happening=_happening(kind, data))


def _happening(kind: str, data: Json) -> Opens | Closes | Rechecked | Changed | None:
    match kind:
        case "match-exception.raised":
            return _raised(data)
        case "match-exception.resolved":
            return Closes(case_id=data["exception_id"], record_id=data["invoice_id"], cause=_must_cause(data))
        case "match-exception.rechecked":
            cause = _must_cause(data)
            return Rechecked(
                case_id=data["exception_id"],
                record_id=data["invoice_id"],
                version=int(data["invoice_version"]),
                held=bool(data["holds"]),
                cause=cause,
                remembers={"credit": "received"} if cause.kind == "credit-note" else {},
            )
        case "invoice.changed":
            return Changed(
                record_id=data["invoice_id"],
                version=int(data["version"]),
                status=str(data["status"]),
                final=data["status"] in FINAL,
                decision_id=data.get("decision_id"),
            )
    return None


def _raised(data: Json) -> Opens:
    held = bool(data["holds"])
    return Opens(
        case_id=data["exception_id"],
        record_id=data["invoice_id"],
        party_id=data["vendor_id"],
        reason=data["reason"],
        amount=data["amount"],
        currency=data["currency"],
        version=int(data["invoice_version"]),
        held=held,
        cause=_cause(data),
        opening={"po_number": data.get("po_number"), "status": "ON_HOLD" if held else "EXCEPTION"},
    )


def _must_cause(data: Json) -> Cause:
    cause = _cause(data)
    if cause is None:
        raise ValueError("an event without its cause")
    return cause


def _cause(data: Json) -> Cause | None:
    cause: Any = data.get("cause")
    if cause is None:
        return None
    return Cause(kind=str(cause["kind"]), id=str(cause["id"]), decision_id=cause.get("decision_id"))
