"""Errors and lost connections are explained, with what to do next."""

import re

import pytest
from playwright.sync_api import Browser, Route, expect

from benchmarks.weight import SAVES_DATA
from tests.console.browser import window
from tests.console.instance import PASSWORD, Instance
from tests.console.writing import editor, saved
from tests.support.served import Served

pytestmark = [pytest.mark.sampled(8), pytest.mark.about("console/audit", "console/notes", "core", "server")]

CLIPBOARD = ["clipboard-read", "clipboard-write"]
SETTINGS_SCRIPT = "**/assets/settings-*.js"
IMPORT_FAILED = "Failed to fetch dynamically imported module"
UNREACHABLE = "Can’t reach the server. Retrying…"
MISSING = "01890000-0000-7000-8000-000000000000"


def test_a_lost_connection_shows_one_bar_and_recovers_by_itself(browser: Browser, fresh_server: Served) -> None:
    """Whether the server stops, the browser goes offline, or the first load fails."""
    token = fresh_server.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})["token"]
    fresh_server.call("POST", "/api/notes", {"title": "Bread", "body": "Flour"}, token)
    with window(browser, fresh_server.url, token=token) as page:
        bar = page.get_by_role("status").filter(has_text=UNREACHABLE)
        page.goto("/app/")
        expect(page.get_by_role("heading", name="Hello")).to_be_visible()
        fresh_server.kill()
        page.get_by_role("navigation", name="Main").get_by_role("link", name="Notes").click()
        expect(bar).to_be_visible()
        expect(page.get_by_role("alert")).to_have_count(0)
        fresh_server.start()
        expect(page.get_by_role("link", name="Bread")).to_be_visible()
        expect(bar).to_have_count(0)
        page.context.set_offline(True)
        page.get_by_role("link", name="Bread").click()
        expect(bar).to_be_visible()
        expect(page.get_by_role("link", name="Bread"), "loaded content stays").to_be_visible()
        page.context.set_offline(False)
        expect(page.get_by_role("article")).to_contain_text("Flour")
        expect(bar).to_have_count(0)
        for pattern in ("**/api/**", "**/health", "**/assets/catalog-*"):
            page.route(pattern, lambda route: route.abort())
        page.reload()
        expect(page.locator("#root"), "even without the catalog").to_have_text(UNREACHABLE)
        page.unroute_all()
        expect(page.get_by_role("article")).to_contain_text("Flour")
        expect(bar).to_have_count(0)


def test_an_overloaded_server_is_retried_before_an_error_is_shown(browser: Browser, sqlite_instance: Instance) -> None:
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        refused: list[str] = []

        def refuse_once(route: Route) -> None:
            if (request := f"{route.request.method} {route.request.url}") in refused:
                return route.continue_()
            refused.append(request)
            return route.fulfill(status=503, headers={"retry-after": "1"}, json={"code": "overloaded"})

        page.route("**/api/**", refuse_once)
        page.goto("/app/notes")
        page.get_by_role("heading", name="Notes").first.wait_for()
        page.keyboard.press("c")
        page.get_by_label("Title", exact=True).fill("Patience")
        expect(page.get_by_text("Saved · version 1").first).to_be_visible()
        assert f"POST {sqlite_instance.url}/api/notes" in refused


def test_a_screen_whose_script_failed_to_load_can_be_retried(browser: Browser, sqlite_instance: Instance) -> None:
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member"), expected=IMPORT_FAILED) as page:
        page.goto("/app/")
        expect(page.get_by_role("heading", name="Hello")).to_be_visible()
        page.route(SETTINGS_SCRIPT, lambda route: route.abort())
        page.get_by_role("navigation", name="Main").get_by_role("link", name="Settings").click()
        expect(page.get_by_role("heading", name="This part couldn’t be loaded")).to_be_visible()
        page.unroute(SETTINGS_SCRIPT)
        page.get_by_role("button", name="Reload").click()
        expect(page.get_by_role("heading", name="People")).to_be_visible()


@pytest.mark.parametrize("kind", ["js", "css"])
def test_code_that_is_lost_once_is_fetched_again(browser: Browser, sqlite_instance: Instance, kind: str) -> None:
    lost: list[str] = []

    def lose_once(route: Route) -> None:
        if lost:
            return route.continue_()
        lost.append(route.request.url)
        return route.abort()

    # Nothing is fetched for later, so the screen is the first that asks.
    token = sqlite_instance.session("member")
    with window(browser, sqlite_instance.url, token=token, expected="/assets/settings-", empty_cache=True) as page:
        page.add_init_script(SAVES_DATA)
        page.goto("/app/")
        expect(page.get_by_role("heading", name="Hello")).to_be_visible()
        page.route(f"**/assets/settings-*.{kind}", lose_once)
        page.get_by_role("navigation", name="Main").get_by_role("link", name="Settings").click()
        expect(page.get_by_role("heading", name="People")).to_be_visible()
        assert lost
        styles = "[...document.styleSheets].some(({ href }) => href?.includes('/assets/settings-'))"
        assert page.evaluate(styles), "the screen has its styles"


