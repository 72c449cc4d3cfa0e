"""Documents in the console: editing, conflicts, versions, comparison and sharing."""

import re

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.console.browser import window
from tests.console.instance import OPERATOR, PEOPLE, Instance
from tests.console.writing import (
    CHOICES,
    LINES,
    choose,
    collide,
    editor,
    leave_without_saving,
    opened_by_both,
    saved,
    write,
)

pytestmark = [pytest.mark.sampled(8), pytest.mark.about("console/documents", "documents", "repository")]


def test_a_new_document_is_saved_automatically_and_appears_in_files(browser: Browser, instance: Instance) -> None:
    with window(browser, instance.url, token=instance.session("member")) as page:
        page.goto("/app/documents")
        page.get_by_role("link", name="New document").first.click()
        page.get_by_label("Title", exact=True).fill("Mooring manual")
        expect(page.get_by_role("toolbar").get_by_text("Unsaved (draft kept)")).to_be_visible()
        page.get_by_role("button", name="Save").click()
        expect(saved(page, 1)).to_be_visible()
        expect(page).to_have_url(re.compile(r"/app/documents/(?!new)[^/?]+\?edit=true"))
        write(page, "Two lines at least.")
        expect(saved(page, 2)).to_be_visible()
        page.keyboard.type(" Three in a storm.")
        page.reload()  # leaving saves
        expect(editor(page)).to_have_text("Two lines at least. Three in a storm.")
        page.get_by_role("button", name="Done").click()
        expect(saved(page, 3)).to_be_visible()
        expect(page.get_by_role("region", name="Documents").get_by_text("Mooring manual")).to_be_visible()
        page.goto(f"{page.url.partition('?')[0]}?inspect=details")
        page.get_by_role("link", name=re.compile("View in Files")).click()
        expect(page.get_by_role("region", name="Preview")).to_contain_text("Two lines at least.")
        page.get_by_role("button", name="More actions").click()
        page.get_by_role("menuitem", name="Open as document").click()
        expect(page.get_by_role("article")).to_contain_text("Two lines at least.")


def test_changing_visibility_adds_no_version(browser: Browser, instance: Instance) -> None:
    document = instance.document("Rates", "12 a day.", "member", "private")
    with window(browser, instance.url, token=instance.session("member")) as page:
        page.goto(f"/app/documents/{document}")
        page.get_by_role("button", name="Access: Private. Change").click()
        page.get_by_role("menuitemradio", name=re.compile("^Team")).click()
        expect(page.get_by_role("button", name="Access: Team. Change")).to_be_visible()
        expect(saved(page, 1)).to_be_visible()
    assert instance.call("GET", f"/api/documents/{document}", token=instance.operator)["visibility"] == "team"


def test_conflicting_edits_can_be_merged(browser: Browser, instance: Instance) -> None:
    """The other choices are tested with notes."""
    document = instance.document("Bread", LINES)
    with opened_by_both(browser, instance, f"/app/documents/{document}", live=False) as (ann, priya):
        choose(collide(ann, priya), "Merge")
    assert body(instance, document) == LINES.replace("Flour", CHOICES["Merge"])


