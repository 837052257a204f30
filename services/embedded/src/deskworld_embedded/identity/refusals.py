"""How the issuer says no: RFC 6749 (5.2), with the codes, statuses and sentences of Keycloak."""

from dataclasses import dataclass

BAD_CLIENT = "Invalid client or Invalid client credentials"


class Refused(Exception):
    """Rendered as `{"error", "error_description"}`."""

    def __init__(self, status: int, error: str, description: str) -> None:
        super().__init__(f"{error}: {description}")
        self.status = status
        self.error = error
        self.description = description


class PageRefused(Exception):
    """Said on a page, never by redirect: the address to go back to is not to be trusted."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.message = message
        self.status = status


@dataclass(frozen=True, slots=True)
class Back:
    """Where a refused authorization request goes back to (RFC 6749, 4.1.2.1)."""

    uri: str
    state: str | None


class RedirectRefused(Exception):
    """Said to the client by redirect."""

    def __init__(self, back: Back, error: str, description: str) -> None:
        super().__init__(f"{error}: {description}")
        self.back = back
        self.error = error
        self.description = description


def invalid_request(description: str) -> Refused:
    return Refused(400, "invalid_request", description)


def invalid_grant(description: str) -> Refused:
    return Refused(400, "invalid_grant", description)
