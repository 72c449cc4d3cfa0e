"""Open pages follow the server: changes show by themselves, over one connection per browser, and unsaved text is kept."""

import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.console.browser import settle, window
from tests.console.instance import PASSWORD, Instance
from tests.console.writing import LINES, editor, opened_by_both, replace_first_line, saved, write
from tests.support.served import Served

pytestmark = [
    pytest.mark.sampled(8),
    pytest.mark.about("console/documents", "console/notes", "console/repository", "events", "notes", "repository"),
]

SECOND_MS = 1_000
TRIES = 3
"""The fastest of several edits counts: a busy machine is not what is measured."""
PARAGRAPHS = "\n\n".join(f"Paragraph {number}" for number in range(100))
UNREACHABLE = "Can’t reach the server. Retrying…"
CHANGED = "Changed by someone else."


def test_an_edit_in_one_browser_shows_in_another_within_a_second(browser: Browser, instance: Instance) -> None:
    note = instance.note("Bread", LINES)
    with opened_by_both(browser, instance, f"/app/notes/{note}") as (ann, priya):
        ann.get_by_role("button", name="Done").click()
        until_live(instance.served, instance.operator, 2)
        delays = []
        for number in range(TRIES):
            write(priya, f", {number}")
            expect(saved(priya, number + 2)).to_be_visible()
            delays.append(milliseconds_until_text(ann, f", {number}"))
        assert min(delays) < SECOND_MS, delays
        row = ann.get_by_role("region", name="Notes").get_by_role("link", name="Sunday bread")
        priya.get_by_label("Title", exact=True).fill("Sunday bread")
        expect(row, "the list follows, too").to_be_visible()
        new = instance.note("Rye", "Darker.")
        expect(ann.get_by_role("link", name="Rye")).to_be_visible()
        instance.call("DELETE", f"/api/notes/{new}", token=instance.operator)
        expect(ann.get_by_role("link", name="Rye")).to_have_count(0)


def test_a_change_keeps_the_place_and_the_focus(browser: Browser, sqlite_instance: Instance) -> None:
    note = sqlite_instance.note("Long", PARAGRAPHS)
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto(f"/app/notes/{note}")
        place = page.get_by_text("Paragraph 60", exact=True)
        place.scroll_into_view_if_needed()
        before = place.bounding_box()
        button = page.get_by_role("button", name="Edit")
        button.focus()
        sqlite_instance.rewrite(note, f"{PARAGRAPHS}\n\nThe end")
        expect(page.get_by_text("The end")).to_be_attached()
        assert place.bounding_box() == before
        expect(button).to_be_focused()
        page.goto(f"/app/notes/{note}?edit=true")
        editor(page).press("Control+Home")
        sqlite_instance.rewrite(note, f"{PARAGRAPHS}\n\nThe very end")
        expect(saved(page, 3)).to_be_attached()
        page.keyboard.type("First: ")
        expect(editor(page)).to_contain_text("First: Paragraph 0")
        page.keyboard.press("Control+s")
        expect(saved(page, 4)).to_be_visible()
    assert sqlite_instance.read(note) == f"First: {PARAGRAPHS}\n\nThe very end"


def test_what_is_asked_for_after_the_stream_is_open_is_asked_for_once(
    browser: Browser, sqlite_instance: Instance
) -> None:
    """The stream opens before the first screen is drawn, so what that shows is certain."""
    asked: list[str] = []

    def answer_late(route: Route) -> None:
        page.wait_for_timeout(1_000)
        route.continue_()

    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.route("**/api/whoami", answer_late)
        page.on("request", lambda request: asked.append(request.url) if "/api/" in request.url else None)
        page.goto("/app/")
        settle(page)
        page.wait_for_timeout(1_000)
    assert len(asked) > 5
    assert sorted(asked) == sorted(set(asked))


