"""`python -m deskworld_embedded.mail`: MAIL_SMTP_BIND, MAIL_SUBMISSION_BIND, MAIL_IMAP_BIND, MAIL_FOLDER, MAIL_LOGINS
(JSON, login → password; the logins desk, staff and counterparties)."""

import asyncio
import json
import logging
import os
from collections.abc import Mapping
from pathlib import Path

from deskworld_embedded.listening import SettingMissing, address, required, settle_memory, until_told
from deskworld_embedded.mail import imap, smtp
from deskworld_embedded.mail.domains import COUNTERPARTIES, DESK, STAFF
from deskworld_embedded.mail.store import Store


def logins_of(environ: Mapping[str, str]) -> dict[str, str]:
    """Raises SettingMissing."""
    try:
        logins = json.loads(required(environ, "MAIL_LOGINS"))
    except ValueError as error:
        raise SettingMissing(f"MAIL_LOGINS: {error}") from error
    if not isinstance(logins, dict) or set(logins) != {DESK, STAFF, COUNTERPARTIES} or not all(logins.values()):
        raise SettingMissing("MAIL_LOGINS holds a password for each of desk, staff and counterparties")
    return {login: str(password) for login, password in logins.items()}


async def main(told: asyncio.Event) -> None:
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s %(message)s")
    logging.getLogger("mail.log").setLevel(logging.ERROR)  # aiosmtpd's, which tells each command
    incoming, submission, mailboxes = (
        address(os.environ, name) for name in ("MAIL_SMTP_BIND", "MAIL_SUBMISSION_BIND", "MAIL_IMAP_BIND")
    )
    logins = logins_of(os.environ)
    store = Store(Path(required(os.environ, "MAIL_FOLDER")), sorted(logins))
    servers = [
        await smtp.listen(incoming.host, incoming.port, store, None),
        await smtp.listen(submission.host, submission.port, store, logins),
        await imap.listen(mailboxes.host, mailboxes.port, store, logins),
    ]
    settle_memory()
    await told.wait()
    for server in servers:
        server.close()


if __name__ == "__main__":
    until_told(main)
