"""What the body of each command holds, for the door's description: the checks are in `schemas.ActionBody`."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from deskworld_erp.invoicing.rules.authority import Action
from deskworld_erp.invoicing.schemas import NEEDS_ONE_EXCEPTION, CommandBody

EXCEPTION = "0199d2c4-7a10-7c3e-8f00-5b6d1e2f3a4c"
WITH_A_REASON = {"type": "string", "maxLength": 4000, "pattern": r"^[^\u0000-\u001f\u007f\s][^\u0000-\u001f\u007f]*$"}
EXAMPLES: Mapping[Action, Mapping[str, Any]] = {
    Action.APPROVE_VARIANCE: {"settles": [EXCEPTION], "decision_id": "d-1"},
    Action.SHORT_PAY: {"amount": "1000.00", "settles": [EXCEPTION]},
    Action.HOLD: {"exception_id": EXCEPTION, "comment": "the rest ships next week"},
    Action.RELEASE_HOLD: {"exception_id": EXCEPTION},
    Action.REJECT: {"comment": "billed twice"},
    Action.REQUEST_CREDIT_MEMO: {"exception_id": EXCEPTION},
    Action.ASSIGN_PO: {"against_po": "PO-1001"},
    Action.CLEAR_DUPLICATE: {"comment": "its numbering restarts each year"},
}
_NEEDS: Mapping[Action, str] = {
    Action.SHORT_PAY: "amount",
    Action.ASSIGN_PO: "against_po",
    Action.CLEAR_DUPLICATE: "comment",
    **dict.fromkeys(NEEDS_ONE_EXCEPTION, "exception_id"),
}


def body_of_command(action: Action) -> dict[str, Any]:
    content = {"schema": _schema(action), "example": {"expected_version": 1, **EXAMPLES[action]}}
    return {"requestBody": {"required": True, "content": {"application/json": content}}}


def _schema(action: Action) -> dict[str, Any]:
    schema = CommandBody.model_json_schema()
    fields = schema["properties"]
    if action not in NEEDS_ONE_EXCEPTION:
        del fields["until"]
    if action in _NEEDS:
        name = _NEEDS[action]
        schema["required"] = [*schema["required"], name]
        fields[name] = _there(fields[name])
    if action is Action.CLEAR_DUPLICATE:
        fields["comment"] = WITH_A_REASON
    if action is Action.RELEASE_HOLD:
        named = ("exception_id", "hold_id")
        schema["anyOf"] = [{"required": [name], "properties": {name: _there(fields[name])}} for name in named]
    return schema


def _there(field: Mapping[str, Any]) -> dict[str, Any]:
    """The field without the way to leave it open."""
    found = next(one for one in field["anyOf"] if one.get("type") != "null")
    return deepcopy(dict(found))
