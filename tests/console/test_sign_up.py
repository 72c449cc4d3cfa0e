"""The sign-up page in a browser: our own, in a sandbox, and a page of another origin that has the SDK."""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.served import Served
from tests.support.world import PASSWORD

AXE = Path(__file__).parents[2] / "console/node_modules/axe-core/axe.min.js"
ANSWERS = {"Name": "Ann", "Work e-mail": "ann@example.com", "What do you want to use it for?": "To plan our work"}
SHIFT = """() => new Promise((resolve) => new PerformanceObserver((list) =>
    resolve(list.getEntries().reduce((sum, entry) => sum + entry.value, 0))
).observe({ type: 'layout-shift', buffered: true }) || setTimeout(() => resolve(0), 500))"""


@pytest.fixture(scope="module")
def server(serve: Callable[..., AbstractContextManager[Served]]) -> Iterator[tuple[Served, str]]:
    with serve("sqlite", SERVICE_HOME="beta", SERVICE_RATE_ANONYMOUS="0") as served:
        yield served, served.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})["token"]


@contextmanager
def other_origin(html: str) -> Iterator[str]:
    """A server of somebody else with one page."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(html.encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{other.server_address[1]}"
        other.shutdown()


def count(server: tuple[Served, str]) -> int:
    served, token = server
    return len(served.call("GET", "/api/beta/prospects", token=token)["items"])


def fill(page: Page) -> None:
    for label, answer in ANSWERS.items():
        page.get_by_label(label).fill(answer)
    page.get_by_role("button").click()
    expect(page.locator("[data-done]")).to_be_focused()


@pytest.mark.parametrize("path", ["/", "/beta/template"])
def test_a_visitor_signs_up(browser: Browser, server: tuple[Served, str], path: str) -> None:
    before, page = count(server), browser.new_page(locale="en-GB", viewport={"width": 375, "height": 740})
    errors = list[str]()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(server[0].url + path)
    page.get_by_role("button").click()
    expect(page.locator("[data-summary]")).to_be_focused()
    expect(page.get_by_role("link", name="Name")).to_be_visible()
    fill(page)
    assert (count(server), errors) == (before + 1, [])
    page.close()


def test_a_page_of_another_origin_signs_up_with_the_sdk_and_reads_nothing_else(
    browser: Browser, server: tuple[Served, str]
) -> None:
    before, base = count(server), server[0].url
    with other_origin(f'<!doctype html><title>Other</title><script src="{base}/beta-sdk.js"></script>') as address:
        page = browser.new_page()
        page.goto(address)
        assert page.evaluate("Service.beta.config('de').then((config) => config.locale)") == "de"
        fields = {"name": "Ann", "email": "ann2@example.com", "use": "Work"}
        assert page.evaluate("(fields) => Service.beta.signup(fields)", fields) == {"ok": True}
        for path in ("/api/config", "/api/branding", "/api/whoami", "/health", "/api/beta/prospects", "/"):
            readable = f"fetch('{base}{path}').then(() => true, () => false)"
            assert page.evaluate(readable) is False, path
        page.close()
    assert count(server) == before + 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1280])
def test_the_page_is_accessible_and_does_not_shift(
    browser: Browser, server: tuple[Served, str], scheme: str, width: int
) -> None:
    page = browser.new_page(bypass_csp=True, color_scheme=scheme, viewport={"width": width, "height": 800})  # type: ignore[arg-type]
    page.goto(server[0].url)
    assert page.evaluate(SHIFT) == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.get_by_role("button").click()
    page.evaluate(AXE.read_text())
    found = page.evaluate("axe.run(document).then((result) => result.violations.map((each) => each.id))")
    assert found == []
    page.close()
