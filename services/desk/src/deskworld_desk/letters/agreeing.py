"""Two readings of one mail: what both say is read, what they say differently is unknown."""

from collections.abc import Sequence
from typing import Any

from deskworld_desk.quarantine.reading import Reading

SAID = ("intent", "stated_price", "po_number", "substitution_reason", "shipped_item")


def agreed(readings: Sequence[Reading]) -> Reading:
    """One failure is a failure, and one that sees instructions has seen them. What they used is added up."""
    first, last = readings[0], readings[-1]
    if len(readings) == 1:
        return first
    unknown = Reading(reader=last.reader)
    said = {name: getattr(last, name) for name in SAID}
    kept = {
        name: value if all(getattr(each, name) == value for each in readings) else getattr(unknown, name)
        for name, value in said.items()
    }
    kept["offers"] = tuple(offer for offer in last.offers if all(offer in each.offers for each in readings))
    kept["contains_instructions"] = any(each.contains_instructions for each in readings)
    kept["failed"] = any(each.failed for each in readings)
    return last.model_copy(update=kept | {"usage": _together([each.usage for each in readings])})


def _together(usages: Sequence[Any]) -> Any:
    """Counts are added, words stay; None where nobody counted."""
    total: dict[str, Any] = {}
    for usage in usages:
        for name, used in (usage or {}).items():
            counted = isinstance(used, int) and isinstance(total.get(name), int)
            total[name] = total[name] + used if counted else used
    return total or None
