"""Every screen, dialog and state by axe: nothing serious, in light on a desk and in dark on a phone. While each is in
sight, its left edge and its width are measured too: they are the same everywhere."""

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
from tests.console.sights import FIRST_RUN, SCREENS, SIGHTS, WIDTHS, Sight
from tests.console.stage import Stage

AXE = Path(__file__).parents[2] / "console/node_modules/axe-core/axe.min.js"
GRAVE = ("serious", "critical")
RUN = """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations
    .flatMap(({ id, impact, nodes }) => nodes.map((node) => ({ id, impact, html: node.html })))"""
# Whoever types into a dialog and presses Enter must not close it by that.
CLOSES = ".mantine-Modal-close:focus"
# Where the first heading begins, what width the page has if it has one, and what they should be.
MEASURE = """() => {
    const main = document.querySelector('main')
    const page = main.firstElementChild
    const heading = [...main.querySelectorAll('h1, h2')].find((one) => one.checkVisibility())
    const token = (name) => parseInt(getComputedStyle(document.documentElement).getPropertyValue(name))
    const width = Math.min(main.clientWidth, token('--page-width'))
    const isPage = getComputedStyle(page).maxWidth !== 'none'
    const left = heading.getBoundingClientRect().left - main.getBoundingClientRect().left
    return [[Math.round(left), isPage ? page.getBoundingClientRect().width : width], [token('--gutter'), width]]
}"""
STILL = "* { transition: none !important; animation: none !important }"


class Look(NamedTuple):
    width: int
    scheme: Literal["light", "dark"]


# The other two have nothing that one of these does not have.
LOOKS = (Look(1440, "light"), Look(390, "dark"))


def _seen() -> Iterator[ParameterSet]:
    """Every sight in every look; in the ordinary run in one of them, which its name decides."""
    for sight in SIGHTS:
        turn = zlib.crc32(sight.name.encode()) % len(LOOKS)
        for place, look in enumerate(LOOKS):
            marks = [] if place == turn else [pytest.mark.thorough]
            yield pytest.param(sight, look, marks=marks, id=f"{sight.name}-{look.scheme}")


@pytest.fixture(scope="module")
def window_of(browser: Browser, stages: Callable[[str], Stage]) -> Iterator[Callable[[str], Page]]:
    """One window for each person: a page that was loaded before costs a quarter of one in a new window."""
    stage = stages("sqlite")

    def opened(who: str) -> Page:
        token = stage.session(who) if who else ""
        page = open_windows.enter_context(window(browser, stage.url, token=token, bypass_csp=True))
        page.on("dialog", lambda dialog: dialog.accept())  # a page with something unsaved asks before it is left
        return page

    with ExitStack() as open_windows:
        yield cache(opened)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("sight", "look"), list(_seen()))
def test_nobody_is_shut_out(window_of: Callable[[str], Page], anywhere: Stage, sight: Sight, look: Look) -> None:
    page = window_of(sight.who)
    page.set_viewport_size({"width": look.width, "height": WIDTHS[look.width]})
    page.emulate_media(color_scheme=look.scheme)
    page.unroute_all()
    sight.show(page, anywhere)
    assert not (found := faults(page)), "\n".join(found)
    expect(page.locator(CLOSES)).to_have_count(0)
    if sight in SCREENS:
        measured, wanted = page.evaluate(MEASURE)
        assert measured == wanted, "its left edge and its width are not those of all screens"


def test_nobody_is_shut_out_of_the_first_run(browser: Browser, serve: Serve) -> None:
    with serve("sqlite") as served, window(browser, served.url, bypass_csp=True) as page:
        page.goto(FIRST_RUN.address)
        settle(page)
        assert not (found := faults(page)), "\n".join(found)


def test_a_fault_would_be_found(browser: Browser, anywhere: Stage) -> None:
    with window(browser, anywhere.url, bypass_csp=True) as page:
        page.goto("/login")
        settle(page)
        page.evaluate("document.querySelector('main').append(document.createElement('button'))")
        assert any("button-name" in line for line in faults(page))


def faults(page: Page) -> list[str]:
    """The grave ones of what the page shows now."""
    if not page.evaluate("window.axe"):
        page.add_script_tag(path=AXE)
        page.add_style_tag(content=STILL)
    violations: list[dict[str, Any]] = page.evaluate(RUN)
    return [f"{one['id']} {one['html'][:200]}" for one in violations if one["impact"] in GRAVE]
