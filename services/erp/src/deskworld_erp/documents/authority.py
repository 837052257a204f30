"""Who may post a document. The stage door posts as whoever it names, and without a name as itself."""

from deskworld_erp.erp import Erp
from deskworld_erp.invoicing.rules.authority import Duty, has_duty
from deskworld_erp.invoicing.state import grants
from deskworld_erp.posting import Posting
from deskworld_kit.problems import Problem

STAGE = "stage"


async def may(erp: Erp, posting: Posting, duty: Duty) -> None:
    """Raises Problem NOT_AUTHORISED: for a service account always, for a person without a grant where enforced."""
    actor = posting.actor
    if actor.user is None:
        if actor.client == STAGE:
            return
        detail = "A service account may only read: a document needs a person behind it."
        raise Problem(403, "NOT_AUTHORISED", detail, user=actor.name, duty=duty)
    if erp.enforce and not has_duty(await grants(posting.connection, actor.name), duty):
        detail = f"No grant of {actor.name} names {duty}."
        raise Problem(403, "NOT_AUTHORISED", detail, user=actor.name, duty=duty)
