"""`python -m deskworld_embedded.policy`: POLICY_BIND, POLICY_FOLDER."""

import asyncio
import os
from pathlib import Path

from deskworld_embedded.listening import SettingMissing, address, required, until_told
from deskworld_embedded.policy.app import policy_app
from deskworld_embedded.serving import serve_http


def policy_folder() -> Path:
    folder = Path(required(os.environ, "POLICY_FOLDER"))
    if not folder.is_dir():
        raise SettingMissing(f"POLICY_FOLDER={folder} is not a folder")
    return folder


async def main(told: asyncio.Event) -> None:
    at = address(os.environ, "POLICY_BIND")
    await serve_http(policy_app(policy_folder()), at, told)


if __name__ == "__main__":
    until_told(main)
