"""Staying signed in: after the browser was closed, in several tabs, when the session expires, and when signing out."""

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from tests.console.browser import sign_in, sign_out, window
from tests.console.instance import OPERATOR, PASSWORD, Instance

pytestmark = [pytest.mark.sampled(3), pytest.mark.about("console/entrance", "console/account", "identity", "tenancy")]

EXCHANGE = "**/api/login/resume"
WATCH = """
new MutationObserver(() => {
  if (document.querySelector('input[autocomplete=current-password]')) window.askedForPassword = true
}).observe(document, { childList: true, subtree: true })
"""
"""Notes whether the sign-in form was shown, however shortly."""


def stay(page: Page, username: str = "priya") -> None:
    page.goto("/login")
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password", exact=False).first.fill(PASSWORD)
    page.get_by_role("checkbox", name="Stay signed in").check()
    page.get_by_role("button", name="Sign in").click()
    expect_inside(page)


def expect_inside(page: Page) -> None:
    expect(page.get_by_role("heading", name="Hello")).to_be_visible()


def expect_outside(page: Page) -> None:
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def reopen(page: Page, address: str = "/app/") -> Page:
    """Close the window and open a new one in the same browser."""
    context = page.context
    page.close()
    page = context.new_page()
    page.add_init_script(WATCH)
    page.goto(address)
    return page


def test_whoever_stays_signed_in_is_until_they_sign_out(browser: Browser, instance: Instance) -> None:
    with window(browser, instance.url) as first:
        stay(first)
        page = first
        for _ in range(2):
            page = reopen(page)
            expect_inside(page)
            assert not page.evaluate("window.askedForPassword"), "the sign-in form was shown first"
        page.goto("/app/settings/me/account")
        sessions = page.get_by_role("list", name="Sessions")
        expect(sessions.get_by_role("listitem").filter(has_text="This session")).to_contain_text("Stays signed in")
        page.goto("/app/")
        sign_out(page)
        assert page.context.cookies() == []
        page = reopen(page)
        expect_outside(page)


def test_without_the_choice_nothing_is_kept(browser: Browser, sqlite_instance: Instance) -> None:
    with window(browser, sqlite_instance.url) as first:
        sign_in(first, "priya", PASSWORD)
        expect_inside(first)
        asked: list[Request] = []
        first.context.on("request", lambda request: asked.append(request) if "resume" in request.url else None)
        page = reopen(first)
        expect_outside(page)
        assert (asked, page.context.cookies()) == ([], [])
        expect(page.get_by_role("checkbox", name="Stay signed in")).not_to_be_checked()
        expect(page.get_by_role("checkbox", name="Stay signed in")).to_have_accessible_description(
            "For 30 days. Only on your own device."
        )


def test_the_cookie_is_out_of_reach_of_scripts(browser: Browser, sqlite_instance: Instance) -> None:
    with window(browser, sqlite_instance.url) as page:
        stay(page)
        [cookie] = page.context.cookies(f"{sqlite_instance.url}/api/login/resume")
        assert (cookie["name"], cookie["httpOnly"], cookie["sameSite"]) == ("stay", True, "Strict")
        assert page.evaluate("document.cookie") == ""
        assert cookie["value"] not in page.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage })")


def test_tabs_that_are_restored_together_are_all_signed_in(browser: Browser, sqlite_instance: Instance) -> None:
    with window(browser, sqlite_instance.url) as page:
        stay(page)
        context = page.context
        page.close()
        tabs = [context.new_page() for _ in range(4)]
        for tab in tabs:
            # Not `goto`, which waits until the page has loaded.
            tab.evaluate(f"void setTimeout(() => location.assign('{sqlite_instance.url}/app/'))")
        for tab in tabs:
            expect_inside(tab)
        tokens = {tab.evaluate("sessionStorage.getItem('teamspace.token')") for tab in tabs}
        assert len(tokens) == 1, "the tabs share a session"


def test_an_expired_session_is_renewed_unseen(browser: Browser, sqlite_instance: Instance) -> None:
    with window(browser, sqlite_instance.url) as page:
        stay(page)
        other = page.context.new_page()
        other.goto("/app/")
        expect_inside(other)
        expired = ended(sqlite_instance)
        # Whichever tab sends a request first exchanges the cookie, and tells the other one.
        with page.context.expect_event("response", lambda response: response.url.endswith("/api/login/resume")):
            for tab in (page, other):
                tab.evaluate(f"window.wasNotReloaded = sessionStorage.setItem('teamspace.token', '{expired}') ?? true")
                tab.evaluate(WATCH)
            page.get_by_role("navigation", name="Main").get_by_role("link", name="Notes").first.click()
        for tab in (page, other):
            tab.wait_for_function(f"sessionStorage.getItem('teamspace.token') !== '{expired}'")
            assert tab.evaluate("window.wasNotReloaded && !window.askedForPassword")
        expect(page.get_by_role("searchbox", name="Filter")).to_be_visible()
        expect(page.get_by_role("alert")).to_have_count(0)


def test_nothing_goes_on_as_somebody_else(browser: Browser, sqlite_instance: Instance) -> None:
    with window(browser, sqlite_instance.url) as page:
        stay(page)
        elsewhere = browser.new_context(base_url=sqlite_instance.url)
        stay(elsewhere.new_page(), OPERATOR.username)
        [cookie] = elsewhere.cookies(f"{sqlite_instance.url}/api/login/resume")
        page.context.add_cookies(
            [{
                "name": cookie["name"], "value": cookie["value"], "path": cookie["path"], "domain": cookie["domain"],
                "httpOnly": True, "sameSite": "Strict",
            }]
        )  # fmt: skip
        elsewhere.close()
        page.evaluate(f"sessionStorage.setItem('teamspace.token', '{ended(sqlite_instance)}')")
        with page.expect_navigation(), page.expect_response(EXCHANGE):
            page.get_by_role("navigation", name="Main").get_by_role("link", name="Notes").first.click()
        menu = page.get_by_role("navigation", name="Main").locator("button[aria-haspopup=menu]").last
        expect(menu).to_contain_text(OPERATOR.name)


def ended(instance: Instance) -> str:
    """The token of a session that is over."""
    token = instance.sign_in("priya")
    instance.call("POST", "/api/logout", {}, token)
    return token


def test_a_server_that_cannot_be_asked_is_asked_again(browser: Browser, sqlite_instance: Instance) -> None:
    with window(browser, sqlite_instance.url) as first:
        stay(first)
        context = first.context
        context.route(EXCHANGE, lambda route: route.abort())
        page = reopen(first)
        again = page.get_by_role("button", name="Try again")
        expect(again).to_be_visible()
        assert not page.evaluate("window.askedForPassword")
        context.unroute(EXCHANGE)
        again.click()
        expect_inside(page)


def test_who_signs_out_offline_is_signed_out_when_the_server_is_back(
    browser: Browser, sqlite_instance: Instance
) -> None:
    with window(browser, sqlite_instance.url) as first:
        stay(first)
        context = first.context
        context.route("**/api/logout", lambda route: route.abort())
        sign_out(first)
        assert context.cookies(f"{sqlite_instance.url}/api/login/resume")
        context.unroute("**/api/logout")
        page = reopen(first)
        expect_outside(page)
        assert context.cookies(f"{sqlite_instance.url}/api/login/resume") == []
