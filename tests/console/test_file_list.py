"""The list of files: sorting, selecting, keys, moving, the folder tree, tiles, and very long folders."""

import re
import zipfile
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.console.browser import window
from tests.console.instance import PEOPLE, Instance, picture
from tests.console.test_files import keys, names, share_with

pytestmark = [pytest.mark.sampled(8), pytest.mark.about("console/repository", "repository")]

IN_ORDER = """() => {
    const rows = [...document.querySelectorAll("[role=grid] [data-entry]")].map((row) => Number(row.getAttribute("aria-rowindex")))
    return rows.length > 10 && rows.every((row, place) => place === 0 || row > rows[place - 1])
}"""
PHONE: dict[str, Any] = {"width": 390, "height": 844}
AS_AT_FIRST = {"files_as": "list", "files_by": "name", "files_descending": False}


@pytest.fixture(autouse=True)
def _view_as_at_first(sqlite_instance: Instance) -> Iterator[None]:
    """How files are shown follows the account, which other tests use too."""
    yield
    sqlite_instance.call("POST", "/api/profile", {"preferences": AS_AT_FIRST}, sqlite_instance.session("member"))


def test_a_folder_is_sorted_by_any_column_and_remembers_it(browser: Browser, sqlite_instance: Instance) -> None:
    fill(
        sqlite_instance,
        "sorted/",
        {"file 10.txt": 2, "file 9.txt": 30, "Zebra.csv": 1, "apple.txt": 400, "sub/x.txt": 1},
    )
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/files?in=sorted/")
        expect(names(page)).to_have_text(["sub", "apple.txt", "file 9.txt", "file 10.txt", "Zebra.csv"])
        expect(title(page, "Name")).to_have_attribute("aria-sort", "ascending")
        expect(size(page, "sub")).to_have_text("1 item")
        title(page, "Size").get_by_role("button").click()
        expect(names(page)).to_have_text(["sub", "apple.txt", "file 9.txt", "file 10.txt", "Zebra.csv"])
        title(page, "Size").get_by_role("button").click()
        expect(names(page)).to_have_text(["sub", "Zebra.csv", "file 10.txt", "file 9.txt", "apple.txt"])
        expect(page.get_by_role("status").filter(has_text="Sorted by Size, ascending")).to_be_attached()
        sqlite_instance.upload("sorted/mine.txt", b"x" * 50, "member", "private")
        title(page, "Access").get_by_role("button").click()
        expect(names(page)).to_have_text(["sub", "mine.txt", "apple.txt", "file 9.txt", "file 10.txt", "Zebra.csv"])
        title(page, "Size").get_by_role("button").click()
        title(page, "Size").get_by_role("button").click()
        expect(names(page)).to_have_text(["sub", "Zebra.csv", "file 10.txt", "file 9.txt", "mine.txt", "apple.txt"])
        page.reload()
        expect(title(page, "Size")).to_have_attribute("aria-sort", "ascending")
        expect(names(page)).to_have_text(["sub", "Zebra.csv", "file 10.txt", "file 9.txt", "mine.txt", "apple.txt"])


def test_a_phone_sorts_by_a_menu(browser: Browser, sqlite_instance: Instance) -> None:
    fill(sqlite_instance, "phone/", {"b.txt": 2, "a.txt": 1})
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member"), **PHONE) as page:
        page.goto("/app/files?in=phone/")
        expect(names(page)).to_have_text(["a.txt", "b.txt"])
        page.get_by_role("button", name="Sort: Name").click()
        page.get_by_role("menuitemradio", name="Size").click()
        expect(names(page)).to_have_text(["b.txt", "a.txt"])
        page.get_by_role("checkbox", name="Select b.txt").check()
        expect(page.get_by_role("toolbar")).to_contain_text("1 selected")
        page.get_by_role("button", name="Move…").click()
        expect(page.get_by_role("dialog", name="Move “b.txt”")).to_be_visible()


