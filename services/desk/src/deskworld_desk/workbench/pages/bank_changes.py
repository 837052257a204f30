"""Bank changes on pages: as the ERP shows them to this person, the call-back, and a second person's word."""

from typing import Any
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import Response

from deskworld_desk.workbench.pages.bench import Workbench
from deskworld_desk.workbench.pages.doorway import Posted, Wrong, done
from deskworld_desk.workbench.pages.sessions import BASE, Visitor
from deskworld_desk.workbench.people import VERIFIES
from deskworld_desk.workbench.verifying import body_of, listed, one, take
from deskworld_kit.ids import new_id

ADDRESS = f"{BASE}/bank-changes"
FIELDS = {"call-back": ("phone", "answer", "comment"), "confirm": ("comment",), "reject": ("comment",)}
Fields = dict[str, str]


async def changes_page(bench: Workbench, request: Request, visitor: Visitor) -> Response:
    query = request.query_params
    every = query.get("done_too") == "yes"
    found = await listed(bench.desk, visitor.token, cursor=query.get("cursor"), done_too=every)
    more = {"cursor": found["next"]} | ({"done_too": "yes"} if every else {})
    older = urlencode(more) if found["next"] else None
    return bench.render.page(
        "bank-changes.html", visitor=visitor, here="bank-changes", items=found["items"], older=older, every=every
    )


async def one_change(bench: Workbench, request: Request, visitor: Visitor) -> Response:
    return await _show(bench, visitor, request.path_params["change_id"], request.query_params.get("done"), None)


def step(name: str) -> Posted:
    async def taken(bench: Workbench, request: Request, visitor: Visitor, sent: Fields) -> Response:
        change_id = request.path_params["change_id"]

        async def command() -> Any:
            fields = {field: sent[field] for field in FIELDS[name] if sent.get(field)}
            body = body_of(bench.desk, name, fields)
            key = sent.get("key") or new_id()
            return await take(bench.desk, change_id, name, body, token=visitor.token, key=key)

        async def again(wrong: Wrong) -> Response:
            return await _show(bench, visitor, change_id, None, wrong)

        return await done(name, sent, command, then=f"{ADDRESS}/{quote(change_id, safe='')}", again=again)

    return taken


async def _show(bench: Workbench, visitor: Visitor, change_id: str, did: str | None, wrong: Wrong | None) -> Response:
    found = await one(bench.desk, change_id, visitor.token)
    status = 200 if wrong is None else wrong.status
    # a step that is sent twice is taken once: each form of each page has a key of its own
    return bench.render.page(
        "bank-change.html",
        visitor=visitor,
        status=status,
        here="bank-changes",
        may_verify=bool(visitor.who.roles & VERIFIES),
        keys={name: new_id() for name in FIELDS},
        did=did,
        wrong=wrong,
        **found,
    )
