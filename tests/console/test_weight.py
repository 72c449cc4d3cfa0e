"""The first load is small, without layout shifts or flashes. `python -m benchmarks.weight` records the numbers."""

import pytest
from playwright.sync_api import Browser, expect

from benchmarks.weight import PLACES, SHIFTS, first_frame, prepared, weigh
from tests.console.browser import window
from tests.console.conftest import Serve
from tests.console.instance import Instance

MAX_BYTES = {"sign-in": 250_000, "home": 250_000, "note editor": 530_000}
"""Of compressed script."""


def test_the_first_load_is_small_and_does_not_shift(browser: Browser, serve: Serve) -> None:
    with serve("sqlite") as served:
        token, note = prepared(served)
        found = {name: weigh(browser, served.url, place, token, note) for name, place in PLACES.items()}
    assert all(0 < found[name]["script"] < limit for name, limit in MAX_BYTES.items()), found
    assert found["sign-in"]["layout_shift"] == found["home"]["layout_shift"] == 0, found


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_first_frame_has_the_theme(browser: Browser, sqlite_instance: Instance, scheme: str) -> None:
    assert first_frame(browser, sqlite_instance.url, scheme)


def test_layout_shifts_are_detected(browser: Browser, sqlite_instance: Instance) -> None:
    with window(browser, sqlite_instance.url) as page:
        page.goto("/")
        expect(page.get_by_label("Username")).to_be_visible()
        page.evaluate("document.querySelector('main').style.marginTop = '200px'")
        assert page.evaluate(f"new Promise(requestAnimationFrame).then({SHIFTS})") > 0
