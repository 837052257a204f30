"""A real browser: the system's chromium under its own driver, both by path. Nothing is downloaded, nothing is resolved
but this machine, and what a page asked for or complained of can be looked at afterwards."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from selenium.webdriver import Chrome, ChromeOptions, ChromeService
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support import expected_conditions
from selenium.webdriver.support.wait import WebDriverWait

PAGE_SECONDS = 30.0
OWN = frozenset({"127.0.0.1", "localhost"})
FLAGS = ("headless=new", "no-sandbox", "disable-dev-shm-usage", "disable-gpu", "no-first-run", "no-proxy-server",
         "disable-background-networking", "disable-component-update", "window-size=1280,1000")  # fmt: skip
TOO_WIDE = """
return [...document.querySelectorAll("body *")]
  .filter(one => !one.closest(".wide *") && !one.matches(".skip"))
  .filter(one => one.getBoundingClientRect().right > arguments[0] + 1)
  .map(one => one.outerHTML.slice(0, 200));
"""
MISSING = (
    "no {} was found; install Debian's chromium and chromium-driver, or name them in DESKWORLD_CHROMIUM and "
    "DESKWORLD_CHROMEDRIVER"
)


class Browser:
    def __init__(self, chrome: Chrome) -> None:
        self.chrome = chrome

    def go(self, url: str) -> None:
        self.chrome.get(url)

    @property
    def url(self) -> str:
        return self.chrome.current_url

    @property
    def text(self) -> str:
        return self.one("body").text

    def one(self, selector: str) -> WebElement:
        """Awaited; what the page shows instead is in the message."""
        found = expected_conditions.presence_of_element_located((By.CSS_SELECTOR, selector))
        wait = WebDriverWait(self.chrome, PAGE_SECONDS)
        element: WebElement = wait.until(found, f"awaited {selector} for {PAGE_SECONDS} s at {self.url}")
        return element

    def has(self, selector: str) -> bool:
        return bool(self.chrome.find_elements(By.CSS_SELECTOR, selector))

    def click(self, selector: str) -> None:
        """Returns when the page that it leads to is there."""
        element = self.one(selector)
        element.click()
        WebDriverWait(self.chrome, PAGE_SECONDS).until(
            expected_conditions.staleness_of(element), f"{selector} at {self.url} led nowhere in {PAGE_SECONDS} s"
        )

    def narrow(self, width: int) -> None:
        """A screen of this many CSS pixels, as a telephone's; a window has a least width of its own."""
        screen = {"width": width, "height": 740, "deviceScaleFactor": 1, "mobile": True}
        self.chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)

    def too_wide(self, width: int) -> list[str]:
        """Elements that reach beyond a screen of this width, but for those inside what scrolls by itself."""
        found: list[str] = self.chrome.execute_script(TOO_WIDE, width)
        return found

    def asked_for(self) -> set[str]:
        """Every address that this browser asked for, of any kind."""
        said = [json.loads(message)["message"] for message in self._log("performance")]
        sent = [one["params"]["request"]["url"] for one in said if one["method"] == "Network.requestWillBeSent"]
        return {url for url in sent if urlsplit(url).scheme in {"http", "https", "ws", "wss"}}

    def asked_elsewhere(self) -> set[str]:
        return {url for url in self.asked_for() if urlsplit(url).hostname not in OWN}

    def complaints(self) -> list[str]:
        """What the browser says in its console: refusals by a content security policy among it."""
        return self._log("browser")

    def _log(self, kind: str) -> list[str]:
        return [str(entry["message"]) for entry in self.chrome.get_log(kind)]  # type: ignore[no-untyped-call]


def program(variable: str, *names: str) -> str:
    """Skips the test when it is not there; in CI it fails, because there it was promised."""
    given = os.environ.get(variable)
    found = given if given and Path(given).exists() else next(filter(None, map(shutil.which, names)), None)
    if found is None and os.environ.get("CI"):
        pytest.fail(MISSING.format(names[0]), pytrace=False)
    if found is None:
        pytest.skip(MISSING.format(names[0]))
    return found


@contextmanager
def chromium(folder: Path, *, scripts: bool) -> Iterator[Browser]:
    """`scripts`: whether pages may run any."""
    options = ChromeOptions()
    options.binary_location = program("DESKWORLD_CHROMIUM", "chromium", "chromium-browser", "google-chrome")
    driver = program("DESKWORLD_CHROMEDRIVER", "chromedriver")
    resolve = "MAP * ~NOTFOUND, " + ", ".join(f"EXCLUDE {host}" for host in sorted(OWN))
    for flag in (*FLAGS, f"user-data-dir={folder}", f"host-resolver-rules={resolve}"):
        options.add_argument(f"--{flag}")
    if not scripts:
        options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    # the driver is on this machine; the public way to say so is deprecated without a successor
    options._ignore_local_proxy = True
    chrome = Chrome(options, ChromeService(driver, env={**os.environ, "SE_OFFLINE": "true"}))
    try:
        chrome.set_page_load_timeout(PAGE_SECONDS)
        yield Browser(chrome)
    finally:
        chrome.quit()
