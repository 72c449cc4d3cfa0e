"""The trash in the browser: deleting without a question, undo, restoring, and deleting for good."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.console.browser import window
from tests.console.instance import Instance

pytestmark = [pytest.mark.sampled(8), pytest.mark.about("console/trash", "trash", "notes", "repository")]


def delete_note(page: Page) -> None:
    page.get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Delete note").click()


def test_a_deleted_note_is_back_with_its_shares_after_undo(browser: Browser, sqlite_instance: Instance) -> None:
    note = sqlite_instance.note("Berths", "Twelve.", "member")
    sqlite_instance.call(
        "POST", f"/api/notes/{note}/share", {"user_id": sqlite_instance.id_of("guest"), "permission": "notes:read"},
        sqlite_instance.session("member"),
    )  # fmt: skip
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto(f"/app/notes/{note}")
        delete_note(page)
        expect(page.get_by_role("dialog")).to_have_count(0)
        undo = page.get_by_role("button", name="Undo")
        expect(undo).to_be_visible()
        undo.focus()
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile(f"/notes/{note}$"))
        expect(page.get_by_text("“Berths” restored")).to_be_visible()
    shown = sqlite_instance.call("GET", f"/api/notes/{note}", token=sqlite_instance.session("guest"))
    assert (shown["title"], shown["version"]) == ("Berths", 1)


def test_undoing_the_deletion_of_many_files_does_not_refetch_their_list_after_each(
    browser: Browser, sqlite_instance: Instance
) -> None:
    for number in range(20):
        sqlite_instance.upload(f"regretted/{number:02}.txt", b"x", "member")
    listed: list[str] = []
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/files?in=regretted/")
        page.get_by_role("checkbox", name="Select all").check()
        page.get_by_role("toolbar").get_by_role("button", name="Delete").click()
        page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        deleted = page.get_by_role("alert").filter(has_text="20 files deleted")
        expect(deleted).to_be_visible()
        page.on("request", lambda request: listed.append(request.url) if "/api/repo?" in request.url else None)
        deleted.get_by_role("button", name="Undo").click()
        expect(page.get_by_text("20 items restored")).to_be_visible()
        expect(page.get_by_role("grid").get_by_role("rowheader")).to_have_count(20)
    assert len(listed) < 12  # changes that the server reports refetch the list too, every now and then


def test_undo_in_a_list_stays_there(browser: Browser, sqlite_instance: Instance) -> None:
    for name in ("one.txt", "other.txt"):
        sqlite_instance.upload(f"stayed/{name}", b"x", "member")
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/files?in=stayed/")
        row = page.get_by_role("row", name="one.txt")
        row.get_by_role("button", name="Actions for one.txt").click()
        page.get_by_role("menuitem", name="Delete").click()
        expect(row).to_have_count(0)
        page.get_by_role("button", name="Undo").click()
        expect(page.get_by_text("“one.txt” restored")).to_be_visible()
        expect(row).to_be_visible()


@pytest.mark.parametrize("width", [1280, 390])
def test_the_trash_lists_restores_and_deletes_for_good(browser: Browser, sqlite_instance: Instance, width: int) -> None:
    token = sqlite_instance.session("member")
    sqlite_instance.call("DELETE", "/api/trash", token=token)
    note = sqlite_instance.note("Moorings", "Forty.", "member")
    file = sqlite_instance.upload(f"trash/{width}/tides.csv", b"1,2", "member")
    for path in (f"/api/notes/{note}", f"/api/repo-obj/{file}"):
        sqlite_instance.call("DELETE", path, token=token)
    with window(browser, sqlite_instance.url, token=token, width=width) as page:
        page.goto("/app/trash")
        expect(page.get_by_role("rowheader")).to_have_count(2)
        expect(page.get_by_role("row", name="tides.csv")).to_contain_text(f"trash/{width}/tides.csv")
        expect(page.get_by_role("row", name="Moorings")).to_contain_text("you")
        page.get_by_role("button", name="Restore tides.csv").click()
        expect(page.get_by_role("rowheader")).to_have_count(1)
        page.get_by_role("button", name="Open", exact=True).click()
        expect(page.get_by_role("heading", name="tides.csv")).to_be_visible()
        page.goto("/app/trash")
        page.get_by_role("button", name="Delete Moorings for good").click()
        dialog = page.get_by_role("dialog", name="Delete “Moorings” for good?")
        expect(dialog).to_contain_text("can’t be undone")
        dialog.get_by_role("button", name="Delete for good").click()
        expect(page.get_by_role("heading", name="The trash is empty")).to_be_visible()
    assert sqlite_instance.call("GET", "/api/trash", token=token)["items"] == []


@pytest.mark.parametrize("width", [1280, 390])
def test_many_items_are_restored_or_deleted_for_good_at_once(
    browser: Browser, sqlite_instance: Instance, width: int
) -> None:
    token = sqlite_instance.session("member")
    sqlite_instance.call("DELETE", "/api/trash", token=token)
    files = [sqlite_instance.upload(f"many/{width}/{number:02}.txt", b"x", "member") for number in range(12)]
    for file in files:
        sqlite_instance.call("DELETE", f"/api/repo-obj/{file}", token=token)
    with window(browser, sqlite_instance.url, token=token, width=width) as page:
        page.goto("/app/trash")
        items = page.get_by_role("rowheader")
        expect(items).to_have_count(12)
        page.get_by_role("searchbox", name="Filter").fill("/0")
        expect(page.get_by_role("status").filter(has_text="10 matches")).to_be_visible()
        page.get_by_role("checkbox", name="Select all").focus()
        page.keyboard.press("Space")
        expect(page.get_by_text("10 selected")).to_be_visible()
        page.get_by_role("checkbox", name="Select 00.txt").uncheck()
        selection = page.get_by_role("toolbar", name="Actions for the selection")
        selection.get_by_role("button", name="Restore").focus()
        page.keyboard.press("Enter")
        expect(page.get_by_text("9 items restored")).to_be_visible()
        expect(items).to_have_count(1)
        expect(page.get_by_role("checkbox", name="Select all")).to_be_focused()
        page.get_by_role("searchbox", name="Filter").fill("")
        expect(items).to_have_count(3)
        page.get_by_role("checkbox", name="Select all").check()
        selection.get_by_role("button", name="Delete for good").click()
        dialog = page.get_by_role("dialog", name="Delete 3 items for good?")
        expect(dialog).to_contain_text("can’t be undone")
        dialog.get_by_role("button", name="Delete for good").click()
        expect(page.get_by_text("3 items deleted for good")).to_be_visible()
        expect(page.get_by_role("heading", name="The trash is empty")).to_be_visible()
    assert sqlite_instance.call("GET", "/api/trash", token=token)["items"] == []
    assert len(sqlite_instance.call("GET", f"/api/repo?prefix=many/{width}/", token=token)["items"]) == 9


def test_emptying_the_trash_asks_first(browser: Browser, sqlite_instance: Instance) -> None:
    token = sqlite_instance.session("member")
    for number in range(3):
        note = sqlite_instance.note(f"Note {number}", "", "member")
        sqlite_instance.call("DELETE", f"/api/notes/{note}", token=token)
    with window(browser, sqlite_instance.url, token=token) as page:
        page.goto("/app/trash")
        page.get_by_role("button", name="Empty trash").click()
        dialog = page.get_by_role("dialog", name="Empty the trash?")
        expect(dialog).to_contain_text("no matter who deleted it")
        dialog.get_by_role("button", name="Empty trash").click()
        expect(page.get_by_role("heading", name="The trash is empty")).to_be_visible()


def test_a_file_whose_place_is_taken_is_restored_elsewhere(browser: Browser, sqlite_instance: Instance) -> None:
    token = sqlite_instance.session("member")
    first = sqlite_instance.upload("taken/plan.txt", b"First.", "member")
    sqlite_instance.call("DELETE", f"/api/repo-obj/{first}", token=token)
    sqlite_instance.upload("taken/plan.txt", b"Second.", "member")
    with window(browser, sqlite_instance.url, token=token) as page:
        page.goto("/app/trash")
        page.get_by_role("button", name="Restore plan.txt").click()
        dialog = page.get_by_role("dialog", name="Restore under another name")
        expect(dialog).to_contain_text("Another file is now at “taken/plan.txt”.")
        expect(dialog.get_by_label("New place and name")).to_have_value("taken/plan 2.txt")
        dialog.get_by_role("button", name="Restore").click()
        page.get_by_role("button", name="Open", exact=True).click()
        expect(page.get_by_role("region", name="File text")).to_have_text("First.")


def test_what_one_person_deletes_shows_in_an_open_trash(browser: Browser, sqlite_instance: Instance) -> None:
    note = sqlite_instance.note("Live one", "", "member")
    token = sqlite_instance.session("member")
    with window(browser, sqlite_instance.url, token=token) as page:
        page.goto("/app/trash")
        expect(page.get_by_role("heading", name="Trash", exact=True)).to_be_visible()
        sqlite_instance.call("DELETE", f"/api/notes/{note}", token=token)
        expect(page.get_by_role("rowheader", name="Live one")).to_be_visible()
