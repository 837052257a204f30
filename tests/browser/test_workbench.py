"""People at the workbench in a real browser, signed in at the issuer's own page."""

from pathlib import Path

from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from tests.support.chromium import Browser, chromium
from tests.support.claiming import call, claimed, ended, put_on_hold
from tests.support.office import Office
from tests.support.signing_in import PASSWORD

HOSTILE = '<img src=x onerror="document.title=1">"\'><script>document.title=2</script>\u202eMuster'


def sign_in(browser: Browser, office: Office, username: str, path: str = "/") -> None:
    browser.go(office.stack["desk"] + path)
    assert browser.url.startswith(office.stack["issuer"]), "the issuer's page asks, not the workbench"
    assert "Sign in to Deskworld" in browser.text or "Sign in to your account" in browser.text
    browser.one("input[name=username]").send_keys(username)
    browser.one("input[name=password]").send_keys(PASSWORD)
    browser.click("#kc-login")
    assert browser.one("#who").text == username


async def test_a_decider_signs_in_sees_the_case_approves_it_and_signs_out(office: Office, tmp_path: Path) -> None:
    case = await office.seed()
    await case.until("decision.requested")
    with chromium(tmp_path / "profile", scripts=False) as browser:
        sign_in(browser, office, "anna.keller")
        assert browser.url == f"{office.stack['desk']}/workbench/"
        browser.click(f"main a[href$='/cases/{case.case_id}']")
        heading = browser.one(".yours h2").text
        assert heading.startswith("You decide: Pay 1040.00 USD to Muster AG: invoice INV-")
        browser.one("#approve-words").send_keys("Agreed by phone.")
        browser.click("#approve")
        assert browser.one("#said").text == "Your decision was carried out."
        (command,) = (await case.witness())["commands"]
        assert (command["action"], command["outcome"], command["by"]["username"]) == (
            "approve-variance", "applied", "anna.keller",
        )  # fmt: skip
        browser.click("#sign-out")
        assert browser.url == f"{office.stack['desk']}/workbench/signed-out"
        browser.go(f"{office.stack['desk']}/workbench/cases/{case.case_id}")
        assert browser.url.startswith(office.stack["issuer"]), "signed out at the issuer too: it asks again"
        assert browser.has("input[name=password]")
        assert browser.asked_elsewhere() == set()
    made = await case.until("decision.made")
    assert (made["data"]["words"], made["data"]["by"]["username"]) == ("Agreed by phone.", "anna.keller")


async def test_a_page_says_what_a_vendor_wrote_and_runs_nothing_of_it(office: Office, tmp_path: Path) -> None:
    case = await office.seed(vendor_name=HOSTILE)
    await case.until("decision.requested")
    with chromium(tmp_path / "profile", scripts=True) as browser:
        sign_in(browser, office, "anna.keller", f"/workbench/cases/{case.case_id}")
        assert browser.url.endswith(f"/workbench/cases/{case.case_id}"), "after signing in it is where it wanted to be"
        assert HOSTILE.replace("\u202e", "[U+202E]") in browser.one(".yours h2").text
        assert browser.chrome.title == "Price variance · Workbench"
        assert not browser.has("main img, main script")
        assert [said for said in browser.complaints() if "/workbench" in said and "favicon" not in said] == []
        assert browser.asked_elsewhere() == set()


async def test_a_decider_declines_with_words_by_keyboard_alone(office: Office, tmp_path: Path) -> None:
    case = await office.seed()
    await case.until("decision.requested")
    with chromium(tmp_path / "profile", scripts=False) as browser:
        sign_in(browser, office, "anna.keller", f"/workbench/cases/{case.case_id}")
        browser.one("body").send_keys(Keys.TAB)
        assert browser.chrome.switch_to.active_element.text == "Skip to content"
        words = reached(browser, "decline-words")
        words.send_keys("The order's price was agreed.", Keys.TAB)
        assert browser.chrome.switch_to.active_element.get_attribute("id") == "reason-1"
        browser.chrome.switch_to.active_element.send_keys(Keys.ARROW_DOWN, Keys.TAB, Keys.ENTER)
        assert browser.one("#said").text == "Your decision was declined."
    made = (await case.until("decision.made"))["data"]
    assert (made["verdict"], made["words"], made["reason"]) == (
        "decline", "The order's price was agreed.", "PAY_PO_PRICE",
    )  # fmt: skip


def reached(browser: Browser, element_id: str, steps: int = 60) -> WebElement:
    """By the tabulator alone."""
    for _ in range(steps):
        if (here := browser.chrome.switch_to.active_element).get_attribute("id") == element_id:
            return here
        here.send_keys(Keys.TAB)
    raise AssertionError(f"{element_id} was not reached in {steps} steps at {browser.url}")


async def test_the_buyer_who_is_asked_answers_with_scripts_off(office: Office, tmp_path: Path) -> None:
    case = await office.seed(rules="off")
    turn = await claimed(office, case)
    await call(office, turn, "ask_buyer", question="Was 10.40 agreed?")
    await ended(office, turn)
    with chromium(tmp_path / "profile", scripts=False) as browser:
        sign_in(browser, office, "anna.keller")
        assert "Was 10.40 agreed?" in browser.text
        browser.go(f"{office.stack['desk']}/workbench/cases/{case.case_id}")
        browser.one("#answer-text").send_keys("Yes, on the phone in March.")
        browser.click("#answer")
        assert browser.one("#said").text == "Your answer is on record."
        assert browser.asked_elsewhere() == set()
    answered = (await case.until("question.answered"))["data"]
    assert (answered["text"], answered["by"]["username"]) == ("Yes, on the phone in March.", "anna.keller")
    await put_on_hold(office, await claimed(office, case))


async def test_a_call_back_and_a_second_persons_word_verify_a_bank_change(office: Office, tmp_path: Path) -> None:
    case = await office.seed(bank_change=True)
    accounts = (await case.witness())["vendor"]["bank_accounts"]
    change = next(one["change"]["id"] for one in accounts if one["change"])
    page = f"/workbench/bank-changes/{change}"
    with chromium(tmp_path / "grace", scripts=False) as browser:
        sign_in(browser, office, "grace.hall", page)
        browser.one("#call-phone").send_keys("+1 555 0142")
        browser.one("#call-yes").click()
        browser.click("#call-back")
        assert browser.one("#said").text == "The call is on record."
    with chromium(tmp_path / "ines", scripts=False) as browser:
        sign_in(browser, office, "ines.vogel", page)
        browser.click("#confirm")
        assert browser.one("#status").text == "Verified"
    now = {one["account"]: one["status"] for one in (await case.witness())["vendor"]["bank_accounts"]}
    assert now == {"CH11": "SUPERSEDED", "CH99": "ACTIVE"}


async def test_every_page_fits_a_narrow_screen_and_is_walked_by_its_links(office: Office, tmp_path: Path) -> None:
    """360 px wide: what is wider scrolls by itself, the page never does."""
    case = await office.seed(vendor_name=HOSTILE)
    await case.until("decision.requested")
    with chromium(tmp_path / "profile", scripts=True) as browser:
        sign_in(browser, office, "grace.hall", f"/workbench/cases/{case.case_id}")
        browser.narrow(360)
        for path in (f"/cases/{case.case_id}", "/", "/flags", "/bank-changes", "/mail", "/oversight"):
            browser.go(f"{office.stack['desk']}/workbench{path}")
            assert browser.one("nav [aria-current]").text, path
            assert browser.too_wide(360) == [], path
        assert [said for said in browser.complaints() if "favicon" not in said and "/workbench" in said] == []
