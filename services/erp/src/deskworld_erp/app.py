"""The office door of the ERP: what people and the desk's own account use."""

from fastapi import APIRouter, FastAPI

from deskworld_erp.audit.routes import routes as audit_routes
from deskworld_erp.described import DETAILS, REFUSALS, VALUES
from deskworld_erp.documents.routes import routes as document_routes
from deskworld_erp.erp import Erp
from deskworld_erp.events.routes import routes as event_routes
from deskworld_erp.faults.strike import UnderFaults
from deskworld_erp.health import health_of
from deskworld_erp.invoicing.routes import command_routes
from deskworld_erp.invoicing.routes import routes as invoice_routes
from deskworld_erp.invoicing.tolerance_routes import routes as tolerance_routes
from deskworld_erp.items.routes import routes as master_data_routes
from deskworld_erp.purchasing.routes import routes as order_routes
from deskworld_erp.rates import limited
from deskworld_erp.receiving.routes import routes as receipt_routes
from deskworld_erp.vendors.bank_change_routes import routes as bank_change_routes
from deskworld_erp.vendors.routes import routes as vendor_routes
from deskworld_kit.description import Described
from deskworld_kit.door import CallerDependency, door
from deskworld_kit.health import health_router
from deskworld_kit.identity import Principal, TokenVerifier, principal
from deskworld_kit.paths import Paths

AUDIENCE = "erp"
# what comes most often stands first: a request is held against one route after the other
SLICES = (
    command_routes,
    invoice_routes,
    document_routes,
    tolerance_routes,
    vendor_routes,
    bank_change_routes,
    master_data_routes,
    order_routes,
    receipt_routes,
    audit_routes,
    event_routes,
)
DESCRIBED = Described(
    title="Deskworld ERP",
    about="Documents, the three-way match, commands, authority, audit and events. Money and quantities are strings; "
    "times have an offset; every error is a problem document (RFC 9457).",
    credential="An access token of the identity provider whose audience holds `erp`.",
    everywhere=(429,),
    refusals=REFUSALS,
    details=DETAILS,
    values=VALUES,
)


def slices(erp: Erp, caller: CallerDependency) -> list[APIRouter]:
    """All that the office can do, for whoever `caller` says is calling."""
    return [routes(erp, caller) for routes in SLICES]


def office(erp: Erp, verifier: TokenVerifier) -> FastAPI:
    app = door(DESCRIBED, [*slices(erp, limited(principal(verifier), erp.rates)), health_router(health_of(erp))])
    app.add_middleware(UnderFaults, erp=erp, paths=Paths(app))
    return app


def described_office(erp: Erp) -> Paths:
    """The office door's routes, for those who must name one of them."""

    async def nobody() -> Principal:
        raise AssertionError("this door is only described")

    return Paths(door(DESCRIBED, slices(erp, nobody)))
