"""Reading with every tool of the desk, as an agent does that knows where each record is found."""

from collections.abc import Iterable

from deskworld_agent.door import OpenTurn
from deskworld_agent.wire import CallResult

READING = (
    "get_invoice",
    "get_vendor",
    "get_purchase_order",
    "get_receipts",
    "find_similar_invoices",
    "get_vendor_invoice_history",
)
OF_AN_ORDER = ("get_purchase_order", "get_receipts")


async def read_until(
    turn: OpenTurn, facts: Iterable[frozenset[str]], *, against_po: str | None = None
) -> tuple[str, ...]:
    """A form of each fact that the tools returned; stops reading when there is one of each."""
    wanted = tuple(facts)
    returned: list[str] = []
    for tool, args in _calls(against_po):
        if _cited(wanted, returned, all_of_them=True):
            break
        answer = await turn.persistently(tool, **args)
        returned.extend(answer.ids)
    return _cited(wanted, returned)


async def read_all(turn: OpenTurn) -> tuple[dict[str, CallResult], tuple[str, ...]]:
    """Every answer by its tool, and everything that may be cited."""
    answers = {tool: await turn.persistently(tool) for tool in READING}
    return answers, tuple(dict.fromkeys(form for answer in answers.values() for form in answer.ids))


def _calls(against_po: str | None) -> list[tuple[str, dict[str, str]]]:
    named = [(tool, {"number": against_po}) for tool in OF_AN_ORDER] if against_po else []
    return [*named, *((tool, {}) for tool in READING)]


def _cited(wanted: tuple[frozenset[str], ...], returned: list[str], *, all_of_them: bool = False) -> tuple[str, ...]:
    """The first returned form of each fact; with `all_of_them`, none unless every fact has one."""
    found = [next((form for form in returned if form in forms), None) for forms in wanted]
    if all_of_them and None in found:
        return ()
    return tuple(dict.fromkeys(form for form in found if form is not None))


def settles_all(invoice: CallResult) -> list[str]:
    """Every open exception of the invoice, and every finding that stands behind one."""
    document = invoice.result if invoice.ok and isinstance(invoice.result, dict) else {}
    exceptions = document.get("exceptions")
    found = [one for one in exceptions if one.get("status") == "OPEN"] if isinstance(exceptions, list) else []
    named = [one["id"] for one in found] + [masked["id"] for one in found for masked in one.get("masked") or ()]
    return list(dict.fromkeys(named))
