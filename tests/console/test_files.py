"""Files in the console: uploads, conflicts, previews, versions and sharing."""

import re
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Dialog, Locator, Page, expect

from tests.console.browser import settle, visit, window
from tests.console.instance import PEOPLE, Instance, picture

pytestmark = [
    pytest.mark.sampled(8),
    pytest.mark.about("console/home", "console/repository", "blobs", "extraction", "repository"),
]

EXPIRY_SECONDS = 2.0
MARKDOWN = "# Winter storage\n\nThe boats go to **hall 3**.\n"
# The choice when a name exists; then the names in the folder and the version of the last one.
ANSWERS = {
    "Replace": (["plan.txt"], 2),
    "Keep both": (["plan (2).txt", "plan.txt"], 1),
    "Skip": (["plan.txt"], 1),
}
# Actions on a shared file, and the access levels that allow them.
ACTIONS = {
    "Restore version 1": ("edit", "manage"),
    "Share": ("manage",),
    "Access: Private. Change": ("manage",),
    "Delete file": ("manage",),
    # A grant lets guests change a file, but not name it: the server refuses that.
    "Rename…": (),
    "Move…": (),
    "Copy…": (),
}


def test_a_folder_is_uploaded_with_its_subfolders(browser: Browser, instance: Instance, tmp_path: Path) -> None:
    tree = {"summer/plan.md": MARKDOWN, "summer/boats/one.txt": "One.", "summer/boats/two.txt": "Two."}
    for name, text in tree.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    with window(browser, instance.url, token=instance.session("member")) as page:
        page.goto("/app/files?in=whole/")
        expect(page.get_by_role("heading", name="This folder is empty")).to_be_visible()
        with page.expect_file_chooser():
            page.get_by_role("button", name="Upload files").click()
        page.set_input_files("input[data-what=folder]", tmp_path / "summer")
        expect(upload_tray(page).get_by_role("status")).to_have_text("3 files uploaded")
        page.get_by_role("link", name="summer").click()
        expect(names(page)).to_have_text(["boats", "plan.md"])
        page.get_by_role("link", name="boats", exact=True).click()
        expect(names(page)).to_have_text(["one.txt", "two.txt"])
        expect(page).to_have_url(re.compile(r"/app/files\?in=whole%2Fsummer%2Fboats%2F"))
        page.reload()
        expect(names(page)).to_have_text(["one.txt", "two.txt"])
        page.get_by_role("navigation", name="Folder path").get_by_role("link", name="whole").click()
        expect(names(page)).to_have_text(["summer"])
    assert keys(instance, "member", "whole/") == [f"whole/{name}" for name in sorted(tree)]


def test_files_can_be_dropped_anywhere(browser: Browser, sqlite_instance: Instance) -> None:
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/files?in=dropped/")
        settle(page)
        transfer = page.evaluate_handle(
            "() => { const data = new DataTransfer(); data.items.add(new File(['Ahoy.'], 'ahoy.txt')); return data }"
        )
        page.dispatch_event("body", "dragenter", {"dataTransfer": transfer})
        expect(page.get_by_text("Drop to upload to dropped")).to_be_visible()
        page.dispatch_event("body", "drop", {"dataTransfer": transfer})
        expect(page.get_by_text("Drop to upload to dropped")).to_have_count(0)
        expect(names(page)).to_have_text(["ahoy.txt"])


def test_files_can_be_dropped_on_a_folder(browser: Browser, sqlite_instance: Instance) -> None:
    sqlite_instance.upload("aim/below/there.txt", b"x", "member")
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/files?in=aim/")
        tree = page.get_by_role("tree", name="Folders")
        path = page.get_by_role("navigation", name="Folder path")
        for name, folder, words in (
            ("row.txt", page.get_by_role("grid").get_by_role("link", name="below"), "Drop to upload to aim/below"),
            ("tree.txt", tree.get_by_role("treeitem", name="aim", exact=True), "Drop to upload to aim"),
            ("path.txt", path.get_by_role("link", name="Files"), "Drop to upload"),
        ):
            transfer = page.evaluate_handle(
                "(name) => { const data = new DataTransfer(); data.items.add(new File(['x'], name)); return data }",
                name,
            )
            folder.dispatch_event("dragenter", {"dataTransfer": transfer})
            folder.dispatch_event("dragover", {"dataTransfer": transfer})
            expect(page.get_by_text(words, exact=True)).to_be_visible()
            folder.dispatch_event("drop", {"dataTransfer": transfer})
            expect(upload_tray(page).get_by_role("status")).to_contain_text("uploaded")
        expect(names(page)).to_have_text(["below", "tree.txt"])
    assert keys(sqlite_instance, "member", "aim/below/") == ["aim/below/row.txt", "aim/below/there.txt"]
    assert keys(sqlite_instance, "member", "path.txt") == ["path.txt"]


