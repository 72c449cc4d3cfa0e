"""Favourites and recents in the sidebar and in the one box for content, places and actions; the sidebar folds."""

import re

import pytest
from playwright.sync_api import Browser, expect

from tests.console.browser import settle, window
from tests.console.instance import Instance

pytestmark = [pytest.mark.sampled(8), pytest.mark.about("console/home", "favourites", "console/search")]


def test_what_is_opened_and_starred_is_in_the_sidebar_and_in_the_box(browser: Browser, instance: Instance) -> None:
    note = instance.note("Tide table", "High at nine.", "member")
    file = instance.upload("tides/tides.txt", b"High at nine.", "member")
    with window(browser, instance.url, token=instance.session("member")) as page:
        page.goto(f"/app/notes/{note}")
        side = page.get_by_role("navigation", name="Main")
        recent, starred = (side.get_by_role("region", name=name) for name in ("Recent", "Favourites"))
        expect(recent.get_by_role("link", name="Tide table")).to_be_visible()
        star = page.get_by_role("toolbar").get_by_role("button", name="Favourite")
        star.click()
        expect(star).to_have_attribute("aria-pressed", "true")
        expect(starred.get_by_role("link", name="Tide table")).to_be_visible()
        expect(recent.get_by_role("link", name="Tide table")).to_have_count(0)
        page.goto(f"/app/files/{file}")
        expect(recent.get_by_role("link").first).to_have_text("tides.txt")
        page.keyboard.press("Control+k")
        box = page.get_by_role("dialog")
        expect(box.get_by_role("group", name="Favourites").get_by_role("option", name="Tide table")).to_be_visible()
        expect(box.get_by_role("group", name="Recent").get_by_role("option").first).to_contain_text("tides.txt")
        page.keyboard.type("tide tab")
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile(f"/app/notes/{note}"))
        star.click()
        expect(starred).to_have_count(0)
        page.reload()
        expect(star).to_have_attribute("aria-pressed", "false")


def test_the_sidebar_folds_and_stays_so(browser: Browser, sqlite_instance: Instance) -> None:
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/")
        settle(page)
        side = page.get_by_role("navigation", name="Main")
        wide = side.bounding_box()
        page.keyboard.press("[")
        expect(side.get_by_role("button", name="Fold sidebar")).to_have_attribute("aria-pressed", "true")
        page.reload()
        narrow = side.bounding_box()
        assert wide and narrow and narrow["width"] < wide["width"] / 2
        side.get_by_role("link", name="Notes").click()
        expect(page.get_by_role("heading", name="Notes", level=1)).to_be_visible()
        side.get_by_role("button", name="Fold sidebar").click()
        expect(side.get_by_text("Documents")).to_be_visible()


def test_items_are_starred_in_the_lists(browser: Browser, sqlite_instance: Instance) -> None:
    sqlite_instance.note("Rope list", "Forty metres.", "member")
    sqlite_instance.document("Rope manual", "Forty metres.", "member")
    sqlite_instance.upload("ropes/rope.txt", b"Forty metres.", "member")
    sqlite_instance.conversation("Rope length", who="member")
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        starred = page.get_by_role("navigation", name="Main").get_by_role("region", name="Favourites")
        lists = (("/app/notes", "Rope list"), ("/app/documents", "Rope manual"), ("/app/chat", "Rope length"))
        for address, title in lists:
            page.goto(address)
            star = page.get_by_role("button", name=f"Favourite: {title}")
            expect(star).to_have_attribute("aria-pressed", "false")
            page.get_by_role("main").get_by_role("link", name=title).hover()
            star.click()
            expect(star).to_have_attribute("aria-pressed", "true")
            expect(starred.get_by_role("link", name=title)).to_be_visible()
        page.goto("/app/files?in=ropes/")
        row = page.get_by_role("row", name="rope.txt")
        row.get_by_role("button", name="Actions for rope.txt").click()
        page.get_by_role("menuitem", name="Add to favourites").click()
        expect(row.get_by_role("img", name="Favourite")).to_be_visible()
        expect(starred.get_by_role("link", name="rope.txt")).to_be_visible()
        row.get_by_role("button", name="Actions for rope.txt").click()
        page.get_by_role("menuitem", name="Remove from favourites").click()
        expect(row.get_by_role("img", name="Favourite")).to_have_count(0)


def test_the_menus_of_the_sidebar_are_whole_and_return_the_focus(browser: Browser, sqlite_instance: Instance) -> None:
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/")
        settle(page)
        side = page.get_by_role("navigation", name="Main")
        menu, panel = page.get_by_role("menu"), page.get_by_role("dialog")
        for button, opened, first in (
            (side.get_by_role("button", name="Switch team"), menu, menu.get_by_role("menuitemradio").first),
            (side.get_by_role("button", name="Activity"), panel, panel.get_by_role("heading", name="Activity")),
            (side.get_by_role("button", name="Priya Raman"), menu, menu.get_by_role("menuitem").first),
        ):
            button.focus()
            page.keyboard.press("Enter")
            expect(first).to_be_in_viewport(ratio=1)
            expect(button).to_have_attribute("aria-expanded", "true")
            page.keyboard.press("Escape")
            expect(opened).to_have_count(0)
            expect(button).to_be_focused()
