"""An agent door in a test: speaks docs/doors.md, hands out the turns it is given, answers tools from a table."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from deskworld_agent.account import Account
from deskworld_agent.door import AgentDoor, OpenTurn
from deskworld_agent.wire import Turn
from deskworld_agent.work import Act, work_turn

Json = dict[str, Any]
Answer = tuple[str, Any, tuple[str, ...]]
Tool = Callable[[Json], Answer]

CASE = "0190-case"
INVOICE, VENDOR, ORDER = "0190-invoice", "0190-vendor", "0190-order"
SECRET = "open sesame"


@dataclass
class Office:
    """`calls` is every call that was made; `trouble` are answers that come before the door does what it is asked."""

    tools: dict[str, Tool] = field(default_factory=dict)
    turns: deque[Json] = field(default_factory=deque)
    calls: list[Json] = field(default_factory=list)
    ended: list[Json] = field(default_factory=list)
    beats: int = 0
    claims: list[Json] = field(default_factory=list)
    tokens: int = 0
    trouble: deque[Response] = field(default_factory=deque)
    lost: bool = False
    lives: int = 900
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    answered: dict[tuple[str, str], Json] = field(default_factory=dict)

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/token", self._token, methods=["POST"]),
                Route("/turns/claim", self._claim, methods=["POST"]),
                Route("/turns/{id}/calls", self._call, methods=["POST"]),
                Route("/turns/{id}/heartbeat", self._beat, methods=["POST"]),
                Route("/turns/{id}/end", self._end, methods=["POST"]),
            ]
        )

    async def _token(self, request: Request) -> Response:
        form = await request.form()
        if form["client_secret"] != SECRET or form["grant_type"] != "client_credentials":
            return JSONResponse({"error": "unauthorized_client"}, 401)
        self.tokens += 1
        return JSONResponse({"access_token": f"account-{self.tokens}", "expires_in": self.lives})

    async def _claim(self, request: Request) -> Response:
        self.claims.append({"by": request.headers["authorization"], **await request.json()})
        if self.trouble:
            return self.trouble.popleft()
        if not self.turns:
            with suppress(TimeoutError):
                await asyncio.wait_for(asyncio.Event().wait(), min(self.claims[-1]["wait"], 0.2))
            return Response(status_code=204)
        return JSONResponse(self.turns.popleft())

    async def _call(self, request: Request) -> Response:
        asked = await request.json()
        if self.lost:
            return problem(409, "LEASE_LOST")
        key = (request.path_params["id"], asked["call_id"])
        if key not in self.answered:
            self.calls.append({"turn": key[0], "by": request.headers["authorization"], **asked})
            outcome, result, ids = self.tools.get(asked["tool"], refuse("TOOL_NOT_OFFERED"))(asked["args"])
            refused = outcome != "OK"
            self.answered[key] = {
                "call_id": asked["call_id"],
                "outcome": outcome,
                "result": None if refused else result,
                "ids": list(ids),
                "code": result if refused else None,
                "reason": f"because of {result}" if refused else None,
            }
        return self.trouble.popleft() if self.trouble else JSONResponse(self.answered[key])

    async def _beat(self, _request: Request) -> Response:
        self.beats += 1
        await self._tell()
        return problem(409, "LEASE_LOST") if self.lost else Response(status_code=204)

    async def _end(self, request: Request) -> Response:
        if self.lost:
            return problem(409, "LEASE_LOST")
        self.ended.append({"turn": request.path_params["id"], **await request.json()})
        await self._tell()
        return JSONResponse({"how": self.ended[-1]["how"]})

    async def _tell(self) -> None:
        async with self.changed:
            self.changed.notify_all()

    async def until(self, holds: Callable[[], bool], seconds: float = 5.0) -> None:
        """Waits for a beat or an end that makes it hold."""
        async with self.changed, asyncio.timeout(seconds):
            await self.changed.wait_for(holds)

    def made(self, *tools: str) -> list[Json]:
        """Arguments of the calls of these tools, in order."""
        return [call["args"] for call in self.calls if call["tool"] in tools]


def queue(*items: Any) -> deque[Any]:
    return deque(items)


def problem(status: int, code: str) -> Response:
    body = {"type": "about:blank", "title": code, "status": status, "detail": "no", "code": code}
    return Response(json.dumps(body), status, media_type="application/problem+json")


def ok(result: Any = None, *ids: str) -> Tool:
    return lambda _: ("OK", result if result is not None else {}, ids)


def refuse(code: str) -> Tool:
    return lambda _: ("REFUSED", code, ())


def fail(code: str = "ERP_UNAVAILABLE") -> Tool:
    return lambda _: ("FAILED", code, ())


def in_turn(*tools: Tool) -> Tool:
    """One answer after the other; the last one stays."""
    left = deque(tools)

    def answer(args: Json) -> Answer:
        tool = left.popleft() if len(left) > 1 else left[0]
        return tool(args)

    return answer


@asynccontextmanager
async def door_to(
    office: Office, *, secret: str = SECRET, try_seconds: float = 5, **says: str
) -> AsyncIterator[AgentDoor]:
    transport = httpx.ASGITransport(app=office.app())
    async with httpx.AsyncClient(transport=transport, base_url="http://desk") as http:
        account = Account(token_url="http://desk/token", client_id="agent", secret=secret, http=http)
        yield AgentDoor(name="tester", account=account, http=http, try_seconds=try_seconds, **says)


async def take(office: Office, act: Act, *turns: Json) -> None:
    """Lets the agent act in these turns, one after the other."""
    transport = httpx.ASGITransport(app=office.app())
    async with httpx.AsyncClient(transport=transport, base_url="http://desk") as http:
        for given in turns:
            await work_turn(OpenTurn(Turn.model_validate(given), http, try_seconds=0.4), act)


def turn(*inputs: Json, number: int = 1, lease: float = 30, case_id: str = CASE, **brief: Any) -> Json:
    """A turn as the desk gives it; the brief's fields can be named."""
    reason = brief.pop("reason", "PRICE_VARIANCE")
    amount = brief.pop("amount", "40.00")
    return {
        "turn_id": f"turn-{case_id}-{number}",
        "case_id": case_id,
        "number": number,
        "token": f"token-{number}",
        "lease": lease,
        "inputs": list(inputs) or [stopped(reason)],
        "brief": {
            "exception": {
                "id": case_id, "handle": "exception-1", "reason": reason, "amount": amount, "currency": "USD",
                "summary": "Something does not match.",
            },
            "siblings": [],
            "invoice": {"id": INVOICE, "handle": "invoice-1", "status": "EXCEPTION", "version": 2},
            "vendor": {"id": VENDOR, "handle": "vendor-1"},
            "po_reference": "PO-4711",
            "held": False,
            "open_question": None,
            "open_letter": None,
            "declined": [],
            **brief,
        },
        "tools": [{"name": "get_invoice", "description": "", "parameters": {"type": "object"}}],
    }  # fmt: skip