def test_the_list_is_worked_by_keys_alone(browser: Browser, sqlite_instance: Instance) -> None:
    fill(sqlite_instance, "keyed/", {f"{number}.txt": 1 for number in range(6)})
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/files?in=keyed/")
        expect(names(page)).to_have_count(6)
        row(page, "0.txt").focus()
        page.keyboard.press("ArrowDown")
        expect(row(page, "1.txt")).to_be_focused()
        page.keyboard.press("End")
        expect(row(page, "5.txt")).to_be_focused()
        page.keyboard.press("Home")
        page.keyboard.press("Shift+ArrowDown")
        page.keyboard.press("Shift+ArrowDown")
        expect(chosen(page)).to_have_count(3)
        page.keyboard.press("Control+a")
        expect(chosen(page)).to_have_count(6)
        page.keyboard.press("Escape")
        expect(chosen(page)).to_have_count(0)
        page.keyboard.press("Space")
        expect(row(page, "2.txt")).to_have_attribute("aria-selected", "true")
        page.keyboard.press("Delete")
        expect(names(page)).to_have_text(["0.txt", "1.txt", "3.txt", "4.txt", "5.txt"])
        expect(row(page, "3.txt")).to_be_focused()
        page.keyboard.press("Delete")
        expect(names(page)).to_have_text(["0.txt", "1.txt", "4.txt", "5.txt"])
        expect(row(page, "4.txt")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="4.txt", level=1)).to_be_visible()


@pytest.mark.parametrize("view", ["List", "Tiles"])
def test_the_focus_follows_its_file_while_others_add_and_delete(
    browser: Browser, sqlite_instance: Instance, view: str
) -> None:
    folder = f"changing {view}/"
    fill(sqlite_instance, folder, {f"{number}.txt": 1 for number in range(1, 5)})
    token = sqlite_instance.session("member")

    def delete(name: str) -> None:
        items = sqlite_instance.call("GET", f"/api/repo?prefix={folder.replace(' ', '%20')}", None, token)["items"]
        (found,) = [item["id"] for item in items if item["filename"] == name]
        sqlite_instance.call("DELETE", f"/api/repo-obj/{found}", None, token)

    with window(browser, sqlite_instance.url, token=token) as page:
        page.goto(f"/app/files?in={folder}")
        page.get_by_role("button", name=view, exact=True).click()
        entries = page.get_by_role("grid").locator("[data-entry]")
        expect(entries).to_have_count(4)
        entry = page.get_by_role("grid").locator("[data-entry]:focus")
        entries.filter(has_text="3.txt").focus()
        fill(sqlite_instance, folder, {"0.txt": 1})
        expect(entries).to_have_count(5)
        expect(entry).to_contain_text("3.txt")
        delete("3.txt")
        expect(entries).to_have_count(4)
        expect(entry).to_contain_text("4.txt")
        delete("4.txt")
        expect(entries).to_have_count(3)
        expect(entry).to_contain_text("2.txt")
        page.keyboard.press("Delete")
        expect(entries).to_contain_text(["0.txt", "1.txt"])
        expect(entry).to_contain_text("1.txt")


@pytest.mark.parametrize("view", ["List", "Tiles"])
def test_a_slow_deletion_leaves_the_focus_in_the_list(browser: Browser, sqlite_instance: Instance, view: str) -> None:
    folder = f"slow {view}/"
    fill(sqlite_instance, folder, {"1.txt": 1, "2.txt": 1, "3.txt": 1})

    def late(route: Route) -> None:
        page.wait_for_timeout(1_000)
        route.continue_()

    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto(f"/app/files?in={folder}")
        page.get_by_role("button", name=view, exact=True).click()
        entries = page.get_by_role("grid").locator("[data-entry]")
        entries.filter(has_text="2.txt").focus()
        page.route("**/api/repo-obj/*", late, times=1)
        page.keyboard.press("Delete")
        expect(entries).to_contain_text(["1.txt", "3.txt"])
        expect(page.get_by_role("grid").locator("[data-entry]:focus")).to_contain_text("3.txt")


def test_a_new_folder_takes_the_focus(browser: Browser, sqlite_instance: Instance) -> None:
    fill(sqlite_instance, "with room/", {"apple.txt": 1})
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/files?in=with%20room/")
        row(page, "apple.txt").focus()
        page.keyboard.press("Shift+N")
        page.get_by_role("dialog", name="New folder").get_by_label("Name").fill("drafts")
        page.keyboard.press("Enter")
        expect(page.get_by_role("group", name="This folder is empty")).to_be_focused()
        page.keyboard.press("Backspace")
        expect(row(page, "apple.txt")).to_be_focused()


