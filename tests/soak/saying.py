"""What a soak is asked for and what it prints: its seed, so that it can be run again, and every finding."""

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from random import Random


def flags(name: str, about: str | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"python -m tests.soak.{name}", description=about)
    parser.add_argument("--seed", type=int, default=1)
    return parser


def say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def told(counted: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {name}" for name, number in sorted(counted.items())) or "nothing"


def verdict(findings: Sequence[str]) -> int:
    """The exit code, once every finding was printed."""
    for one in findings:
        say(f"WRONG: {one}")
    return int(bool(findings))


def drawn(points: Iterable[str], number: int, draw: Random) -> list[str]:
    """So many of the points, each as often as the others, in an order of the seed's."""
    known = list(points)
    names = [name for _ in range(-(-number // len(known))) for name in known][:number]
    draw.shuffle(names)
    return names