def test_unsaved_changes_survive_a_crash_and_signing_out_asks_first(
    browser: Browser, sqlite_instance: Instance
) -> None:
    """The draft is merged with a newer version; signing out deletes a draft that cannot be saved."""
    document = sqlite_instance.document("Bread", LINES)
    with window(browser, sqlite_instance.url, token=sqlite_instance.sign_in(OPERATOR.username)) as page:
        page.goto(f"/app/documents/{document}?edit=true")
        expect(editor(page)).to_be_visible()
        page.route("**/api/documents/*", abort_saves)
        write(page, ", for Sunday")
        expect(page.get_by_text("Offline (draft kept)").first).to_be_visible()
        leave_without_saving(page)
        sqlite_instance.call(
            "PUT", f"/api/documents/{document}", {"body": f"{LINES}\nYeast\n"}, sqlite_instance.session("owner")
        )
        page.unroute_all()
        page.goto(f"/app/documents/{document}")
        expect(page.get_by_role("alert")).to_contain_text("Version 2 was saved since then")
        page.get_by_role("button", name="Restore").click()
        expect(saved(page, 3)).to_be_visible()
        assert body(sqlite_instance, document) == LINES.replace("Flour", "Flour, for Sunday") + "\nYeast\n"
        page.route("**/api/documents/*", abort_saves)
        page.get_by_role("button", name="Edit").click()
        write(page, " and Monday")
        page.get_by_role("navigation", name="Main").locator("button[aria-haspopup=menu]").last.click()
        page.get_by_role("menuitem", name="Sign out").click()
        dialog = page.get_by_role("dialog", name="Sign out with unsaved changes?")
        expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
        assert drafts(page) == 1
        dialog.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
        assert drafts(page) == 0


def test_versions_are_compared_in_the_frame_and_an_old_one_is_restored(browser: Browser, instance: Instance) -> None:
    document = instance.document("Pier 2", "Ships wait **21** minutes.\n", "member")
    for text, who in (("Ships wait 9 minutes.\n", "owner"), ("Ships wait 9 minutes.\n\nCrane 3 is back.\n", "member")):
        instance.call("PUT", f"/api/documents/{document}", {"body": text}, instance.session(who))
    with window(browser, instance.url, token=instance.session("member")) as page:
        page.goto(f"/app/documents/{document}?inspect=versions")
        versions = page.get_by_role("tabpanel", name="Versions").get_by_role("link")
        old = page.get_by_role("region", name="Compare")
        differences = page.get_by_role("region", name="Changes")
        versions.filter(has_text="Version 2").click()
        expect(old.get_by_role("heading", name="Version 2 → 3")).to_be_visible()
        expect(page.get_by_role("toolbar", name="Document actions"), "in the frame of the document").to_be_visible()
        expect(differences.locator("ins")).to_contain_text("Crane 3 is back.")
        expect(versions.filter(has_text="Version 2")).to_contain_text(PEOPLE["owner"].name)
        versions.filter(has_text="Version 1").click()
        expect(old.get_by_role("heading", name="Version 1 → 3")).to_be_visible()
        expect(differences.locator("del").first).to_contain_text("21")
        old.get_by_role("radiogroup", name="View").get_by_text("Read").click()
        article = page.get_by_role("article", name="Version 1")
        expect(article).to_contain_text("Ships wait 21 minutes.")
        expect(article.locator("strong")).to_have_text("21")
        old.get_by_role("radiogroup", name="View").get_by_text("Source").click()
        page.get_by_text("Side by side").click()
        expect(differences.locator("b")).to_have_text(["Version 1", "Version 3"])
        page.reload()
        expect(old.get_by_role("heading", name="Version 1 → 3")).to_be_visible()
        old.get_by_role("button", name="Restore version 1").click()
        expect(page.get_by_role("article")).to_contain_text("Ships wait 21 minutes.")
        expect(old).to_have_count(0)
        expect(saved(page, 4)).to_be_visible()
        expect(versions).to_have_count(3)  # consecutive saves of one person are one entry
        page.get_by_role("button", name="1 earlier save").click()
        expect(versions).to_have_count(4)
    assert body(instance, document) == "Ships wait **21** minutes.\n"


def test_a_restore_is_refused_if_there_is_a_newer_version(browser: Browser, sqlite_instance: Instance) -> None:
    document = sqlite_instance.document("Pier 2", "One.\n", "member")

    def save(text: str) -> None:
        sqlite_instance.call("PUT", f"/api/documents/{document}", {"body": text}, sqlite_instance.operator)

    def save_first(route: Route) -> None:
        if route.request.method == "PUT":
            save("Three.\n")
        route.continue_()

    save("Two.\n")
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto(f"/app/documents/{document}?version=1")
        expect(page.get_by_role("heading", name="Version 1 → 2")).to_be_visible()
        # While the request is on its way: the page would show a version that was saved before the click.
        page.route("**/api/documents/*", save_first)
        page.get_by_role("button", name="Restore version").click()
        expect(page.get_by_role("heading", name="Version 1 → 3")).to_be_visible()
    assert body(sqlite_instance, document) == "Three.\n"


