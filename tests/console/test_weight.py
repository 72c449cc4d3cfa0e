"""The first load is small, without layout shifts or flashes. `python -m benchmarks.weight` records the numbers."""

import pytest
from playwright.sync_api import Browser, Page, expect

from benchmarks.weight import FETCHED, PLACES, QUIET, SAVES_DATA, SHIFTS, first_frame, prepared, weigh
from tests.console.browser import settle, window
from tests.console.conftest import Serve
from tests.console.instance import Instance

MAX_BYTES = {"sign-in": 130_000, "home": 165_000, "note": 330_000, "note editor": 445_000, "files": 290_000}
"""Of script, compressed with Brotli."""
SHARED = {"base", "controls", "entrance", "frame", "index", "items", "rolldown", "scheme.js"}
"""What every screen but home loads."""
MAX_STYLE = {"sign-in": 12_000, "home": 12_000, "note": 33_000, "note editor": 35_000, "files": 31_000}


def test_the_first_load_is_small_and_does_not_shift(browser: Browser, serve: Serve) -> None:
    with serve("sqlite") as served:
        token, note = prepared(served)
        found = {name: weigh(browser, served.url, place, token, note) for name, place in PLACES.items()}
    assert all(0 < found[name]["script"] < limit for name, limit in MAX_BYTES.items()), found
    assert all(0 < found[name]["style"] < limit for name, limit in MAX_STYLE.items()), found
    assert found["sign-in"]["layout_shift"] == found["home"]["layout_shift"] == 0, found


def test_a_screen_loads_only_code_that_it_uses(browser: Browser, serve: Serve) -> None:
    with serve("sqlite") as served:
        token, note = prepared(served)
        with window(browser, served.url, empty_cache=True) as page:
            page.goto("/")
            expect(page.get_by_label("Username")).to_be_editable()
            page.evaluate(QUIET)
            assert _fetched(page) == {"base", "entrance", "index", "rolldown", "scheme.js"}
            page.get_by_label("Username").press_sequentially("ann")
            page.wait_for_function(
                "performance.getEntriesByType('resource').some(({ name }) => name.includes('/frame-'))"
            )
        with window(browser, served.url, token=token, empty_cache=True) as page:
            page.add_init_script(SAVES_DATA)
            page.goto(f"/app/notes/{note}")
            expect(page.get_by_role("article").get_by_role("heading", level=1)).to_be_visible()
            page.evaluate(QUIET)
            assert not {"editor", "files", "settings", "formulas", "toasts", "highlight"} & _fetched(page)
        for place, its_own in (("files", {"files"}), ("settings/members", {"settings", "turns"})):
            with window(browser, served.url, token=token, empty_cache=True) as page:
                page.add_init_script(SAVES_DATA)
                page.goto(f"/app/{place}")
                settle(page)
                page.evaluate(QUIET)
                assert _fetched(page) == SHARED | its_own


def test_the_code_of_the_first_screen_is_fetched_before_the_code_that_chooses_it_has_run(
    browser: Browser, sqlite_instance: Instance
) -> None:
    member = sqlite_instance.operator
    for token, place, wanted in (("", "", "entrance"), (member, "", "frame"), (member, "files", "files")):
        with window(browser, sqlite_instance.url, token=token, empty_cache=True) as page:
            page.route("**/assets/index-*.js", lambda route: route.abort())
            with page.expect_request(f"**/assets/{wanted}-*.js"), page.expect_request(f"**/assets/{wanted}-*.css"):
                page.goto(f"/app/{place}", wait_until="commit")


def _fetched(page: Page) -> set[str]:
    """Return the names of the fetched files of script, without their digests."""
    fetched: list[tuple[str, int]] = page.evaluate(FETCHED)
    return {path.removeprefix("/assets/").split("-")[0] for path, _ in fetched if path.endswith(".js")}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_first_frame_has_the_theme(browser: Browser, sqlite_instance: Instance, scheme: str) -> None:
    assert first_frame(browser, sqlite_instance.url, scheme)


def test_layout_shifts_are_detected(browser: Browser, sqlite_instance: Instance) -> None:
    with window(browser, sqlite_instance.url) as page:
        page.goto("/")
        expect(page.get_by_label("Username")).to_be_visible()
        page.evaluate("document.querySelector('main').style.marginTop = '200px'")
        assert page.evaluate(f"new Promise(requestAnimationFrame).then({SHIFTS})") > 0
