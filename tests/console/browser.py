"""A real Chromium, and people who use the console in it."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect

INSTALLED = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Chromium looks for its makers' servers at every start; there is nobody to answer.
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
PATIENCE_MS = 15_000


def launch(playwright: Playwright) -> Browser:
    """The machine's own browser, or the one that Playwright brought."""
    path = next((found for name in INSTALLED if (found := shutil.which(name))), None)
    return playwright.chromium.launch(executable_path=path, args=FLAGS)


class Complaints:
    """What the browser found wrong: errors of scripts, refused resources, breaches of the page's policy."""

    def __init__(self, context: BrowserContext) -> None:
        self.lines: list[str] = []
        context.on("weberror", lambda fault: self.lines.append(f"error: {fault.error}"))
        context.on("console", lambda said: self._hear(said.type, said.text))

    def _hear(self, kind: str, text: str) -> None:
        # An answer of 4xx is the server's word, which the screens show; the browser also notes it here.
        if kind == "error" and not text.startswith("Failed to load resource"):
            self.lines.append(f"console: {text}")


@contextmanager
def window(
    browser: Browser, url: str, *, width: int = 1440, height: int = 900, scheme: Any = "light", **more: Any
) -> Iterator[Page]:
    """A window of its own, with nothing in its storage; the browser must have no complaint when it closes."""
    context = browser.new_context(
        base_url=url, viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce", **more
    )
    complaints = Complaints(context)
    context.set_default_timeout(PATIENCE_MS)
    expect.set_options(timeout=PATIENCE_MS)
    try:
        yield context.new_page()
        assert complaints.lines == []
    finally:
        context.close()


def sign_in(page: Page, username: str, password: str) -> None:
    page.goto("/login")
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password", exact=False).first.fill(password)
    page.get_by_role("button", name="Sign in").click()