def test_the_tabs_of_a_browser_share_one_connection_and_hand_it_over(browser: Browser, fresh_server: Served) -> None:
    token = fresh_server.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})["token"]
    note = fresh_server.call("POST", "/api/notes", {"title": "Bread", "body": "Flour"}, token)["id"]

    def rewrite(body: str) -> None:
        fresh_server.call("PUT", f"/api/notes/{note}", {"body": body}, token)

    with window(browser, fresh_server.url, token=token) as first:
        tabs = [first, *(first.context.new_page() for _ in range(5))]
        for tab in tabs:
            tab.goto(f"/app/notes/{note}")
            expect(tab.get_by_role("article")).to_contain_text("Flour")
        until_live(fresh_server, token, 1)
        rewrite("Water")
        for tab in tabs:
            expect(tab.get_by_role("article")).to_contain_text("Water")
        assert open_streams(fresh_server, token) == 1
        while len(tabs) > 1:
            leader = tabs.pop(0)
            leader.close()
            rewrite(f"Salt for {len(tabs)}")
            for tab in tabs:
                expect(tab.get_by_role("article")).to_contain_text(f"Salt for {len(tabs)}")
            until_live(fresh_server, token, 1)
        tabs[0].goto("about:blank")
        until_live(fresh_server, token, 0)
        tabs[0].go_back()
        rewrite("Yeast")
        expect(tabs[0].get_by_role("article")).to_contain_text("Yeast")


def test_a_page_recovers_from_a_restart_and_shows_what_changed_meanwhile(
    browser: Browser, fresh_server: Served
) -> None:
    token = fresh_server.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})["token"]
    note = fresh_server.call("POST", "/api/notes", {"title": "Bread", "body": "Flour"}, token)["id"]
    with window(browser, fresh_server.url, token=token) as page:
        page.goto(f"/app/notes/{note}")
        page.evaluate("window.wasNotReloaded = true")
        article, bar = page.get_by_role("article"), page.get_by_role("status").filter(has_text=UNREACHABLE)
        expect(article).to_contain_text("Flour")
        until_live(fresh_server, token, 1)
        for stop, text in ((fresh_server.stop, "Water"), (fresh_server.kill, "Salt")):
            stop()
            expect(bar, "nobody has to click first").to_be_visible()
            with page.expect_response("**/api/events"):
                fresh_server.start()
                fresh_server.call("PUT", f"/api/notes/{note}", {"body": text}, token)
            expect(article).to_contain_text(text)
            expect(bar).to_have_count(0)
            fresh_server.call("PUT", f"/api/notes/{note}", {"body": f"{text} and more"}, token)
            expect(article).to_contain_text(f"{text} and more")
        assert page.evaluate("window.wasNotReloaded")


def test_an_ended_session_leads_to_the_sign_in_page_by_itself(browser: Browser, sqlite_instance: Instance) -> None:
    token = sqlite_instance.sign_in("priya")
    with window(browser, sqlite_instance.url, token=token) as page:
        page.goto("/app/")
        expect(page.get_by_role("heading", name="Hello")).to_be_visible()
        sqlite_instance.call("POST", "/api/logout", {}, token)
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


@pytest.fixture
def document(instance: Instance) -> str:
    """Documents are saved seldom, so that there is time to change one meanwhile."""
    return instance.document("Bread", LINES)


def change(instance: Instance, document: str, old: str, new: str) -> None:
    path = f"/api/documents/{document}"
    body = instance.call("GET", path, token=instance.operator)["body"]
    instance.call("PUT", path, {"body": body.replace(old, new)}, instance.operator)


def type_unsaved(page: Page, text: str) -> None:
    editor(page).click()
    for key in ("Control+Home", "End"):
        editor(page).press(key)
    page.keyboard.type(text)


def merge(page: Page) -> None:
    """Settle the conflict with both changes."""
    dialog = page.get_by_role("dialog", name="Edit conflict in “Bread”")
    dialog.get_by_role("button", name="Merge").click()
    dialog.get_by_role("button", name="Save merge").click()