def test_every_action_has_a_key(browser: Browser, sqlite_instance: Instance) -> None:
    fill(
        sqlite_instance,
        "by key/",
        {
            "apple.txt": 1,
            "banana.txt": 1,
            "berry.txt": 1,
            "crate/old berry.txt": 1,
            "crate/pear.txt": 1,
            "plum tree.txt": 1,
        },
    )
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/files?in=by%20key/")
        expect(names(page)).to_have_text(["crate", "apple.txt", "banana.txt", "berry.txt", "plum tree.txt"])
        row(page, "crate").focus()
        page.keyboard.type("be")
        expect(row(page, "berry.txt")).to_be_focused()
        page.wait_for_timeout(1_000)  # a new name begins
        page.keyboard.type("plum t")
        expect(row(page, "plum tree.txt")).to_be_focused()
        expect(chosen(page)).to_have_count(0)
        page.wait_for_timeout(1_000)
        page.keyboard.type("c")
        expect(row(page, "crate")).to_be_focused()
        page.keyboard.press("Enter")
        expect(row(page, "old berry.txt")).to_be_focused()
        page.keyboard.press("Backspace")
        expect(row(page, "crate")).to_be_focused()
        for keys, dialog in (
            ("Shift+M", "Move “crate”"), ("Shift+C", "Copy “crate”"), ("Shift+S", "Share “crate”"), ("F2", "Rename “crate”"),
            ("Shift+N", "New folder"),
        ):  # fmt: skip
            page.keyboard.press(keys)
            expect(page.get_by_role("dialog", name=dialog)).to_be_visible()
            page.keyboard.press("Escape")
            expect(page.get_by_role("dialog")).to_have_count(0)
            expect(row(page, "crate")).to_be_focused()
        with page.expect_download() as download:
            page.keyboard.press("Shift+D")
        assert download.value.suggested_filename == "crate.zip"
        page.keyboard.press("Shift+F10")
        expect(page.get_by_role("menuitem", name="Download")).to_be_focused()
        page.keyboard.press("Escape")
        expect(row(page, "crate")).to_be_focused()
        page.keyboard.press("?")
        help_ = page.get_by_role("dialog", name="Keyboard shortcuts")
        listed = help_.get_by_role("table", name="In the list")
        for title, caps in (
            ("Move…", "ShiftM"),
            ("Go to a name", "A–Z"),
            ("Select all", "CtrlA"),
            ("Delete", "Delete"),
        ):
            expect(listed.get_by_role("row", name=title)).to_contain_text(caps)
        expect(help_.get_by_role("table", name="Anywhere").get_by_role("row", name="New folder")).to_contain_text(
            "ShiftN"
        )


def test_clicks_select_one_more_or_a_range(browser: Browser, sqlite_instance: Instance) -> None:
    fill(sqlite_instance, "clicked/", {f"{number}.txt": 1 for number in range(5)})
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/files?in=clicked/")
        expect(names(page)).to_have_count(5)
        size(page, "1.txt").click()
        expect(chosen(page)).to_have_count(1)
        size(page, "3.txt").click(modifiers=["Shift"])
        expect(chosen(page)).to_have_count(3)
        size(page, "2.txt").click(modifiers=["ControlOrMeta"])
        expect(chosen(page)).to_have_count(2)
        page.get_by_role("button", name="Clear selection").click()
        expect(chosen(page)).to_have_count(0)
        page.get_by_role("checkbox", name="Select all").check()
        expect(page.get_by_role("toolbar")).to_contain_text("5 selected")


def test_many_files_are_deleted_at_once(browser: Browser, sqlite_instance: Instance) -> None:
    fill(sqlite_instance, "bulk/", {"a.txt": 1, "b.txt": 1, "old/c.txt": 1, "old/deep/d.txt": 1, "stays.txt": 1})
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/files?in=bulk/")
        for name in ("a.txt", "b.txt", "old"):
            page.get_by_role("checkbox", name=f"Select {name}", exact=True).check()
        page.get_by_role("toolbar").get_by_role("button", name="Delete").click()
        dialog = page.get_by_role("dialog", name="Delete 3 items?")
        expect(dialog).to_contain_text("Moves to the trash for 30 days.")
        dialog.get_by_role("button", name="Delete").click()
        expect(page.get_by_text("4 files deleted")).to_be_visible()
        expect(names(page)).to_have_text(["stays.txt"])
    assert keys(sqlite_instance, "member", "bulk/") == ["bulk/stays.txt"]


