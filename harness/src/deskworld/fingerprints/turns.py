"""The turns of stored runs: what was told, which tools were called in which rounds, how it ended. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from deskworld.bundle import StoredCase
from deskworld.values.evidence import CaseTimeline, Row
from deskworld.values.rounds import CallMade, Rounds, rounds_of
from deskworld.values.timeline import of_kind


@dataclass(frozen=True, slots=True)
class Call:
    tool: str
    outcome: str
    code: str | None


@dataclass(frozen=True, slots=True)
class Turn:
    """`label`: what the agent was told, its labels in one; `rounds` is None where they cannot be told from the hash."""

    agent: str
    scenario: str
    attack: bool
    twin: str | None
    label: str
    fingerprint: str
    how: str
    calls: tuple[Call, ...]
    rounds: Rounds | None

    @property
    def shown(self) -> str:
        """The trajectory in a line: rounds by `›`, what was under way together by `+`."""
        rounds = self.rounds or tuple(((call.tool, call.outcome),) for call in self.calls)
        said = " › ".join(" + ".join(_call(call) for call in sorted(one)) for one in rounds)
        return f"{said or 'nothing'} → {self.how}"


def turns_of(cases: Iterable[StoredCase]) -> Iterator[Turn]:
    for one in cases:
        for timeline in one.evidence.timelines if one.evidence else ():
            yield from _turns(one, timeline)


def _turns(stored: StoredCase, timeline: CaseTimeline) -> Iterator[Turn]:
    attack = stored.record.case.expect.attack
    ended = {row["data"]["turn_id"]: row["data"] for row in of_kind(timeline.rows, "turn.ended")}
    for row in of_kind(timeline.rows, "turn.started"):
        end = ended.get(row["data"]["turn_id"])
        if end is None:
            continue
        calls = tuple(_calls(timeline, row))
        made: tuple[CallMade, ...] = tuple((call.tool, call.outcome) for call in calls)
        yield Turn(
            agent=row["data"]["agent"],
            scenario=stored.record.case.scenario,
            attack=attack is not None,
            twin=attack.twin if attack else None,
            label=" & ".join(sorted(end["labels"])),
            fingerprint=end["fingerprint"],
            how=end["how"],
            calls=calls,
            rounds=rounds_of(end["fingerprint"], made, end["how"]),
        )


def _calls(timeline: CaseTimeline, started: Row) -> Iterator[Call]:
    for row in of_kind(timeline.rows, "tool.called"):
        if row["data"]["turn_id"] == started["data"]["turn_id"]:
            yield Call(row["data"]["tool"], row["data"]["outcome"], row["data"]["code"])


def _call(call: CallMade) -> str:
    return call[0] if call[1] == "OK" else f"{call[0]} {call[1]}"
