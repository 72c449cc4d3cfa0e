"""Keyboard use: everything can be reached, and dialogs trap and restore the focus."""

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.console.browser import window
from tests.console.instance import OPERATOR, PASSWORD, Instance

pytestmark = [pytest.mark.sampled(8), pytest.mark.about("console/entrance", "console/notes")]

MAX_TABS = 60
INSIDE = "dialog => dialog.contains(document.activeElement)"


def test_signing_in_navigating_and_writing_work_without_a_mouse(browser: Browser, sqlite_instance: Instance) -> None:
    with window(browser, sqlite_instance.url) as page:
        page.goto("/login")
        expect(page.get_by_label("Username")).to_be_focused()
        for text in (OPERATOR.username, PASSWORD):
            page.keyboard.type(text)
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name=f"Hello, {OPERATOR.name}")).to_be_visible()
        jump(page, "usag")
        expect(page.get_by_role("heading", name="Usage")).to_be_visible()
        page.keyboard.press("?")
        expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_contain_text("New note")
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        page.keyboard.press("c")
        expect(page.get_by_label("Title", exact=True)).to_be_focused()
        page.keyboard.type("By hand")
        page.keyboard.press("Enter")
        page.keyboard.type("Every word.")
        expect(page.get_by_text("Saved · version").first).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("article")).to_contain_text("Every word.")
        page.keyboard.press("g")
        page.keyboard.press("h")
        expect(page.get_by_role("heading", name="Hello")).to_be_visible()


def test_the_first_tab_skips_to_the_content(browser: Browser, sqlite_instance: Instance) -> None:
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/settings/team/usage")
        expect(page.get_by_role("heading", name="Usage")).to_be_visible()
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.get_by_role("main")).to_be_focused()


def test_a_dialog_traps_the_focus_and_restores_it(browser: Browser, sqlite_instance: Instance) -> None:
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("operator")) as page:
        page.goto("/app/settings/team/people")
        opener = page.get_by_role("button", name="Invite person")
        tab_to(page, opener)
        page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog", name="Invite person")
        expect(dialog.get_by_label("Username")).to_be_focused()
        check_focus_stays_inside(page, dialog)
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        expect(opener).to_be_focused()


def test_the_palette_traps_the_focus_and_restores_it(browser: Browser, sqlite_instance: Instance) -> None:
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("operator")) as page:
        page.goto("/app/settings/team/people")
        opener = page.get_by_role("button", name="Invite person")
        tab_to(page, opener)
        page.keyboard.press("Control+k")
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_role("combobox")).to_be_focused()
        check_focus_stays_inside(page, dialog)
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        expect(opener).to_be_focused()


def jump(page: Page, letters: str) -> None:
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog").get_by_role("combobox")).to_be_focused()
    page.keyboard.type(letters)
    # The screen, and the search for the word.
    expect(page.get_by_role("option")).to_have_count(2)
    page.keyboard.press("Enter")


def tab_to(page: Page, target: Locator) -> None:
    expect(target).to_be_visible()
    for _ in range(MAX_TABS):
        page.keyboard.press("Tab")
        if target.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError("cannot be reached by Tab")


def check_focus_stays_inside(page: Page, dialog: Locator) -> None:
    """Tab forwards and backwards through the dialog."""
    for key in ["Tab"] * 20 + ["Shift+Tab"] * 25:
        page.keyboard.press(key)
        assert dialog.evaluate(INSIDE), f"{key} left the dialog"