def test_a_right_click_opens_the_menu_of_the_row(browser: Browser, sqlite_instance: Instance) -> None:
    sqlite_instance.upload("right/here.txt", b"x", "member")
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/files?in=right/")
        link = page.get_by_role("link", name="here.txt")
        link.click(button="right")
        menu, at = page.get_by_role("menu", name="Actions for here.txt"), link.bounding_box()
        expect(menu).to_be_visible()
        shown = menu.bounding_box()
        assert at and shown and abs(shown["x"] - at["x"]) < at["width"] + 20
        page.keyboard.press("Escape")
        expect(page.locator("[data-entry]")).to_be_focused()
        link.click(button="right")
        menu.get_by_role("menuitem", name="Rename…").click()
        expect(page.get_by_role("dialog", name="Rename “here.txt”")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("button", name="Actions for here.txt")).to_be_focused()
        page.keyboard.press("Enter")
        expect(menu.get_by_role("menuitem").first).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.get_by_role("button", name="Actions for here.txt")).to_be_focused()


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_existing_name_offers_every_choice(browser: Browser, instance: Instance, answer: str) -> None:
    folder = f"taken {answer}/"
    instance.upload(quote(f"{folder}plan.txt"), b"The old plan.", "member")
    expected, version = ANSWERS[answer]
    with window(browser, instance.url, token=instance.session("member")) as page:
        page.goto(f"/app/files?in={quote(folder)}")
        expect(names(page)).to_have_text(["plan.txt"])
        page.set_input_files("input[data-what=files]", [payload("plan.txt", b"The new plan.")])
        expect(upload_tray(page).get_by_role("alert")).to_contain_text(f"“{folder}plan.txt” already exists.")
        upload_tray(page).get_by_role("button", name=answer).click()
        expect(upload_tray(page).get_by_role("alert")).to_have_count(0)
        expect(names(page)).to_have_text(expected)
        page.get_by_role("grid").get_by_role("link", name="plan.txt", exact=False).last.click()
        page.get_by_role("tab", name="Versions").click()
        expect(page.get_by_role("link", name=f"Version {version}")).to_contain_text("Latest")


def test_one_choice_can_apply_to_all_conflicts(browser: Browser, sqlite_instance: Instance) -> None:
    files = [f"{number}.txt" for number in range(5)]
    for name in files:
        sqlite_instance.upload(f"many/{name}", b"Old.", "member")
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/files?in=many/")
        expect(names(page)).to_have_text(files)
        page.set_input_files("input[data-what=files]", [payload(name, b"New.") for name in files])
        upload_tray(page).get_by_label("Do this for all conflicts").check()
        upload_tray(page).get_by_role("button", name="Replace").click()
        expect(upload_tray(page).get_by_role("status")).to_have_text("5 files uploaded")


def test_an_upload_can_be_cancelled_and_retried(browser: Browser, sqlite_instance: Instance) -> None:
    """The request is held back until the upload is cancelled."""
    blocked: list[Callable[[], Any]] = []
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/files?in=slow/")
        settle(page)
        page.route("**/api/repo/slow/big.bin*", lambda route: blocked.append(route.continue_))
        page.set_input_files("input[data-what=files]", [payload("big.bin", bytes(200_000)), payload("small.bin", b"1")])
        expect(names(page)).to_have_text(["small.bin"])
        page.get_by_role("navigation", name="Main").get_by_role("link", name="Notes").click()
        expect(upload_tray(page).get_by_role("progressbar", name="Uploading big.bin")).to_be_visible()
        upload_tray(page).get_by_role("button", name="Cancel big.bin").click()
        expect(upload_tray(page).get_by_text("Cancelled")).to_be_visible()
        page.unroute("**/api/repo/slow/big.bin*")
        upload_tray(page).get_by_role("button", name="Retry big.bin").click()
        expect(upload_tray(page).get_by_role("status")).to_have_text("2 files uploaded")
        upload_tray(page).get_by_role("link", name="big.bin").click()
        expect(page.get_by_role("heading", name="big.bin", level=1)).to_be_visible()
        upload_tray(page).get_by_role("button", name="Close uploads").click()
        expect(upload_tray(page)).to_have_count(0)