def test_many_files_are_downloaded_as_one_zip(browser: Browser, sqlite_instance: Instance) -> None:
    fill(sqlite_instance, "zipped/", {"a.txt": 1, "b.txt": 2, "sub/c.txt": 3})
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/files?in=zipped/")
        expect(names(page)).to_have_count(3)
        for name in ("a.txt", "sub"):
            page.get_by_role("checkbox", name=f"Select {name}", exact=True).check()
        with page.expect_download() as download:
            page.get_by_role("toolbar").get_by_role("button", name="Download").click()
        assert download.value.suggested_filename == "zipped.zip"
        with zipfile.ZipFile(download.value.path()) as archive:
            assert sorted(info.file_size for info in archive.infolist()) == [1, 3]


def test_a_zip_that_the_server_refuses_is_not_passed_over_in_silence(
    browser: Browser, sqlite_instance: Instance
) -> None:
    fill(sqlite_instance, "refused/", {"a.txt": 1, "b.txt": 2})
    token = sqlite_instance.session("member")
    # The refusal may not be shown in a frame.
    with window(browser, sqlite_instance.url, token=token, expected="frame-ancestors") as page:
        page.goto("/app/files?in=refused/")
        page.get_by_role("checkbox", name="Select all").check()
        # With a list that this server has not signed.
        page.route("**/api/repo-zip/form", lambda route: route.continue_(post_data="list=other"), times=1)
        download = page.get_by_role("toolbar").get_by_role("button", name="Download")
        download.click()
        expect(page.get_by_role("alert")).to_contain_text("The download couldn’t start.")
        with page.expect_download() as saved:
            download.click()
        assert saved.value.suggested_filename == "refused.zip"


def test_a_zip_of_many_chosen_files_is_saved_as_it_arrives(browser: Browser, sqlite_instance: Instance) -> None:
    fill(sqlite_instance, "hundreds/", {f"{number:03}.txt": number for number in range(150)})
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/files?in=hundreds/")
        page.get_by_role("checkbox", name="Select all").check()
        page.get_by_role("checkbox", name="Select 000.txt", exact=True).uncheck()
        with page.expect_download() as download:
            page.get_by_role("toolbar").get_by_role("button", name="Download").click()
        assert download.value.url.endswith("/api/repo-zip/form")  # not a copy in the page's memory
        with zipfile.ZipFile(download.value.path()) as archive:
            assert sorted(info.file_size for info in archive.infolist()) == list(range(1, 150))


def test_a_folder_is_deleted_as_a_file_is(browser: Browser, sqlite_instance: Instance) -> None:
    fill(sqlite_instance, "alike/", {"old/a.txt": 1, "old/deep/b.txt": 1, "stays.txt": 1})
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/files?in=alike/")
        row(page, "old").get_by_role("button", name="Actions for old").click()
        page.get_by_role("menuitem", name="Delete").click()
        expect(names(page)).to_have_text(["stays.txt"])
        page.get_by_role("alert").filter(has_text="2 files deleted").get_by_role("button", name="Undo").click()
        expect(names(page)).to_have_text(["old", "stays.txt"])
    assert keys(sqlite_instance, "member", "alike/") == ["alike/old/a.txt", "alike/old/deep/b.txt", "alike/stays.txt"]


