"""HTML out of templates: every value is escaped, and a character that hides or turns text round is spelled out."""

import unicodedata
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse

from deskworld_desk.workbench.pages.sessions import BASE, Visitor

TEMPLATES = Path(__file__).parent / "templates"
HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def visible(value: Any) -> Any:
    """`[U+202E]` for what would be invisible, or show other text than what is there; line ends and tabs stay."""
    if not isinstance(value, str) or hasattr(value, "__html__") or (value.isascii() and value.isprintable()):
        return value
    return "".join(
        f"[U+{ord(one):04X}]" if unicodedata.category(one) in HIDDEN and one not in "\n\t" else one for one in value
    )


def moment(stamp: str) -> str:
    """`2026-03-20 14:05:11 UTC` for an RFC 3339 stamp of the desk, which is always in UTC."""
    return datetime.fromisoformat(stamp).strftime("%Y-%m-%d %H:%M:%S UTC")


def plainly(code: str) -> str:
    """`Price variance` for PRICE_VARIANCE."""
    return code.replace("_", " ").replace("-", " ").capitalize()


class Renderer:
    def __init__(self, *, issuer: str) -> None:
        self._templates = Environment(
            loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, finalize=visible,
            trim_blocks=True, lstrip_blocks=True,
        )  # fmt: skip
        self._templates.filters |= {"moment": moment, "plainly": plainly}
        self._templates.globals |= {"base": BASE}
        parts = urlsplit(issuer)
        # a sign-out is a form that leads on to the issuer, and a browser asks this policy about the whole way
        policy = f"default-src 'none'; style-src 'self'; form-action 'self' {parts.scheme}://{parts.netloc}; "
        self.headers = {
            "Content-Security-Policy": policy + "base-uri 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
            # without any referrer a browser also keeps from us where a form came from
            "Referrer-Policy": "same-origin",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cache-Control": "no-store",
        }

    def page(self, template: str, *, visitor: Visitor | None = None, status: int = 200, **values: Any) -> HTMLResponse:
        """Raises jinja2.UndefinedError for a value that the template names and nobody gave."""
        text = self._templates.get_template(template).render(visitor=visitor, **values)
        return HTMLResponse(text, status_code=status, headers=self.headers)