def stopped(reason: str = "PRICE_VARIANCE", why: str = "disabled", **facts: str) -> Json:
    held = [{"fact": fact, "value": value} for fact, value in facts.items()]
    return {"type": "rules-stopped", "label": f"rules-stopped:{reason}:{why}", "reason": why, "facts": held}


def answered(text: str) -> Json:
    return {"type": "answered", "label": "answered", "question_id": "q-1", "by": "anna.keller", "text": text}


def replied(intent: str = "OTHER", *, sender: str = "known", **reading: Any) -> Json:
    read = {
        "intent": intent, "offers": [], "stated_price": None, "po_number": None, "substitution_reason": None,
        "shipped_item": None, "contains_instructions": False, "failed": False, **reading,
    }  # fmt: skip
    return {"type": "reply", "label": f"reply:{intent}", "mail_id": "m-1", "reading": read, "sender": sender}


def decided(outcome: str, action: str, **why: Any) -> Json:
    told = {"words": None, "reason": None, "code": None, "detail": None, **why}
    return {
        "type": "decision", "label": f"decision:{outcome}", "decision_id": "d-1", "outcome": outcome, "action": action,
        **told,
    }  # fmt: skip


def rechecked(kind: str, reason: str = "QTY_OVER_RECEIPT") -> Json:
    return {
        "type": "rechecked", "label": f"rechecked:{reason}:{kind}", "cause": {"kind": kind, "id": "c-1"},
        "exception": CASE,
    }  # fmt: skip


def noted(text: str = "Please go on.") -> Json:
    return {"type": "note", "label": "note", "by": "grace.hall", "text": text}


def declined(action: str, words: str | None = None, reason: str | None = None) -> Json:
    return {"action": action, "words": words, "reason": reason}


