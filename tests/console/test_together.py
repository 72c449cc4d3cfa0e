"""Two people in one text: each sees the other and what they saved, and no letter is lost whatever the network does."""

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.console.browser import window
from tests.console.instance import PASSWORD, Instance
from tests.console.writing import LINES, editor, opened_by_both, saved
from tests.support.served import Served

pytestmark = [
    pytest.mark.sampled(8),
    pytest.mark.about("console/documents", "console/notes", "notes", "presence", "references"),
]


def test_people_see_who_else_is_here_and_who_edits(browser: Browser, sqlite_instance: Instance) -> None:
    note = sqlite_instance.note("Bread", LINES)
    with opened_by_both(browser, sqlite_instance, f"/app/notes/{note}") as (maren, priya):
        expect(priya.get_by_role("img", name="Maren Holt is editing")).to_be_visible()
        expect(maren.get_by_role("img", name="Priya Raman is editing")).to_be_visible()
        maren.get_by_role("button", name="Done").click()
        expect(priya.get_by_role("img", name="Maren Holt is here")).to_be_visible()
        maren.goto("/app/notes")
        expect(priya.get_by_role("list", name="Also here")).to_have_count(0)
        maren.set_viewport_size({"width": 390, "height": 780})
        maren.goto(f"/app/notes/{note}")
        expect(maren.get_by_role("img", name="Priya Raman is editing")).to_be_visible()


def type_at(page: Page, word: str, text: str) -> None:
    """Type after a word, one letter at a time, wherever the word is by now."""
    line = editor(page).get_by_text(word)
    line.click()
    page.keyboard.press("End")
    page.keyboard.type(text, delay=5)


def test_no_letter_is_lost_over_dropped_connections_and_restarts(browser: Browser, fresh_server: Served) -> None:
    ann = fresh_server.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})["token"]
    bob = fresh_server.call("POST", "/api/members", {"username": "bob", "role": "member"}, ann)["token"]
    note = fresh_server.call("POST", "/api/notes", {"title": "Bread", "body": LINES, "visibility": "team"}, ann)["id"]
    with (
        window(browser, fresh_server.url, token=ann) as first,
        window(browser, fresh_server.url, token=bob) as second,
    ):
        for page in (first, second):
            page.goto(f"/app/notes/{note}?edit=true")
            expect(editor(page)).to_contain_text("Flour")
        type_at(first, "Flour", " one")
        type_at(second, "Salt", " two")
        for page in (first, second):
            expect(editor(page)).to_contain_text("Flour one")
            expect(editor(page)).to_contain_text("Salt two")
        first.context.set_offline(True)
        type_at(first, "Flour", " three")
        type_at(second, "Flour", " four")
        expect(second.get_by_role("toolbar").get_by_text("Saved").first).to_be_visible()
        first.context.set_offline(False)
        expect(editor(first)).to_contain_text("four")
        lost: list[str] = []

        def lose_answer(route: Route) -> None:
            """The server saves, and its answer is lost."""
            if route.request.method != "PUT" or lost:
                return route.continue_()
            lost.append(str(route.fetch().status))
            return route.abort()

        second.route(f"**/api/notes/{note}", lose_answer)
        type_at(second, "Water", " five")
        type_at(second, "Water", " six")
        expect(editor(first)).to_contain_text("five six", timeout=20_000)
        fresh_server.kill()
        type_at(first, "Water", " seven")
        type_at(second, "Salt", " eight")
        fresh_server.start()
        for page in (first, second):
            for text in ("seven", "eight"):
                expect(editor(page)).to_contain_text(text, timeout=40_000)
            expect(page.get_by_role("toolbar").get_by_text("Saved").first).to_be_visible(timeout=40_000)
    body = fresh_server.call("GET", f"/api/notes/{note}", token=ann)["body"]
    words = body.split()
    expected = ["Flour", "Water", "Salt", "one", "two", "three", "four", "five", "six", "seven", "eight"]
    assert sorted(words) == sorted(expected), body
    assert lost == ["200"]


def test_what_links_to_a_note_is_below_it_and_follows(browser: Browser, sqlite_instance: Instance) -> None:
    note = sqlite_instance.note("Bread", LINES)
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto(f"/app/notes/{note}?inspect=links")
        expect(page.get_by_text("Nothing links here yet.")).to_be_visible()
        document = sqlite_instance.document("Bakery plan", f"See [Bread](/notes/{note}).")
        below = page.get_by_role("region", name="Linked from")
        below.get_by_role("link", name="Bakery plan").click()
        expect(page.get_by_role("heading", name="Bakery plan")).to_be_visible()
        page.goto(f"/app/notes/{note}")
        sqlite_instance.call("PUT", f"/api/documents/{document}", {"body": "No."}, sqlite_instance.operator)
        expect(below).to_have_count(0)


def test_a_document_has_tags_and_a_version_a_name(browser: Browser, sqlite_instance: Instance) -> None:
    document = sqlite_instance.document("Tariff", "Ten.\n", "member")
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto(f"/app/documents/{document}?inspect=versions")
        page.get_by_role("button", name="Add tags").click()
        page.get_by_role("textbox", name="Tags").fill("prices")
        page.keyboard.press("Enter")
        page.keyboard.press("Escape")
        expect(saved(page, 2)).to_be_visible()
        page.get_by_role("link", name="Documents with the tag prices").click()
        expect(page.get_by_role("link", name="Tariff")).to_be_visible()
        page.goto(f"/app/documents/{document}?inspect=versions")
        page.get_by_role("button", name="Name version 1").click()
        page.get_by_label("Name of the version").fill("Sent to the bank")
        page.get_by_role("button", name="Save", exact=True).last.click()
        expect(page.get_by_role("link", name="Sent to the bank")).to_be_visible()
        page.get_by_role("button", name="Rename version 1").click()
        page.get_by_role("button", name="Remove name").click()
        expect(page.get_by_role("link", name="Sent to the bank")).to_have_count(0)
