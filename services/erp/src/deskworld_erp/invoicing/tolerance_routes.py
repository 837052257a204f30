"""The tolerances that the match works with, and the digest of the file that they came from."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated

from fastapi import APIRouter, Depends, Response

from deskworld_erp.erp import Erp
from deskworld_erp.fields import Value
from deskworld_kit.answers import answer
from deskworld_kit.door import LIST_ERRORS, CallerDependency
from deskworld_kit.identity import Principal

Limits = dict[str, str]


class PriceView(Value):
    percent: str
    amount: Limits


class RoundingView(Value):
    line: Limits
    document: Limits


class TolerancesView(Value):
    """Zero means none allowed. Amounts are per currency; a currency without one is above every limit."""

    digest: str
    price: PriceView
    quantity: str
    rounding: RoundingView
    duplicate_window_days: int


def routes(erp: Erp, caller: CallerDependency) -> APIRouter:
    router = APIRouter(prefix="/tolerances", tags=["match exceptions"])
    who = Annotated[Principal, Depends(caller)]
    values = erp.tolerances
    shown = {
        "digest": erp.tolerances_digest,
        "price": {"percent": f"{values.price_percent:f}", "amount": _limits(values.price_amount)},
        "quantity": f"{values.quantity:f}",
        "rounding": {"line": _limits(values.rounding_line), "document": _limits(values.rounding_document)},
        "duplicate_window_days": values.duplicate_window_days,
    }

    @router.get("", responses=LIST_ERRORS | {200: {"model": TolerancesView}})
    async def get_tolerances(_: who) -> Response:
        """What the match tolerates."""
        return answer(shown)

    return router


def _limits(amounts: Mapping[str, Decimal]) -> Limits:
    return {currency: f"{amount:f}" for currency, amount in sorted(amounts.items())}
