"""Notes under many hands: what two people write at the same time is all kept, and so is what no server heard."""

import re

from playwright.sync_api import Browser, expect

from tests.console.browser import visit, window
from tests.console.stage import PASSWORD, Stage
from tests.console.writing import CHOICES, LINES, choose, collide, editor, opened_by_both, saved, write
from tests.support.served import Served


def test_a_new_note_saves_itself_and_says_which_version_it_is(browser: Browser, stage: Stage) -> None:
    with window(browser, stage.url, token=stage.session("member")) as page:
        page.goto("/app/notes/new")
        page.get_by_label("Title").fill("Sourdough")
        expect(saved(page, 1)).to_be_visible()
        expect(page).to_have_url(re.compile(r"/app/notes/(?!new)[^/?]+\?edit=true"))
        write(page, "Feed it daily.")
        expect(saved(page, 2)).to_be_visible()
        page.reload()
        expect(editor(page)).to_have_text("Feed it daily.")
        page.get_by_role("button", name="Done").click()
        expect(page.get_by_role("region", name="Notes").get_by_text("Sourdough")).to_be_visible()


def test_two_people_at_different_parts_of_a_note_are_brought_together_unasked(browser: Browser, stage: Stage) -> None:
    note = stage.note("Bread", LINES)
    with opened_by_both(browser, stage, f"/app/notes/{note}") as (ann, priya):
        write(ann, ", white")
        expect(saved(ann, 2)).to_be_visible()
        priya.get_by_label("Title").fill("Sunday bread")
        expect(saved(priya, 3)).to_be_visible()
        expect(editor(priya)).to_contain_text("Flour, white")
    assert stage.read(note) == LINES.replace("Flour", "Flour, white")


def test_two_people_in_one_place_are_asked_and_nothing_is_lost(browser: Browser, stage: Stage) -> None:
    notes = {choice: stage.note("Bread", LINES) for choice in CHOICES}
    with opened_by_both(browser, stage, f"/app/notes/{notes['Keep mine']}") as pages:
        for choice, note in notes.items():
            for page in pages:
                visit(page, f"/notes/{note}?edit=true")
                expect(editor(page)).to_contain_text("Flour")
            dialog = collide(*pages)
            assert stage.read(note).startswith("Flour, white\n"), "nothing is saved before a choice"
            choose(dialog, choice)
            assert stage.read(note) == LINES.replace("Flour", CHOICES[choice])


def test_what_was_written_while_the_server_was_down_is_offered_back(browser: Browser, fresh: Served) -> None:
    first = fresh.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})
    note = fresh.call("POST", "/api/notes", {"title": "Bread", "body": LINES}, first["token"])["id"]
    with window(browser, fresh.url, token=first["token"]) as page:
        page.goto(f"/app/notes/{note}?edit=true")
        expect(editor(page)).to_be_visible()
        fresh.kill()
        write(page, ", for Sunday")
        expect(page.get_by_text("Offline (draft kept)").first).to_be_visible()
        page.goto("about:blank")
        fresh.start()
        page.goto(f"/app/notes/{note}")
        expect(page.get_by_role("alert")).to_contain_text("You have unsaved changes")
        page.get_by_role("button", name="Restore").click()
        expect(saved(page, 2)).to_be_visible()
    body = fresh.call("GET", f"/api/notes/{note}", token=first["token"])["body"]
    assert body == LINES.replace("Flour", "Flour, for Sunday")
