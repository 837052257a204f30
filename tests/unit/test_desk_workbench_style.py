"""What the pages look like is readable: contrast of WCAG 2.2 AA in both themes, and nothing comes from elsewhere."""

import re

import pytest

from deskworld_desk.workbench.pages.render import TEMPLATES

STYLE = (TEMPLATES / "style.css").read_text()
LIGHT, DARK = ("light", "dark")
TEXT, EDGE = 4.5, 3.0
"""WCAG 2.2, 1.4.3 and 1.4.11."""
PAIRS = [
    ("text", "ground", TEXT),
    ("text", "soft", TEXT),
    ("accent", "ground", TEXT),
    ("accent", "soft", TEXT),
    ("ground", "accent", TEXT),  # a button
    ("warn", "warn-ground", TEXT),
    ("warn", "ground", TEXT),
    ("wrong", "ground", TEXT),
    ("wrong", "warn-ground", TEXT),
    ("edge", "ground", EDGE),  # what shows where a field is
]


def colours(theme: str) -> dict[str, str]:
    light, _, rest = STYLE.partition("@media (prefers-color-scheme: dark)")
    found = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]+)", light))
    dark = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]+)", rest.partition("* {")[0]))
    assert set(dark) == set(found), "each colour is set for both themes"
    return found if theme == LIGHT else dark


def luminance(colour: str) -> float:
    """WCAG 2.2, relative luminance."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * one for one in colour[1:])
    parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize(("front", "behind", "least"), PAIRS)
def test_what_is_written_can_be_read(theme: str, front: str, behind: str, least: float) -> None:
    found = colours(theme)
    bright, dim = sorted((luminance(found[front]), luminance(found[behind])), reverse=True)
    assert (bright + 0.05) / (dim + 0.05) >= least


def test_nothing_is_faded_or_fetched_and_focus_is_seen() -> None:
    assert "opacity" not in STYLE
    assert "url(" not in STYLE
    assert "@import" not in STYLE
    assert "outline: none" not in STYLE
    assert ":focus-visible" in STYLE


@pytest.mark.parametrize("template", sorted(path.name for path in TEMPLATES.glob("*.html")))
def test_no_template_lets_text_through_or_holds_what_the_policy_forbids(template: str) -> None:
    text = (TEMPLATES / template).read_text()
    assert not re.search(r"\|\s*safe|autoescape|<script|<style|\son[a-z]+=|\sstyle=|https?://", text)
