"""pymap's view of a login's mailboxes, and of logging in."""

import hmac
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from typing import NoReturn

from pymap.backend.mailbox import MailboxSetInterface
from pymap.backend.session import BaseSession
from pymap.config import IMAPConfig
from pymap.exceptions import AuthorizationFailure, InvalidAuth, MailboxNotFound, NotAllowedError
from pymap.flags import PermanentFlags, SessionFlags
from pymap.interfaces.login import IdentityInterface, LoginInterface
from pymap.interfaces.token import TokensInterface
from pymap.listtree import ListTree
from pymap.mailbox import MailboxSnapshot
from pymap.parsing.specials import ObjectId
from pymap.selected import SelectedMailbox
from pymap.user import UserMetadata
from pysasl.creds.server import ServerCredentials
from pysasl.identity import Identity as Claimed

from deskworld_embedded.mail.folder import Folder
from deskworld_embedded.mail.message import Message
from deskworld_embedded.mail.selected import Selected
from deskworld_embedded.mail.store import INBOX, Store


def password_holds(logins: Mapping[str, str], login: str, password: str) -> bool:
    """In constant time, and as long for a stranger as for a login."""
    expected = logins.get(login, "\0")
    matches = hmac.compare_digest(password.encode("utf-8", "surrogatepass"), expected.encode())
    return matches and login in logins


class _Known(Claimed):
    """pysasl's question about a password, answered by `password_holds`."""

    def __init__(self, logins: Mapping[str, str], login: str) -> None:
        self._logins = logins
        self._login = login

    @property
    def authcid(self) -> str:
        return self._login

    def compare_authcid(self, authcid: str) -> bool:
        return authcid == self._login

    def compare_secret(self, secret: str) -> bool:
        return password_holds(self._logins, self._login, secret)

    def get_clear_secret(self) -> None:
        """Never told."""


class MailboxSet(MailboxSetInterface[Folder]):
    def __init__(self, store: Store, login: str) -> None:
        self._store = store
        self._login = login

    @property
    def delimiter(self) -> str:
        return "/"

    async def set_subscribed(self, name: str, subscribed: bool) -> None:  # noqa: FBT001 - pymap's signature
        self._store.subscribe(self._login, name, on=subscribed)

    async def list_subscribed(self) -> ListTree:
        return ListTree(self.delimiter).update(INBOX, *self._store.subscribed(self._login))

    async def list_mailboxes(self) -> ListTree:
        return ListTree(self.delimiter).update(INBOX, *self._store.folders(self._login))

    async def get_mailbox(self, name: str) -> Folder:
        return self._store.folders(self._login)[INBOX if name.upper() == INBOX else name]

    async def add_mailbox(self, name: str) -> ObjectId:
        return self._store.create(self._login, name).mailbox_id

    async def delete_mailbox(self, name: str) -> None:
        self._store.remove(self._login, name)

    async def rename_mailbox(self, before: str, after: str) -> None:
        tree = await self.list_mailboxes()
        if tree.get(before) is None:
            raise KeyError(before)
        if tree.get(after) is not None:
            raise ValueError(after)
        if before.upper() == INBOX:
            raise NotAllowedError("The inbox keeps its name.")
        for old, new in tree.get_renames(before, after):
            if old in self._store.folders(self._login):
                self._store.rename(self._login, old, new)


class Session(BaseSession[Message]):
    def __init__(self, login: str, config: IMAPConfig, store: Store) -> None:
        super().__init__(login)
        self._config = config
        self._mailboxes = MailboxSet(store, login)

    @property
    def config(self) -> IMAPConfig:
        return self._config

    @property
    def mailbox_set(self) -> MailboxSet:
        return self._mailboxes

    async def select_mailbox(self, name: str, readonly: bool = False) -> tuple[MailboxSnapshot, SelectedMailbox]:  # noqa: FBT001, FBT002 - pymap's signature
        folder = await self._get_mailbox(name)
        selected = Selected(
            folder.mailbox_id,
            readonly,
            PermanentFlags(folder.permanent_flags),
            SessionFlags(folder.session_flags),
            folder.selected_set,
            name,
        )
        snapshot = await folder.snapshot()
        if not readonly:
            await folder.claim_recent(selected)
        return snapshot, await folder.update_selected(selected)

    async def _get_selected(self, selected: SelectedMailbox) -> Folder:
        """Another mailbox may bear the name by now."""
        folder = await self._get_mailbox(selected.lookup)
        if folder.mailbox_id != selected.mailbox_id or not isinstance(folder, Folder):
            raise MailboxNotFound(selected.lookup)
        return folder


class Login(LoginInterface):
    def __init__(self, config: IMAPConfig, store: Store, logins: Mapping[str, str]) -> None:
        self._config = config
        self._store = store
        self._logins = logins

    @property
    def tokens(self) -> TokensInterface:
        raise NotAllowedError("There are no tokens here.")

    async def authenticate(self, credentials: ServerCredentials) -> "Identity":
        login = credentials.authcid
        if not credentials.verify(_Known(self._logins, login)):
            raise InvalidAuth
        return Identity(login, self._config, self._store)

    async def authorize(self, authenticated: IdentityInterface, authzid: str) -> IdentityInterface:
        if authzid != authenticated.name:
            raise AuthorizationFailure
        return authenticated


class Identity(IdentityInterface):
    def __init__(self, login: str, config: IMAPConfig, store: Store) -> None:
        self._login = login
        self._config = config
        self._store = store

    @property
    def name(self) -> str:
        return self._login

    @property
    def roles(self) -> frozenset[str]:
        return frozenset()

    @asynccontextmanager
    async def new_session(self) -> AsyncIterator[Session]:
        yield Session(self._login, self._config, self._store)

    async def new_token(self, *, expiration: datetime | None = None) -> None:
        """There are none."""

    async def get(self) -> UserMetadata:
        return UserMetadata(self._config, self._login)

    async def set(self, metadata: UserMetadata) -> NoReturn:
        raise NotAllowedError("Logins are given, not made.")

    async def delete(self) -> NoReturn:
        raise NotAllowedError("Logins are given, not made.")