def test_leaving_during_an_upload_asks_first(browser: Browser, sqlite_instance: Instance) -> None:
    dialogs: list[str] = []

    def accept(dialog: Dialog) -> None:
        dialogs.append(dialog.type)
        dialog.accept()

    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/files?in=leaving/")
        settle(page)
        page.route("**/api/repo/leaving/*", lambda route: None)
        page.get_by_role("button", name="New folder").focus()
        page.keyboard.press("Tab")
        page.set_input_files("input[data-what=files]", [payload("big.bin", b"1")])
        expect(upload_tray(page).get_by_role("progressbar", name="Uploading big.bin")).to_be_visible()
        page.on("dialog", accept)
        page.close(run_before_unload=True)
        page.wait_for_event("close")
    assert dialogs == ["beforeunload"]


def test_files_have_previews(browser: Browser, instance: Instance) -> None:
    with window(browser, instance.url, token=instance.session("member")) as page:
        page.goto(f"/app/files/{instance.upload('looks/list.txt', b'Ropes' + b'!' * 3, 'member')}")
        expect(page.get_by_role("region", name="File text")).to_have_text("Ropes!!!")
        page.goto(f"/app/files/{instance.upload('looks/storage.md', MARKDOWN.encode(), 'member')}")
        preview = page.get_by_role("region", name="Preview")
        expect(preview.get_by_role("heading", name="Winter storage")).to_be_visible()
        expect(preview.locator("strong")).to_have_text("hall 3")
        page.goto(f"/app/files/{instance.upload('looks/sunset.png', picture(), 'member')}")
        image = page.get_by_role("img", name="Preview of sunset.png")
        expect(image).to_be_visible()
        assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") == 640
        # A headless browser has no PDF viewer, and the page checks for one.
        page.add_init_script("Object.defineProperty(navigator, 'pdfViewerEnabled', { value: true })")
        page.goto(f"/app/files/{instance.upload('looks/sunset.pdf', picture('PDF'), 'member')}")
        expect(page.locator("iframe[title='Preview of sunset.pdf']")).to_have_attribute(
            "src", re.compile("^/api/repo-media/")
        )
        page.goto(f"/app/files/{instance.upload('looks/page.html', b'<script>alert(1)</script>', 'member')}")
        expect(page.get_by_role("heading", name="No preview available")).to_be_visible()
        with page.expect_download() as download:
            page.get_by_role("button", name="Download", exact=True).click()
        assert Path(download.value.path()).read_bytes() == b"<script>alert(1)</script>"
        assert download.value.suggested_filename == "page.html"


def test_an_old_version_is_viewed_downloaded_and_restored(browser: Browser, instance: Instance) -> None:
    file = instance.upload("rules.txt", b"Wear the vest.", "member")
    instance.upload("rules.txt", b"Wear nothing.", "owner")
    with window(browser, instance.url, token=instance.session("member")) as page:
        page.goto(f"/app/files/{file}?inspect=versions")
        text = page.get_by_role("region", name="File text")
        expect(text).to_have_text("Wear nothing.")
        version = page.get_by_role("link", name="Version 2")
        expect(version).to_contain_text(PEOPLE["owner"].name)
        page.get_by_role("link", name="Version 1").click()
        expect(text).to_have_text("Wear the vest.")
        with page.expect_download() as download:
            page.get_by_role("button", name="Download version 2").click()
        assert Path(download.value.path()).read_bytes() == b"Wear nothing."
        page.get_by_role("button", name="Restore version").click()
        expect(page.get_by_role("link", name="Version 3")).to_contain_text("Latest")
        expect(text).to_have_text("Wear the vest.")


