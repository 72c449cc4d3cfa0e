"""Whole tasks on a phone, by touch: public links, moving a file, an upload that is interrupted, search, documents, sign-in."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.console.browser import settle, window
from tests.console.instance import Instance
from tests.console.test_accessibility import violations
from tests.console.test_files import keys, names
from tests.console.test_resumed_uploads import SIZE, tray
from tests.console.test_staying import expect_inside, expect_outside, reopen, stay
from tests.console.writing import saved, write

pytestmark = [
    pytest.mark.sampled(4),
    pytest.mark.about("console/repository", "console/documents", "console/search", "console/entrance", "links"),
]
PHONE: dict[str, Any] = {"width": 390, "height": 844, "has_touch": True, "bypass_csp": True}


@pytest.fixture
def page(browser: Browser, sqlite_instance: Instance) -> Iterator[Page]:
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member"), **PHONE) as opened:
        yield opened


def check(page: Page) -> None:
    """Nothing reaches out of the screen, and axe finds nothing."""
    assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
    assert not violations(page)


def test_a_public_link_is_made_changed_opened_and_revoked(
    browser: Browser, page: Page, sqlite_instance: Instance
) -> None:
    file = sqlite_instance.upload("phone/tides.txt", b"High water at noon.", "member", "private")
    page.goto(f"/app/files/{file}")
    page.get_by_role("button", name="Share", exact=True).tap()
    links = page.get_by_role("dialog", name="Share “tides.txt”").get_by_role("region", name="Public links")
    links.get_by_role("switch", name="Public links").tap(force=True)
    row = links.get_by_role("list", name="Links").get_by_role("listitem")
    expect(row).to_contain_text("0 views · 0 downloads")
    address = row.get_by_role("button", name="Copy Public link").get_attribute("title") or ""
    row.get_by_role("button", name="Edit Public link").tap()
    form = row.get_by_role("form", name="Edit Public link")
    form.get_by_label("Name (optional)").fill("Harbour office")
    form.get_by_label("Password (optional)").fill("a word on paper")
    check(page)
    form.get_by_role("button", name="Save").tap()
    expect(form).to_have_count(0)
    expect(row).to_contain_text(re.compile("Harbour office.*Password"))
    with window(browser, sqlite_instance.url, **PHONE) as stranger:
        stranger.goto(address)
        stranger.get_by_label("Password").fill("a word on paper")
        stranger.get_by_role("button", name="Open").tap()
        expect(stranger.get_by_role("region", name="Preview")).to_have_text("High water at noon.")
        check(stranger)
        with stranger.expect_download() as download:
            stranger.get_by_role("link", name="Download").tap()
        assert download.value.path().read_bytes() == b"High water at noon."
    row.get_by_role("button", name="Revoke Harbour office").tap()
    expect(row).to_have_count(0)
    with window(browser, sqlite_instance.url, **PHONE) as stranger:
        stranger.goto(address)
        expect(stranger.get_by_role("heading", name="This link doesn’t work")).to_be_visible()


def test_a_file_is_moved(page: Page, sqlite_instance: Instance) -> None:
    sqlite_instance.upload("phone%20moves/a.txt", b"a", "member")
    page.goto("/app/files?in=phone%20moves/")
    page.get_by_role("button", name="Actions for a.txt").tap()
    page.get_by_role("menuitem", name="Move…").tap()
    dialog = page.get_by_role("dialog", name="Move “a.txt”")
    dialog.get_by_label("New subfolder").fill("kept")
    check(page)
    dialog.get_by_role("button", name="Move here").tap()
    expect(names(page)).to_have_text(["kept"])
    assert keys(sqlite_instance, "member", "phone%20moves/") == ["phone moves/kept/a.txt"]


def test_an_upload_is_paused_and_resumed(page: Page, sqlite_instance: Instance, tmp_path: Path) -> None:
    film = tmp_path / "phone film.bin"
    film.write_bytes(b"x" * SIZE)
    page.goto("/app/files?in=phone%20films/")
    settle(page)
    page.route("**/parts?number=2", lambda route: None)
    page.set_input_files("input[data-what=files]", film)
    tray(page).get_by_role("button", name="Pause phone film.bin").tap()
    expect(tray(page).get_by_text("Paused")).to_be_visible()
    check(page)
    page.unroute("**/parts?number=2")
    tray(page).get_by_role("button", name="Resume phone film.bin").tap()
    expect(tray(page).get_by_role("status")).to_have_text("1 file uploaded")
    expect(names(page)).to_have_text(["phone film.bin"])


def test_search_finds_a_note(page: Page, sqlite_instance: Instance) -> None:
    note = sqlite_instance.note("Phone boxes", "Red, and rarely used.", "member")
    page.goto("/app/")
    settle(page)
    page.get_by_role("navigation", name="Quick").get_by_role("link", name="Search").tap()
    page.get_by_role("searchbox").fill("rarely")
    found = page.get_by_role("main").get_by_role("link", name=re.compile("Phone boxes"))
    expect(found).to_be_visible()
    check(page)
    found.tap()
    expect(page).to_have_url(re.compile(f"/app/notes/{note}"))


def test_a_document_is_written_and_found_again(page: Page) -> None:
    page.goto("/app/documents")
    page.get_by_role("link", name="New document").first.tap()
    page.get_by_label("Title", exact=True).fill("Phone manual")
    page.get_by_role("button", name="Save").tap()
    expect(saved(page, 1)).to_be_visible()
    write(page, "Dial, then speak.")
    expect(saved(page, 2)).to_be_visible()
    check(page)
    page.get_by_role("button", name="Done").tap()
    expect(page.get_by_role("article")).to_contain_text("Dial, then speak.")
    page.goto("/app/documents")
    page.get_by_role("link", name=re.compile("Phone manual")).tap()
    expect(page.get_by_role("article")).to_contain_text("Dial, then speak.")


def test_a_phone_stays_signed_in(browser: Browser, sqlite_instance: Instance) -> None:
    with window(browser, sqlite_instance.url, **PHONE) as first:
        stay(first)
        check(first)
        first.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
        page = reopen(first)
        expect_inside(page)
        page.context.clear_cookies()
        page.evaluate("sessionStorage.clear()")
        page.goto("/app/")
        expect_outside(page)
