"""Proving the catalogue: a table, and every line that stands against it."""

import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from deskworld import catalogue, prove
from deskworld.agents.controls import ACTIONS
from deskworld.commands import worlds
from deskworld.errors import ExitCode
from deskworld.stack import choose
from deskworld.values.scenario import Scenario
from deskworld.world import World

SHOWN = 20
"""Lines of one scenario's corners that are printed."""


async def prove_catalogue(
    world: str,
    names: Sequence[str],
    stack: Path | None,
    *,
    seeds: Sequence[int],
    parallel: int,
    corners: bool,
    out: Console,
    err: Console,
) -> int:
    """Exit code 1 when anything stands against the catalogue. Raises HarnessError."""
    known = worlds.named(world)
    loaded = catalogue.load_all(known.scenarios)
    chosen = catalogue.select(loaded, names=names or tuple(loaded))
    async with choose.chosen(stack) as on:
        out.print(f"stack: {on.why}", highlight=False, soft_wrap=True)
        if corners:
            proofs = await prove.prove_corners(chosen, world=known, stack=on.stack, nonce=secrets.token_hex(8))
        else:
            with Progress(console=err, transient=True) as progress:
                bar = progress.add_task("")
                proofs = await prove.prove(
                    chosen,
                    world=known,
                    stack=on.stack,
                    seeds=seeds,
                    parallel=parallel,
                    nonce=secrets.token_hex(8),
                    actions=ACTIONS,
                    tell=lambda told: progress.update(
                        bar,
                        description=f"{told.agent}, rules {told.rules}",
                        completed=told.done,
                        total=told.planned,
                    ),
                )
    _print(chosen, proofs, known, out, corners=corners)
    return ExitCode.PASS if prove.holds(proofs) else ExitCode.GATE_MISSED


def _print(
    chosen: Sequence[Scenario], proofs: Sequence[prove.Proof], world: World, out: Console, *, corners: bool
) -> None:
    columns = (
        {"corners": ("corner", "–")}
        if corners
        else {"on": ("oracle", "on"), "off": ("oracle", "off")} | {name: (name, "off") for name in world.controls}
    )
    table = Table(box=None, pad_edge=False)
    table.add_column("scenario", no_wrap=True)
    for name in columns:
        table.add_column(name.removesuffix("-everything"), no_wrap=True)
    for scenario in chosen:
        own = [one for one in proofs if one.scenario == scenario.name]
        table.add_row(scenario.name, *(_cell(own, *who) for who in columns.values()))
    out.print(table)
    for one in [one for one in proofs if one.wrong][: SHOWN * len(chosen)]:
        for wrong in one.wrong:
            what = f"{one.scenario} · {one.agent}, rules {one.rules}, seed {one.seed}: {wrong}"
            out.print(what, markup=False, highlight=False, soft_wrap=True)
    against = sum(bool(one.wrong) for one in proofs)
    exempt = sum(one.exempt for one in proofs)
    said = f"{len(proofs)} shown, {against} against the catalogue"
    out.print(said + (f", {exempt} where what a control always does is right" if exempt else ""), highlight=False)


def _cell(proofs: Sequence[prove.Proof], agent: str, rules: str) -> str:
    """`on` and `off` are the oracle's: what had to be shown was, and by whom the case was settled. `right`: what this
    control always does is right here."""
    own = [one for one in proofs if (one.agent, one.rules) == (agent, rules)]
    if not own:
        return "–"
    wrong = sum(bool(one.wrong) for one in own)
    if wrong:
        return f"{wrong} of {len(own)} WRONG"
    if all(one.exempt for one in own):
        return "right"
    if agent == "corner":
        return f"{len(own)} ok"
    return " ".join(("ok", *_settled(own))) if agent == "oracle" else "fails"


def _settled(own: Sequence[prove.Proof]) -> Mapping[str, None]:
    return dict.fromkeys(str(one.settled_by) for one in own)