def test_a_link_to_a_passage_opens_it_in_the_version_of_the_document(
    browser: Browser, sqlite_instance: Instance
) -> None:
    """As citations, provenance and jobs link to it, which know only that it is an object."""
    document = sqlite_instance.document("Tariff", "Berths.\n\nA berth is **nine** crowns.\n", "member")
    sqlite_instance.call("PUT", f"/api/documents/{document}", {"body": "Free."}, sqlite_instance.session("member"))
    marked = "[...(CSS.highlights.get('passage') ?? [])].map(String).join()"
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto(f"/app/files/{document}?as=document&version=1&quote=A+berth+is+**nine**+crowns.")
        expect(page).to_have_url(re.compile(rf"/app/documents/{document}\?version=1&quote="))
        expect(page.get_by_role("article", name="Version 1")).to_contain_text("A berth is nine crowns.")
        page.wait_for_function(f"{marked} === 'A berth is nine crowns.'")
        page.get_by_role("link", name="Show latest").click()
        expect(page.get_by_role("article")).to_contain_text("Free.")
        page.wait_for_function(f"{marked} === ''")


def test_a_document_can_be_shared_while_reading(browser: Browser, sqlite_instance: Instance) -> None:
    document = sqlite_instance.document("Rota", "Who comes when.", "member", "private")
    guest = PEOPLE["guest"]
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto(f"/app/documents/{document}")
        expect(page.get_by_role("article")).to_be_visible()
        page.keyboard.press("s")
        dialog = page.get_by_role("dialog", name="Share “Rota”")
        dialog.get_by_label("Person or team").fill(guest.username)
        page.get_by_role("option", name=guest.name).click()
        dialog.get_by_role("button", name="Share", exact=True).click()
        expect(dialog.get_by_role("list", name="People and teams with access")).to_contain_text(guest.name)
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("guest")) as page:
        page.goto("/app/documents")
        page.get_by_role("link", name=re.compile("^Rota")).click()
        expect(page.get_by_role("article")).to_contain_text("Who comes when.")


def test_a_reader_is_offered_no_changes(browser: Browser, sqlite_instance: Instance) -> None:
    document = sqlite_instance.document("Tariff", "Ten.\n", visibility="private")
    sqlite_instance.call("PUT", f"/api/documents/{document}", {"body": "Twelve.\n"}, sqlite_instance.operator)
    sqlite_instance.share(document, "guest")
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("guest")) as page:
        page.goto(f"/app/documents/{document}?edit=true")
        expect(page.get_by_role("article")).to_contain_text("Twelve.")
        expect(page.get_by_role("toolbar")).to_contain_text("Version 2")
        for action in ("Edit", "Share"):
            expect(page.get_by_role("toolbar").get_by_role("button", name=action)).to_have_count(0)
        page.goto(f"/app/documents/{document}?version=1")
        expect(page.get_by_role("heading", name="Version 1 → 2")).to_be_visible()
        restore = page.get_by_role("button", name="Restore version")
        expect(restore).to_have_count(0)
        sqlite_instance.share(document, "guest", "edit")
        page.reload()
        expect(restore).to_be_enabled()


def abort_saves(route: Route) -> None:
    if route.request.method == "PUT":
        route.abort()
    else:
        route.continue_()


def drafts(page: Page) -> int:
    found: int = page.evaluate("Object.keys(localStorage).filter(key => key.startsWith('teamspace.draft.')).length")
    return found


def body(instance: Instance, document: str) -> str:
    found: str = instance.call("GET", f"/api/documents/{document}", token=instance.operator)["body"]
    return found
