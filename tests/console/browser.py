"""A real Chromium, and people who use the console in it."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright, Request, Response, expect

# The first is the same browser without windows of its own to draw, and takes half the time.
INSTALLED = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Chromium looks for its makers' servers at every start; there is nobody to answer. Every name is this machine.
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--host-resolver-rules=MAP * 127.0.0.1",
]  # fmt: skip
PATIENCE_MS = 30_000
# The last two are the browser's own: its reader of PDF is made of them.
OWN_SCHEMES = ("data", "blob", "about", "chrome", "chrome-extension")
PARTS = {"script", "stylesheet", "font", "image"}
# The first is an answer of 4xx, or none: the screens show it, and the browser notes it too. The second is about http.
NO_FAULT_OF_OURS = ("Failed to load resource", "The Cross-Origin-Opener-Policy header has been ignored")
WAITING = "main .mantine-Loader-root, main .mantine-Skeleton-root"


def launch(playwright: Playwright) -> Browser:
    """The machine's own browser, or the one that Playwright brought."""
    path = next((found for name in INSTALLED if (found := shutil.which(name))), None)
    return playwright.chromium.launch(executable_path=path, args=FLAGS)


class Complaints:
    """What is wrong by the browser's own account: errors of scripts, breaches of the page's policy, other origins."""

    def __init__(self, context: BrowserContext, origin: str) -> None:
        self.lines: list[str] = []
        self.origin = origin
        context.on("weberror", lambda fault: self._add("error", fault.error, fault.page))
        context.on("console", self._hear)
        context.on("request", self._watch)
        context.on("response", self._check)

    def _hear(self, said: ConsoleMessage) -> None:
        if said.type == "error" and not said.text.startswith(NO_FAULT_OF_OURS):
            self._add("console", said.text, said.page)

    def _add(self, kind: str, what: object, page: Page | None) -> None:
        self.lines.append(f"{kind}: {what} at {page.url if page else 'no page'}")

    def _watch(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in OWN_SCHEMES and f"{parts.scheme}://{parts.netloc}" != self.origin:
            self.lines.append(f"elsewhere: {request.url}")

    def _check(self, response: Response) -> None:
        if response.status >= 400 and response.request.resource_type in PARTS:
            self.lines.append(f"missing: {response.status} {response.url}")


@contextmanager
def window(
    browser: Browser, url: str, *, token: str = "", width: int = 1440, height: int = 900, scheme: Any = "light",
    expected: str | None = None, **more: Any,
) -> Iterator[Page]:  # fmt: skip
    """A window of its own, signed in with `token` if there is one.

    The browser must have no complaint when it closes, but for those that say what is `expected`.
    """
    context = browser.new_context(
        base_url=url, viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce", **more
    )
    complaints = Complaints(context, url)
    context.set_default_timeout(PATIENCE_MS)
    expect.set_options(timeout=PATIENCE_MS)
    if token:
        # The browser's reader of PDF is a frame of the same origin, without a storage.
        context.add_init_script(
            f"origin === {json.dumps(url)} && sessionStorage?.setItem('teamspace.token', '{token}')"
        )
    page = context.new_page()
    try:
        yield page
        found = [line for line in complaints.lines if expected is None or expected not in line]
        assert not found, "\n".join(found)
    except Exception as fault:
        fault.add_note(f"The window shows {page.url}:\n{page.locator('body').inner_text()}")
        raise
    finally:
        context.close()


def sign_in(page: Page, username: str, password: str) -> None:
    page.goto("/login")
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password", exact=False).first.fill(password)
    page.get_by_role("button", name="Sign in").click()


def sign_out(page: Page) -> None:
    """By the menu of oneself, at the foot of the rail."""
    page.get_by_role("navigation", name="Main").locator("button[aria-haspopup=menu]").last.click()
    page.get_by_role("menuitem", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def visit(page: Page, address: str) -> None:
    """Another address in the same page, as by Back or Forward: nothing is loaded anew but the screen."""
    page.evaluate(
        "to => { history.pushState(null, '', to); dispatchEvent(new PopStateEvent('popstate')) }", f"/app{address}"
    )
    settle(page)


def settle(page: Page) -> None:
    """The screen is there: it has a heading, and nothing in it waits any more."""
    expect(page.locator("main").locator("h1, h2").first).to_be_attached()
    expect(page.locator(WAITING)).to_have_count(0)


def wear(page: Page, scheme: Any) -> None:
    """The system turns light or dark, and the page with it."""
    page.emulate_media(color_scheme=scheme)
    expect(page.locator("html")).to_have_attribute("data-mantine-color-scheme", scheme)
