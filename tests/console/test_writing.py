"""Editing notes: concurrent changes and unsaved drafts are kept."""

import re

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.console.browser import visit, window
from tests.console.instance import PASSWORD, Instance
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
from tests.support.served import Served

pytestmark = [pytest.mark.sampled(8), pytest.mark.about("console/notes", "notes")]


def test_a_new_note_is_saved_automatically_and_shows_its_version(browser: Browser, instance: Instance) -> None:
    with window(browser, instance.url, token=instance.session("member")) as page:
        page.goto("/app/notes/new")
        page.get_by_label("Title", exact=True).fill("Sourdough")
        expect(saved(page, 1)).to_be_visible()
        expect(page).to_have_url(re.compile(r"/app/notes/(?!new)[^/?]+\?edit=true"))
        write(page, "Feed it daily.")
        expect(saved(page, 2)).to_be_visible()
        page.reload()
        expect(editor(page)).to_have_text("Feed it daily.")
        page.get_by_role("button", name="Done").click()
        expect(page.get_by_role("region", name="Notes").get_by_text("Sourdough")).to_be_visible()


def test_edits_of_different_parts_are_merged_automatically(browser: Browser, instance: Instance) -> None:
    note = instance.note("Bread", LINES)
    with opened_by_both(browser, instance, f"/app/notes/{note}") as (ann, priya):
        write(ann, ", white")
        expect(saved(ann, 2)).to_be_visible()
        priya.get_by_label("Title", exact=True).fill("Sunday bread")
        expect(saved(priya, 3)).to_be_visible()
        expect(editor(priya)).to_contain_text("Flour, white")
    assert instance.read(note) == LINES.replace("Flour", "Flour, white")


def test_conflicting_edits_offer_every_choice_and_lose_nothing(browser: Browser, instance: Instance) -> None:
    notes = {choice: instance.note("Bread", LINES) for choice in CHOICES}
    with opened_by_both(browser, instance, f"/app/notes/{notes['Keep mine']}", live=False) as pages:
        for choice, note in notes.items():
            for page in pages:
                visit(page, f"/notes/{note}?edit=true")
                expect(editor(page)).to_contain_text("Flour")
            dialog = collide(*pages)
            assert instance.read(note).startswith("White\n"), "nothing is saved before a choice"
            choose(dialog, choice)
            assert instance.read(note) == LINES.replace("Flour", CHOICES[choice])


def test_a_draft_written_while_the_server_was_down_can_be_restored(browser: Browser, fresh_server: Served) -> None:
    first = fresh_server.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})
    note = fresh_server.call("POST", "/api/notes", {"title": "Bread", "body": LINES}, first["token"])["id"]
    with window(browser, fresh_server.url, token=first["token"]) as page:
        page.goto(f"/app/notes/{note}?edit=true")
        expect(editor(page)).to_be_visible()
        fresh_server.kill()
        write(page, ", for Sunday")
        expect(page.get_by_text("Offline (draft kept)").first).to_be_visible()
        leave_without_saving(page)
        fresh_server.start()
        page.goto(f"/app/notes/{note}")
        expect(page.get_by_role("alert")).to_contain_text("You have unsaved changes")
        page.get_by_role("button", name="Restore").click()
        expect(saved(page, 2)).to_be_visible()
    body = fresh_server.call("GET", f"/api/notes/{note}", token=first["token"])["body"]
    assert body == LINES.replace("Flour", "Flour, for Sunday")


def test_an_unsaved_new_text_stays_with_its_team(browser: Browser, fresh_server: Served) -> None:
    account = {"username": "ann", "password": PASSWORD}
    first = fresh_server.call("POST", "/api/bootstrap", account)
    fresh_server.call("POST", "/api/org/teams", {"name": "Harbour"}, first["token"])
    session = fresh_server.call("POST", "/api/login", {**account, "team": first["team"]["id"]})
    with window(browser, fresh_server.url, token=session["token"]) as page:
        page.route("**/api/documents", refuse_new)
        page.goto("/app/documents/new")
        editor(page).click()
        page.keyboard.type("For the bakers.")
        change_team(page, "Harbour")
        dialog = page.get_by_role("dialog", name="Switch teams with unsaved changes?")
        expect(dialog).to_contain_text("It stays here as a draft")
        dialog.get_by_role("button", name="Switch team").click()
        expect(page.get_by_role("button", name=re.compile("^Harbour .*Switch team$"))).to_be_visible()
        page.unroute_all()
        visit(page, "/documents/new")
        expect(editor(page)).to_be_visible()
        expect(page.get_by_role("alert")).to_have_count(0)
        change_team(page, session["team"]["name"])
        expect(
            page.get_by_role("button", name=re.compile(f"^{session['team']['name']} .*Switch team$"))
        ).to_be_visible()
        visit(page, "/documents/new")
        page.get_by_role("button", name="Restore").click()
        expect(saved(page, 1)).to_be_visible()
    (document,) = fresh_server.call("GET", "/api/documents", token=session["token"])["items"]
    assert document["team_id"] == session["team"]["id"]


def change_team(page: Page, name: str) -> None:
    page.get_by_role("button", name="Switch team").click()
    page.get_by_role("menuitemradio", name=re.compile(name)).click()


def refuse_new(route: Route) -> None:
    if route.request.method == "POST":
        route.fulfill(status=403, json={"code": "forbidden", "detail": "Not now."})
    else:
        route.continue_()
