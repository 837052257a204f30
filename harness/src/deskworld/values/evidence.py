"""Evidence: the timelines and what the independent witnesses say."""

from typing import Any

from deskworld.values.frozen import Frozen

Row = dict[str, Any]


class CaseTimeline(Frozen):
    case_id: str
    view: dict[str, Any]
    rows: tuple[Row, ...]


class PolicyReplay(Frozen):
    """One stored policy input, asked again when the evidence was collected."""

    case_id: str
    seq: int
    policy: str
    stored_effect: str
    replayed: dict[str, Any] | None


class Evidence(Frozen):
    """A witness that could not be heard is None, which is never the same as one with nothing to say.

    `erp`: documents, audit and outbox of the vendor's records. `mail`: Message-IDs in the counterparties' mailbox.
    `policy`: every stored input replayed. `identity`: subject by username, from the tokens that the people used.
    """

    timelines: tuple[CaseTimeline, ...]
    blobs: dict[str, Any]
    set_aside: tuple[Row, ...]
    erp: dict[str, Any] | None
    mail: tuple[str, ...] | None
    policy: tuple[PolicyReplay, ...] | None
    identity: dict[str, str] | None

    def of(self, case_id: str) -> CaseTimeline | None:
        return next((timeline for timeline in self.timelines if timeline.case_id == case_id), None)
