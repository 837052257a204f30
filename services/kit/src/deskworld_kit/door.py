"""A door of a service over HTTP: what its routes share, which errors they may answer, and what stands round them."""

from collections.abc import Awaitable, Callable, Sequence

from fastapi import APIRouter, FastAPI

from deskworld_kit import problems
from deskworld_kit.api_page import api_page
from deskworld_kit.description import Described, describe, operation_id
from deskworld_kit.identity import Principal
from deskworld_kit.outage import answer_outages
from deskworld_kit.paths import Paths
from deskworld_kit.problems import responses
from deskworld_kit.rim import Rim
from deskworld_kit.validators import Validators

CallerDependency = Callable[..., Awaitable[Principal]]
"""A FastAPI dependency that gives the caller."""

READ_ERRORS = responses(400, 401, 404, 500, 503)
LIST_ERRORS = responses(400, 401, 500, 503)
GUARDED_ERRORS = responses(400, 401, 403, 500, 503)
COMMAND_ERRORS = responses(400, 401, 403, 404, 409, 422, 500, 503)
VERSION = "0.1.0"


def door(described: Described, routers: Sequence[APIRouter]) -> FastAPI:
    """An application of `routers` whose every error is a problem document, with its description and a page of it."""
    app = FastAPI(
        title=described.title,
        version=VERSION,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=operation_id,
    )
    problems.install(app)
    answer_outages(app)
    for router in routers:
        app.include_router(router)
    describe(app, described)
    app.include_router(api_page(app))
    app.add_middleware(Validators)
    app.add_middleware(Rim, paths=Paths(app))
    return app
