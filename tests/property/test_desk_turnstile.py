"""Clients that wait, come, hang up and give back in any order: no case is lost, none is two clients' at once."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from deskworld_desk.turns.turnstile import Turnstile

CASES = 2
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("offer"), st.integers(0, CASES - 1)),
        st.tuples(st.just("claim"), st.booleans()),
        st.tuples(st.sampled_from(["hang up", "cancel", "finish", "give back"]), st.integers(0, 2)),
        st.tuples(st.sampled_from(["go on", "go on", "hold", "release"]), st.just(0)),
    ),
    min_size=5,
    max_size=30,
)
"""Between two of them nobody who was woken goes on, unless a step says so."""
Waiting = tuple["asyncio.Task[None]", "asyncio.Future[None]"]


class Office:
    """What the desk does around its turnstile: a case that has a client is not offered until that one has ended."""

    def __init__(self) -> None:
        self.turnstile = Turnstile()
        self.waiting: list[Waiting] = []
        self.owed: set[str] = set()
        self.working: list[str] = []

    def offer(self, case: str) -> None:
        self.owed.add(case)
        if case not in self.working:
            self.turnstile.offer(case)

    def claim(self, *, patient: bool) -> None:
        gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.waiting.append((asyncio.create_task(self._client(60 if patient else 0, gone)), gone))

    async def _client(self, seconds: float, gone: "asyncio.Future[None]") -> None:
        """As `claim` does: a case that is worked, or of which nothing is to be told, is passed over."""
        while (case := await self.turnstile.take(seconds, gone)) is not None:
            if case in self.owed and case not in self.working:
                self.owed.discard(case)
                self.working.append(case)
                return

    async def settle(self) -> None:
        """Until everybody who could go on did."""
        for _ in range(3):
            if self.waiting:
                await asyncio.wait([task for task, _ in self.waiting], timeout=0)
        self.waiting = [(task, gone) for task, gone in self.waiting if not task.done()]

    def release(self) -> None:
        self.turnstile.release(sorted(self.owed - set(self.working)))

    def end(self, number: int, *, give_back: bool) -> None:
        if not self.working:
            return
        case = self.working.pop(number % len(self.working))
        if give_back:
            self.owed.add(case)
            self.turnstile.hand_back(case)
        elif case in self.owed:
            self.turnstile.offer(case)

    def leave(self, number: int, *, cancelled: bool) -> None:
        if self.waiting:
            task, gone = self.waiting[number % len(self.waiting)]
            if cancelled:
                task.cancel()
            elif not gone.done():
                gone.set_result(None)


async def step(office: Office, what: str, which: int | bool) -> None:
    match what:
        case "offer":
            office.offer(f"case-{which}")
        case "claim":
            office.claim(patient=bool(which))
        case "hang up" | "cancel":
            office.leave(int(which), cancelled=what == "cancel")
        case "hold":
            office.turnstile.hold()
        case "release":
            office.release()
        case "go on":
            await office.settle()
        case _:
            office.end(int(which), give_back=what == "give back")


async def play(steps: list[tuple[str, int | bool]]) -> None:
    office = Office()
    for what, which in steps:
        await step(office, what, which)
    await office.settle()
    if office.turnstile.held:
        office.release()
        await office.settle()
    for _ in range(CASES + 1):
        while office.working:
            office.end(0, give_back=False)
        office.claim(patient=False)
        await office.settle()
    assert office.owed == set(), f"nobody was told of {office.owed}"
    for task, _ in office.waiting:
        task.cancel()
    await asyncio.gather(*(task for task, _ in office.waiting), return_exceptions=True)


@given(STEPS)
def test_no_case_is_lost_and_none_is_given_twice(steps: list[tuple[str, int | bool]]) -> None:
    asyncio.run(play(steps))