def test_code_of_an_older_build_is_explained_and_what_was_typed_stays(
    browser: Browser, sqlite_instance: Instance
) -> None:
    note = sqlite_instance.note("Watch", "Two at night.", "member")
    token = sqlite_instance.session("member")
    with window(browser, sqlite_instance.url, token=token, expected="/assets/settings-", empty_cache=True) as page:
        page.add_init_script(SAVES_DATA)
        page.goto(f"/app/notes/{note}?edit=true")
        page.route("**/assets/settings-*.js", lambda route: route.fulfill(status=404))
        # The draft is all that there is of it.
        page.route(
            "**/api/notes/*", lambda route: route.abort() if route.request.method == "PUT" else route.continue_()
        )
        editor(page).focus()
        page.keyboard.press("Control+End")
        page.keyboard.type(" Three on Sundays.")
        page.get_by_role("navigation", name="Main").get_by_role("link", name="Settings").click()
        lost = page.get_by_role("alert").filter(has=page.get_by_role("heading", name="This part couldn’t be loaded"))
        expect(lost).to_be_visible()
        page.unroute_all()
        lost.get_by_role("button", name="Reload").click()
        expect(page.get_by_role("heading", name="People")).to_be_visible()
        page.goto(f"/app/notes/{note}?edit=true")
        restore = page.get_by_role("button", name="Restore")
        expect(restore.or_(saved(page, 2)).first).to_be_visible()
        if restore.is_visible():
            restore.click()
        expect(editor(page)).to_contain_text("Two at night. Three on Sundays.")


def test_a_lost_part_of_a_screen_takes_nothing_else_away(browser: Browser, sqlite_instance: Instance) -> None:
    note = sqlite_instance.note("Watch", "Two at night.", "member")
    token = sqlite_instance.session("member")
    with window(browser, sqlite_instance.url, token=token, expected="/assets/assistance-", empty_cache=True) as page:
        page.add_init_script(SAVES_DATA)
        page.goto(f"/app/notes/{note}?edit=true")
        page.route("**/assets/assistance-*.js", lambda route: route.fulfill(status=404))
        editor(page).focus()
        page.keyboard.press("Control+End")
        page.keyboard.type(" Three on Sundays.")
        page.get_by_role("toolbar", name="Formatting").get_by_role("button", name="AI").click()
        page.get_by_role("menuitem", name="Shorten").click()
        expect(page.get_by_role("heading", name="This part couldn’t be loaded")).to_be_visible()
        expect(editor(page)).to_contain_text("Three on Sundays.")
        editor(page).focus()
        page.keyboard.press("Control+End")
        page.keyboard.type(" One at noon.")
        page.keyboard.press("Control+s")
        expect(saved(page)).to_be_visible()
    assert sqlite_instance.read(note) == "Two at night. Three on Sundays. One at noon."


MISSING_ITEMS = {
    "/notes/": "Notes", "/documents/": "Documents", "/files/": "Files", "/chat/": "Chat", "/workflows/runs/": "Runs",
    "/graph/": "Graph", "/settings/team/jobs/": "Jobs",
}  # fmt: skip


@pytest.mark.parametrize(("place", "name"), MISSING_ITEMS.items())
def test_what_is_missing_has_a_way_back_and_home(
    browser: Browser, sqlite_instance: Instance, place: str, name: str
) -> None:
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("operator")) as page:
        page.goto(f"/app{place}{MISSING}")
        refused = page.get_by_role("alert")
        expect(refused.get_by_role("heading", name="Not found")).to_be_visible()
        refused.get_by_role("link", name=f"Go to {name}").click()
        expect(page).to_have_url(re.compile(f"/app{place.rstrip('/')}$"))
        page.go_back()
        refused.get_by_role("link", name="Go home").click()
        expect(page.get_by_role("heading", name="Hello")).to_be_visible()


def test_what_is_hidden_looks_like_what_is_missing(browser: Browser, sqlite_instance: Instance) -> None:
    hidden = sqlite_instance.note("Salaries", "Nobody’s business.", "operator", "private")
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        texts = []
        for note in (MISSING, hidden):
            page.goto(f"/app/notes/{note}")
            refused = page.get_by_role("alert")
            expect(refused.get_by_role("heading", name="Not found")).to_be_visible()
            texts.append(re.sub("Request [0-9a-f]{8}", "", refused.inner_text()))
        assert texts[0] == texts[1]
        assert "or you don’t have access to it" in texts[0]


def test_a_missing_note_shows_the_request_id(browser: Browser, sqlite_instance: Instance) -> None:
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member"), permissions=CLIPBOARD) as page:
        with page.expect_response(f"**/api/notes/{MISSING}") as answered:
            page.goto(f"/app/notes/{MISSING}")
        request_id = answered.value.headers["x-request-id"]
        refused = page.get_by_role("alert")
        expect(refused.get_by_role("heading", name="Not found")).to_be_visible()
        refused.get_by_role("button", name=f"Request {request_id[-8:]}").click()
        expect(refused.get_by_role("button", name="Copied")).to_be_visible()
        assert page.evaluate("navigator.clipboard.readText()") == f"not_found {request_id}"


def test_an_unknown_address_is_explained(browser: Browser, sqlite_instance: Instance) -> None:
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/nowhere")
        expect(page.get_by_role("heading", name="Page not found")).to_be_visible()
        expect(page.get_by_role("navigation", name="Main")).to_be_visible()


def test_an_ended_session_leads_to_the_sign_in_page(browser: Browser, sqlite_instance: Instance) -> None:
    token = sqlite_instance.sign_in("priya")
    with window(browser, sqlite_instance.url, token=token) as page:
        page.goto("/app/")
        expect(page.get_by_role("heading", name="Hello")).to_be_visible()
        sqlite_instance.call("POST", "/api/logout", {}, token)
        page.keyboard.press("g")
        page.keyboard.press("u")
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
