"""The sign-up page in a browser: our own, in a sandbox, and a page of another origin that has the SDK."""

import struct
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, Page, Route, expect

from tests.branding.help import encoded, picture
from tests.onboarding.help import document
from tests.onboarding.test_assets import SVG, font
from tests.support.served import Served
from tests.support.world import PASSWORD

FONT = Path(__file__).parents[2] / "console/node_modules/katex/dist/fonts/KaTeX_Typewriter-Regular.woff2"
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
def other_origin(html: str, **files: tuple[str, bytes]) -> Iterator[str]:
    """A server of somebody else with one page, and files with their types."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content_type, body = files.get(self.path[1:], ("text/html; charset=utf-8", html.encode()))
            self.send_response(200)
            self.send_header("content-type", content_type)
            self.end_headers()
            self.wfile.write(body)

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


@pytest.mark.parametrize("path", ["/", "/beta/template"])
def test_the_challenge_is_solved_in_a_worker_while_the_form_is_filled_in(
    browser: Browser, server: tuple[Served, str], path: str
) -> None:
    """Once for a form, even if the answers must be corrected."""
    page = browser.new_page(locale="en-GB")
    asked, workers = list[str](), list[str]()
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    page.on("worker", lambda worker: workers.append(worker.url))
    page.goto(server[0].url + path)
    with page.expect_response("**/api/beta/challenge"):
        page.get_by_label("Name").fill("Ann")
    page.get_by_label("Work e-mail").fill("ann@" + "long-" * 30 + ".example")
    page.get_by_label("What do you want to use it for?").fill("Work")
    page.get_by_role("button").click()
    expect(page.locator("[data-summary]")).to_be_focused()
    fill(page)
    assert (asked.count("challenge"), asked.count("signup"), len(workers)) == (1, 2, 1)
    page.close()


def test_a_device_that_is_too_slow_stops_and_says_so(browser: Browser, server: tuple[Served, str]) -> None:
    """With a challenge that nothing solves, and less time than usual."""
    page = browser.new_page(locale="en-GB")

    def shorten(route: Route) -> None:
        script = route.fetch()
        assert "MOST_MS = 30_000" in script.text()
        route.fulfill(response=script, body=script.text().replace("MOST_MS = 30_000", "MOST_MS = 50"))

    def complicate(route: Route) -> None:
        challenge = route.fetch().json()
        challenge["parameters"]["keyPrefix"] = "none"
        route.fulfill(json=challenge)

    page.route("**/beta-sdk.js", shorten)
    page.route("**/api/beta/challenge", complicate)
    page.goto(server[0].url)
    for label, answer in ANSWERS.items():
        page.get_by_label(label).fill(answer)
    page.get_by_role("button").click()
    expect(page.locator("[data-summary]")).to_contain_text("Your browser took too long for the calculation.")
    failed = "Service.beta.signup({}).catch(({ code, message }) => [code, message])"
    assert page.evaluate(failed) == ["too_slow", "The calculation took too long on this device"]
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


@pytest.mark.parametrize("path", ["/", "/beta/template"])
def test_the_page_has_its_own_font(browser: Browser, server: tuple[Served, str], path: str) -> None:
    served, token = server
    body = {"filename": "typewriter.woff2", "data": encoded(FONT.read_bytes())}
    asset = served.call("POST", "/api/beta/assets", body, token=token)
    before = served.call("GET", "/api/beta/experience", token=token)
    served.call("PUT", "/api/beta/experience", document("Join us", theme={"font_file": asset["id"]}), token=token)
    served.call("POST", "/api/beta/experience/publish", {}, token=token)
    page = browser.new_page()
    messages, asked = list[str](), list[str]()
    page.on("console", lambda message: messages.append(message.text))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(served.url + path)
    assert page.evaluate("document.fonts.ready.then((fonts) => [...fonts].map(({ status }) => status))") == ["loaded"]
    assert (asked.count(served.url + asset["url"]), messages) == (1, []), "preloaded, and used"
    page.close()
    parts = {part: before[part] for part in ("fields", "copy", "theme", "judge_prompt", "retention_days")}
    served.call("PUT", "/api/beta/experience", parts, token=token)
    served.call("POST", "/api/beta/experience/publish", {}, token=token)


# Assets that would like to run

MARKUP = b'<script>window.ran=1;top.postMessage("ran","*")</script><svg onload="window.ran=1"></svg>'
RUNNABLE = b"*/=1;window.ran=1;//" + MARKUP
"""After `GIF89a/*` a script, and for a browser that guesses, a page."""
LISTENING = "<!doctype html><title>Other</title><script>addEventListener('message', (event) => (window.ran = event.data))</script>"


def _gif() -> bytes:
    comment = b"\x21\xfe" + bytes([len(RUNNABLE)]) + RUNNABLE + b"\0"
    image = b"\x2c" + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02\x44\x01\x00"
    return b"GIF89a/*" + struct.pack("<HBBB", 1, 0, 0, 0) + comment + image + b"\x3b"


def _png() -> bytes:
    whole, chunk = picture(), b"tEXtComment\0" + MARKUP
    text = struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
    return whole[:33] + text + whole[33:]


def _jpeg() -> bytes:
    return b"\xff\xd8\xff\xfe" + struct.pack(">H", len(MARKUP) + 2) + MARKUP + picture("JPEG")[2:]


POLYGLOTS = {
    "gif": _gif(),
    "png": _png(),
    "jpeg": _jpeg(),
    "ttf": font()[:28] + MARKUP.ljust(54 + len(MARKUP), b"\0"),
    "woff": b"wOFF\x00\x01\x00\x00" + struct.pack(">IH", 48 + len(MARKUP), 1) + b"\0" * 34 + MARKUP,
}


def upload(server: tuple[Served, str], data: bytes) -> str:
    """Upload a file that pretends to be a page."""
    body = {"filename": "page.html", "content_type": "text/html", "data": encoded(data)}
    return server[0].url + str(server[0].call("POST", "/api/beta/assets", body, token=server[1])["url"])


def run_in_browser(browser: Browser, address: str, url: str) -> dict[str, bool]:
    """Open a file, in a frame and as a script of another page; return where something in it ran."""
    ran = dict[str, bool]()
    page = browser.new_page()
    try:
        page.goto(url)
        ran["opened"] = bool(page.evaluate("window.ran"))
    except Error as fault:
        assert "Download is starting" in str(fault)
        ran["opened"] = False
    for way, element in {
        "frame": f'<iframe src="{url}">',
        "object": f'<object data="{url}">',
        "script": "script",
    }.items():
        page.goto(address)
        page.evaluate(
            """([url, html]) => new Promise((resolve) => {
                const holder = document.createElement(html === "script" ? "script" : "div");
                holder.onload = holder.onerror = () => setTimeout(resolve, 50);
                if (html === "script") holder.src = url;
                else {
                    holder.innerHTML = html;
                    holder.firstChild.onload = holder.firstChild.onerror = () => setTimeout(resolve, 50);
                    setTimeout(resolve, 1000);
                }
                document.body.append(holder);
            })""",
            [url, element],
        )
        ran[way] = bool(page.evaluate("window.ran"))
    page.close()
    return ran


def test_a_careless_server_would_let_assets_run(browser: Browser) -> None:
    """What the next test looks for can happen."""
    with other_origin(LISTENING, gif=("text/javascript", _gif()), png=("text/html", _png())) as address:
        assert run_in_browser(browser, address, f"{address}/gif")["script"]
        assert run_in_browser(browser, address, f"{address}/png") == {
            "opened": True, "frame": True, "object": True, "script": False,
        }  # fmt: skip


@pytest.mark.parametrize("name", POLYGLOTS)
def test_nothing_in_an_asset_runs(browser: Browser, server: tuple[Served, str], name: str) -> None:
    url = upload(server, POLYGLOTS[name])
    with other_origin(LISTENING) as address:
        assert set(run_in_browser(browser, address, url).values()) == {False}


@pytest.mark.parametrize(
    "data", [MARKUP, b"<!doctype html>" + MARKUP, SVG, b"\xef\xbb\xbf" + SVG, b"\n\n" + MARKUP + picture()]
)
def test_pages_and_drawings_are_no_assets(server: tuple[Served, str], data: bytes) -> None:
    with pytest.raises(RuntimeError, match="asset_format"):
        upload(server, data)
