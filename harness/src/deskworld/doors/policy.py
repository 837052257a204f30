"""The policy witness: a stored input asked again."""

from typing import Any

from deskworld.doors.http import HttpDoor


async def replay(policy: HttpDoor, name: str, document: Any) -> dict[str, Any]:
    """What `ap.routing` or another policy answers to a stored input now. Raises DoorFailed."""
    answer = await policy.ask(f"/v1/data/{name.replace('.', '/')}/decision", {"input": document})
    result = answer.get("result") if isinstance(answer, dict) else None
    return result if isinstance(result, dict) else {}
