"""The office door of the ERP: what people and the desk's own account use."""

from fastapi import FastAPI

from deskworld_erp.audit.routes import routes as audit_routes
from deskworld_erp.door import describe_as_answered
from deskworld_erp.erp import Erp
from deskworld_erp.events.routes import routes as event_routes
from deskworld_erp.health import health_of
from deskworld_erp.invoicing.routes import routes as invoice_routes
from deskworld_erp.purchasing.routes import routes as order_routes
from deskworld_erp.vendors.routes import routes as vendor_routes
from deskworld_kit import problems
from deskworld_kit.health import health_router
from deskworld_kit.identity import TokenVerifier, principal
from deskworld_kit.outage import answer_outages

AUDIENCE = "erp"
VERSION = "0.1.0"


def office(erp: Erp, verifier: TokenVerifier) -> FastAPI:
    app = FastAPI(title="Deskworld ERP", version=VERSION, docs_url=None, redoc_url=None)
    problems.install(app)
    answer_outages(app)
    describe_as_answered(app)
    caller = principal(verifier)
    app.include_router(health_router(health_of(erp)))
    for routes in (invoice_routes, vendor_routes, order_routes, audit_routes, event_routes):
        app.include_router(routes(erp, caller))
    return app
