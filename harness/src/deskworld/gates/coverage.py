"""What a campaign does not say, because nothing in it asked."""

from collections.abc import Iterable, Iterator, Mapping

from deskworld.values.campaign import Settings
from deskworld.values.gates import Gates
from deskworld.values.scenario import Scenario


def not_covered(
    settings: Settings, gates: Gates, catalogue: Mapping[str, Scenario], chosen: Iterable[str]
) -> tuple[str, ...]:
    """Sentences: first what this campaign left out of the catalogue, then what no situation of it asks."""
    names = set(chosen)
    return (*_left_out(settings, catalogue, names), *gates.not_covered)


def _left_out(settings: Settings, catalogue: Mapping[str, Scenario], names: set[str]) -> Iterator[str]:
    counted = {name: one for name, one in catalogue.items() if one.role == "scenario" and one.split != "held-out"}
    if settings.smoke:
        yield "rates: this was a smoke test, one case each of a few situations"
    missing = [name for name in counted if name not in names]
    if missing:
        yield f"{len(missing)} of the catalogue's {len(counted)} situations, which this campaign did not play"
    gone = sorted({one.category for one in counted.values()} - {catalogue[name].category for name in names})
    if gone:
        yield f"whole categories, which this campaign did not play: {', '.join(gone)}"
    alone = [name for name, one in catalogue.items() if one.role == "global" and name not in names]
    if alone:
        yield f"what befalls the whole stack (--solo-repetitions): {', '.join(alone)}"
    if not any(catalogue[name].split == "held-out" for name in names):
        yield "situations that the candidate was not made on (--held-out)"
