"""The agent's own account: client credentials (RFC 6749, 4.4), cached and fetched again before they end."""

import asyncio

import httpx

from deskworld_agent.errors import DoorFailed

REFRESH_BEFORE_SECONDS = 60.0


class Account:
    def __init__(self, *, token_url: str, client_id: str, secret: str, http: httpx.AsyncClient) -> None:
        self._token_url = token_url
        self._form = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": secret}
        self._http = http
        self._token = ""
        self._until = float("-inf")
        self._fetching = asyncio.Lock()

    async def token(self) -> str:
        """Raises DoorFailed when the issuer gives none."""
        if self._ended():
            async with self._fetching:
                if self._ended():
                    await self._fetch()
        return self._token

    def forget(self, token: str) -> None:
        """The door refused this token: the next call fetches another."""
        if token == self._token:
            self._until = float("-inf")

    def _ended(self) -> bool:
        return asyncio.get_running_loop().time() >= self._until

    async def _fetch(self) -> None:
        asked = f"a token from {self._token_url}"
        try:
            answer = await self._http.post(self._token_url, data=self._form)
            answer.raise_for_status()
            body = answer.json()
            self._token = str(body["access_token"])
            lives = float(body["expires_in"])
        except httpx.HTTPStatusError as error:
            raise DoorFailed(
                asked, f"answered {error.response.status_code}", status=error.response.status_code
            ) from None
        except httpx.HTTPError as error:
            raise DoorFailed(asked, str(error) or type(error).__name__) from error
        except (KeyError, TypeError, ValueError) as error:
            raise DoorFailed(asked, "answered something that is no token") from error
        self._until = asyncio.get_running_loop().time() + max(0.0, lives - REFRESH_BEFORE_SECONDS)
