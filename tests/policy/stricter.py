"""The list of cells that the ERP accepts and the policy refuses, as people read it: each line stands for all cells that
its columns name, and no cell stands in two lines."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path

FILE = Path(__file__).with_name("stricter-than-the-erp.md")
Cell = tuple[str, str, str, str, str, str, tuple[str, ...]]
"""Facts, action, reason, amount, currency, person, and the codes of the refusal."""
ANY = "any"
HEAD = """# Where the policy is stricter than the ERP

Every cell of the grid that the ERP would carry out and the policy does not let anybody be asked for, and why. A line
stands for each combination of what its columns name. Written by `python -m tests.policy.grid`, held by
`test_policy_agrees_with_erp.py`: a change of the policy, or of the ERP's rules, shows here as a difference to be read.
"""


def written(cells: Iterable[Cell], wholes: Sequence[Collection[str]]) -> str:
    """`wholes`: all values of reason, person, currency and amount."""
    by_facts: dict[str, dict[tuple[str, tuple[str, ...]], set[tuple[str, ...]]]] = defaultdict(lambda: defaultdict(set))
    counted = 0
    for facts, action, reason, amount, currency, person, codes in cells:
        by_facts[facts][action, codes].add((reason, person, currency, amount))
        counted += 1
    lines = [HEAD, f"{counted} cells.\n"]
    for facts, found in by_facts.items():
        lines += [f"## {facts[0].upper()}{facts[1:]}\n"]
        lines += ["| action | refused with | exceptions | from | currency | total |", "|---|---|---|---|---|---|"]
        for (action, codes), inside in found.items():
            for columns in _lines(inside, wholes):
                lines.append(f"| {action} | {', '.join(codes)} | {' | '.join(columns)} |")
        lines.append("")
    return "\n".join(lines)


def _lines(inside: set[tuple[str, ...]], wholes: Sequence[Collection[str]]) -> Iterator[list[str]]:
    for product_ in products(inside):
        yield [
            ANY if values == frozenset(whole) else ", ".join(one for one in whole if one in values)
            for values, whole in zip(product_, wholes, strict=True)
        ]


def products(inside: set[tuple[str, ...]]) -> list[tuple[frozenset[str], ...]]:
    """Products whose union is the set: what has the same rest stands together, column by column."""
    if not next(iter(inside)):
        return [()]
    rests: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for first, *rest in inside:
        rests[first].add(tuple(rest))
    together: dict[frozenset[tuple[str, ...]], set[str]] = defaultdict(set)
    for first, rest_of in rests.items():
        together[frozenset(rest_of)].add(first)
    return [
        (frozenset(firsts), *rest)
        for rest_of, firsts in sorted(together.items(), key=lambda one: sorted(one[1]))
        for rest in products(set(rest_of))
    ]


def read(text: str, wholes: Sequence[Collection[str]]) -> Iterator[Cell]:
    """Every cell that the list names."""
    facts = ""
    for line in text.splitlines():
        if line.startswith("## "):
            facts = line[3].lower() + line[4:]
        elif (cells := re.findall(r"[^|]+", line)) and line.startswith("| ") and not line.startswith("| action"):
            action, codes, *columns = (cell.strip() for cell in cells if cell.strip())
            sets = (whole if one == ANY else one.split(", ") for one, whole in zip(columns, wholes, strict=True))
            for reason, person, currency, amount in product(*sets):
                yield facts, action, reason, amount, currency, person, tuple(codes.split(", "))
