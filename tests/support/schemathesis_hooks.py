"""What a fuzzer is kept from: waiting for half a minute whenever a request asks a door to wait that long."""

from typing import Any

import schemathesis

LONGEST = 30
SHORTER = 300


@schemathesis.hook
def before_call(_context: Any, case: Any, _kwargs: Any) -> None:
    """A claim that may wait waits a three-hundredth of it; one that asks for what it may not have asks for it still."""
    if not case.path.endswith("/turns/claim") or not isinstance(case.body, dict):
        return
    wait = case.body.get("wait")
    if isinstance(wait, int | float) and not isinstance(wait, bool) and 0 <= wait <= LONGEST:
        case.body["wait"] = wait / SHORTER