def test_sharing_with_an_expiry_shows_who_has_access_and_why(browser: Browser, instance: Instance) -> None:
    file = instance.upload("crew/list.txt", b"Ida, Tomas", "member", "private")
    guest, admin = PEOPLE["guest"], PEOPLE["org_reader"]
    with window(browser, instance.url, token=instance.session("member")) as page:
        page.goto(f"/app/files/{file}")
        page.get_by_role("button", name="Share").click()
        dialog = page.get_by_role("dialog", name="Share “list.txt”")
        expect(dialog).to_contain_text("Not shared with anyone yet.")
        expect(dialog.get_by_label("Person or team")).to_be_focused()
        share_with(page, dialog, guest.name[:4], guest.name, "Can view", "7 days")
        row = dialog.get_by_role("list", name="People and teams with access").get_by_role("listitem")
        expect(row).to_contain_text([re.compile(f"{guest.name}.*expires in 7 days")])
        share_with(page, dialog, "harb", instance.team["name"], "Can edit", "Custom date…", "2099-12-31")
        expect(row).to_have_count(2)
        dialog.get_by_role("button", name="Who has access").click()
        why = dialog.get_by_role("list", name="Who has access")
        expect(why.get_by_role("listitem").filter(has_text=guest.name)).to_contain_text("Shared with them · can view")
        expect(why.get_by_role("listitem").filter(has_text=admin.name)).to_contain_text(
            f"Shared with {instance.team['name']} · can edit"
        )
        dialog.get_by_role("button", name=f"Remove {guest.name}").click()
        expect(row).to_have_count(1)
    with window(browser, instance.url, token=instance.session("guest")) as page:
        page.goto("/app/files?show=shared")
        expect(page.get_by_role("link", name="list.txt")).to_be_visible()


def test_a_share_ends_at_its_expiry(browser: Browser, instance: Instance) -> None:
    """The expiry is shortened to two seconds."""
    file = instance.upload("crew/rota.txt", b"Ida at noon.", visibility="private")
    guest = PEOPLE["guest"]
    with (
        window(browser, instance.url, token=instance.session("operator")) as owner,
        window(browser, instance.url, token=instance.session("guest")) as colleague,
    ):
        owner.goto(f"/app/files/{file}")
        dialog = owner.get_by_role("dialog", name="Share “rota.txt”")
        row = dialog.get_by_role("list", name="People and teams with access").get_by_role("listitem")
        owner.get_by_role("button", name="Share").click()
        share_with(owner, dialog, guest.username, guest.name, "Can view", "1 day")
        expect(row).to_contain_text("expires in")
        colleague.goto("/app/files?show=shared")
        colleague.get_by_role("link", name="rota.txt").click()
        expect(colleague.get_by_role("region", name="File text")).to_have_text("Ida at noon.")
        instance.share(file, "guest", expires_at=(datetime.now(UTC) + timedelta(seconds=EXPIRY_SECONDS)).isoformat())
        time.sleep(EXPIRY_SECONDS)
        colleague.reload()
        expect(colleague.get_by_role("heading", name="Not found")).to_be_visible()
        colleague.goto("/app/files?show=shared")
        settle(colleague)
        expect(colleague.get_by_role("link", name="rota.txt")).to_have_count(0)
        dialog.get_by_role("button", name="Close").click()
        expect(dialog).to_have_count(0)
        owner.get_by_role("button", name="Share").click()
        expect(row).to_contain_text("Expired")
        expect(row).to_contain_text("expired")


@pytest.mark.parametrize("capability", ["view", "edit", "manage"])
def test_actions_are_offered_by_access_level(browser: Browser, instance: Instance, capability: str) -> None:
    key = f"offered/{capability}.txt"
    file = instance.upload(key, b"The first.", visibility="private")
    instance.upload(key, b"The second.", visibility="private")
    instance.share(file, "guest", capability)
    with window(browser, instance.url, token=instance.session("guest")) as page:
        page.goto(f"/app/files/{file}?version=1")
        expect(page.get_by_role("region", name="File text")).to_have_text("The first.")
        page.get_by_role("button", name="More actions").click()
        expect(page.get_by_role("menuitem", name="Copy link")).to_be_visible()
        for action, capabilities in ACTIONS.items():
            controls = page.get_by_role("button", name=action, exact=True).or_(
                page.get_by_role("menuitem", name=action)
            )
            expect(controls).to_have_count(1 if capability in capabilities else 0)


