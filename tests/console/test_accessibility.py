"""Every screen, dialog and state by axe: nothing serious, in light and dark, on a desk and on a phone."""

from itertools import product
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.console.browser import settle, wear, window
from tests.console.conftest import Serve
from tests.console.sights import FIRST_RUN, SCHEMES, SIGHTS, WIDTHS, Sight
from tests.console.stage import Stage

AXE = Path(__file__).parents[2] / "console/node_modules/axe-core/axe.min.js"
GRAVE = ("serious", "critical")
# A dark page is the light one in other colours.
RULES = {"light": {}, "dark": {"runOnly": ["color-contrast", "link-in-text-block"]}}
RUN = """async (rules) => (await axe.run(document, { resultTypes: ["violations"], ...rules })).violations
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
    """The grave ones, in every look that a page can have without being loaded anew."""
    page.add_script_tag(path=AXE)
    page.add_style_tag(content=STILL)
    found = []
    for (width, height), scheme in product(WIDTHS.items(), SCHEMES):
        page.set_viewport_size({"width": width, "height": height})
        wear(page, scheme)
        violations: list[dict[str, Any]] = page.evaluate(RUN, RULES[scheme])
        found += [f"{width} {scheme}: {one['id']} {one['html'][:200]}" for one in violations if one["impact"] in GRAVE]
    return found
