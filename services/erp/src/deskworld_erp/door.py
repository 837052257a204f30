"""What every route of the office door shares: who calls, and which errors it may answer."""

from collections.abc import Awaitable, Callable

from fastapi import Request

from deskworld_kit.identity import Principal
from deskworld_kit.problems import responses

CallerDependency = Callable[[Request], Awaitable[Principal]]

READ_ERRORS = responses(400, 401, 404, 500, 503)
LIST_ERRORS = responses(400, 401, 500, 503)
GUARDED_ERRORS = responses(400, 401, 403, 500, 503)
COMMAND_ERRORS = responses(400, 401, 403, 404, 409, 422, 500, 503)
NOT_MODIFIED = {304: {"description": "The caller has this version (If-None-Match)"}}
