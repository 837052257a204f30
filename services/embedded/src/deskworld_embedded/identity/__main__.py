"""`python -m deskworld_embedded.identity`: IDENTITY_BIND, IDENTITY_ISSUER_BASE, IDENTITY_REALM, IDENTITY_FOLDER, and
IDENTITY_CLIENT_SECRETS (JSON, client → secret) where the realm file's secrets are to be replaced.
SIGHUP: the keys are read again from the folder."""

import asyncio
import json
import os
import signal
from collections.abc import Mapping
from pathlib import Path

from deskworld_embedded.identity import keys, realm
from deskworld_embedded.identity.app import identity_app
from deskworld_embedded.identity.claims import check_mappers
from deskworld_embedded.identity.sessions import Sessions
from deskworld_embedded.identity.tokens import Issuer
from deskworld_embedded.listening import SettingMissing, address, required, until_told
from deskworld_embedded.serving import serve_http
from deskworld_kit import clock


def seconds() -> int:
    return int(clock.now().timestamp())


def issuer_of(environ: Mapping[str, str]) -> Issuer:
    """Raises SettingMissing, OSError."""
    folder = Path(required(environ, "IDENTITY_FOLDER"))
    folder.mkdir(parents=True, exist_ok=True)
    try:
        secrets = json.loads(environ.get("IDENTITY_CLIENT_SECRETS") or "{}")
        read = realm.with_secrets(realm.read(Path(required(environ, "IDENTITY_REALM"))), secrets)
        check_mappers(read)
        ring = keys.KeyRing(folder)
    except (ValueError, TypeError, AttributeError, NotImplementedError) as error:
        raise SettingMissing(str(error)) from error
    base = required(environ, "IDENTITY_ISSUER_BASE").rstrip("/")
    sessions = Sessions(folder, now=seconds, idle=read.session_idle, lifespan=read.session_lifespan)
    return Issuer(f"{base}/realms/{read.name}", read, ring, sessions, seconds)


async def main(told: asyncio.Event) -> None:
    at = address(os.environ, "IDENTITY_BIND")
    issuer = issuer_of(os.environ)
    asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, issuer.ring.read_again)
    await serve_http(identity_app(issuer), at, told)


if __name__ == "__main__":
    until_told(main)
