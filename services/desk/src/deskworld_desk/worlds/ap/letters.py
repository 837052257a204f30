"""Letters that the rules write: one template per row that asks, with what the letter needs and nothing else."""

from deskworld_desk.world import CaseNow, LetterDraft
from deskworld_desk.worlds.ap.records import Invoice, Vendor
from deskworld_desk.worlds.ap.routing import Known, tool_input
from deskworld_desk.worlds.ap.showing import WITHHELD, reference

_SUBSTITUTED = """Dear {name},

{invoice} bills another item than the one that we ordered. Please tell us

- why the item was replaced (for example: out of stock, discontinued, upgraded),
- the code of the item that you shipped, and
- its unit price.

Please reply to this message and leave its subject as it is.

Accounts payable
"""
_TEMPLATES = {"ITEM_SUBSTITUTED": ("Question about a substituted item", _SUBSTITUTED)}


def letter_for(case: CaseNow, invoice: Invoice, vendor: Vendor | None) -> LetterDraft | None:
    """None when there is nobody of record to write to, or nothing to ask about this kind of exception."""
    template = _TEMPLATES.get(case.reason)
    if template is None or vendor is None or not vendor.contacts:
        return None
    subject, body = template
    contact = vendor.contacts[0]
    number = reference(invoice.number)
    named = "Your invoice" if number in {None, WITHHELD} else f"Your invoice {number}"
    return LetterDraft(
        recipients=(contact.mail,),
        subject=subject,
        body=body.format(name=contact.name, invoice=f"{named} of {invoice.date}"),
        routing_input=tool_input(case, "rules", "email_vendor", Known(vendor=vendor), asked_this_turn=False),
    )
