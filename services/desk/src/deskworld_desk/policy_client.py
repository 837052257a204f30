"""Asking the policy service (OPA's data API). No answer, a late one or nonsense is a refusal that says so."""

import asyncio
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import httpx
import structlog
from pydantic import BaseModel

from deskworld_desk.timeline.kinds import Amount
from deskworld_desk.world import Json, PolicyAnswer
from deskworld_kit import chain, clock
from deskworld_kit.health import Unwell
from deskworld_kit.http import AT_ONCE

log = structlog.get_logger(__name__)
DEADLINE_SECONDS = 5.0
TRIES = 3
UNAVAILABLE = "POLICY_UNAVAILABLE"
DIGESTS_KEPT_SECONDS = 5.0


class Undefined(ValueError):
    """The policy service answered, and has no decision for this question."""


@dataclass(frozen=True, slots=True)
class Digests:
    """What the policy in force is made of; None where the service did not say. `rules`: the decision table."""

    rules: str | None = None
    policy: str | None = None


class _Reason(BaseModel):
    code: str
    text: str


class _Routing(BaseModel):
    effect: Literal["allow", "refuse", "route"]
    role: str | None = None
    user: str | None = None
    reasons: tuple[_Reason, ...]
    revision: str


class _Resolution(BaseModel):
    effect: Literal["propose", "ask", "stop"]
    row: str | None
    action: str | None
    amount: Amount | None
    reason: Literal["unhandled", "conflict"] | None
    reasons: tuple[_Reason, ...]
    revision: str


class PolicyClient:
    def __init__(self, http: httpx.AsyncClient, *, deadline: float = DEADLINE_SECONDS) -> None:
        self._http = http
        self._deadline = deadline
        self._digests: dict[tuple[str, str | None], tuple[float, Digests]] = {}

    async def routing(self, world: str, question: Json) -> PolicyAnswer:
        """Who decides, or whether a tool may be used; `refuse` with POLICY_UNAVAILABLE when there is no answer."""
        package = f"{world}.routing"
        try:
            decision_id, result = await self._ask(world, "routing", question)
            answer = _Routing.model_validate(result)
            if answer.effect == "route" and not (answer.role or answer.user):
                raise ValueError("a route names nobody")
        except (httpx.HTTPError, TimeoutError, ValueError) as error:
            return _no_answer(package, question, "refuse", error)
        return PolicyAnswer(
            package=package,
            input=question,
            effect=answer.effect,
            reasons=tuple((reason.code, reason.text) for reason in answer.reasons),
            role=answer.role,
            user=answer.user,
            revision=answer.revision,
            decision_id=decision_id,
            digests=asdict(await self.digests(world, answer.revision)) if answer.effect == "route" else {},
        )

    async def resolution(self, world: str, question: Json) -> PolicyAnswer:
        """What the decision table says. Effect `stop` with the reason `failed` when there is no answer."""
        package = f"{world}.resolution"
        try:
            decision_id, result = await self._ask(world, "resolution", question)
            answer = _Resolution.model_validate(result)
            if (answer.effect == "propose") != (answer.action is not None):
                raise ValueError("an action is named with `propose` and with nothing else")
        except (httpx.HTTPError, TimeoutError, ValueError) as error:
            return _no_answer(package, question, "stop", error)
        return PolicyAnswer(
            package=package,
            input=question,
            effect=answer.effect,
            reasons=tuple((reason.code, reason.text) for reason in answer.reasons),
            row=answer.row,
            action=answer.action,
            amount=answer.amount,
            reason=answer.reason,
            revision=answer.revision,
            decision_id=decision_id,
        )

    async def decides(self, world: str) -> None:
        """Asks for a decision on nothing. Raises Unwell when there is none, in words."""
        try:
            _, routing = await self._ask(world, "routing", {}, AT_ONCE)
            _Routing.model_validate(routing)
            _, resolution = await self._ask(world, "resolution", {}, AT_ONCE)
            _Resolution.model_validate(resolution)
        except (httpx.HTTPError, TimeoutError, ValueError) as error:
            raise Unwell(f"the policy of {world} gives no decision: {_in_words(error)}") from error

    async def digests(self, world: str, revision: str | None = None) -> Digests:
        """Of the policies as they stand now, or stood seconds ago under this revision. Never raises: no proposal
        fails for want of it."""
        at, known = self._digests.get((world, revision), (float("-inf"), Digests()))
        if clock.monotonic() - at < DIGESTS_KEPT_SECONDS:
            return known
        try:
            async with asyncio.timeout(self._deadline):
                modules, data, table = await asyncio.gather(
                    self._get("/v1/policies"),
                    self._get(f"/v1/data/{world}/data"),
                    self._get(f"/v1/data/{world}/resolution/table"),
                )
            known = Digests(rules=chain.digest(table), policy=chain.digest([_sources(modules, world), data]))
        except (httpx.HTTPError, TimeoutError, ValueError, TypeError, KeyError) as error:
            log.warning("policies not read", world=world, error=str(error)[:200])
            known = Digests()
        self._digests[world, revision] = clock.monotonic(), known
        return known

    async def _post(self, path: str, options: dict[str, Any]) -> httpx.Response:
        """A question changes nothing: where the connection broke it is asked again."""
        for left in reversed(range(TRIES)):
            try:
                return await self._http.post(path, **options)
            except (httpx.ReadError, httpx.RemoteProtocolError):
                if not left:
                    raise
        raise AssertionError("the last try ends it")

    async def _get(self, path: str) -> Any:
        answer = await self._http.get(path)
        answer.raise_for_status()
        return answer.json()["result"]

    async def _ask(
        self, world: str, package: str, question: Json, extensions: Mapping[str, Any] | None = None
    ) -> tuple[str | None, object]:
        path = f"/v1/data/{world}/{package}/decision"
        options = {"json": {"input": question}, "timeout": self._deadline, "extensions": dict(extensions or {})}
        # the client's own deadline is for each read: an answer that drips would never end
        async with asyncio.timeout(self._deadline):
            answer = await self._post(path, options)
        answer.raise_for_status()
        given = answer.json()
        body: dict[str, Any] | None = given if isinstance(given, dict) else None
        if body is None:
            raise ValueError("the policy service's answer is no object")
        if "result" not in body:
            raise Undefined("the policy service answered without a result")
        decision_id = body.get("decision_id")
        return (decision_id if isinstance(decision_id, str) else None), body["result"]


def _sources(modules: Any, world: str) -> list[str]:
    """The text of the world's rules, without their tests, in an order that does not depend on where they lie."""
    named = [one for one in modules if f"{world}/" in one["id"] and not one["id"].endswith("_test.rego")]
    return sorted(str(one["raw"]) for one in named)


def _in_words(error: Exception) -> str:
    match error:
        case Undefined():
            return "it has no decision for this question"
        case httpx.TimeoutException() | TimeoutError():
            return "it did not answer in time"
        case httpx.HTTPStatusError():
            return f"it answered {error.response.status_code}"
        case httpx.HTTPError():
            return "it cannot be reached"
    return "it answered nonsense"


def _no_answer(package: str, question: Json, effect: str, error: Exception) -> PolicyAnswer:
    what = _in_words(error)
    log.warning("policy unavailable", package=package, why=what, error=str(error)[:300])
    return PolicyAnswer(
        package=package,
        input=question,
        effect=effect,
        reasons=((UNAVAILABLE, f"The policy service gave no decision: {what}. So nothing is allowed."),),
        reason="failed",
        failed=True,
    )
