"""Every screen, dialog and state by axe: nothing serious, in light on a desk and in dark on a phone."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.console.browser import settle, wear, window
from tests.console.conftest import Serve
from tests.console.sights import FIRST_RUN, SIGHTS, WIDTHS, Sight
from tests.console.stage import Stage

AXE = Path(__file__).parents[2] / "console/node_modules/axe-core/axe.min.js"
GRAVE = ("serious", "critical")
# The other two have nothing that one of these does not have.
LOOKS = ((1440, "light"), (390, "dark"))
RUN = """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations
    .flatMap(({ id, impact, nodes }) => nodes.map((node) => ({ id, impact, html: node.html })))"""
STILL = "* { transition: none !important; animation: none !important }"


@pytest.mark.parametrize("sight", SIGHTS, ids=lambda sight: sight.name)
def test_nobody_is_shut_out(browser: Browser, anywhere: Stage, sight: Sight) -> None:
    token = anywhere.session(sight.who) if sight.who else ""
    with window(browser, anywhere.url, token=token, bypass_csp=True) as page:
        sight.show(page, anywhere)
        assert not (found := faults(page)), "\n".join(found)


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
    """The grave ones; a page need not be loaded anew for another look, which is most of the time it takes."""
    page.add_script_tag(path=AXE)
    page.add_style_tag(content=STILL)
    return [fault for look in LOOKS for fault in _faults(page, *look)]


def _faults(page: Page, width: int, scheme: str) -> list[str]:
    page.set_viewport_size({"width": width, "height": WIDTHS[width]})
    wear(page, scheme)
    violations: list[dict[str, Any]] = page.evaluate(RUN)
    return [f"{width} {scheme}: {one['id']} {one['html'][:200]}" for one in violations if one["impact"] in GRAVE]
