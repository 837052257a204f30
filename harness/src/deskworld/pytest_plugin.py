"""pytest plugin: one stack for a test session. A project's top conftest says `pytest_plugins =
["deskworld.pytest_plugin"]`, and its people `pytest --deskworld-stack=containers`."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deskworld.errors import HarnessError
from deskworld.stack import choose, dotenv, embedded, files
from deskworld.values.stack import Stack

OPTION = "--deskworld-stack"
CHECKOUT = Path(__file__).parents[3]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("deskworld").addoption(
        OPTION,
        default="embedded",
        metavar="embedded|containers|found|FILE",
        help="The session's stack: started here without Docker, through testcontainers, the one that `harness run` "
        "would find, or the one of a stack file (default: embedded).",
    )


@pytest.fixture(scope="session")
def stack(pytestconfig: pytest.Config) -> Iterator[Stack]:
    """The addresses and secrets of the session's stack; what was started for it is stopped after the last test."""
    try:
        with opened(str(pytestconfig.getoption(OPTION)), pytestconfig.rootpath) as one:
            yield one
    except HarnessError as error:
        pytest.fail(f"{OPTION}: {error.what}; {error.next_step}", pytrace=False)


@pytest.fixture(scope="session")
def stack_file(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """For `harness … --stack FILE`."""
    path = tmp_path_factory.mktemp("deskworld") / "stack.json"
    files.write(stack, path)
    return path


@contextmanager
def opened(kind: str, project: Path) -> Iterator[Stack]:
    """Raises StackUnavailable."""
    if kind == "embedded":
        with _embedded() as stack:
            yield stack
    elif kind == "containers":
        # an extra: a session on another stack does without it
        from deskworld.stack.containers import DeskworldStack  # noqa: PLC0415

        with DeskworldStack(dotenv.home(project) or CHECKOUT) as containers:
            yield containers.stack
    elif kind == "found":
        yield _found()
    else:
        yield files.read(Path(kind))


@contextmanager
def _embedded() -> Iterator[Stack]:
    """On a loop of its own: the tests' loops come and go."""
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        started = embedded.started("pytest")
        stack = runner.run(started.__aenter__())
        try:
            yield stack
        finally:
            runner.run(started.__aexit__(None, None, None))


def _found() -> Stack:
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        chosen = runner.run(choose.found(None))
    if chosen is None:
        pytest.fail(f"{OPTION}=found: no stack is running; `harness up` or `docker compose up -d`", pytrace=False)
    return chosen.stack
