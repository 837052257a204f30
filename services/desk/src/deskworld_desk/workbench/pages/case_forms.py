"""The page of a case, and what its forms do. A form that cannot be taken comes back with what was typed."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from deskworld_desk.cases.exits import close_case, note_case, resume_case
from deskworld_desk.decisions.by_person import propose as propose_by_person
from deskworld_desk.questions.asking import answer as answer_question
from deskworld_desk.turns.budgets import raise_budget
from deskworld_desk.workbench.case_routes import Close, Feedback, Note, Proposal, Resume
from deskworld_desk.workbench.decision_routes import Answer
from deskworld_desk.workbench.feedback import give
from deskworld_desk.workbench.oversight_routes import Raise
from deskworld_desk.workbench.pages.bench import Workbench
from deskworld_desk.workbench.pages.case import case_page
from deskworld_desk.workbench.pages.doorway import Wrong, done, read
from deskworld_desk.workbench.pages.sessions import BASE, Visitor
from deskworld_desk.workbench.reading import budget_shown, question_still, read_question
from deskworld_desk.workbench.seen import case_itself, matching, seeing, telling_what_changed
from deskworld_kit.answers import etag, to_bytes

Fields = dict[str, str]
Command = Callable[[], Awaitable[Any]]


def address(case_id: str) -> str:
    return f"{BASE}/cases/{quote(case_id, safe='')}"


async def case(bench: Workbench, request: Request, visitor: Visitor) -> Response:
    query = request.query_params
    said = query.get("decided"), query.get("done")
    return await show(bench, visitor, request.path_params["case_id"], *said)


async def show(
    bench: Workbench,
    visitor: Visitor,
    case_id: str,
    decided: str | None = None,
    did: str | None = None,
    wrong: Wrong | None = None,
) -> Response:
    """`decided`: a decision to say the outcome of. `did`: the form that was taken. Raises Problem 404."""
    found = await case_page(bench.desk, case_id, visitor.who)
    said = next((one for one in found["decisions"] if one["decision_id"] == decided and one["by_you"]), None)
    status = 200 if wrong is None else wrong.status
    found["etag"] = etag(to_bytes(found["budget"]))
    return bench.render.page(
        "case.html", visitor=visitor, status=status, said=said, did=did, wrong=wrong, here="worklist", **found
    )


async def note(bench: Workbench, request: Request, visitor: Visitor, sent: Fields) -> Response:
    async def command(case_id: str) -> None:
        body = read(Note, text=sent.get("text"), seen=sent.get("seen"))
        at = seeing(bench.desk, body.seen, case_itself(case_id))
        await note_case(at, case_id, visitor.who, body.text)

    return await _on_case(bench, request, visitor, "note", sent, command)


async def feedback(bench: Workbench, request: Request, visitor: Visitor, sent: Fields) -> Response:
    async def command(case_id: str) -> None:
        body = read(Feedback, about=sent.get("about"), text=sent.get("text"))
        await give(bench.desk, case_id, visitor.who, about=body.about, text=body.text)

    return await _on_case(bench, request, visitor, "feedback", sent, command)


async def resume(bench: Workbench, request: Request, visitor: Visitor, sent: Fields) -> Response:
    async def command(case_id: str) -> None:
        body = read(Resume, note=sent.get("note"), seen=sent.get("seen"))
        async with telling_what_changed(bench.desk, case_id, body.seen):
            await resume_case(bench.desk, case_id, visitor.who, body.note, seen=body.seen)

    return await _on_case(bench, request, visitor, "resume", sent, command)


async def close(bench: Workbench, request: Request, visitor: Visitor, sent: Fields) -> Response:
    async def command(case_id: str) -> None:
        body = read(Close, reason=sent.get("reason"), seen=sent.get("seen"))
        async with telling_what_changed(bench.desk, case_id, body.seen):
            await close_case(bench.desk, case_id, visitor.who, body.reason, seen=body.seen)

    return await _on_case(bench, request, visitor, "close", sent, command)


async def propose(bench: Workbench, request: Request, visitor: Visitor, sent: Fields) -> Response:
    """Lists are typed one a line."""

    async def command(case_id: str) -> None:
        lines = {name: sent.get(name, "").split() for name in ("settles", "citations")}
        typed = {name: sent.get(name) for name in ("action", "amount", "against_po", "rationale", "seen")}
        body = read(Proposal, **typed, **lines)
        args = body.model_dump(exclude={"seen"}, exclude_none=True)
        async with telling_what_changed(bench.desk, case_id, body.seen):
            await propose_by_person(bench.desk, case_id, visitor.who, args, seen=body.seen)

    return await _on_case(bench, request, visitor, "propose", sent, command)


async def budget(bench: Workbench, request: Request, visitor: Visitor, sent: Fields) -> Response:
    async def command(case_id: str) -> None:
        body = read(Raise, **{name: sent.get(name) for name in ("turns", "input_tokens", "reason")})
        matching(sent.get("etag"), await budget_shown(bench.desk, case_id))
        limits = {"turns": body.turns, "input_tokens": body.input_tokens}
        await raise_budget(bench.desk, case_id, visitor.who, **limits, reason=body.reason)

    return await _on_case(bench, request, visitor, "budget", sent, command)


async def answer(bench: Workbench, request: Request, visitor: Visitor, sent: Fields) -> Response:
    question_id = request.path_params["question_id"]
    case_id = (await read_question(bench.desk, question_id))["case_id"]

    async def command() -> None:
        body = read(Answer, text=sent.get("text"), seen=sent.get("seen"))
        at = seeing(bench.desk, body.seen, question_still(question_id))
        await answer_question(at, question_id, visitor.who, body.text)

    return await _taken(bench, visitor, case_id, "answer", sent, command)


async def _on_case(
    bench: Workbench,
    request: Request,
    visitor: Visitor,
    name: str,
    sent: Fields,
    command: Callable[[str], Awaitable[None]],
) -> Response:
    case_id = request.path_params["case_id"]
    return await _taken(bench, visitor, case_id, name, sent, partial(command, case_id))


async def _taken(
    bench: Workbench, visitor: Visitor, case_id: str, name: str, sent: Fields, command: Command
) -> Response:
    async def again(wrong: Wrong) -> Response:
        return await show(bench, visitor, case_id, wrong=wrong)

    return await done(name, sent, command, then=address(case_id), again=again)