def test_many_files_and_folders_are_shared_at_once(browser: Browser, sqlite_instance: Instance) -> None:
    guest = PEOPLE["guest"]
    fill(sqlite_instance, "shared/", {"a.txt": 1, "b.txt": 1, "old/c.txt": 1, "stays.txt": 1})
    sqlite_instance.upload("shared/old/theirs.txt", b"x", "operator")
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/files?in=shared/")
        for name in ("a.txt", "b.txt", "old"):
            page.get_by_role("checkbox", name=f"Select {name}", exact=True).check()
        page.get_by_role("toolbar").get_by_role("button", name="Share").click()
        dialog = page.get_by_role("dialog", name="Share 3 items")
        expect(dialog).to_contain_text("In folders, all current files are shared.")
        share_with(page, dialog, guest.name[:4], guest.name, "Can view", "Never")
        # One file is somebody else's: it is named, and the others are shared.
        report = page.get_by_role("dialog", name="Sharing")
        expect(report).to_contain_text("Access to 3 files changed")
        expect(report.get_by_role("region", name="Files that failed").get_by_role("listitem")).to_contain_text(
            ["shared/old/theirs.txt"]
        )
        page.keyboard.press("Escape")
        row(page, "old").get_by_role("button", name="Actions for old").click()
        page.get_by_role("menuitem", name="Share…").click()
        expect(page.get_by_role("dialog", name="Share “old”")).to_be_visible()
    shared = [
        item["key"]
        for item in sqlite_instance.call("GET", "/api/repo?shared=1", None, sqlite_instance.session("guest"))["items"]
    ]
    assert sorted(key for key in shared if key.startswith("shared/")) == [
        "shared/a.txt",
        "shared/b.txt",
        "shared/old/c.txt",
    ]


def test_the_tree_opens_folders_by_mouse_and_keys(browser: Browser, sqlite_instance: Instance) -> None:
    fill(sqlite_instance, "trees/", {"one/a.txt": 1, "one/two/b.txt": 1, "three/c.txt": 1})
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/files?in=trees/")
        expect(names(page)).to_have_text(["one", "three"])
        tree = page.get_by_role("tree", name="Folders")
        here = tree.get_by_role("treeitem", name="trees", exact=True)
        expect(here).to_have_attribute("aria-selected", "true")
        here.focus()
        page.keyboard.press("ArrowRight")
        expect(tree.get_by_role("treeitem", name="one", exact=True)).to_be_visible()
        page.keyboard.press("ArrowRight")
        expect(tree.get_by_role("treeitem", name="one", exact=True)).to_be_focused()
        page.keyboard.press("ArrowRight")
        expect(tree.get_by_role("treeitem", name="two", exact=True)).to_be_visible()
        page.keyboard.press("ArrowDown")
        expect(tree.get_by_role("treeitem", name="two", exact=True)).to_be_focused()
        page.keyboard.press("Enter")
        expect(names(page)).to_have_text(["b.txt"])
        page.keyboard.press("ArrowLeft")
        expect(tree.get_by_role("treeitem", name="one", exact=True)).to_be_focused()
        tree.get_by_text("three", exact=True).click()
        expect(names(page)).to_have_text(["c.txt"])
        page.get_by_role("button", name="Folder tree").click()
        expect(tree).to_have_count(0)


def test_rows_and_tiles_show_thumbnails_of_images_and_pdfs(browser: Browser, sqlite_instance: Instance) -> None:
    sqlite_instance.upload("drawn/sunset.png", picture(), "member")
    sqlite_instance.upload("drawn/sunset.pdf", picture("PDF"), "member")
    sqlite_instance.upload("drawn/broken.jpg", b"no image", "member")
    sqlite_instance.upload("drawn/words.txt", b"Words", "member")
    asked: list[str] = []
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.on("request", lambda request: asked.append(urlsplit(request.url).path.rpartition("/")[2]))
        page.goto("/app/files?in=drawn/")
        grid = page.get_by_role("grid")
        expect(grid.get_by_role("row", name="sunset.png").locator("img")).to_have_js_property("naturalWidth", 96)
        expect(grid.get_by_role("row", name="sunset.pdf").locator("img")).to_have_js_property("naturalWidth", 96)
        expect(grid.get_by_role("row", name="broken.jpg").locator("a svg")).to_be_visible()
        page.get_by_role("button", name="Tiles").click()
        expect(grid.locator("img")).to_have_count(2)
        for image in grid.locator("img").all():
            expect(image).to_have_js_property("complete", True)
            assert image.evaluate("image => Math.max(image.naturalWidth, image.naturalHeight)") > 96
        assert asked.count("thumbnail") == 6 and "content" not in asked