def test_a_file_shows_its_sources_and_derived_files(browser: Browser, sqlite_instance: Instance) -> None:
    source = sqlite_instance.upload("letters/letter.txt", b"Dear harbour,", "member")
    derived = sqlite_instance.upload("letters/letter.es.txt", b"Querido puerto,", "member")
    insert_derivation(sqlite_instance, derived, source)
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        provenance = page.get_by_role("figure", name="Provenance")
        page.goto(f"/app/files/{source}?inspect=processing")
        expect(page.get_by_role("region", name="File text")).to_have_text("Dear harbour,")
        provenance.get_by_role("link", name="letter.es.txt", exact=True).click()
        expect(page.get_by_role("region", name="File text")).to_have_text("Querido puerto,")
        provenance.get_by_role("link", name="letter.txt", exact=True).click()
        expect(page.get_by_role("heading", name="letter.txt", level=1)).to_be_visible()


def test_a_file_shows_why_it_is_not_indexed(browser: Browser, sqlite_instance: Instance) -> None:
    file = sqlite_instance.upload("broken/broken.docx", b"No document at all.", "member")
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto(f"/app/files/{file}")
        details = page.get_by_role("complementary", name="Details")
        expect(details).to_contain_text("Not indexed")
        expect(details).to_contain_text("The file is damaged or has the wrong type.")


def test_recent_files_are_on_the_home_screen(browser: Browser, sqlite_instance: Instance) -> None:
    sqlite_instance.note("Good morning", "Coffee is ready.", "member")
    sqlite_instance.upload("newest.txt", b"Just in.", "member")
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/")
        page.get_by_role("region", name="Recent files and documents").get_by_role("link", name="newest.txt").click()
        expect(page.get_by_role("region", name="File text")).to_have_text("Just in.")


def test_a_guest_sees_shared_files_and_no_upload_hints(browser: Browser, sqlite_instance: Instance) -> None:
    file = sqlite_instance.upload("guests/tickets.txt", b"Two adults.", visibility="private")
    sqlite_instance.share(file, "guest")
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("guest")) as page:
        page.goto("/app/")
        shared = page.get_by_role("region", name="Shared with you")
        expect(shared.get_by_role("link", name="tickets.txt")).to_be_visible()
        for address in ("/files", "/files?in=nothing/", "/files?show=shared"):
            visit(page, address)
            expect(page.get_by_role("main")).not_to_contain_text(re.compile("drop|upload", re.IGNORECASE))


def test_deleting_a_file_needs_no_question_and_can_be_undone(browser: Browser, sqlite_instance: Instance) -> None:
    file = sqlite_instance.upload("gone/soon.txt", b"Soon.", "member")
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto(f"/app/files/{file}")
        page.get_by_role("button", name="More actions").click()
        page.get_by_role("menuitem", name="Delete file").click()
        expect(page.get_by_role("heading", name="This folder is empty")).to_be_visible()
        page.get_by_role("button", name="Undo").click()
        expect(page.get_by_role("heading", name="soon.txt")).to_be_visible()
        expect(page.get_by_role("region", name="File text")).to_have_text("Soon.")


def share_with(
    page: Page, dialog: Locator, letters: str, name: str, permission: str, expires: str, day: str = ""
) -> None:
    """Find a person or team by a few letters, and share."""
    dialog.get_by_label("Person or team").fill(letters)
    page.get_by_role("option", name=name).click()
    for label, choice in (("Permission", permission), ("Expires", expires)):
        dialog.get_by_label(label, exact=True).click()
        page.get_by_role("option", name=choice, exact=True).click()
    if day:
        dialog.get_by_label("Last day").fill(day)
    dialog.get_by_role("button", name="Share", exact=True).click()


def insert_derivation(instance: Instance, derived: str, source: str) -> None:
    """Record that a file was created from another."""
    row = (derived, 1, source, 1, 1, "", True, instance.org["id"], "translate", "2026-01-01T00:00:00.000Z")
    with closing(sqlite3.connect(Path(instance.served.settings["SERVICE_DATA"]) / "teamspace.sqlite")) as file, file:
        file.execute(
            "INSERT INTO object_derivations (object_id, number, source_id, source_number, checked_number, recipe, latest,"
            " org_id, step, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            row,
        )


def upload_tray(page: Page) -> Locator:
    return page.get_by_role("region", name="Uploads")


def names(page: Page) -> Locator:
    """The names in the open folder, in order."""
    return page.get_by_role("grid").locator("[role=rowheader] a > span")


def payload(name: str, content: bytes) -> Any:
    return {"name": name, "mimeType": "", "buffer": content}


def keys(instance: Instance, who: str, prefix: str) -> list[str]:
    found = instance.call("GET", f"/api/repo?prefix={prefix}", token=instance.session(who))["items"]
    return [item["key"] for item in found]
