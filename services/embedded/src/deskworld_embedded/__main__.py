"""`python -m deskworld_embedded`: brings the embedded stack up. `… measure --stack FILE`: what its memory is."""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from deskworld_embedded import stack_file
from deskworld_embedded.life import Options, live
from deskworld_embedded.measure import measure


def main(arguments: Sequence[str]) -> int:
    if arguments[:1] == ["measure"]:
        return _measure(arguments[1:])
    parser = argparse.ArgumentParser(prog="python -m deskworld_embedded", description=__doc__)
    parser.add_argument("--folder", type=Path, help="for data and logs; made where missing (default: a temporary one)")
    parser.add_argument("--name", default="deskworld", help="the beginning of the stack's id")
    parser.add_argument("--keep", action="store_true", help="live until a signal, not until the standard input ends")
    parser.add_argument("--keep-data", action="store_true", help="leave the folder, to be started from again")
    parser.add_argument("--port-base", type=int, help="fixed ports: this one and the following nine")
    parser.add_argument("--within", type=float, default=60.0, metavar="SECONDS", help="to be ready in (default: 60)")
    given = parser.parse_args(arguments)
    options = Options(given.name, given.folder, given.keep, given.keep_data, given.port_base, given.within)
    return asyncio.run(live(options, _tell))


def _measure(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m deskworld_embedded measure")
    parser.add_argument("--stack", type=Path, required=True, help="the stack file")
    given = parser.parse_args(arguments)
    try:
        pid = int(stack_file.read(given.stack)["pid"])
        os.kill(pid, 0)
        _tell(measure(pid))
    except (OSError, ValueError, KeyError) as error:
        sys.stderr.write(f"the stack of {given.stack} cannot be measured: {error}; is it up?\n")
        return 3
    return 0


def _tell(event: Mapping[str, Any]) -> None:
    try:
        sys.stdout.write(json.dumps(event) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        # Nobody listens any more; the end of the standard input says the same.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
