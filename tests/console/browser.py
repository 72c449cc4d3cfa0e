"""A real Chromium, and helpers to use the console in it."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Frame,
    Page,
    Playwright,
    Request,
    Response,
    expect,
)

# The headless shell takes half the time.
EXECUTABLES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Without requests to Google at every start. Every host name resolves to this machine. The windows of a context share
# a renderer: starting one takes as long as loading the console.
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--host-resolver-rules=MAP * 127.0.0.1",
    "--renderer-process-limit=1",
]  # fmt: skip
MAX_IDLE = 4
"""Contexts kept for further windows."""
TIMEOUT_MS = 30_000
# Chromium's PDF viewer uses the last two.
LOCAL_SCHEMES = ("data", "blob", "about", "chrome", "chrome-extension")
ASSET_TYPES = {"script", "stylesheet", "font", "image"}
# The first is logged for every failed request, which the screens show. The second is expected over plain http.
IGNORED_MESSAGES = ("Failed to load resource", "The Cross-Origin-Opener-Policy header has been ignored")
LOADING = "main .mantine-Loader-root, main [data-shape][aria-busy]"


def launch(playwright: Playwright) -> Browser:
    """Launch the installed browser, or Playwright's own."""
    path = next((found for name in EXECUTABLES if (found := shutil.which(name))), None)
    return playwright.chromium.launch(executable_path=path, args=FLAGS)


class BrowserErrors:
    """Collects script errors, CSP violations, failed assets, and requests to other origins."""

    def __init__(self, page: Page, origin: str) -> None:
        self.lines: list[str] = []
        self.origin = origin
        page.on("pageerror", lambda error: self._add("error", error, page))
        page.on("console", self._check_message)
        page.on("request", self._check_request)
        page.on("response", self._check_response)

    def _check_message(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not message.text.startswith(IGNORED_MESSAGES):
            self._add("console", message.text, message.page)

    def _add(self, kind: str, what: object, page: Page | None) -> None:
        self.lines.append(f"{kind}: {what} at {page.url if page else 'no page'}")

    def _check_request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in LOCAL_SCHEMES and f"{parts.scheme}://{parts.netloc}" != self.origin:
            self.lines.append(f"elsewhere: {request.url}")

    def _check_response(self, response: Response) -> None:
        if response.status >= 400 and response.request.resource_type in ASSET_TYPES:
            self.lines.append(f"missing: {response.status} {response.url}")


@contextmanager
def window(
    browser: Browser, url: str, *, token: str = "", width: int = 1440, height: int = 900, scheme: Any = "light",
    expected: str | None = None, empty_cache: bool = False, **more: Any,
) -> Iterator[Page]:  # fmt: skip
    """A new window, signed in with `token` if given. Only cached assets are left of earlier windows, or nothing with
    `empty_cache` or with further options of a context.

    Fails on any browser error, except those that contain `expected`.
    """
    reusable, passed = not (empty_cache or more), False
    context = _reused_context(browser, url) if reusable else _new_context(browser, url, **more)
    expect.set_options(timeout=TIMEOUT_MS)
    page = context.new_page()
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=scheme)
    errors = BrowserErrors(page, url)
    if token:
        # Chromium's PDF viewer is a frame of the same origin without session storage.
        page.add_init_script(f"origin === {json.dumps(url)} && sessionStorage?.setItem('teamspace.token', '{token}')")
    try:
        yield page
        unexpected = [line for line in errors.lines if expected is None or expected not in line]
        assert not unexpected, "\n".join(unexpected)
        passed = True
    except Exception as error:
        error.add_note("\n".join(["The browser says:", *errors.lines]))
        for frame in page.frames:
            error.add_note(f"The window shows {frame.url}:\n{_words_of(frame)}")
        raise
    finally:
        if reusable and passed:
            page.close()
            _keep(browser, url, context)
        else:
            context.close()


def _words_of(frame: Frame) -> str:
    """What it shows. The frames of Chromium's PDF viewer do not say."""
    try:
        return frame.locator("body").inner_text(timeout=2_000)
    except Error as error:
        return error.message


def _new_context(browser: Browser, url: str, **more: Any) -> BrowserContext:
    context = browser.new_context(base_url=url, reduced_motion="reduce", **more)
    context.set_default_timeout(TIMEOUT_MS)
    return context


def _reused_context(browser: Browser, url: str) -> BrowserContext:
    """The context of a closed window at this address, else a new one. An empty page keeps its renderer running."""
    idle = _idle_contexts(browser)
    for position, (address, context) in reversed(list(enumerate(idle))):  # the last one used has the warmest cache
        if address == url:
            del idle[position]
            _clear(context, url)
            return context
    context = _new_context(browser, url)
    context.new_page()
    return context


def _clear(context: BrowserContext, origin: str) -> None:
    """Delete all that the pages of a context have stored; the HTTP cache stays."""
    session = context.new_cdp_session(context.pages[0])
    session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
    session.detach()
    context.clear_cookies()
    context.clear_permissions()
    context.set_offline(False)


def _keep(browser: Browser, url: str, context: BrowserContext) -> None:
    idle = _idle_contexts(browser)
    idle.append((url, context))
    if len(idle) > MAX_IDLE:
        idle.pop(0)[1].close()


@cache
def _idle_contexts(browser: Browser) -> list[tuple[str, BrowserContext]]:
    """The contexts of closed windows with their addresses, oldest first."""
    return []


def sign_in(page: Page, username: str, password: str) -> None:
    page.goto("/login")
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password", exact=False).first.fill(password)
    page.get_by_role("button", name="Sign in").click()


def sign_out(page: Page) -> None:
    """Sign out with the account menu at the bottom of the sidebar."""
    page.get_by_role("navigation", name="Main").locator("button[aria-haspopup=menu]").last.click()
    page.get_by_role("menuitem", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def visit(page: Page, address: str) -> None:
    """Open another screen without reloading the page, as Back and Forward do."""
    page.evaluate(
        "to => { history.pushState(null, '', to); dispatchEvent(new PopStateEvent('popstate')) }", f"/app{address}"
    )
    settle(page)


def settle(page: Page) -> None:
    """Wait until the screen has a heading and nothing is loading."""
    expect(page.locator("main").locator("h1, h2").first).to_be_attached()
    expect(page.locator(LOADING)).to_have_count(0)


def set_color_scheme(page: Page, scheme: Any) -> None:
    """Switch the system's colour scheme and wait for the console to follow; a page without a script just does."""
    page.emulate_media(color_scheme=scheme)
    if not page.locator("script").count():
        return
    expect(page.locator("html")).to_have_attribute("data-mantine-color-scheme", scheme)
