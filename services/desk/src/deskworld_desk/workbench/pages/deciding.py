"""A decision as a form. The page waits for the system of record for a while; then it shows how far it is."""

import asyncio
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from deskworld_desk.workbench.deciding import Decide, post
from deskworld_desk.workbench.pages.bench import Workbench, to
from deskworld_desk.workbench.pages.case import case_of
from deskworld_desk.workbench.pages.case_forms import address, show
from deskworld_desk.workbench.pages.doorway import SAYABLE, read, wrong_with
from deskworld_desk.workbench.pages.sessions import Visitor
from deskworld_kit.problems import Problem

CARRYING_SECONDS = 10.0
"""How long a page waits for the system of record; then it shows that the decision is being carried out."""
WORDLESS = "Say why you decline: whoever proposed it is told your words."


async def decide(bench: Workbench, request: Request, visitor: Visitor, sent: dict[str, str]) -> Response:
    decision_id = request.path_params["decision_id"]
    case_id = await case_of(bench.desk, decision_id)
    words = sent.get("words", "").strip()
    try:
        if sent.get("verdict") == "decline" and not words:
            raise Problem(400, "INVALID_REQUEST", WORDLESS)
        body = read(Decide, **{name: sent.get(name) for name in ("verdict", "reason", "seen")}, words=words)
        _, carrying = await post(bench.desk, decision_id, body, visitor.who, visitor.token)
    except Problem as problem:
        if problem.status not in SAYABLE:
            raise
        return await show(bench, visitor, case_id, wrong=wrong_with(sent.get("verdict", ""), sent, problem))
    if carrying is not None:
        await asyncio.wait([carrying], timeout=CARRYING_SECONDS)
    return to(f"{address(case_id)}?{urlencode({'decided': decision_id})}")
