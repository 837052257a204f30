"""What can be done about an invoice exception, and how a decision becomes an ERP command."""

import httpx

from deskworld_desk.world import Action, Carried, Json, Order, Unreachable
from deskworld_desk.worlds.ap.erp_client import ErpClient

ACTIONS = {
    action.name: action
    for action in (
        Action("approve-variance", "ends"),
        Action("short-pay", "ends"),
        Action("reject", "ends"),
        Action("hold", "holds"),
        Action("request-credit-memo", "holds", {"credit": "requested"}),
    )
}
PAYS = frozenset({"approve-variance", "short-pay"})
STATUS_AFTER = {
    "approve-variance": "APPROVED",
    "short-pay": "APPROVED",
    "reject": "REJECTED",
    "hold": "ON_HOLD",
    "request-credit-memo": "ON_HOLD",
}
COMMENT_LIMIT = 2_000


async def carry(erp: ErpClient, order: Order, token: str) -> Carried:
    """Raises Unreachable when it is not known what became of the command."""
    path = f"/invoices/{order.record_id}/{order.action}"
    answer = await erp.send(path, body=command_body(order), token=token, key=order.key)
    try:
        said = answer.json()
    except ValueError as error:
        raise Unreachable(f"answered {answer.status_code} without a document") from error
    if answer.status_code == httpx.codes.UNAUTHORIZED:
        return Carried("unauthorised", detail="the decider's token no longer opens the ERP")
    if answer.status_code == httpx.codes.OK:
        return _applied(said)
    code, detail = str(said.get("code", answer.status_code)), str(said.get("detail", ""))
    return Carried("stale" if code == "STALE_VERSION" else "refused", code=code, detail=detail)


async def outcome(erp: ErpClient, key: str) -> Carried:
    """Raises Unreachable."""
    said = await erp.command_outcome(key)
    match said.get("outcome"):
        case "applied":
            return _applied(said.get("answer") or {})
        case "refused":
            return Carried("refused", code=str(said.get("code") or "REFUSED"), detail="the ERP refused the command")
        case "unknown":
            return Carried("unknown", detail="the ERP never heard of the command")
    raise Unreachable("the ERP's answer about the command is not understood")


def command_body(order: Order) -> Json:
    body: Json = {
        "expected_version": order.version,
        "comment": order.comment[:COMMENT_LIMIT],
        "decision_id": order.key,
    }
    if order.action in PAYS:
        body["settles"] = list(order.settles)
        if order.against is not None:
            body["against_po"] = order.against
    if order.action == "short-pay":
        body["amount"] = order.amount
    if ACTIONS[order.action].effect == "holds":
        body["exception_id"] = order.case_id
    return body


def _applied(said: Json) -> Carried:
    try:
        return Carried("applied", amount=said["amount"], status=str(said["status"]), version=int(said["version"]))
    except (KeyError, TypeError, ValueError) as error:
        raise Unreachable(f"the ERP's answer about an applied command is not understood: {error}") from error
