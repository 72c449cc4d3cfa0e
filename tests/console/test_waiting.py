"""Screens while their content is on its way: shapes in its place, which move nothing when it comes."""

import re
from collections.abc import Callable
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from benchmarks.weight import SHIFTS
from tests.console.browser import window
from tests.console.instance import Instance

pytestmark = [
    pytest.mark.sampled(8),
    pytest.mark.about("console/home", "console/repository", "console/trash", "console/usage", "console/workflows"),
]


class Waiting(NamedTuple):
    address: str
    request: str
    """What is held, as a pattern."""
    shape: str
    arrived: Callable[[Page], Locator]
    """What is seen once it has come."""


SCREENS = {
    "home": Waiting("/app/", "**/api/activity*", "cards", lambda page: page.get_by_role("region", name="Team activity")),
    "files": Waiting("/app/files", "**/api/repo?*", "table", lambda page: page.get_by_role("grid")),
    "run": Waiting("RUN", "**/api/runs/*", "blocks", lambda page: page.get_by_role("heading", name="Steps")),
    "versions": Waiting(
        "DOCUMENT", "**/api/repo-obj/*", "list", lambda page: page.get_by_role("link", name="Version 2")
    ),
    "trash": Waiting("/app/trash", "**/api/trash*", "table", lambda page: page.get_by_role("table")),
    "usage": Waiting(
        "/app/settings/team/usage", "**/api/usage/history*", "blocks",
        lambda page: page.get_by_role("heading", name="Over time"),
    ),
}  # fmt: skip


def prepared(instance: Instance, address: str) -> str:
    """The address, with what its screen shows."""
    if address == "DOCUMENT":
        document = instance.document("Tides", "High at six.\n")
        instance.call("PUT", f"/api/documents/{document}", {"body": "High at seven.\n"}, instance.operator)
        return f"/app/documents/{document}?inspect=versions"
    if address == "/app/":
        instance.note("Watch", "Two at night.", "member")
    if address in ("/app/", "/app/files"):
        instance.document("Tides", "High at six.\n")
    if address == "/app/trash":
        instance.call("DELETE", f"/api/notes/{instance.note('Old rota', 'Ann.')}", token=instance.operator)
    return instance.resolve("/app/workflows/runs/RUN") if address == "RUN" else address


class Hold:
    """Keeps requests of a page until they are released."""

    def __init__(self) -> None:
        self._held, self._is_released = list[Route](), False

    def __call__(self, route: Route) -> None:
        if self._is_released:
            return route.continue_()
        return self._held.append(route)

    def release(self) -> None:
        self._is_released = True
        for route in self._held:
            route.continue_()


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("name", SCREENS)
def test_a_screen_shows_the_shape_of_what_comes_and_then_nothing_moves(
    browser: Browser, sqlite_instance: Instance, name: str, width: int
) -> None:
    waiting, hold = SCREENS[name], Hold()
    address = prepared(sqlite_instance, waiting.address)
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("operator"), width=width) as page:
        page.route(waiting.request, hold)
        page.goto(address)
        shapes = page.locator(f"[data-shape={waiting.shape}][aria-busy=true]").first
        expect(shapes).to_be_visible()
        expect(waiting.arrived(page)).to_have_count(0)
        main = page.locator("main")
        expect(main.get_by_role("status").filter(has_text=re.compile("Loading"))).to_have_count(0)
        assert shapes.inner_text().strip() == ""
        # The window asks for reduced motion.
        assert page.evaluate("document.querySelector('[data-shape]').getAnimations({subtree: true}).length") == 0
        hold.release()
        expect(waiting.arrived(page)).to_be_visible()
        expect(page.locator("main [data-shape][aria-busy]")).to_have_count(0)
        assert page.evaluate(SHIFTS) < 0.02
