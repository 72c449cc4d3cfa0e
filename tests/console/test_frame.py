"""The frame of an open item: the same top bar and inspector for notes, documents, files, conversations and runs."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.console.browser import settle, window
from tests.console.instance import Instance

pytestmark = [pytest.mark.sampled(8), pytest.mark.about("console/home")]

PHONE = (390, 844)


def addresses(instance: Instance) -> dict[str, str]:
    """The address of one item of each type, by what the breadcrumb begins with."""
    note = instance.note("Crane rota", "Ann on Monday.", "member")
    document = instance.document("Berth plan", "Berth 4 is free.", "member")
    file = instance.upload("plans/berths/berths.txt", b"Berth 4 is free.", "member")
    conversation = instance.conversation("Which berth is free?", who="member")
    instance.resolve("RUN")  # with its workflow
    run = instance.run("harbour-digest", {"subject": "berths", "places": ["Berth 4"]}, "member")
    return {
        "Notes": f"/app/notes/{note}",
        "Documents": f"/app/documents/{document}",
        "Files": f"/app/files/{file}",
        "Chat": f"/app/chat/{conversation}",
        "Workflows": f"/app/workflows/runs/{run}",
    }


OPEN_AT_FIRST = {"Files", "Workflows"}
"""Their details are shown until they are closed."""


def details(page: Page) -> None:
    page.get_by_role("toolbar").get_by_role("button", name="Details").click()


def test_every_item_has_the_same_bar_and_its_details_beside_it(browser: Browser, sqlite_instance: Instance) -> None:
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member"), width=1280, height=800) as page:
        for place, address in addresses(sqlite_instance).items():
            page.goto(address)
            settle(page)
            bar = page.get_by_role("toolbar")
            way = bar.get_by_role("navigation", name="Location")
            expect(way.get_by_role("link").first).to_have_text(place)
            if place != "Workflows":  # those who see a run are decided by what it reads
                expect(bar.get_by_role("button", name="Share")).to_be_visible()
            panel = page.get_by_role("complementary", name="Details")
            if place not in OPEN_AT_FIRST:
                expect(panel).to_have_count(0)
                details(page)
            expect(panel.get_by_role("tab", name="Details")).to_have_attribute("aria-selected", "true")
            expect(panel).to_contain_text("Run ID" if place == "Workflows" else "Owner")
            page.reload()
            expect(panel).to_be_visible()
            panel.get_by_role("button", name="Close details").click()
            expect(panel).to_have_count(0)
            expect(bar.get_by_role("button", name="Details")).to_be_focused()
            way.get_by_role("link").first.click()
            expect(page).to_have_url(re.compile(rf"/app/{place.lower()}$"))


def test_the_bar_is_one_stop_and_arrow_keys_move_in_it(browser: Browser, sqlite_instance: Instance) -> None:
    note = sqlite_instance.note("Crane rota", "Ann on Monday.", "member")
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto(f"/app/notes/{note}")
        settle(page)
        bar = page.get_by_role("toolbar")
        controls = [one for one in bar.locator("a[href], button").all() if one.is_visible()]
        assert [one.get_attribute("tabindex") for one in controls] == ["0"] + ["-1"] * (len(controls) - 1)
        controls[0].focus()
        for one in controls[1:]:
            page.keyboard.press("ArrowRight")
            expect(one).to_be_focused()
        page.keyboard.press("ArrowRight")
        expect(controls[-1]).to_be_focused()
        page.keyboard.press("Home")
        expect(controls[0]).to_be_focused()
        page.keyboard.press("End")
        page.keyboard.press("ArrowLeft")
        expect(controls[-2]).to_be_focused()
        page.keyboard.press("Tab")
        expect(bar.locator(":focus")).to_have_count(0)
        page.keyboard.press("Shift+Tab")
        expect(controls[-2], "where it was").to_be_focused()


def test_every_bar_says_that_the_item_is_kept_and_who_else_is_here(browser: Browser, sqlite_instance: Instance) -> None:
    words = {"Notes": "Saved", "Documents": "Saved", "Files": "Saved", "Chat": "Saved", "Workflows": "Done"}
    kinds = {"Notes": "note", "Documents": "document", "Files": "file", "Chat": "conversation", "Workflows": "run"}
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        for place, address in addresses(sqlite_instance).items():
            page.goto(address)
            settle(page)
            bar = page.get_by_role("toolbar")
            expect(bar.get_by_text(words[place]).first).to_be_visible()
            path = f"/api/presence/{kinds[place]}/{address.rsplit('/', 1)[1]}"
            if place == "Chat":  # nobody else may see it
                reader = {"user_id": sqlite_instance.id_of("owner"), "permission": "notes:read"}
                shares = f"/api/conversations/{address.rsplit('/', 1)[1]}/share"
                sqlite_instance.call("POST", shares, reader, sqlite_instance.session("member"))
            sqlite_instance.call("PUT", path, {"editing": False}, sqlite_instance.session("owner"))
            expect(bar.get_by_role("list", name="Also here")).to_be_visible()


def test_the_details_of_a_file_have_what_links_to_it(browser: Browser, sqlite_instance: Instance) -> None:
    file = sqlite_instance.upload("plans/ramp.txt", b"Ramp 2.", "member")
    note = sqlite_instance.note("Ramps of the week", f"See [the plan](/files/{file}).", "member")
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto(f"/app/files/{file}")
        panel = page.get_by_role("complementary", name="Details")
        panel.get_by_role("tab", name="Links").click()
        panel.get_by_role("link", name="Ramps of the week").click()
        expect(page).to_have_url(re.compile(f"/app/notes/{note}"))


def test_a_key_toggles_the_inspector_and_its_tab_is_remembered(browser: Browser, sqlite_instance: Instance) -> None:
    first, second = (sqlite_instance.document(title, "Text.", "member") for title in ("First", "Second"))
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto(f"/app/documents/{first}")
        settle(page)
        page.keyboard.press("i")
        panel = page.get_by_role("complementary", name="Details")
        for tab in ("Details", "Sharing"):
            panel.get_by_role("tab", name=tab).press("ArrowRight")
        expect(panel.get_by_role("tabpanel", name="Versions")).to_contain_text("Version 1")
        page.goto(f"/app/documents/{second}")
        expect(panel.get_by_role("tabpanel", name="Versions")).to_contain_text("Version 1")
        panel.get_by_role("tab", name="Versions").press("Escape")
        expect(panel).to_have_count(0)
        page.keyboard.press("i")
        expect(panel).to_be_visible()


def test_a_phone_shows_details_as_a_sheet_that_the_next_item_does_not_open(
    browser: Browser, sqlite_instance: Instance
) -> None:
    with window(
        browser, sqlite_instance.url, token=sqlite_instance.session("member"), width=PHONE[0], height=PHONE[1],
        has_touch=True,
    ) as page:  # fmt: skip
        for place, address in addresses(sqlite_instance).items():
            page.goto(address)
            settle(page)
            expect(page.get_by_role("dialog")).to_have_count(0)
            assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
            page.get_by_role("toolbar").get_by_role("button", name="Details").tap()
            sheet = page.get_by_role("dialog", name="Details")
            expect(sheet).to_contain_text("Run ID" if place == "Workflows" else "Owner")
            sheet.get_by_role("button", name="Close").tap()
            expect(sheet).to_have_count(0)