def test_unsaved_text_survives_a_change_elsewhere(browser: Browser, instance: Instance, document: str) -> None:
    with window(browser, instance.url, token=instance.session("member")) as page:
        page.goto(f"/app/documents/{document}?edit=true")
        type_unsaved(page, ", wholemeal")
        change(instance, document, "Salt", "Sea salt")
        expect(editor(page), "both are there at once").to_contain_text("Sea salt")
        expect(editor(page)).to_contain_text("Flour, wholemeal")
        expect(page.get_by_role("status").filter(has_text=CHANGED)).to_have_count(0)
        expect(page.get_by_text("Unsaved (draft kept)").first).to_be_visible()
        page.keyboard.type(" and rye")
        page.keyboard.press("Control+s")
        expect(saved(page, 3)).to_be_visible()
    body = instance.call("GET", f"/api/documents/{document}", token=instance.operator)["body"]
    assert body == LINES.replace("Flour", "Flour, wholemeal and rye").replace("Salt", "Sea salt"), "the cursor stayed"


def test_reloading_shows_the_other_text_and_keeps_the_own_as_a_draft(
    browser: Browser, instance: Instance, document: str
) -> None:
    with window(browser, instance.url, token=instance.session("member")) as page:
        page.goto(f"/app/documents/{document}?edit=true")
        replace_first_line(page, "Wholemeal", save=False)
        change(instance, document, "Flour", "Spelt")
        notice = page.get_by_role("status").filter(has_text=CHANGED)
        expect(notice.get_by_role("button", name="Keep editing")).to_be_visible()
        notice.get_by_role("button", name="Reload").click()
        expect(page.get_by_role("article")).to_contain_text("Spelt")
        expect(page.get_by_role("article")).not_to_contain_text("Wholemeal")
        expect(page.get_by_role("alert")).to_contain_text("You have unsaved changes")
        page.get_by_role("button", name="Restore").click()
        merge(page)
        expect(saved(page, 3)).to_be_visible()
        expect(editor(page)).to_contain_text("Wholemeal")
        expect(editor(page)).to_contain_text("Spelt")


@pytest.mark.parametrize("edits", [False, True])
def test_what_was_deleted_under_an_open_page_says_so(browser: Browser, sqlite_instance: Instance, edits: bool) -> None:
    instance = sqlite_instance
    note, document = instance.note("Bread", LINES), instance.document("Bread", LINES)
    query = "?edit=true" if edits else ""
    places: dict[str, Callable[[], object]] = {
        f"/app/notes/{note}{query}": lambda: instance.call("DELETE", f"/api/notes/{note}", token=instance.operator),
        f"/app/documents/{document}{query}": lambda: instance.call(
            "DELETE", f"/api/documents/{document}", token=instance.operator
        ),
    }
    if not edits:
        file = instance.upload("bread.txt", b"Flour")
        places[f"/app/files/{file}"] = lambda: instance.call("DELETE", f"/api/repo-obj/{file}", token=instance.operator)
    with window(browser, instance.url, token=instance.session("member")) as page:
        for address, delete in places.items():
            page.goto(address)
            settle(page)
            expect(page.locator("main")).to_contain_text("Flour")
            delete()
            expect(page.get_by_role("alert")).to_contain_text("This was deleted")
            expect(page.locator("main"), "the text stays").to_contain_text("Flour")


def open_streams(served: Served, token: str) -> int:
    (process,) = served.call("GET", "/api/metrics", token=token)["processes"].values()
    return int(process["teamspace_event_streams"])


def until_live(served: Served, token: str, streams: int) -> None:
    """Wait until as many event streams are open."""
    until = time.monotonic() + 10
    while (found := open_streams(served, token)) != streams:
        assert time.monotonic() < until, f"{found} streams are open"
        time.sleep(0.05)


def milliseconds_until_text(page: Page, text: str) -> float:
    started = time.monotonic()
    expect(page.get_by_role("article")).to_contain_text(text)
    return (time.monotonic() - started) * 1000
