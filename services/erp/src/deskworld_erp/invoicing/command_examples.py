"""One body for each command, for the door's description."""

from collections.abc import Mapping
from typing import Any

from deskworld_erp.invoicing.rules.authority import Action

EXCEPTION = "0199d2c4-7a10-7c3e-8f00-5b6d1e2f3a4c"
_BODIES: Mapping[Action, Mapping[str, Any]] = {
    Action.APPROVE_VARIANCE: {"settles": [EXCEPTION], "decision_id": "d-1"},
    Action.SHORT_PAY: {"amount": "1000.00", "settles": [EXCEPTION]},
    Action.HOLD: {"exception_id": EXCEPTION, "comment": "the rest ships next week"},
    Action.RELEASE_HOLD: {"exception_id": EXCEPTION},
    Action.REJECT: {"comment": "billed twice"},
    Action.REQUEST_CREDIT_MEMO: {"exception_id": EXCEPTION},
    Action.ASSIGN_PO: {"against_po": "PO-1001"},
    Action.CLEAR_DUPLICATE: {"comment": "its numbering restarts each year"},
}
EXAMPLES = {str(action): {"value": {"expected_version": 1, **body}} for action, body in _BODIES.items()}
