"""Asking the policy service (OPA's data API). No answer, a late one or nonsense is a refusal that says so."""

from typing import Literal

import httpx
import structlog
from pydantic import BaseModel, ValidationError

from deskworld_desk.timeline.kinds import Amount
from deskworld_desk.world import Json, PolicyAnswer
from deskworld_kit.health import Unwell

log = structlog.get_logger(__name__)
DEADLINE_SECONDS = 5.0
UNAVAILABLE = "POLICY_UNAVAILABLE"


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
    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http

    async def routing(self, world: str, question: Json) -> PolicyAnswer:
        """Who decides, or whether a tool may be used; `refuse` with POLICY_UNAVAILABLE when there is no answer."""
        package = f"{world}.routing"
        try:
            decision_id, result = await self._ask(world, "routing", question)
            answer = _Routing.model_validate(result)
            if answer.effect == "route" and not (answer.role or answer.user):
                raise ValueError("a route names nobody")
        except (httpx.HTTPError, ValueError) as error:
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
        )

    async def resolution(self, world: str, question: Json) -> PolicyAnswer:
        """What the decision table says. Effect `stop` with the reason `failed` when there is no answer."""
        package = f"{world}.resolution"
        try:
            decision_id, result = await self._ask(world, "resolution", question)
            answer = _Resolution.model_validate(result)
            if (answer.effect == "propose") != (answer.action is not None):
                raise ValueError("an action is named with `propose` and with nothing else")
        except (httpx.HTTPError, ValueError) as error:
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
            _, routing = await self._ask(world, "routing", {})
            _Routing.model_validate(routing)
            _, resolution = await self._ask(world, "resolution", {})
            _Resolution.model_validate(resolution)
        except (httpx.HTTPError, ValueError) as error:
            raise Unwell(f"the policy of {world} gives no decision: {_in_words(error)}") from error

    async def _ask(self, world: str, package: str, question: Json) -> tuple[str | None, object]:
        answer = await self._http.post(
            f"/v1/data/{world}/{package}/decision", json={"input": question}, timeout=DEADLINE_SECONDS
        )
        answer.raise_for_status()
        body = answer.json()
        if not isinstance(body, dict) or "result" not in body:
            raise ValueError("the policy service answered without a result")
        decision_id = body.get("decision_id")
        return (decision_id if isinstance(decision_id, str) else None), body["result"]


def _in_words(error: Exception) -> str:
    return "it answered nonsense" if isinstance(error, ValidationError | ValueError) else type(error).__name__


def _no_answer(package: str, question: Json, effect: str, error: Exception) -> PolicyAnswer:
    what = _in_words(error)
    log.warning("policy unavailable", package=package, error=str(error))
    return PolicyAnswer(
        package=package,
        input=question,
        effect=effect,
        reasons=((UNAVAILABLE, f"The policy service could not be asked ({what}), so nothing is allowed."),),
        reason="failed",
        failed=True,
    )
