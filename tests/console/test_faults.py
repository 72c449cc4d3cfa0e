"""What the server refuses, lacks or fails is said in words, with what to do next."""

from playwright.sync_api import Browser, Route, expect

from tests.console.browser import window
from tests.console.stage import PASSWORD, Stage
from tests.support.served import Served

CLIPBOARD = ["clipboard-read", "clipboard-write"]
CODE = "**/assets/settings-*.js"
LOST = "Failed to fetch dynamically imported module"
GONE = "Can’t reach the server. Retrying…"
MISSING = "01890000-0000-7000-8000-000000000000"


def test_a_server_that_is_gone_is_told_by_one_bar_and_returned_to_unasked(browser: Browser, fresh: Served) -> None:
    """Whether it took a screen's code with it, what the screen shows or the first load, and whoever lost the network."""
    token = fresh.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})["token"]
    fresh.call("POST", "/api/notes", {"title": "Bread", "body": "Flour"}, token)
    with window(browser, fresh.url, token=token) as page:
        bar = page.get_by_role("status").filter(has_text=GONE)
        page.goto("/app/")
        expect(page.get_by_role("heading", name="Hello")).to_be_visible()
        fresh.kill()
        page.get_by_role("navigation", name="Main").get_by_role("link", name="Notes").click()
        expect(bar).to_be_visible()
        expect(page.get_by_role("alert")).to_have_count(0)
        fresh.start()
        expect(page.get_by_role("link", name="Bread")).to_be_visible()
        expect(bar).to_have_count(0)
        page.context.set_offline(True)
        page.get_by_role("link", name="Bread").click()
        expect(bar).to_be_visible()
        expect(page.get_by_role("link", name="Bread"), "what is there stays").to_be_visible()
        page.context.set_offline(False)
        expect(page.get_by_role("article")).to_contain_text("Flour")
        expect(bar).to_have_count(0)
        for nothing in ("**/api/**", "**/health", "**/assets/catalog-*"):
            page.route(nothing, lambda route: route.abort())
        page.reload()
        expect(page.locator("#root"), "not even words").to_have_text(GONE)
        page.unroute_all()
        expect(page.get_by_role("article")).to_contain_text("Flour")
        expect(bar).to_have_count(0)


def test_a_server_that_is_busy_is_asked_again_before_anybody_is_told(browser: Browser, anywhere: Stage) -> None:
    with window(browser, anywhere.url, token=anywhere.session("member")) as page:
        refused: list[str] = []

        def once(route: Route) -> None:
            if (asked := f"{route.request.method} {route.request.url}") in refused:
                return route.continue_()
            refused.append(asked)
            return route.fulfill(status=503, headers={"retry-after": "1"}, json={"code": "overloaded"})

        page.route("**/api/**", once)
        page.goto("/app/notes")
        page.get_by_role("heading", name="Notes").first.wait_for()
        page.keyboard.press("c")
        page.get_by_label("Title").fill("Patience")
        expect(page.get_by_text("Saved · version 1").first).to_be_visible()
        assert f"POST {anywhere.url}/api/notes" in refused


def test_a_screen_whose_code_did_not_arrive_comes_after_all(browser: Browser, anywhere: Stage) -> None:
    with window(browser, anywhere.url, token=anywhere.session("member"), expected=LOST) as page:
        page.goto("/app/")
        expect(page.get_by_role("heading", name="Hello")).to_be_visible()
        page.route(CODE, lambda route: route.abort())
        page.get_by_role("navigation", name="Main").get_by_role("link", name="Settings").click()
        expect(page.get_by_role("button", name="Try again")).to_be_visible()
        page.unroute(CODE)
        page.get_by_role("button", name="Try again").click()
        expect(page.get_by_role("heading", name="People")).to_be_visible()


def test_a_note_that_is_not_there_gives_the_id_to_ask_about(browser: Browser, anywhere: Stage) -> None:
    with window(browser, anywhere.url, token=anywhere.session("member"), permissions=CLIPBOARD) as page:
        with page.expect_response(f"**/api/notes/{MISSING}") as answered:
            page.goto(f"/app/notes/{MISSING}")
        request_id = answered.value.headers["x-request-id"]
        refused = page.get_by_role("alert")
        expect(refused.get_by_role("heading", name="Not found")).to_be_visible()
        refused.get_by_role("button", name=f"Request {request_id[-8:]}").click()
        expect(refused.get_by_role("button", name="Copied")).to_be_visible()
        assert page.evaluate("navigator.clipboard.readText()") == f"not_found {request_id}"


def test_an_address_of_no_screen_says_so(browser: Browser, anywhere: Stage) -> None:
    with window(browser, anywhere.url, token=anywhere.session("member")) as page:
        page.goto("/app/nowhere")
        expect(page.get_by_role("heading", name="Page not found")).to_be_visible()
        expect(page.get_by_role("navigation", name="Main")).to_be_visible()


def test_a_session_that_ended_leads_back_to_the_door(browser: Browser, anywhere: Stage) -> None:
    token = anywhere.sign_in("priya")
    with window(browser, anywhere.url, token=token) as page:
        page.goto("/app/")
        expect(page.get_by_role("heading", name="Hello")).to_be_visible()
        anywhere.call("POST", "/api/logout", {}, token)
        page.keyboard.press("g")
        page.keyboard.press("u")
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
