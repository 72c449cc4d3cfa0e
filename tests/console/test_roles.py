"""Who is shown which screen: what a role does not allow is neither offered nor reached by its address."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.console.browser import settle, visit, window
from tests.console.screens import ACTIONS, SCREENS, Action, Screen
from tests.console.stage import ROLES, Stage
from tests.isolation.contract import held

FEATURES = Path(__file__).parents[2] / "console/src/features"


def test_the_table_has_every_screen_of_the_console() -> None:
    sources = "".join(path.read_text() for path in FEATURES.glob("*/screens.ts"))
    assert sorted(re.findall(r'screen\("([^"]+)"', sources)) == sorted(screen.path for screen in SCREENS)


@pytest.mark.parametrize("role", ROLES)
def test_a_role_is_shown_what_it_may_see_and_refused_the_rest(
    browser: Browser, anywhere: Stage, role: str, thorough: bool
) -> None:
    note = anywhere.note("For everybody", "Good morning.")
    with window(browser, anywhere.url, token=anywhere.session(role)) as page:
        page.goto("/app/")
        settle(page)
        account_is_at_hand(page)
        assert rail(page) == [
            f"/app{screen.path}" for screen in SCREENS if screen.group not in ("", "Me") and may(role, screen)
        ]
        assert palette(page) == sorted(
            [(action.title, "Action") for action in ACTIONS if may(role, action)]
            + [(screen.title, screen.group) for screen in SCREENS if screen.group and may(role, screen)]
        )
        assert keys(page) == sorted(
            [(action.title, action.keys) for action in ACTIONS if action.keys and may(role, action)]
            + [(f"Go to {screen.title}", screen.keys) for screen in SCREENS if screen.keys and may(role, screen)]
            + [("Keys", "?")]
        )
        asked = [screen for screen in SCREENS if thorough or not may(role, screen) or screen.group == "Work"]
        refused = [screen.path for screen in asked if is_refused(page, screen.address(note))]
        assert refused == [screen.path for screen in asked if not may(role, screen)]


def may(role: str, thing: Screen | Action) -> bool:
    return not thing.needs or thing.needs in held(ROLES[role])


def account_is_at_hand(page: Page) -> None:
    """However much the rail holds, and however low the window is."""
    account = page.get_by_role("navigation", name="Main").locator("button[aria-haspopup=menu]").last
    for height in (480, 900):
        page.set_viewport_size({"width": 1440, "height": height})
        expect(account).to_be_in_viewport(ratio=1)


def rail(page: Page) -> list[str]:
    links = page.get_by_role("navigation", name="Main").get_by_role("link")
    found: list[str] = links.evaluate_all("links => links.map(link => link.getAttribute('href'))")
    return found


def palette(page: Page) -> list[tuple[str, str]]:
    page.keyboard.press("Control+k")
    options = page.get_by_role("option")
    expect(options.first).to_be_visible()
    found = options.evaluate_all(
        "options => options.map(option => [...option.querySelectorAll('span')].map(one => one.innerText))"
    )
    close(page)
    return sorted((title, hint) for title, hint in found)


def keys(page: Page) -> list[tuple[str, str]]:
    page.keyboard.press("?")
    rows = page.get_by_role("dialog", name="Keys").get_by_role("row")
    expect(rows.first).to_be_visible()
    found = rows.evaluate_all(
        "rows => rows.map(row => [row.querySelector('th, td').innerText,"
        " [...row.querySelectorAll('kbd')].map(key => key.innerText).join(' ')])"
    )
    close(page)
    return sorted((title, pressed) for title, pressed in found)


def close(page: Page) -> None:
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def is_refused(page: Page, address: str) -> bool:
    visit(page, address)
    return page.get_by_role("heading", name="You may not see this").is_visible()
