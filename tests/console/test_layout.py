"""Navigation on a phone."""

import pytest
from playwright.sync_api import Browser, expect

from tests.console.browser import settle, window
from tests.console.instance import Instance

pytestmark = [pytest.mark.sampled(8), pytest.mark.about("console/home")]

PHONE = (390, 844)


def test_a_phone_has_a_bar_of_four_screens_and_settings_as_a_list(browser: Browser, sqlite_instance: Instance) -> None:
    with window(
        browser,
        sqlite_instance.url,
        token=sqlite_instance.session("admin"),
        width=PHONE[0],
        height=PHONE[1],
        has_touch=True,
    ) as page:
        page.goto("/app/")
        settle(page)
        bar = page.get_by_role("navigation", name="Quick")
        expect(bar.get_by_role("link")).to_have_text(["Search", "Notes", "Files", "Chat"])
        bar.get_by_role("button", name="More").tap()
        more = page.get_by_role("dialog", name="More")
        expect(more.get_by_role("link", name="Documents")).to_be_visible()
        more.get_by_role("link", name="Settings").tap()
        expect(page.get_by_role("dialog")).to_have_count(0)
        menu = page.get_by_role("main").get_by_role("navigation", name="Settings")
        expect(menu.get_by_role("group")).to_have_count(4)
        menu.get_by_role("link", name="Usage").tap()
        expect(page.get_by_role("heading", name="Usage", level=1)).to_be_visible()
        page.get_by_role("navigation", name="Settings").get_by_role("link", name="Settings").tap()
        expect(menu.get_by_role("link", name="Usage")).to_be_visible()
