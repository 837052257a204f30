"""Who may do what beside the actions on an invoice, asked where it is about to be done."""

from sqlalchemy.ext.asyncio import AsyncConnection

from deskworld_erp.erp import Erp
from deskworld_erp.invoicing.rules.authority import Duty, has_duty
from deskworld_erp.invoicing.state import grants
from deskworld_kit.identity import Principal
from deskworld_kit.problems import Problem


async def require(erp: Erp, connection: AsyncConnection, who: Principal, duty: Duty) -> None:
    """Raises Problem NOT_AUTHORISED: for a service account always, for a person unless a grant names the duty or
    authority is not enforced."""
    if not who.is_person:
        raise Problem(
            403,
            "NOT_AUTHORISED",
            "A service account may only read: a command needs a person behind it.",
            user=who.username,
            duty=duty,
        )
    if erp.enforce and not has_duty(await grants(connection, who.username), duty):
        raise Problem(403, "NOT_AUTHORISED", f"No grant of {who.username} names {duty}.", user=who.username, duty=duty)
