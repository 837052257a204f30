"""The tools of accounts payable. None chooses a recipient, reaches another vendor, or issues an ERP command."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from decimal import Decimal
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from deskworld_desk.text import plain
from deskworld_desk.world import (
    Ask,
    Json,
    LetterDraft,
    Prepared,
    Propose,
    Refusal,
    Tool,
    ToolContext,
    Write,
)
from deskworld_desk.worlds.ap.drafting import amount_of, draft, settled_by
from deskworld_desk.worlds.ap.erp_client import ErpClient
from deskworld_desk.worlds.ap.reading_tools import case_order, named_order, reads
from deskworld_desk.worlds.ap.records import Invoice, Order, Vendor
from deskworld_desk.worlds.ap.routing import Known, Proposed, tool_input
from deskworld_kit.money import money

Doc = TypeVar("Doc", bound=BaseModel)


def _one_line(value: str) -> str:
    if not value.isprintable():
        raise ValueError("is one line of text")
    return value


def _money(value: str) -> str:
    money(value)
    return value


Number = Annotated[str, Field(min_length=1, max_length=200), plain]
Amount = Annotated[str, Field(pattern=r"^[0-9]{1,12}(\.[0-9]{1,2})?$"), AfterValidator(_money)]
Citation = Annotated[str, Field(min_length=1, max_length=200), plain]


class Args(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class AskBuyer(Args):
    question: Annotated[str, Field(min_length=1, max_length=2_000), plain]
    po_number: Number | None = None


class EmailVendor(Args):
    subject: Annotated[str, Field(min_length=1, max_length=150), plain, AfterValidator(_one_line)]
    body: Annotated[str, Field(min_length=1, max_length=4_000), plain]


class ProposeResolution(Args):
    action: Annotated[
        str,
        Field(
            max_length=40,
            description="approve-variance, short-pay, hold, reject or request-credit-memo",
        ),
        plain,
    ]
    amount: Annotated[Amount | None, Field(description="Of a short-pay: what is to be paid")] = None
    settles: Annotated[
        list[Citation] | None, Field(max_length=50, description="Exceptions and masked findings that a payment settles")
    ] = None
    against_po: Annotated[Number | None, Field(description="The order that a payment without an order is for")] = None
    citations: Annotated[list[Citation], Field(max_length=50, description="Ids that your calls returned")]
    rationale: Annotated[str, Field(min_length=1, max_length=4_000), plain]


def tools(erp: ErpClient) -> Mapping[str, Tool]:
    return {tool.name: tool for tool in (*reads(erp), *_moves(erp))}


def _moves(erp: ErpClient) -> tuple[Tool, ...]:
    return (
        Tool(
            "ask_buyer",
            "Ask the buyer of the case's order, or of the order that you name, one question at the workbench.",
            AskBuyer,
            "ask",
            _with(erp, _ask_buyer),
        ),
        Tool(
            "email_vendor",
            "Write to the vendor's contact of record. You get a typed reading of the answer, never its text.",
            EmailVendor,
            "ask",
            _with(erp, _email_vendor),
        ),
        Tool(
            "propose_resolution",
            "Propose what should be done. The policy says who decides; a person decides.",
            ProposeResolution,
            "move",
            _with(erp, _propose),
        ),
    )


def _with(
    erp: ErpClient, prepare: Callable[[ErpClient, ToolContext, Any], Awaitable[Prepared]]
) -> Callable[[ToolContext, Any], Awaitable[Prepared]]:
    async def prepared(context: ToolContext, args: Any) -> Prepared:
        return await prepare(erp, context, args)

    return prepared


async def _ask_buyer(erp: ErpClient, context: ToolContext, args: AskBuyer) -> Prepared:
    if args.po_number is None:
        order = await case_order(erp, context)
    else:
        order = await named_order(erp, context, args.po_number)
    asked = _input(context, "ask_buyer", Known(order=Order.model_validate(order)))
    return Prepared(asked, Ask(str(order["buyer"]), args.question))


async def _email_vendor(erp: ErpClient, context: ToolContext, args: EmailVendor) -> Prepared:
    vendor = await _vendor(erp, context)
    asked = _input(context, "email_vendor", Known(vendor=vendor))
    contacts = vendor.contacts if vendor is not None else ()
    if vendor is not None and not contacts:
        raise Refusal("NO_CONTACT", "the ERP has no contact of record for this vendor")
    recipients = (contacts[0].mail,) if contacts else ()
    return Prepared(asked, Write(LetterDraft(recipients, args.subject, args.body, asked)))


async def _propose(erp: ErpClient, context: ToolContext, args: ProposeResolution) -> Prepared:
    known = await _known(erp, context, args.against_po)
    whole = context.handles.whole
    named = None if args.settles is None else tuple(whole(one) for one in args.settles)
    asked = None if args.amount is None else Decimal(args.amount)
    # the desk reads for a person what a person cites; an agent cites what its own calls returned
    read = _ids(known) if context.proposer == "person" else ()
    citations = tuple(dict.fromkeys(args.citations or read))
    grounded = context.grounded | frozenset(read)
    proposed = Proposed(
        action=args.action,
        amount=amount_of(args.action, asked, known.invoice),
        settles=settled_by(args.action, named, context.case.id),
        against=known.against.number if known.against else args.against_po,
        citations=tuple(dict.fromkeys(whole(one) for one in citations)),
        ungrounded=tuple(one for one in citations if one not in grounded),
    )
    wanted = draft(
        context.case,
        context.proposer,
        proposed,
        known,
        rationale=args.rationale,
        asked_this_turn=context.asked_this_turn,
    )
    return Prepared(wanted.routing_input, Propose(wanted))


def _ids(known: Known) -> tuple[str, ...]:
    read = (known.invoice, known.vendor, known.order, known.against)
    return tuple(dict.fromkeys(form for document in read if document is not None for form in document.ids))


async def _known(erp: ErpClient, context: ToolContext, against: str | None) -> Known:
    """Read anew for every proposal. A document that cannot be understood is unknown, and the policy refuses what rests
    on it. Raises Unreachable: an ERP that is away has failed the call, and no rule has refused it."""
    invoice, vendor, named = await asyncio.gather(
        _invoice(erp, context), _vendor(erp, context), _against(erp, context, against)
    )
    order = None
    if invoice is not None and invoice.order_number is not None:
        order = await _order(erp, context, invoice.order_number)
    return Known(invoice=invoice, order=order, vendor=vendor, against=named)


async def _invoice(erp: ErpClient, context: ToolContext) -> Invoice | None:
    return _understood(Invoice, await erp.invoice(context.case.record_id))


async def _vendor(erp: ErpClient, context: ToolContext) -> Vendor | None:
    return _understood(Vendor, await erp.vendor(context.case.party_id))


async def _order(erp: ErpClient, context: ToolContext, number: str) -> Order | None:
    order = _understood(Order, await erp.order(number))
    return order if order is not None and order.vendor_id == context.case.party_id else None


async def _against(erp: ErpClient, context: ToolContext, number: str | None) -> Order | None:
    """Raises Refusal OTHER_VENDOR. An order that does not exist is none, which the policy refuses."""
    if number is None:
        return None
    try:
        return _understood(Order, await named_order(erp, context, number))
    except Refusal as refusal:
        if refusal.code == "OTHER_VENDOR":
            raise
        return None


def _understood(kind: type[Doc], document: Json | None) -> Doc | None:
    try:
        return None if document is None else kind.model_validate(document)
    except ValueError:
        return None


def _input(context: ToolContext, tool: str, known: Known) -> dict[str, Any]:
    return tool_input(context.case, context.proposer, tool, known, asked_this_turn=context.asked_this_turn)
