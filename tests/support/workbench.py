"""Somebody at the workbench's pages with scripts off: links, forms and cookies, and no more."""

from collections.abc import Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from types import TracebackType
from urllib.parse import urljoin

import httpx
from tests.support.signing_in import PASSWORD, Form, browser, login_form


@dataclass
class Guest:
    """A browser of its own. `page` is what it shows."""

    url: str
    http: httpx.AsyncClient
    page: httpx.Response

    async def go(self, path: str, **options: object) -> httpx.Response:
        """Follows redirects as a browser does, to the issuer and back."""
        self.page = await self.http.get(urljoin(self.url, path), follow_redirects=True, **options)  # type: ignore[arg-type]
        return self.page

    async def sign_in(self, username: str, path: str = "/workbench/") -> httpx.Response:
        """By the issuer's own page, wherever `path` leads before that."""
        form = login_form(await self.go(path))
        filled = form.filled(username=username, password=PASSWORD)
        self.page = await self.http.post(form.action, data=filled, follow_redirects=True)
        return self.page

    async def send(self, form: Form, **values: str) -> httpx.Response:
        self.page = await self.http.post(form.action, data=form.filled(**values), follow_redirects=True)
        return self.page

    def form(self, action: str, **having: str) -> Form:
        """The form of this page that leads to an address with `action` in it, and holds these fields."""
        found = [one for one in forms(self.page) if action in one.action and having.items() <= one.fields.items()]
        assert found, f"no form to {action} with {having} on {self.page.url}: {self.page.text[:2000]}"
        return found[0]

    async def __aenter__(self) -> "Guest":
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None,
                        trace: TracebackType | None) -> None:  # fmt: skip
        await self.http.aclose()


def guest(url: str) -> Guest:
    """`url`: the desk's office door."""
    return Guest(url, browser(), httpx.Response(200))


class _Fields(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[tuple[str, dict[str, str]]] = []
        self._area: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found: Mapping[str, str] = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append((found.get("action", ""), {}))
        elif self.forms and found.get("name"):
            unchecked = found.get("type") == "radio" and "checked" not in found
            if tag == "input" and not unchecked:
                self.forms[-1][1][found["name"]] = found.get("value", "")
            elif tag == "textarea":
                self._area = found["name"]
                self.forms[-1][1][self._area] = ""

    def handle_data(self, data: str) -> None:
        if self._area is not None:
            self.forms[-1][1][self._area] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self._area = None


def forms(page: httpx.Response) -> list[Form]:
    parser = _Fields()
    parser.feed(page.text)
    return [Form(urljoin(str(page.url), action), fields) for action, fields in parser.forms]
