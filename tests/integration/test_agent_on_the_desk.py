"""The playbook on the real desk over the real ERP: one case of each reason, and the first move in it."""

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from httpx_sse import aconnect_sse
from tests.support.stack import embedded

from deskworld_agent.door import agent_door
from deskworld_agent.playbook import playbook
from deskworld_agent.work import work

pytestmark = [pytest.mark.stack]
DEADLINE = 30.0
MOVES = {"ask_buyer", "email_vendor", "propose_resolution", "keep_hold", "wait"}
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Sees:
    """A situation, and the first move of a competent analyst in it."""

    reason: str
    move: str
    situation: Json
    cites: tuple[str, ...] = ()
    amount: str | None = None


def order(*, price: str = "10.00", unit: str = "EA", currency: str = "USD") -> Json:
    lines = [{"item": "ROD-7", "description": "Rod", "unit": unit, "quantity": "100", "price": price}]
    return {
        "ref": "order", "number": "PO-{tag}", "buyer": "anna.keller", "currency": currency, "date": "2026-03-02",
        "lines": lines,
    }  # fmt: skip


def receipt(quantity: str = "100", nth: int = 1) -> Json:
    lines = [{"line": 1, "quantity": quantity}]
    return {"ref": f"receipt-{nth}", "order": "order", "date": f"2026-03-1{nth}", "lines": lines}


def invoice(ref: str = "invoice", **changes: Any) -> Json:
    line = {
        "po_line": 1, "item": "ROD-7", "description": "Rod", "unit": "EA", "quantity": "100", "price": "10.00",
        **changes.pop("line", {}),
    }  # fmt: skip
    return {
        "ref": ref, "number": "A-{tag}-1", "po_reference": "PO-{tag}", "date": "2026-03-20", "currency": "USD",
        "lines": [line], **changes,
    }  # fmt: skip


def situation(*invoices: Json, receipts: list[Json] | None = None, **others: Any) -> Json:
    return {
        "orders": [others.pop("order", order())],
        "receipts": [receipt()] if receipts is None else receipts,
        "invoices": list(invoices),
        **others,
    }


PENDING = {
    "ref": "bank-change", "account": "DE00700000000000000", "routing": "MARKDEF1100",
    "requested_from": "billing@else.outside.example", "proposed_by": "emma.lind",
}  # fmt: skip
EARLIER = invoice("original", number="A-{tag}-01", settled="APPROVED")
HALF: Json = {"line": {"quantity": "50"}}
BOTH = ("invoice", "order")

CASES = [
    Sees("PRICE_VARIANCE", "ask_buyer", situation(invoice(line={"price": "10.60"}))),
    Sees("PRICE_VARIANCE", "request-credit-memo", situation(invoice(line={"price": "11.90"})), BOTH),
    Sees("QTY_OVER_RECEIPT", "hold", situation(invoice(), receipts=[receipt("60")]), ("receipt-1",)),
    Sees("NO_RECEIPT", "hold", situation(invoice(), receipts=[]), BOTH),
    Sees("DUPLICATE", "reject", situation(EARLIER, invoice(number="A {tag} 1")), ("original",)),
    Sees(
        "POSSIBLE_DUPLICATE",
        "approve-variance",
        situation(
            invoice("original", settled="APPROVED", **HALF),
            invoice(number="B-{tag}-2", **HALF),
            receipts=[receipt("50", 1), receipt("50", 2)],
        ),
        ("receipt-1", "receipt-2"),
    ),
    Sees("NO_PO", "email_vendor", situation(invoice(po_reference="PO-{tag}-X"))),
    Sees("UNPLANNED_CHARGE", "short-pay", situation(invoice(freight="85.00")), BOTH, "1000.00"),
    Sees("VENDOR_BANK_CHANGED", "hold", situation(invoice(), bank_changes=[PENDING]), ("vendor", "bank-change")),
    Sees("ITEM_SUBSTITUTED", "email_vendor", situation(invoice(line={"item": "ROD-8", "price": "11.20"}))),
    Sees("CURRENCY_MISMATCH", "email_vendor", situation(invoice(currency="EUR"))),
    Sees("UOM_MISMATCH", "email_vendor", situation(invoice(line={"unit": "KGM"}))),
    Sees("DOCUMENT_ARITHMETIC", "short-pay", situation(invoice(stated_total="990.00")), BOTH, "990.00"),
    Sees("DOCUMENT_ARITHMETIC", "email_vendor", situation(invoice(stated_total="1010.00"))),
]


