"""Screens by role: one that is not permitted is neither offered nor reachable by its address."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.console.browser import settle, visit, window
from tests.console.instance import OPERATOR, PEOPLE, ROLES, Instance
from tests.console.screens import ACTIONS, SCREENS, Action, Screen
from tests.isolation.contract import held

# What a member reads at an address they may not open.
REFUSALS = {
    "/settings/team/audit": (
        "You need the “Manage team settings” permission."
        f"Ask {OPERATOR.name}, {PEOPLE['owner'].name}, or {PEOPLE['admin'].name}, who manage this team."
    ),
    "/settings/company/teams": f"Ask {OPERATOR.name} or {PEOPLE['org_admin'].name}, who manage the company.",
    "/settings/instance/status": "You need the “Manage this instance” permission.Ask an operator of this instance.",
}
SOURCES = Path(__file__).parents[2] / "console/src"
SCOPES = ("Team", "Company", "Instance", "Me")


def test_the_table_has_every_screen_of_the_console() -> None:
    sources = "".join(path.read_text() for path in SOURCES.rglob("screens.ts"))
    assert sorted(re.findall(r'screen\("([^"]+)"', sources)) == sorted(screen.path for screen in SCREENS)


@pytest.mark.sampled(8)
@pytest.mark.about("core", "identity", "tenancy")
@pytest.mark.parametrize("role", ROLES)
def test_a_role_is_offered_permitted_screens_and_refused_the_rest(
    browser: Browser, sqlite_instance: Instance, role: str, thorough: bool
) -> None:
    note = sqlite_instance.note("For everybody", "Good morning.")
    with window(browser, sqlite_instance.url, token=sqlite_instance.session(role)) as page:
        page.goto("/app/")
        settle(page)
        assert sidebar_links(page) == addresses(role, "Main", "Foot")
        assert palette_options(page) == sorted(
            [(action.title, "Action") for action in ACTIONS if may(role, action)]
            + [(screen.title, screen.area) for screen in SCREENS if screen.group and may(role, screen)]
        )
        assert shortcuts(page) == sorted(
            [(action.title, action.keys) for action in ACTIONS if action.keys and may(role, action)]
            + [(f"Go to {screen.title}", screen.keys) for screen in SCREENS if screen.keys and may(role, screen)]
            + [("Keyboard shortcuts", "?")]
        )
        visited = [screen for screen in SCREENS if thorough or not may(role, screen) or screen.group == "Main"]
        page.get_by_role("navigation", name="Main").get_by_role("link", name="Settings").click()
        expect(page.get_by_role("heading", name="People", level=1), "the first screen of the menu").to_be_visible()
        assert settings_menu(page) == {scope: found for scope in SCOPES if (found := addresses(role, scope))}, (
            "an empty scope is hidden"
        )
        check_sidebar_ends_stay_visible(page)
        refused = [screen.path for screen in visited if is_refused(page, screen.address(note))]
        assert refused == [screen.path for screen in visited if not may(role, screen)]


def test_a_refusal_names_people_who_can_help(browser: Browser, sqlite_instance: Instance) -> None:
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        for address, text in REFUSALS.items():
            page.goto(f"/app{address}")
            expect(page.get_by_role("alert")).to_contain_text(text)


def may(role: str, item: Screen | Action) -> bool:
    return not item.needs or item.needs in held(ROLES[role])


def addresses(role: str, *groups: str) -> list[str]:
    return [f"/app{screen.path}" for screen in SCREENS if screen.group in groups and may(role, screen)]


def check_sidebar_ends_stay_visible(page: Page) -> None:
    """In a low window with the menu scrolled to its end."""
    sidebar = page.get_by_role("navigation", name="Main")
    page.set_viewport_size({"width": 1440, "height": 480})
    sidebar.get_by_role("navigation", name="Settings").get_by_role("link").last.scroll_into_view_if_needed()
    menus = sidebar.locator("button[aria-haspopup=menu]")
    for pinned in (menus.first, menus.last, sidebar.get_by_role("button", name="Activity")):
        expect(pinned).to_be_in_viewport(ratio=1)
    page.set_viewport_size({"width": 1440, "height": 900})


def settings_menu(page: Page) -> dict[str, list[str]]:
    groups = page.get_by_role("navigation", name="Settings").get_by_role("group")
    found: list[tuple[str, list[str]]] = groups.evaluate_all(
        "groups => groups.map(group => [group.ariaLabel,"
        " [...group.querySelectorAll('a')].map(link => link.getAttribute('href'))])"
    )
    return dict(found)


def sidebar_links(page: Page) -> list[str]:
    links = page.get_by_role("navigation", name="Main").locator("a:not(section a)")
    found: list[str] = links.evaluate_all("links => links.map(link => link.getAttribute('href'))")
    return found


def palette_options(page: Page) -> list[tuple[str, str]]:
    page.keyboard.press("Control+k")
    options = page.get_by_role("group", name=re.compile("^(Actions|Places)$")).get_by_role("option")
    expect(options.first).to_be_visible()
    found = options.evaluate_all(
        "options => options.map(option => [...option.querySelectorAll(':scope > span')].map(one => one.innerText))"
    )
    close(page)
    return sorted((title, *(hint or ["Action"])) for title, *hint in found)


def shortcuts(page: Page) -> list[tuple[str, str]]:
    page.keyboard.press("?")
    rows = page.get_by_role("dialog", name="Keyboard shortcuts").get_by_role("row")
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
    return page.get_by_role("heading", name="You don’t have access").is_visible()
