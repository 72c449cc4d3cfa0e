"""The first load is light, and nothing moves or flashes in it. `python -m benchmarks.weight` writes the numbers down."""

import pytest
from playwright.sync_api import Browser, expect

from benchmarks.weight import PLACES, SHIFTS, first_frame, prepared, weigh
from tests.console.browser import window
from tests.console.conftest import Serve
from tests.console.stage import Stage

HEAVIEST = {"sign-in": 250_000, "home": 250_000, "note editor": 450_000}
"""Bytes of compressed script."""


def test_the_first_load_is_light_and_still(browser: Browser, serve: Serve) -> None:
    with serve("sqlite") as served:
        token, note = prepared(served)
        found = {name: weigh(browser, served.url, place, token, note) for name, place in PLACES.items()}
    assert all(0 < found[name]["script"] < most for name, most in HEAVIEST.items()), found
    assert found["sign-in"]["layout_shift"] == found["home"]["layout_shift"] == 0, found


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_first_frame_wears_the_theme(browser: Browser, anywhere: Stage, scheme: str) -> None:
    assert first_frame(browser, anywhere.url, scheme)


def test_what_moves_would_be_seen(browser: Browser, anywhere: Stage) -> None:
    with window(browser, anywhere.url) as page:
        page.goto("/")
        expect(page.get_by_label("Username")).to_be_visible()
        page.evaluate("document.querySelector('main').style.marginTop = '200px'")
        assert page.evaluate(f"new Promise(requestAnimationFrame).then({SHIFTS})") > 0
