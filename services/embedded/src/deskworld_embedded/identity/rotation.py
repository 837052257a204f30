"""`python -m deskworld_embedded.identity.rotation new|withdraw --folder FOLDER --pid PID`: the signing keys change
while the issuer serves, as an administrator of Keycloak changes them.

`new` makes a key that signs from now on; tokens of the former one still count. `withdraw` ends that. FOLDER is the
issuer's (`identity` in the stack's folder), PID its process (`status.json` there has it).
"""

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from deskworld_embedded.identity.keys import rotate, withdraw


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="rotation", description=__doc__)
    parser.add_argument("what", choices=("new", "withdraw"))
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--pid", type=int, required=True)
    told = parser.parse_args(arguments)
    try:
        if told.what == "new":
            sys.stdout.write(f"{rotate(told.folder)}\n")
        else:
            withdraw(told.folder)
        os.kill(told.pid, signal.SIGHUP)
    except (OSError, ValueError, TypeError) as error:
        sys.stderr.write(f"{error}; is {told.folder} the issuer's folder, and {told.pid} its process?\n")
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
