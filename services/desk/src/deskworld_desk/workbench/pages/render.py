"""HTML out of templates: every value is escaped, and a character that hides or turns text round is spelled out."""

import unicodedata
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse

from deskworld_desk.workbench.pages.sessions import BASE, Visitor
from deskworld_desk.workbench.people import MANAGES_MAIL, OVERSEES
from deskworld_kit.identity import Principal

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


TAKEN = {
    "note": "Your note is on record.",
    "feedback": "Your feedback is on record.",
    "resume": "The agent goes on.",
    "propose": "Your proposal is on record; somebody else decides it.",
    "close": "The case is closed.",
    "budget": "The case may use more.",
    "answer": "Your answer is on record.",
    "clear": "It is asked for; a second person must confirm.",
    "confirm": "It is confirmed.",
    "keep": "The flag stays.",
    "join": "The mail is in its case.",
    "dismiss": "The mail is dismissed.",
    "call": "The call is on record.",
    "reject": "The change is rejected.",
    "pause": "All agents are paused.",
}


def navigation(who: Principal) -> list[tuple[str, str, str]]:
    """The pages that this person may open: name, path, title."""
    found = [
        ("worklist", "/", "Worklist"),
        ("flags", "/flags", "Flags"),
        ("bank-changes", "/bank-changes", "Bank changes"),
    ]
    if who.roles & MANAGES_MAIL:
        found.append(("mail", "/mail", "Unmatched mail"))
    if who.roles & OVERSEES:
        found.append(("oversight", "/oversight", "Oversight"))
    return found


def shown_forms(decisions: list[Any], questions: list[Any], may: Mapping[str, bool]) -> set[str]:
    """Which forms a case's page has, so that what is wrong with one that is gone is still said."""
    forms = {"note", "feedback"} if may["note"] else set()
    forms |= {"resume", "propose"} if may["take_up"] else set()
    forms |= {name for name in ("close", "budget") if may[name]}
    forms |= {"answer"} if any(one["yours"] for one in questions) else set()
    for one in decisions:
        again = one["state"] == "NEEDS_DECIDER"
        forms |= ({one["verdict"]} if again else {"approve", "decline"}) if one["yours"] else set()
    return forms


def chosen(wrong: Any, before: str | None) -> str:
    """The structured reason that the decline form shows as chosen."""
    if wrong is not None and wrong.form == "decline":
        return str(wrong.sent.get("reason", ""))
    return before or ""


class Renderer:
    def __init__(self, *, issuer: str) -> None:
        self._templates = Environment(
            loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, finalize=visible,
            trim_blocks=True, lstrip_blocks=True,
        )  # fmt: skip
        self._templates.filters |= {"moment": moment, "plainly": plainly}
        self._templates.filters["taken"] = lambda form: TAKEN.get(form.partition("-")[0], "It is done.")
        self._templates.globals |= {"base": BASE, "navigation": navigation, "shown_forms": shown_forms}
        self._templates.globals["chosen"] = chosen
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
