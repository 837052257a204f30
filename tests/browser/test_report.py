"""The report in a real browser: it asks for nothing, complains of nothing, runs nothing of what a vendor wrote, and can
be read on a telephone and in the dark."""

import base64
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.chromium import Browser, chromium
from tests.support.reported import SCRIPT, bundled, mixed

from deskworld import report
from deskworld.commands import reporting
from deskworld.values.report import Report

SMALLEST = 12.0
"""CSS pixels of the smallest letters that people read without zooming in."""
CONTRAST = 4.5
"""WCAG 2.2, success criterion 1.4.3."""
TELEPHONE = 360

# every element with words of its own: its words, their size, and their contrast with what lies behind them
WORDS = """
const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
const light = (colour) => {
  const linear = (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const [r, g, b] = channels(colour).map(c => linear(c / 255));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (one) => {
  for (let at = one; at; at = at.parentElement) {
    const colour = getComputedStyle(at).backgroundColor;
    if (!(channels(colour)[3] === 0)) return colour;
  }
  return "rgb(255, 255, 255)";
};
document.querySelectorAll("details").forEach(one => one.open = true);
return [...document.querySelectorAll("body *")]
  .filter(one => [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim()))
  .map(one => {
    const style = getComputedStyle(one), [a, b] = [light(style.color), light(behind(one))].sort((x, y) => y - x);
    return [one.textContent.trim().slice(0, 60), parseFloat(style.fontSize), (a + 0.05) / (b + 0.05)];
  });
"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    told = reporting.read(bundled(folder / "runs", mixed()))
    (folder / "report.html").write_text(report.html(told), encoding="utf-8")
    (folder / "letter.html").write_text(report.letter(told), encoding="utf-8")
    (folder / "worst.html").write_text(report.letter(worst(told)), encoding="utf-8")
    return folder


def worst(told: Report) -> Report:
    """With more of everything that can go wrong than fits on a page."""
    campaign = told.campaign
    gates = tuple(campaign.gates[0].model_copy(update={"name": f"scenario number-{nth}"}) for nth in range(40))
    scenarios = {f"{name}-{nth}": one for nth in range(9) for name, one in campaign.scenarios.items()}
    baseline = campaign.baselines["rules alone"].model_copy(update={"contradicts": dict.fromkeys(scenarios, 3)})
    more = {
        "gates": gates,
        "bugs": ("the rules settled one situation in several ways: hold 3, approve-variance 4",) * 20,
        "scenarios": scenarios,
        "baselines": {"rules alone": baseline, "playbook": baseline},
        "not_covered": (*campaign.not_covered, *("something that nobody thought of " * 20,) * 9),
    }
    usage = tuple(one.model_copy(update={"model": f"m-{nth}"}) for nth in range(12) for one in told.usage)
    return told.model_copy(update={"campaign": campaign.model_copy(update=more), "usage": usage})


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("profile"), scripts=True) as found:
        yield found


def unreadable(browser: Browser) -> list[object]:
    words = browser.chrome.execute_script(WORDS)
    assert len(words) > 30
    return [one for one in words if one[1] < SMALLEST or one[2] < CONTRAST]


def in_scheme(browser: Browser, scheme: str) -> None:
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", media)


@pytest.mark.parametrize("page", ["report.html", "letter.html"])
def test_a_page_opens_without_a_complaint_and_asks_for_nothing(pages: Path, browser: Browser, page: str) -> None:
    browser.go((pages / page).as_uri())
    assert "candidate" in browser.chrome.title
    assert browser.complaints() == []
    assert browser.asked_for() == set()
    assert not browser.has("script, img, iframe, link")


def test_what_a_vendor_wrote_is_shown_and_runs_nowhere(pages: Path, browser: Browser) -> None:
    browser.go((pages / "report.html").as_uri())
    browser.chrome.execute_script("document.querySelectorAll('details').forEach(one => one.open = true)")
    shown = "\n".join(one.text for one in browser.chrome.find_elements("css selector", "pre"))
    assert SCRIPT in shown
    assert "\\u001b[31mred" in shown
    assert browser.chrome.title == "candidate: REJECTED"
    assert browser.complaints() == []


@pytest.mark.parametrize("page", ["report.html", "letter.html"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_is_readable_on_a_telephone_in_the_light_and_in_the_dark(
    pages: Path, browser: Browser, page: str, scheme: str
) -> None:
    browser.narrow(TELEPHONE)
    in_scheme(browser, scheme)
    browser.go((pages / page).as_uri())
    assert unreadable(browser) == []
    assert browser.too_wide(TELEPHONE) == []
    ground = browser.chrome.execute_script("return getComputedStyle(document.documentElement).backgroundColor")
    dark = max(int(one) for one in re.findall(r"\d+", ground)[:3]) < 64
    assert dark == (scheme == "dark")
    in_scheme(browser, "light")
    browser.chrome.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_keyboard_reaches_the_content_every_part_and_what_scrolls(pages: Path, browser: Browser) -> None:
    browser.go((pages / "report.html").as_uri())
    reached = browser.chrome.execute_script(
        "return [...document.querySelectorAll('a, summary, [tabindex=\"0\"]')].map(one => one.className || one.tagName)"
    )
    assert reached[0] == "skip"
    assert {"A", "SUMMARY", "wide"} <= set(reached)


@pytest.mark.parametrize("page", ["letter.html", "worst.html"])
def test_the_letter_is_one_page_of_paper_however_bad_it_is(pages: Path, browser: Browser, page: str) -> None:
    browser.go((pages / page).as_uri())
    printed = browser.chrome.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})["data"]
    assert len(re.findall(rb"/Type\s*/Page\b", base64.b64decode(printed))) == 1
