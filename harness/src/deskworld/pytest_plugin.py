"""pytest plugin: one stack for a test session, and the catalogue as tests. A project's top conftest says
`pytest_plugins = ["deskworld.pytest_plugin"]`, and its people `pytest --deskworld-stack=containers`.

Under pytest-xdist each worker has an embedded stack of its own: cases of one worker never meet another's turns, since
any agent takes any turn of its stack. On a stack that is shared (`found`, a file) such a session is refused.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deskworld import playtest
from deskworld.errors import HarnessError, UsageWrong
from deskworld.playtest import Agent, Played
from deskworld.stack import choose, dotenv, embedded, files
from deskworld.values.scenario import Scenario
from deskworld.values.stack import Stack

OPTION = "--deskworld-stack"
AGENT = "--deskworld-agent"
ARGUMENT = "scenario"
CHECKOUT = Path(__file__).parents[3]
Play = Callable[..., Played]
"""`play(scenario, agent=…, rules="on", seed=7)`."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("deskworld")
    group.addoption(
        OPTION,
        default="embedded",
        metavar="embedded|containers|found|FILE",
        help="The session's stack: started here without Docker, through testcontainers, the one that `harness run` "
        "would find, or the one of a stack file (default: embedded).",
    )
    group.addoption(
        AGENT,
        default="playbook",
        metavar="AGENT",
        help="Who works the cases where a test names nobody, as `harness run --agent` has it (default: playbook).",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "deskworld(category=, split=, names=, world=): the scenarios that a test's `scenario` runs over"
    )
    for kind in ("split", "category"):
        for value in playtest.values_of(kind):
            config.addinivalue_line("markers", f"{_mark(value)}: scenarios of the {kind} {value}")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`@pytest.mark.deskworld(…)` on a test with the argument `scenario`: one test for each, marked by its split and
    its category, so that `-m injection` and `-m "not held_out"` choose."""
    marker = metafunc.definition.get_closest_marker("deskworld")
    if marker is None or ARGUMENT not in metafunc.fixturenames:
        return
    try:
        chosen = playtest.catalogue_of(**marker.kwargs)
    except HarnessError as error:
        raise pytest.UsageError(f"{metafunc.definition.nodeid}: {error.what}; {error.next_step}") from error
    metafunc.parametrize(ARGUMENT, [_parameter(one) for one in chosen])


def _parameter(one: Scenario) -> object:
    marks = [getattr(pytest.mark, _mark(value)) for value in (one.split, one.category)]
    return pytest.param(one.name, id=one.name, marks=marks)


def _mark(value: str) -> str:
    """A name that `-m` can say."""
    return value.replace("-", "_")


@pytest.fixture(scope="session")
def stack(pytestconfig: pytest.Config) -> Iterator[Stack]:
    """The addresses and secrets of the session's stack; what was started for it is stopped after the last test."""
    try:
        with opened(
            str(pytestconfig.getoption(OPTION)), pytestconfig.rootpath, shared=_has_workers(pytestconfig)
        ) as one:
            yield one
    except HarnessError as error:
        pytest.fail(f"{OPTION}: {error.what}; {error.next_step}", pytrace=False)


@pytest.fixture(scope="session")
def stack_file(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """For `harness … --stack FILE`."""
    path = tmp_path_factory.mktemp("deskworld") / "stack.json"
    files.write(stack, path)
    return path


@pytest.fixture(scope="session")
def deskworld_agent(pytestconfig: pytest.Config) -> Agent:
    """Who is under test; a project's conftest may say it in a fixture of the same name: a name or an async function."""
    return str(pytestconfig.getoption(AGENT))


@pytest.fixture(scope="session")
def play(stack: Stack, deskworld_agent: Agent) -> Play:
    """Plays one case and tells what it came to. A test fails by its own assertion: `assert played.passed, played`."""

    def playing(scenario: str, agent: Agent | None = None, *, rules: str = "on", seed: int = 7) -> Played:
        try:
            return playtest.play(scenario, deskworld_agent if agent is None else agent, stack, rules=rules, seed=seed)
        except HarnessError as error:
            pytest.fail(f"{scenario}: {error.what}; {error.next_step}", pytrace=False)

    return playing


@pytest.fixture(scope="session")
def assert_gates() -> Callable[..., None]:
    """`assert_gates(played, scripted=False)`: fails with every gate of the catalogue that these runs miss."""

    def asserting(played: list[Played], *, scripted: bool = False) -> None:
        missed = playtest.missed(played, scripted=scripted)
        if missed:
            pytest.fail("\n".join(missed), pytrace=False)

    return asserting


def _has_workers(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


@contextmanager
def opened(kind: str, project: Path, *, shared: bool = False) -> Iterator[Stack]:
    """`shared`: other workers of the session would take the same one. Raises HarnessError."""
    if kind == "embedded":
        with _embedded() as stack:
            yield stack
        return
    if shared:
        raise UsageWrong(
            f"{kind} is one stack, and pytest-xdist has several workers whose agents would take each other's turns",
            next_step="leave out -n, or take the embedded stack: each worker starts its own",
        )
    if kind == "containers":
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
