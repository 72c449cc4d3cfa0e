"""Moving, renaming and copying files in the console."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.console.browser import window
from tests.console.instance import Instance
from tests.console.test_file_list import fill, row
from tests.console.test_files import keys, names

pytestmark = [pytest.mark.sampled(8), pytest.mark.about("console/repository", "repository")]


def test_a_file_is_renamed_by_its_menu_and_by_a_key(browser: Browser, sqlite_instance: Instance) -> None:
    fill(sqlite_instance, "names/", {"draft.txt": 1, "other.txt": 1})
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/files?in=names/")
        choose(page, "draft.txt", "Rename…")
        dialog = page.get_by_role("dialog", name="Rename “draft.txt”")
        expect(dialog.get_by_label("New name")).to_be_focused()
        dialog.get_by_label("New name").fill("a/b")
        expect(dialog).to_contain_text("A name can’t contain a slash.")
        dialog.get_by_label("New name").fill("final.txt")
        dialog.get_by_role("button", name="Rename").click()
        expect(names(page)).to_have_text(["final.txt", "other.txt"])
        expect(dialog).to_have_count(0)  # what had the focus before it has it again
        row(page, "other.txt").focus()
        page.keyboard.press("F2")
        page.get_by_role("dialog", name="Rename “other.txt”").get_by_label("New name").fill("final.txt")
        page.keyboard.press("Enter")
        taken = page.get_by_role("dialog", name="Moving")
        expect(taken).to_contain_text("“names/final.txt” already exists.")
        taken.get_by_role("button", name="Keep both").click()
        expect(names(page)).to_have_text(["final (2).txt", "final.txt"])


def test_many_are_moved_to_a_new_folder_and_back_by_undo(browser: Browser, sqlite_instance: Instance) -> None:
    fill(sqlite_instance, "many moves/", {"a.txt": 1, "b.txt": 1, "old/c.txt": 1, "old/deep/d.txt": 1})
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/files?in=many%20moves/")
        for name in ("a.txt", "old"):
            page.get_by_role("checkbox", name=f"Select {name}", exact=True).check()
        page.get_by_role("toolbar", name="Actions for the selection").get_by_role("button", name="Move…").click()
        dialog = page.get_by_role("dialog", name="Move 2 items")
        expect(dialog.get_by_role("button", name="Move here")).to_be_disabled()
        dialog.get_by_label("New subfolder").fill("kept/2026")
        expect(dialog.get_by_role("status")).to_have_text("To: many moves/kept/2026/")
        dialog.get_by_role("button", name="Move here").click()
        expect(names(page)).to_have_text(["kept", "b.txt"])
        assert keys(sqlite_instance, "member", "many%20moves/kept/") == [
            "many moves/kept/2026/a.txt", "many moves/kept/2026/old/c.txt", "many moves/kept/2026/old/deep/d.txt",
        ]  # fmt: skip
        page.get_by_role("alert").filter(has_text="3 files moved").get_by_role("button", name="Undo").click()
        expect(names(page)).to_have_text(["old", "a.txt", "b.txt"])


def test_a_copy_beside_its_original_gets_another_name(browser: Browser, sqlite_instance: Instance) -> None:
    fill(sqlite_instance, "copies/", {"a.txt": 1})
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/files?in=copies/")
        choose(page, "a.txt", "Copy…")
        page.get_by_role("dialog").get_by_role("button", name="Copy here").click()
        expect(names(page)).to_have_text(["a (2).txt", "a.txt"])


def test_taken_names_are_replaced_kept_or_skipped_one_by_one_or_all(
    browser: Browser, sqlite_instance: Instance
) -> None:
    folders = {"from/": 3, "onto/": 1}
    for folder, size in folders.items():
        fill(sqlite_instance, f"clash/{folder}", {f"{name}.txt": size for name in "abcd"})
    fill(sqlite_instance, "clash/from/", {"e.txt": 1})
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/files?in=clash/from/")
        page.get_by_role("checkbox", name="Select all").check()
        page.get_by_role("toolbar").get_by_role("button", name="Move…").click()
        place = page.get_by_role("dialog", name="Move 5 items")
        place.get_by_role("treeitem", name="onto").click()
        place.get_by_role("button", name="Move here").click()
        taken = page.get_by_role("dialog", name="Moving")
        for name, answer in (("a", "Replace"), ("b", "Keep both"), ("c", "Skip")):
            expect(taken.get_by_role("alert")).to_contain_text(f"“clash/onto/{name}.txt” already exists.")
            taken.get_by_role("button", name=answer).click()
        expect(taken.get_by_role("alert")).to_contain_text("clash/onto/d.txt")
        taken.get_by_role("checkbox", name="Do this for all conflicts").check()
        taken.get_by_role("button", name="Replace").click()
        told = page.get_by_role("alert").filter(has_text="2 files replaced")
        expect(told).to_contain_text("2 files moved")
        expect(names(page)).to_have_text(["c.txt"])
        assert keys(sqlite_instance, "member", "clash/onto/") == [
            f"clash/onto/{name}.txt" for name in ("a", "b (2)", "b", "c", "d", "e")
        ]
    listed = sqlite_instance.call("GET", "/api/repo?prefix=clash/onto/", None, sqlite_instance.session("member"))
    versions = {item["key"].removeprefix("clash/onto/"): (item["version"], item["size"]) for item in listed["items"]}
    assert (versions["a.txt"], versions["c.txt"]) == ((2, 3), (1, 1))


def test_files_are_dragged_onto_folders_and_the_breadcrumb(browser: Browser, sqlite_instance: Instance) -> None:
    fill(sqlite_instance, "dragged/", {"a.txt": 1, "b.txt": 1, "box/c.txt": 1})
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/files?in=dragged/")
        row(page, "a.txt").drag_to(row(page, "box"))
        expect(names(page)).to_have_text(["box", "b.txt"])
        page.get_by_role("grid").get_by_role("link", name="box").click()
        expect(names(page)).to_have_text(["a.txt", "c.txt"])
        row(page, "c.txt").drag_to(
            page.get_by_role("navigation", name="Folder path").get_by_role("link", name="dragged")
        )
        expect(names(page)).to_have_text(["a.txt"])
    assert keys(sqlite_instance, "member", "dragged/") == ["dragged/b.txt", "dragged/box/a.txt", "dragged/c.txt"]


def test_what_cannot_be_moved_is_reported(browser: Browser, sqlite_instance: Instance) -> None:
    fill(sqlite_instance, "mixed/", {"mine.txt": 1})
    foreign = sqlite_instance.upload("mixed/theirs.txt", b"x", visibility="private")
    sqlite_instance.share(foreign, "member")
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/files?in=mixed/")
        page.get_by_role("checkbox", name="Select all").check()
        page.get_by_role("button", name="Move…").click()
        page.get_by_label("New subfolder").fill("away")
        page.get_by_role("button", name="Move here").click()
        report = page.get_by_role("dialog", name="Moving")
        expect(report.get_by_role("alert")).to_contain_text("1 file failed.")
        expect(report.get_by_role("list")).to_contain_text("mixed/theirs.txt")
        report.get_by_role("button", name="Close", exact=True).last.click()
        expect(names(page)).to_have_text(["away", "theirs.txt"])


def test_an_open_file_is_renamed_and_its_neighbours_are_reached(browser: Browser, sqlite_instance: Instance) -> None:
    fill(sqlite_instance, "near/", {"1.txt": 1, "2.txt": 1, "10.txt": 1})
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/files?in=near/")
        page.get_by_role("grid").get_by_role("link", name="2.txt", exact=True).click()
        heading = page.get_by_role("heading", level=1)
        expect(heading).to_have_text("2.txt")
        expect(page.get_by_role("button", name="Next file")).to_be_enabled()
        page.keyboard.press("j")
        expect(heading).to_have_text("10.txt")
        expect(page.get_by_role("button", name="Next file")).to_be_disabled()
        page.keyboard.press("ArrowLeft")
        expect(heading).to_have_text("2.txt")
        page.get_by_role("button", name="More actions").click()
        page.get_by_role("menuitem", name="Rename…").click()
        page.get_by_role("dialog").get_by_label("New name").fill("two.txt")
        page.keyboard.press("Enter")
        expect(heading).to_have_text("two.txt")
        expect(page).to_have_url(re.compile(r"/app/files/[^?]+$"))


def test_the_neighbours_of_a_file_are_those_of_the_whole_folder(browser: Browser, sqlite_instance: Instance) -> None:
    fill(sqlite_instance, "around/", {"1.txt": 1, "10.txt": 1, "2.txt": 1})
    token = sqlite_instance.session("member")
    files = sqlite_instance.call("GET", "/api/repo?prefix=around/2.txt", None, token)["items"]
    with window(browser, sqlite_instance.url, token=token) as page:
        # In pages of one file, by key.
        page.route(
            re.compile("/api/repo[?].*limit=200"),
            lambda route: route.continue_(url=route.request.url.replace("limit=200", "limit=1")),
        )
        page.goto(f"/app/files/{files[0]['id']}")
        heading = page.get_by_role("heading", level=1)
        expect(heading).to_have_text("2.txt")
        page.get_by_role("button", name="Previous file").click()
        expect(heading).to_have_text("1.txt")
        expect(page.get_by_role("button", name="Previous file")).to_be_disabled()
        for name in ("2.txt", "10.txt"):
            page.get_by_role("button", name="Next file").click()
            expect(heading).to_have_text(name)
        expect(page.get_by_role("button", name="Next file")).to_be_disabled()


def choose(page: Page, name: str, action: str) -> None:
    page.get_by_role("button", name=f"Actions for {name}").click()
    page.get_by_role("menuitem", name=action).click()
