"""Bank changes as the ERP shows them to a person, and what this person does about them, with their own token."""

from functools import partial
from typing import Annotated, Any, Literal
from urllib.parse import quote, urlencode

import httpx
from pydantic import BaseModel, ConfigDict, Field

from deskworld_desk.changes import Changes, SaidNo, Step
from deskworld_desk.text import plain
from deskworld_desk.world import Json, Unreachable
from deskworld_desk.worlds.ap.erp_client import ErpClient

OPEN = ("PROPOSED", "CALLED_BACK")
NEXT = {"PROPOSED": ("call-back", "reject"), "CALLED_BACK": ("confirm", "reject")}
Short = Annotated[str, Field(min_length=1, max_length=200), plain]
Long = Annotated[str, Field(max_length=4000), plain]


class Reasoned(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    comment: Long | None = None


class CallBack(Reasoned):
    """`phone`: the number that was called, one that was on record before the request."""

    phone: Annotated[Short, Field(examples=["+1 555 0142"])]
    answer: Literal["yes", "no"]


STEPS: dict[str, type[BaseModel]] = {"call-back": CallBack, "confirm": Reasoned, "reject": Reasoned}


def bank_changes(erp: ErpClient) -> Changes:
    return Changes(listed=partial(_listed, erp), one=partial(_one, erp), steps=STEPS, take=partial(_take, erp))


async def _listed(erp: ErpClient, token: str, cursor: str | None, done_too: bool) -> Json:  # noqa: FBT001 - as Changes has it
    query = [("status", status) for status in (() if done_too else OPEN)]
    query += [("cursor", cursor)] if cursor is not None else []
    page = _document(await erp.look(f"/bank-changes?{urlencode(query)}", token=token))
    vendors = {change["vendor_id"]: None for change in page["items"]}
    names = {vendor_id: (await _vendor(erp, vendor_id, token)) for vendor_id in vendors}
    items = [{"change": change, "party": names[change["vendor_id"]], "next": _next(change)} for change in page["items"]]
    return {"items": items, "next": page["next"]}


async def _one(erp: ErpClient, change_id: str, token: str) -> Json | None:
    answer = await erp.look(f"/bank-changes/{quote(change_id, safe='')}", token=token)
    if answer.status_code in {httpx.codes.NOT_FOUND, httpx.codes.BAD_REQUEST}:
        return None
    change = _document(answer)
    return {"change": change, "party": await _vendor(erp, change["vendor_id"], token), "next": _next(change)}


async def _take(erp: ErpClient, step: Step, token: str) -> Json:
    path = f"/bank-changes/{quote(step.change_id, safe='')}/{step.name}"
    return _document(await erp.send(path, body=step.body, token=token, key=step.key))


async def _vendor(erp: ErpClient, vendor_id: str, token: str) -> Json:
    """Whom it is about, and the numbers that were on record: no other is called."""
    vendor = _document(await erp.look(f"/vendors/{quote(vendor_id, safe='')}", token=token))
    return {name: vendor[name] for name in ("id", "name", "contacts")}


def _next(change: Json) -> list[str]:
    return list(NEXT.get(change["status"], ()))


def _document(answer: httpx.Response) -> Json:
    """Raises SaidNo, Unreachable."""
    try:
        said: Any = answer.json()
    except ValueError as error:
        raise Unreachable(f"answered {answer.status_code} without a document") from error
    if not isinstance(said, dict):
        raise Unreachable(f"answered {answer.status_code} with something that is no document")
    if answer.status_code != httpx.codes.OK:
        code, detail = str(said.get("code", "REFUSED")), str(said.get("detail", "the ERP refused it"))
        values = said.get("values")
        raise SaidNo(answer.status_code, code, detail, values if isinstance(values, dict) else {})
    return said