class Stage:
    def __init__(self, stack: Mapping[str, Any], http: httpx.AsyncClient) -> None:
        self._http = http
        self._erp, self._desk = stack["erp_stage"], stack["desk_stage"]
        self._erp_key = {"Authorization": f"Bearer {stack['secrets']['erp_stage']}"}
        self._desk_key = {"Authorization": f"Bearer {stack['secrets']['desk_stage']}"}

    @asynccontextmanager
    async def rows(self) -> AsyncIterator[AsyncIterator[Json]]:
        """The rows of all cases from now on."""
        async with aconnect_sse(self._http, "GET", f"{self._desk}/stage/stream", headers=self._desk_key) as source:
            events = source.aiter_sse()
            assert (await anext(events)).event == "hello"
            yield (json.loads(event.data)["row"] async for event in events if event.event == "row")

    async def seed(self, given: Json) -> Json:
        tag = uuid.uuid4().hex[:10]
        vendor = {
            "id": str(uuid.uuid4()), "name": "Somebody", "terms": "NET30",
            "contacts": [
                {
                    "name": "Somebody", "phone": "+1 555 0100", "mail": f"ap@v-{tag}.vendors.deskworld.example",
                    "trusted_since": "2024-01-02",
                }
            ],
            "bank_accounts": [{"account": f"US{tag}", "routing": "021000021", "status": "ACTIVE"}],
        }  # fmt: skip
        told = await self._http.put(
            f"{self._desk}/stage/vendors/{vendor['id']}/rules", json={"rules": "off"}, headers=self._desk_key
        )
        assert told.status_code == 204, told.text
        body = json.loads(json.dumps({"vendor": vendor, **given}).replace("{tag}", tag))
        answer = await self._http.post(f"{self._erp}/stage/situations", json=body, headers=self._erp_key)
        assert answer.status_code == 201, answer.text
        seeded: Json = answer.json()
        return seeded


@pytest.fixture(scope="module")
def own_stack() -> Iterator[Mapping[str, Any]]:
    """Of its own: the cases stay open, and no other test should meet them."""
    with embedded("--name", "agent-on-the-desk") as (_, contents):
        yield contents


@pytest.mark.parametrize("sees", CASES, ids=[f"{sees.reason}-{sees.move}" for sees in CASES])
async def test_the_first_move_on_a_real_case_is_taken(own_stack: Mapping[str, Any], sees: Sees) -> None:
    stack = own_stack
    token_url = f"{stack['issuer']}/protocol/openid-connect/token"
    door = agent_door(
        stack["agent_door"], token_url=token_url, secret=stack["secrets"]["agent_client"], name="playbook"
    )
    stop = asyncio.Event()
    async with httpx.AsyncClient(timeout=DEADLINE) as http, door as agent:
        stage = Stage(stack, http)
        async with stage.rows() as rows:
            seeded = await stage.seed(sees.situation)
            (case_id,) = [one["id"] for one in seeded["exceptions"] if one["reason"] == sees.reason]
            working = asyncio.create_task(work(agent, playbook(), stop=stop, side_by_side=1))
            calls = await first_turn(rows, case_id)
            stop.set()
            await asyncio.wait_for(working, DEADLINE)
    moves = [call for call in calls if call["tool"] in MOVES]
    assert [call["arguments"].get("action", call["tool"]) for call in moves] == [sees.move], moves
    assert {call["outcome"] for call in calls} <= {"OK"} | ({"REFUSED"} if sees.reason == "NO_PO" else set()), calls
    cited = set(moves[0]["arguments"].get("citations", ()))
    for ref in sees.cites:
        assert cited & set(seeded["records"][ref]["forms"]), f"{ref} is not cited: {cited}"
    assert moves[0]["arguments"].get("amount") == sees.amount


async def first_turn(rows: AsyncIterator[Json], case_id: str) -> list[Json]:
    """The calls of the case's first turn, when that turn has ended."""
    calls: list[Json] = []
    async with asyncio.timeout(DEADLINE):
        async for row in rows:
            if row["case_id"] != case_id:
                continue
            if row["kind"] == "tool.called":
                calls.append(row["data"])
            if row["kind"] == "turn.ended":
                return calls
    raise AssertionError(f"the stream ended before the turn of {case_id} did: {calls}")
