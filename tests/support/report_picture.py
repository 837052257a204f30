"""A picture of a campaign's report, for the page that describes it: light and dark, as small as can still be read.

`python -m tests.support.report_picture RUN docs/guides/report.png`
"""

import base64
import sys
import tempfile
from pathlib import Path

from tests.support.chromium import Browser, chromium

from deskworld import report
from deskworld.commands import reporting

WIDTH, HEIGHT = 720, 1000
HALF = """
<!doctype html><title>two</title><style>body { margin: 0; display: flex; gap: 12px; background: #888 }</style>
<img src="data:image/png;base64,LIGHT"><img src="data:image/png;base64,DARK">
"""


def picture(run: Path, to: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        page.write_text(report.html(reporting.read(run)), encoding="utf-8")
        with chromium(Path(folder) / "profile", scripts=False) as browser:
            halves = [_taken(browser, page, *half) for half in (("light", "body"), ("dark", "#right"))]
            page.write_text(HALF.replace("LIGHT", halves[0]).replace("DARK", halves[1]), encoding="utf-8")
            browser.go(page.as_uri())
            to.write_bytes(base64.b64decode(_shot(browser, 2 * WIDTH + 12, HEIGHT, scale=0.55)))


def _taken(browser: Browser, page: Path, scheme: str, begins: str) -> str:
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    screen = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
    browser.chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    browser.go(page.as_uri())
    return _shot(browser, WIDTH, HEIGHT, top=browser.one(begins).rect["y"])


def _shot(browser: Browser, width: int, height: int, *, scale: float = 1.0, top: float = 0) -> str:
    clip = {"x": 0, "y": top, "width": width, "height": height, "scale": scale}
    made = browser.chrome.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
    return str(made["data"])


if __name__ == "__main__":
    picture(Path(sys.argv[1]), Path(sys.argv[2]))