# The records that the tools return ----------------------------------------------------------------------------------


def line(no: int = 1, *, po_line: int | None = 1, item: str = "WIDGET", quantity: str = "100.000", price: str) -> Json:
    return {
        "no": no, "po_line": po_line, "item": item, "description": "withheld", "unit": "EA", "quantity": quantity,
        "price": price, "net": "0.00",
    }  # fmt: skip


def exception(reason: str, *, named: str = CASE, held: bool = False, masked: tuple[str, ...] = ()) -> Json:
    return {
        "id": named, "invoice_id": INVOICE, "reason": reason, "status": "OPEN", "amount": "40.00", "currency": "USD",
        "masked": [{"id": one, "reason": "PRICE_VARIANCE"} for one in masked],
        "holds": [{"id": "h-1", "why": "goods", "by": "emma.lind"}] if held else [],
    }  # fmt: skip


def invoice(*lines: Json, reason: str = "PRICE_VARIANCE", **fields: Any) -> Json:
    return {
        "id": INVOICE, "handle": "invoice-1", "number": "V-1", "vendor_id": VENDOR, "po_reference": "PO-4711",
        "matched_po": "PO-4711", "currency": "USD", "lines": list(lines or (line(price="10.40"),)), "tax": "0.00",
        "freight": "0.00", "stated_total": "1040.00", "computed_total": "1040.00", "status": "EXCEPTION", "version": 2,
        "credits": "0.00", "payable": "1000.00", "sequence": 2, "exceptions": [exception(reason)],
        "ids": [INVOICE, "V-1", "invoice-1"], **fields,
    }  # fmt: skip


def order(*lines: Json, **fields: Any) -> Json:
    return {
        "id": ORDER, "handle": "order-1", "number": "PO-4711", "vendor_id": VENDOR, "buyer": "anna.keller",
        "currency": "USD", "payable": "1040.00", "revision": 1,
        "lines": list(lines) or [order_line()], "ids": [ORDER, "PO-4711", "order-1"], **fields,
    }  # fmt: skip


def order_line(no: int = 1, *, item: str = "WIDGET", quantity: str = "100.000", price: str = "10.00") -> Json:
    return {"no": no, "item": item, "unit": "EA", "quantity": quantity, "price": price, "accepted": quantity}


def receipt(nth: int = 1, *, accepted: str = "100.000", po_line: int = 1) -> Json:
    name = f"0190-receipt-{nth}"
    return {
        "id": name, "po_number": "PO-4711", "reverses": None,
        "lines": [{"line": po_line, "quantity": accepted, "accepted": accepted, "rejected": "0.000"}],
        "ids": [name, f"receipt-{nth}"],
    }  # fmt: skip


def vendor(*, status: str = "ACTIVE", change: str | None = None) -> Json:
    account = {"id": "0190-account", "account": "****1234", "status": status}
    return {
        "id": VENDOR, "handle": "vendor-1", "name": "withheld",
        "bank_accounts": [{**account, "change": {"id": change} if change else None}],
        "ids": [VENDOR, "vendor-1", *([change, "0190-account"] if change else [])],
    }  # fmt: skip


def documents(*, of: Json | None = None, **others: Any) -> dict[str, Tool]:
    """The reading tools over these records; every move is taken."""
    found_invoice, found_order, found_vendor = (
        of or invoice(),
        others.get("order", order()),
        others.get("vendor", vendor()),
    )
    receipts = others.get("receipts", [receipt()])
    similar = others.get("similar", [])
    history = others.get("history", [found_invoice])
    return {
        "get_invoice": ok(found_invoice, *found_invoice["ids"]),
        "get_vendor": ok(found_vendor, *found_vendor["ids"]),
        "get_purchase_order": ok(found_order, *found_order["ids"]) if found_order else refuse("NOT_FOUND"),
        "get_receipts": ok({"items": receipts}, *(form for one in receipts for form in one["ids"])),
        "find_similar_invoices": ok({"items": similar}, *(form for one in similar for form in one["invoice"]["ids"])),
        "get_vendor_invoice_history": ok({"items": history, "next": None}, *(f for one in history for f in one["ids"])),
        **{tool: ok({"done": True}) for tool in MOVES},
    }


MOVES = ("ask_buyer", "email_vendor", "propose_resolution", "keep_hold", "wait", "note_case")
