"""Whether a step of a bank change may be taken: who, from which status, and on whose word. The first refusal stands."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from deskworld_erp.invoicing.rules.authority import Duty, Grant, has_duty
from deskworld_erp.invoicing.rules.commands import Code, Refused


class Step(StrEnum):
    PROPOSE = "propose-bank-change"
    CALL_BACK = "call-back"
    CONFIRM = "confirm"
    REJECT = "reject-bank-change"


class ChangeStatus(StrEnum):
    PROPOSED = "PROPOSED"
    CALLED_BACK = "CALLED_BACK"
    VERIFIED = "VERIFIED"
    REJECTED = "REJECTED"


FROM: Mapping[Step, frozenset[ChangeStatus]] = {
    Step.CALL_BACK: frozenset({ChangeStatus.PROPOSED}),
    Step.CONFIRM: frozenset({ChangeStatus.CALLED_BACK}),
    Step.REJECT: frozenset({ChangeStatus.PROPOSED, ChangeStatus.CALLED_BACK}),
}
DUTY: Mapping[Step, Duty] = {
    **dict.fromkeys(Step, Duty.VERIFY_BANK_CHANGE),
    Step.PROPOSE: Duty.PROPOSE_BANK_CHANGE,
}
_BETWEEN_DIGITS = re.compile(r"[\s().\-/\u00a0\u2010-\u2015]+")


@dataclass(frozen=True, slots=True)
class KnownContact:
    """`trusted_since`: the day from which on the number is believed."""

    name: str
    phone: str
    trusted_since: date


@dataclass(frozen=True, slots=True)
class ChangeState:
    id: str
    status: ChangeStatus
    proposed_by: str
    proposed_at: datetime
    called_by: str | None


@dataclass(frozen=True, slots=True)
class Asked:
    """A step as it was asked for. `grants` is None where authority is not enforced; `change` for a proposal."""

    step: Step
    username: str
    is_person: bool
    grants: tuple[Grant, ...] | None
    change: ChangeState | None = None
    contacts: tuple[KnownContact, ...] = ()
    phone: str | None = None
    trusted_days: int = 1
    """How many days before the request a number must have been on record."""


def judge(asked: Asked) -> Refused | None:
    """None when all checks let it through."""
    for check in ORDER:
        refused = check(asked)
        if refused is not None:
            return refused
    return None


def same_phone(one: str, other: str) -> bool:
    """Equal but for how the digits are grouped, and `00` for `+`."""
    return bool(_digits(one)) and _digits(one) == _digits(other)


def contact_called(asked: Asked) -> KnownContact | None:
    """The contact whose number on record was called, and had been trusted long enough before the request."""
    return next((one for one in _on_record(asked) if _trusted(asked, one)), None)


def _authority(asked: Asked) -> Refused | None:
    duty = DUTY[asked.step]
    values: dict[str, Any] = {"action": asked.step, "user": asked.username, "duty": duty}
    if not asked.is_person:
        detail = "A service account may only read: a command needs a person behind it."
        return Refused(Code.NOT_AUTHORISED, detail, values)
    if asked.grants is None or has_duty(asked.grants, duty):
        return None
    return Refused(Code.NOT_AUTHORISED, f"No grant of {asked.username} names {duty}.", values)


def _segregation(asked: Asked) -> Refused | None:
    """Nobody decides on what they asked for, and the one who confirms is not the one who called."""
    change = asked.change
    if change is None or asked.grants is None:
        return None
    values = {"action": asked.step, "user": asked.username, "proposed_by": change.proposed_by}
    if asked.username == change.proposed_by:
        return Refused(Code.NOT_AUTHORISED, f"{asked.username} proposed this change: others verify it.", values)
    if asked.step is Step.CONFIRM and asked.username == change.called_by:
        detail = f"{asked.username} made the call: a second person confirms."
        return Refused(Code.NOT_AUTHORISED, detail, values | {"called_by": change.called_by})
    return None


def _transition(asked: Asked) -> Refused | None:
    change = asked.change
    if change is None or change.status in FROM[asked.step]:
        return None
    allowed = ", ".join(sorted(FROM[asked.step]))
    detail = f"{asked.step} is possible from {allowed}; the change is {change.status}."
    return Refused(Code.INVALID_TRANSITION, detail, {"action": asked.step, "status": change.status})


def _number(asked: Asked) -> Refused | None:
    """The number in the request is the one that a swindler would answer: only one known before counts."""
    change = asked.change
    if asked.step is not Step.CALL_BACK or change is None or contact_called(asked) is not None:
        return None
    known = _on_record(asked)
    requested = change.proposed_at.date()
    if not known:
        return Refused(
            Code.VERIFICATION_REFUSED,
            "The phone is not a number that is on record for a contact of this vendor.",
            {"phone": asked.phone},
        )
    since = min(one.trusted_since for one in known)
    return Refused(
        Code.VERIFICATION_REFUSED,
        f"The number was not trusted {asked.trusted_days} day(s) before the request.",
        {"phone": asked.phone, "trusted_since": since.isoformat(), "requested": requested.isoformat()},
    )


def _on_record(asked: Asked) -> list[KnownContact]:
    return [one for one in asked.contacts if same_phone(one.phone, asked.phone or "")]


def _trusted(asked: Asked, contact: KnownContact) -> bool:
    change = asked.change
    return change is not None and (change.proposed_at.date() - contact.trusted_since).days >= asked.trusted_days


def _digits(phone: str) -> str:
    """`+` and digits; nothing when it holds anything else."""
    bare = _BETWEEN_DIGITS.sub("", phone)
    bare = "+" + bare[2:] if bare.startswith("00") else bare
    return bare if re.fullmatch(r"\+?[0-9]{3,20}", bare, re.ASCII) else ""


ORDER: tuple[Callable[[Asked], Refused | None], ...] = (_authority, _segregation, _transition, _number)
