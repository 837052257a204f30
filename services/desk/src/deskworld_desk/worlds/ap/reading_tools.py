"""Tools that read. The case's own ids are filled in; another record of the same vendor is reached by its number."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from deskworld_desk.text import plain
from deskworld_desk.world import Found, Json, Look, Prepared, Refusal, Tool, ToolContext
from deskworld_desk.worlds.ap.erp_client import ErpClient
from deskworld_desk.worlds.ap.routing import Known, tool_input
from deskworld_desk.worlds.ap.showing import show_invoice, show_order, show_receipt, show_similar, show_vendor


class NoArgs(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class OrderArgs(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    number: Annotated[
        Annotated[str, Field(min_length=1, max_length=200), plain] | None,
        Field(description="An order of this vendor; left out, the invoice's"),
    ] = None


Fetch = Callable[[ErpClient, ToolContext, Any], Awaitable[Found]]


def reads(erp: ErpClient) -> tuple[Tool, ...]:
    return (
        _tool(erp, "get_invoice", "The case's invoice: lines, exceptions, holds, what is payable.", NoArgs, _invoice),
        _tool(
            erp,
            "get_purchase_order",
            "An order of this vendor with what was accepted and billed.",
            OrderArgs,
            _purchase_order,
        ),
        _tool(erp, "get_receipts", "The goods receipts of an order of this vendor.", OrderArgs, _receipts),
        _tool(erp, "get_vendor", "The vendor: contacts and bank accounts, also changes of them.", NoArgs, _vendor),
        _tool(
            erp,
            "find_similar_invoices",
            "Invoices of this vendor that may be the same as this one, and why.",
            NoArgs,
            _similar,
        ),
        _tool(erp, "get_vendor_invoice_history", "All invoices of this vendor.", NoArgs, _history),
    )


async def named_order(erp: ErpClient, context: ToolContext, number: str) -> Json:
    """Raises Refusal NOT_FOUND or OTHER_VENDOR."""
    order = await erp.order(context.handles.whole(number))
    if order is None:
        raise Refusal("NOT_FOUND", "the ERP knows no such order")
    if order["vendor_id"] != context.case.party_id:
        raise Refusal("OTHER_VENDOR", "that order is another vendor's")
    return order


async def case_order(erp: ErpClient, context: ToolContext) -> Json:
    """The order that the invoice is matched to, or else names. Raises Refusal NO_ORDER, NOT_FOUND."""
    number = context.case.opening.get("po_number")
    if number is None:
        invoice = await erp.invoice(context.case.record_id)
        number = invoice["matched_po"] or invoice["po_reference"]
    if number is None:
        raise Refusal("NO_ORDER", "the invoice names no order")
    try:
        return await named_order(erp, context, number)
    except Refusal as refusal:
        # what the vendor wrote as a reference is not a request of the agent's for another vendor's record
        raise Refusal("NOT_FOUND", "the invoice names no order of this vendor that the ERP knows") from refusal


def _tool(erp: ErpClient, name: str, description: str, args: type[BaseModel], fetch: Fetch) -> Tool:
    async def prepare(context: ToolContext, given: Any) -> Prepared:
        asked = tool_input(context.case, context.proposer, name, Known(), asked_this_turn=context.asked_this_turn)

        async def look() -> Found:
            return await fetch(erp, context, given)

        return Prepared(asked, Look(look))

    return Tool(name, description, args, "read", prepare)


async def _invoice(erp: ErpClient, context: ToolContext, _args: NoArgs) -> Found:
    return _found(show_invoice(await erp.invoice(context.case.record_id), context.handles))


async def _purchase_order(erp: ErpClient, context: ToolContext, args: OrderArgs) -> Found:
    return _found(show_order(await _order(erp, context, args.number), context.handles))


async def _receipts(erp: ErpClient, context: ToolContext, args: OrderArgs) -> Found:
    order = await _order(erp, context, args.number)
    found = await erp.receipts(str(order["number"]))
    items = [show_receipt(item, context.handles) for item in (found or {"items": []})["items"]]
    return _items(items, [form for item in items for form in item["ids"]])


async def _vendor(erp: ErpClient, context: ToolContext, _args: NoArgs) -> Found:
    return _found(show_vendor(await erp.vendor(context.case.party_id), context.handles))


async def _similar(erp: ErpClient, context: ToolContext, _args: NoArgs) -> Found:
    found = await erp.similar(context.case.record_id)
    items = [show_similar(item, context.handles) for item in found["items"]]
    return _items(items, [form for item in items for form in item["invoice"]["ids"]])


async def _history(erp: ErpClient, context: ToolContext, _args: NoArgs) -> Found:
    found = await erp.vendor_invoices(context.case.party_id)
    items = [show_invoice(item, context.handles) for item in found["items"]]
    return _items(items, [form for item in items for form in item["ids"]])


async def _order(erp: ErpClient, context: ToolContext, number: str | None) -> Json:
    return await case_order(erp, context) if number is None else await named_order(erp, context, number)


def _found(shown: Json) -> Found:
    return Found(shown, tuple(shown["ids"]))


def _items(items: list[Json], ids: list[str]) -> Found:
    return Found({"items": items}, tuple(dict.fromkeys(ids)))
