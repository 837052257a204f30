"""`deskworld-agent`: works turns at an agent door until it is told to stop."""

import argparse
import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable, Mapping

from deskworld_agent.door import agent_door
from deskworld_agent.errors import DoorFailed
from deskworld_agent.playbook import digest, playbook
from deskworld_agent.work import Act, work

AGENTS: Mapping[str, Callable[[], Act]] = {"playbook": playbook}


def main() -> None:
    options = _options()
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(levelname)s %(name)s %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)
    try:
        asyncio.run(_work(options))
    except DoorFailed as failed:
        sys.exit(f"deskworld-agent: {failed}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="deskworld-agent", description=__doc__)
    parser.add_argument("--door", required=True, help="URL of the agent door")
    parser.add_argument("--token-url", required=True, help="the issuer's token endpoint")
    parser.add_argument("--client-id", default="agent")
    parser.add_argument(
        "--secret",
        default=os.environ.get("DESKWORLD_AGENT_SECRET"),
        help="the client's secret; better given as DESKWORLD_AGENT_SECRET, which no process list shows",
    )
    parser.add_argument("--agent", default="playbook", choices=sorted(AGENTS))
    parser.add_argument("--side-by-side", type=int, default=8, help="turns worked at the same time")
    options = parser.parse_args()
    if not options.secret:
        parser.error("a secret is needed: --secret or DESKWORLD_AGENT_SECRET")
    return options


async def _work(options: argparse.Namespace) -> None:
    stop = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    async with agent_door(
        options.door,
        token_url=options.token_url,
        client_id=options.client_id,
        secret=options.secret,
        name=options.agent,
        playbook=digest() if options.agent == "playbook" else None,
    ) as door:
        await door.sign_in()
        await work(door, AGENTS[options.agent](), stop=stop, side_by_side=options.side_by_side)


if __name__ == "__main__":
    main()
