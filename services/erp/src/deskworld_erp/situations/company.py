"""Many situations at once: a company to look around in."""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from deskworld_erp.erp import Erp
from deskworld_erp.fields import Id, Value
from deskworld_erp.situations.schemas import Situation
from deskworld_erp.situations.seed import seed_all


class Companies(Value):
    situations: Annotated[list[Situation], Field(min_length=1, max_length=100)]


class CompanySeeded(Value):
    """`exceptions`: how many of each reason were raised."""

    vendor_ids: list[Id]
    orders: int
    invoices: int
    exceptions: dict[str, int]


async def seed_company(erp: Erp, company: Companies, office_routes: Sequence[str]) -> dict[str, Any]:
    """One transaction. Raises Problem as `seed` does."""
    seeded = await seed_all(erp, company.situations, office_routes)
    reasons = Counter(one["reason"] for part in seeded for one in part["exceptions"])
    return {
        "vendor_ids": [part["vendor_id"] for part in seeded],
        "orders": sum(len(situation.orders) for situation in company.situations),
        "invoices": sum(len(situation.invoices) for situation in company.situations),
        "exceptions": dict(sorted(reasons.items())),
    }
