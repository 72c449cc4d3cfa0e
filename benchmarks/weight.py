"""Measure what a browser downloads until the console is usable, and whether the layout shifts or flashes meanwhile.

Sizes are compressed, without headers. No times are measured.
"""

import argparse
import io
import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from benchmarks.report import machine
from tests.console.browser import launch, settle, window
from tests.support.served import Served

KINDS = {"script": ".js", "style": ".css", "font": ".woff2"}
FETCHED = """() => performance.getEntriesByType("resource")
    .map(({ name, encodedBodySize }) => [new URL(name).pathname, encodedBodySize])"""
SHIFTS = """() => new Promise((resolve) => {
    new PerformanceObserver((list) => resolve(list.getEntries().reduce((sum, shift) => sum + shift.value, 0)))
        .observe({ type: "layout-shift", buffered: true })
    setTimeout(() => resolve(0), 300)
})"""
# The network is never idle, since the event stream stays open.
QUIET = """() => new Promise((resolve) => {
    let timer
    const wait = () => { clearTimeout(timer); timer = setTimeout(resolve, 500) }
    new PerformanceObserver(wait).observe({ type: "resource" })
    wait()
})"""
# What is loaded for later, in an idle moment, does not count: a slow machine has none before it is quiet, a fast one has.
SAVES_DATA = "Object.defineProperty(navigator, 'connection', { value: { saveData: true } })"
BACKGROUND = "getComputedStyle(document.documentElement).getPropertyValue('--background')"
FIRST_USER = {"username": "ann", "password": "a benchmark passphrase", "org": "Acme", "team": "General"}


class Place(NamedTuple):
    """A page to open, and how to tell that it is ready."""

    address: str
    signed_in: bool
    ready: Callable[[Page], None]


def _field(page: Page) -> None:
    expect(page.get_by_label("Username")).to_be_editable()


def _editor(page: Page) -> None:
    expect(page.get_by_label("Note text, in Markdown")).to_be_editable()


PLACES: Mapping[str, Place] = {
    "sign-in": Place("/", False, _field),
    "home": Place("/app/", True, settle),
    "note": Place("/app/notes/NOTE", True, settle),
    "note editor": Place("/app/notes/NOTE?edit=true", True, _editor),
    "files": Place("/app/files", True, settle),
}


def prepared(served: Served) -> tuple[str, str]:
    """Set up an instance with a note; return a token and the note's id."""
    token: str = served.call("POST", "/api/bootstrap", FIRST_USER)["token"]
    served.call("POST", "/api/admin/seed", {}, token)
    note: str = served.call("GET", "/api/notes", token=token)["items"][0]["id"]
    return token, note


def weigh(browser: Browser, url: str, place: Place, token: str, note: str) -> dict[str, Any]:
    """Measure a first visit with an empty cache."""
    with window(browser, url, token=token if place.signed_in else "", empty_cache=True) as page:
        page.add_init_script(SAVES_DATA)
        page.goto(place.address.replace("NOTE", note))
        place.ready(page)
        page.evaluate(QUIET)
        fetched: list[tuple[str, int]] = page.evaluate(FETCHED)
        sizes = {kind: sum(size for path, size in fetched if path.endswith(end)) for kind, end in KINDS.items()}
        return {**sizes, "requests": 1 + len(fetched), "layout_shift": page.evaluate(SHIFTS)}


def first_frame(browser: Browser, url: str, scheme: str) -> bool:
    """Whether the theme's background is shown before the console's code has loaded."""
    with window(browser, url, scheme=scheme, width=200, height=200) as page:
        page.route("**/assets/index-*.js", lambda route: route.abort())
        page.goto("/", wait_until="commit")
        page.locator("#root").wait_for(state="attached")
        with Image.open(io.BytesIO(page.screenshot())) as picture:
            painted = picture.convert("RGB").crop((100, 100, 101, 101)).tobytes().hex()
        wanted: str = page.evaluate(BACKGROUND)
        return f"#{painted}" == wanted


def measure() -> dict[str, Any]:
    with (
        tempfile.TemporaryDirectory() as folder,
        Served({"SERVICE_DATA": f"{folder}/data"}) as served,
        sync_playwright() as playwright,
        launch(playwright) as browser,
    ):
        token, note = prepared(served)
        found: dict[str, Any] = {name: weigh(browser, served.url, place, token, note) for name, place in PLACES.items()}
        found["background in the first frame"] = {
            scheme: first_frame(browser, served.url, scheme) for scheme in ("light", "dark")
        }
        return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "weight.json")
    options = parser.parse_args()
    found = measure()
    for name, value in found.items():
        print(name, value)
    options.output.write_text(json.dumps({"machine": machine(), **found}, indent=2) + "\n")


if __name__ == "__main__":
    main()