def test_tiles_show_pictures_and_are_remembered(browser: Browser, sqlite_instance: Instance) -> None:
    sqlite_instance.upload("tiles/sunset.png", picture(), "member")
    fill(sqlite_instance, "tiles/", {"a.txt": 1, "b.txt": 1})
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/files?in=tiles/")
        page.get_by_role("button", name="Tiles").click()
        grid = page.get_by_role("grid")
        expect(grid.get_by_role("gridcell")).to_have_count(3)
        expect(grid.locator("img")).to_have_attribute("src", re.compile("^blob:"))
        grid.get_by_role("gridcell").first.focus()
        page.keyboard.press("ArrowRight")
        expect(grid.get_by_role("gridcell").nth(1)).to_be_focused()
        page.keyboard.press("Space")
        expect(page.get_by_role("toolbar")).to_contain_text("1 selected")
        page.reload()
        expect(page.get_by_role("button", name="Tiles")).to_have_attribute("aria-pressed", "true")
        expect(grid.get_by_role("gridcell")).to_have_count(3)


def test_a_long_folder_scrolls_to_its_end_and_back(browser: Browser, sqlite_instance: Instance) -> None:
    """The server's answers are made up, so that the folder can be long."""
    total, page_size = 100_000, 200

    def item(number: int) -> dict[str, object]:
        return {
            "id": f"id-{number:06}", "key": f"long/{number:06}.txt", "filename": f"{number:06}.txt",
            "content_type": "text/plain", "size": number, "sha256": None, "visibility": "team", "owner": "x",
            "team_id": sqlite_instance.team["id"], "version": 1, "text_state": "none",
            "created_at": "2026-01-01T00:00:00.000Z", "updated_at": "2026-01-01T00:00:00.000Z",
        }  # fmt: skip

    def answer(route: Route) -> None:
        found = re.search(r"cursor=(\d+)", route.request.url)
        start = int(found[1]) if found else 0
        end = min(start + page_size, total)
        body = {
            "items": [item(number) for number in range(start, end)], "folders": [],
            "next_cursor": str(end) if end < total else None,
        }  # fmt: skip
        route.fulfill(json=body)

    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.route("**/api/repo?*prefix=long*", answer)
        page.goto("/app/files?in=long/")
        expect(page.get_by_text("Folders with more than 5,000 items can only be sorted by name.")).to_be_visible()
        assert page.get_by_role("grid").get_by_role("row").count() < 80
        row(page, "000000.txt").focus()
        page.keyboard.press("End")
        expect(row(page, re.compile(r"00[5-9]\d\d\d\.txt")).last).to_be_visible()
        expect(page.get_by_role("grid").locator(":focus")).to_have_count(1)
        page.keyboard.press("Home")
        expect(row(page, "000000.txt")).to_be_focused()
        expect(row(page, "000000.txt")).to_be_in_viewport()
        # Rows take over each other's elements: what is focused stays, and readers meet all of them in order.
        row(page, "000003.txt").click(modifiers=["Control"])
        for turn in (9_000, -1_000, 30_000, -7_000):
            page.mouse.wheel(0, turn)
            page.wait_for_timeout(100)
        expect(row(page, "000003.txt")).to_be_focused()
        expect(row(page, "000003.txt")).not_to_be_in_viewport()
        page.wait_for_function(IN_ORDER)
        seen = row(page, re.compile(r"000[1-9]\d\d\.txt")).filter(visible=True).first
        expect(seen.get_by_role("checkbox")).not_to_be_checked()
        name = seen.get_by_role("rowheader").inner_text()
        expect(seen.get_by_role("link")).to_have_attribute(
            "href", re.compile(f"/files/id-{name.removesuffix('.txt')}$")
        )


def fill(instance: Instance, folder: str, sizes: dict[str, int]) -> None:
    for name, size in sizes.items():
        instance.upload((folder + name).replace(" ", "%20"), b"x" * size, "member")


def title(page: Page, name: str) -> Locator:
    return page.get_by_role("columnheader", name=name, exact=True)


def row(page: Page, name: str | re.Pattern[str]) -> Locator:
    return page.get_by_role("grid").get_by_role("row").filter(has=page.get_by_role("link", name=name))


def size(page: Page, name: str) -> Locator:
    """A part of the row that isn't a link."""
    return row(page, name).locator("[data-column=size]")


def chosen(page: Page) -> Locator:
    return page.get_by_role("grid").locator("[role=row][aria-selected=true]")
