"""Accounts payable as one value."""

from functools import partial

from deskworld_desk.policy_client import PolicyClient
from deskworld_desk.world import Json, Names, ToolContext, World
from deskworld_desk.worlds.ap.actions import ACTIONS, carry, outcome
from deskworld_desk.worlds.ap.bank_changes import bank_changes
from deskworld_desk.worlds.ap.claims import confirm
from deskworld_desk.worlds.ap.erp_client import ErpClient
from deskworld_desk.worlds.ap.events import hear
from deskworld_desk.worlds.ap.labels import summary
from deskworld_desk.worlds.ap.resolver import resolve
from deskworld_desk.worlds.ap.routing import Known, tool_input
from deskworld_desk.worlds.ap.showing import reference
from deskworld_desk.worlds.ap.tools import tools
from deskworld_desk.worlds.ap.wording import in_words


def accounts_payable(erp: ErpClient, policy: PolicyClient) -> World:
    offered = tools(erp)
    return World(
        name="ap",
        names=Names(subject="exception_id", record="invoice_id", party="vendor_id"),
        hear=hear,
        resolve=partial(resolve, erp, policy),
        tool_input=_tool_input,
        confirm=partial(confirm, erp),
        tools=offered,
        propose=offered["propose_resolution"],
        actions=ACTIONS,
        carry=partial(carry, erp),
        outcome=partial(outcome, erp),
        summary=summary,
        in_words=in_words,
        brief_reference=_reference,
        changes=bank_changes(erp),
    )


def _tool_input(context: ToolContext, tool: str) -> Json:
    return tool_input(context.case, context.proposer, tool, Known(), asked_this_turn=context.asked_this_turn)


def _reference(opening: Json) -> str | None:
    return reference(opening.get("po_number"))
