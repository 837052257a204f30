"""Deskworld harness: situations in, verdicts out."""


def main() -> None: ...
