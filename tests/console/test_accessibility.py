"""axe finds no serious violation in any view, light on a desktop and dark on a phone; nothing in a toolbar covers its
neighbour; and all screens have the same left edge and width."""

import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pytest
from _pytest.mark import ParameterSet
from playwright.sync_api import Browser, Page, expect

from tests.console.browser import settle, window
from tests.console.conftest import Serve
from tests.console.instance import Instance
from tests.console.views import FIRST_RUN, SCREENS, VIEWS, WIDTHS, View

AXE = Path(__file__).parents[2] / "console/node_modules/axe-core/axe.min.js"
SEVERE = ("serious", "critical")
RUN = """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations
    .flatMap(({ id, impact, nodes }) => nodes.map((node) => ({ id, impact, html: node.html })))"""
# Pressing Enter in a dialog must not close it.
FOCUSED_CLOSE_BUTTON = ".mantine-Modal-close:focus"
# Returns the measured and the expected [left edge of the first heading, page width].
MEASURE = """() => {
    const main = document.querySelector('main')
    const page = main.firstElementChild
    const heading = [...main.querySelectorAll('h1, h2')].find((one) => one.checkVisibility())
    const token = (name) => parseInt(getComputedStyle(document.documentElement).getPropertyValue(name))
    const width = Math.min(main.clientWidth, token('--page-width'))
    const isPage = getComputedStyle(page).maxWidth !== 'none'
    const bar = heading.closest('[role=toolbar]')
    const edge = bar ? bar.getBoundingClientRect().left + parseInt(getComputedStyle(bar).paddingLeft) : heading.getBoundingClientRect().left
    const left = edge - main.getBoundingClientRect().left
    return [[Math.round(left), isPage ? page.getBoundingClientRect().width : width], [token('--gutter'), width]]
}"""
# Returns what two parts of a toolbar are that cover each other.
OVERLAPS = """() => {
    const PARTS = 'a, button, h1, h2, img, svg'
    const isClipped = (one) => one && (getComputedStyle(one).clipPath !== 'none' || isClipped(one.parentElement))
    const found = []
    for (const bar of document.querySelectorAll('[role=toolbar]')) {
        const parts = [...bar.querySelectorAll(PARTS)].filter(
            (one) => one.checkVisibility() && !one.parentElement.closest('a, button, h1, h2') && !isClipped(one))
        const boxes = parts.map((one) => one.getBoundingClientRect())
        for (let one = 0; one < parts.length; one++) for (let other = 0; other < one; other++) {
            const across = Math.min(boxes[one].right, boxes[other].right) - Math.max(boxes[one].left, boxes[other].left)
            const down = Math.min(boxes[one].bottom, boxes[other].bottom) - Math.max(boxes[one].top, boxes[other].top)
            if (across > 2 && down > 2) found.push(`${parts[other].outerHTML.slice(0, 120)} and ${parts[one].outerHTML.slice(0, 120)}`)
        }
    }
    return found
}"""
NO_ANIMATION = "* { transition: none !important; animation: none !important }"


class Device(NamedTuple):
    width: int
    scheme: Literal["light", "dark"]


# Other combinations add nothing.
DEVICES = (Device(1440, "light"), Device(390, "dark"))


def _cases() -> Iterator[ParameterSet]:
    """Every view on every device; a normal run tests one device per view, chosen by its name."""
    for view in VIEWS:
        chosen = zlib.crc32(view.name.encode()) % len(DEVICES)
        for index, device in enumerate(DEVICES):
            marks = [pytest.mark.about(f"console/{view.feature}"), *([] if index == chosen else [pytest.mark.thorough])]
            yield pytest.param(view, device, marks=marks, id=f"{view.name}-{device.scheme}")


@pytest.fixture(scope="module")
def window_of(browser: Browser, instances: Callable[[str], Instance]) -> Iterator[Callable[[str], Page]]:
    """One window per person: reusing a page takes a quarter of the time."""
    instance = instances("sqlite")

    def open_window(who: str) -> Page:
        token = instance.session(who) if who else ""
        page = open_windows.enter_context(window(browser, instance.url, token=token, bypass_csp=True))
        page.on("dialog", lambda dialog: dialog.accept())  # the page asks before unsaved changes are lost
        return page

    with ExitStack() as open_windows:
        yield cache(open_window)


@pytest.mark.sampled(12)
@pytest.mark.parametrize(("view", "device"), list(_cases()))
def test_a_view_is_accessible(
    window_of: Callable[[str], Page], sqlite_instance: Instance, view: View, device: Device
) -> None:
    page = window_of(view.who)
    page.set_viewport_size({"width": device.width, "height": WIDTHS[device.width]})
    page.emulate_media(color_scheme=device.scheme)
    page.unroute_all()
    view.show(page, sqlite_instance)
    assert not (found := violations(page)), "\n".join(found)
    expect(page.locator(FOCUSED_CLOSE_BUTTON)).to_have_count(0)
    assert not (covering := page.evaluate(OVERLAPS)), "\n".join(covering)
    if view in SCREENS:
        measured, expected = page.evaluate(MEASURE)
        assert measured == expected, "left edge or width differs from other screens"


def test_the_setup_page_is_accessible(browser: Browser, serve: Serve) -> None:
    with serve("sqlite") as served, window(browser, served.url, bypass_csp=True) as page:
        page.goto(FIRST_RUN.address)
        settle(page)
        assert not (found := violations(page)), "\n".join(found)


def test_violations_are_found(browser: Browser, sqlite_instance: Instance) -> None:
    with window(browser, sqlite_instance.url, bypass_csp=True) as page:
        page.goto("/login")
        settle(page)
        page.evaluate("document.querySelector('main').append(document.createElement('button'))")
        assert any("button-name" in line for line in violations(page))


def violations(page: Page) -> list[str]:
    """Severe violations on the page as it is now."""
    if not page.evaluate("window.axe"):
        page.add_script_tag(path=AXE)
        page.add_style_tag(content=NO_ANIMATION)
    results: list[dict[str, Any]] = page.evaluate(RUN)
    return [f"{result['id']} {result['html'][:200]}" for result in results if result["impact"] in SEVERE]
