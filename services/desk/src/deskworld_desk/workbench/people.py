"""Who is at the workbench, and which of them may do what."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from fastapi import Depends, Request

from deskworld_desk.cases.exits import MAY_CLOSE, MAY_TAKE_UP
from deskworld_desk.flags.clearing import MAY_ASK, MAY_CONFIRM
from deskworld_kit.identity import Principal, TokenVerifier, principal
from deskworld_kit.problems import Problem

WORKS = frozenset({"buyer", "clerk", "ap-manager", "controller"})
"""Everybody but the auditor, who reads."""
MANAGES_MAIL = frozenset({"ap-manager"})
VERIFIES = frozenset({"ap-manager", "controller"})
OVERSEES = frozenset({"ap-manager", "controller", "auditor"})
CONTROLS = frozenset({"controller"})

Caller = Callable[[Request], Awaitable[Principal]]


@dataclass(frozen=True, slots=True)
class People:
    """Dependencies that give the caller: any person, or one who has one of some roles."""

    verifier: TokenVerifier

    def anybody(self) -> Any:
        return Depends(self._having(frozenset()))

    def having(self, roles: frozenset[str]) -> Any:
        return Depends(self._having(roles))

    def _having(self, roles: frozenset[str]) -> Caller:
        known = principal(self.verifier)

        async def somebody(request: Request) -> Principal:
            who = await known(request)
            if not who.is_person:
                raise Problem(403, "NOT_AUTHORISED", "the workbench is for people")
            check_role(who, roles)
            return who

        return somebody


def check_role(who: Principal, roles: frozenset[str]) -> None:
    """No roles: any will do. Raises Problem 403 NOT_AUTHORISED."""
    if roles and not who.roles & roles:
        names = sorted(roles)
        detail = f"{who.username} has none of the roles that may do this: {', '.join(names)}"
        raise Problem(403, "NOT_AUTHORISED", detail, roles=names)


__all__ = ["MAY_ASK", "MAY_CLOSE", "MAY_CONFIRM", "MAY_TAKE_UP", "People", "check_role"]
