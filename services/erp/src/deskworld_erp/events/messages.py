"""The events that the ERP publishes: CloudEvents 1.0, structured mode."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from deskworld_erp.fields import moment_text
from deskworld_kit.ids import new_id
from deskworld_kit.outbox import OutgoingEvent

PREFIX = "deskworld.erp."
SOURCE = "urn:deskworld:erp"


@dataclass(frozen=True, slots=True)
class Cause:
    """kind: invoice · command · receipt · revision · bank-change · credit-note · hold-date · clearing."""

    kind: str
    id: str
    decision_id: str | None = None

    def shown(self) -> dict[str, Any]:
        return {"kind": self.kind, "id": self.id, "decision_id": self.decision_id}


def event(kind: str, *, subject: str, key: str, vendor_id: str, at: datetime, data: Mapping[str, Any]) -> OutgoingEvent:
    """`key` keeps order: the invoice, or the record itself where no invoice is meant."""
    event_id = new_id()
    envelope = {
        "specversion": "1.0",
        "id": event_id,
        "source": SOURCE,
        "type": PREFIX + kind,
        "subject": subject,
        "time": moment_text(at),
        "datacontenttype": "application/json",
        "data": data,
    }
    return OutgoingEvent(
        id=event_id,
        key=key,
        scope=vendor_id,
        type=PREFIX + kind,
        subject=subject,
        at=at,
        body=json.dumps(envelope, ensure_ascii=False, separators=(",", ":")),
    )
