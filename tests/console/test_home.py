"""Home: what colleagues did, as it happens, and what it says while nobody did anything."""

import pyotp
import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.console.browser import settle, window
from tests.console.instance import PASSWORD
from tests.console.writing import editor
from tests.support.served import Served

pytestmark = [pytest.mark.sampled(8), pytest.mark.about("console/home", "activity")]
MINUTES = {"title": "Minutes of the meeting", "body": "We begin.", "visibility": "team"}


def set_up(served: Served) -> tuple[str, str]:
    """Return the sessions of an operator, and of Bob, a member of the same team."""
    account = {"username": "ann", "display_name": "Ann", "password": PASSWORD}
    created = served.call("POST", "/api/bootstrap", account)
    bob = {"username": "bob", "display_name": "Bob Tanner", "password": PASSWORD, "role": "member"}
    served.call("POST", "/api/org/members", {**bob, "team_id": created["team"]["id"]}, created["token"])
    return created["token"], served.call("POST", "/api/login", {"username": "bob", "password": PASSWORD})["token"]


@pytest.mark.parametrize("width", [1280, 390])
def test_what_colleagues_do_appears_as_it_happens(browser: Browser, fresh_server: Served, width: int) -> None:
    ann, bob = set_up(fresh_server)
    fresh_server.call("POST", "/api/notes", {**MINUTES, "title": "Mine"}, ann)
    with window(browser, fresh_server.url, token=ann, width=width) as page:
        page.goto("/app/")
        part = page.get_by_role("region", name="Team activity")
        expect(part).to_contain_text("appears here. Invite someone to get started.")
        expect(part.get_by_role("link", name="Invite someone")).to_be_visible()
        note = fresh_server.call("POST", "/api/notes", MINUTES, bob)
        expect(lines(page)).to_have_count(1)
        expect(lines(page).first).to_contain_text("Created by Bob Tanner")
        for body in ("a", "b"):
            fresh_server.call("PUT", f"/api/notes/{note['id']}", {"body": body}, bob)
        fresh_server.call("POST", "/api/notes", {**MINUTES, "title": "Plan", "visibility": "private"}, bob)
        for number in range(6):
            fresh_server.call("POST", "/api/documents", {"title": f"{number}", "body": "…", "visibility": "team"}, bob)
        expect(lines(page)).to_have_count(6)
        part.get_by_role("button", name="Show more").click()
        expect(lines(page)).to_have_count(7)
        expect(part).not_to_contain_text("Plan")
        settle(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        part.get_by_role("link", name="Minutes of the meeting").click()
        page.wait_for_url(f"**/notes/{note['id']}")


def test_activity_goes_on_after_pages_that_have_none(browser: Browser, fresh_server: Served) -> None:
    """The server looks at some of the log at a time, and a person may be able to read nothing of it."""
    ann, bob = set_up(fresh_server)
    fresh_server.call("POST", "/api/notes", MINUTES, bob)
    is_further = False

    def answer(route: Route) -> None:
        if is_further:
            route.continue_(url=route.request.url.replace("cursor=further", ""))
        else:
            route.fulfill(json={"items": [], "next_cursor": "further"})

    with window(browser, fresh_server.url, token=ann) as page:
        page.route("**/api/activity*", answer)
        page.goto("/app/")
        more = page.get_by_role("region", name="Team activity").get_by_role("button", name="Show more")
        expect(more).to_be_visible()
        is_further = True
        more.click()
        expect(lines(page).first).to_contain_text("Created by Bob Tanner")


def test_a_member_is_told_without_a_button_that_they_cannot_use(browser: Browser, fresh_server: Served) -> None:
    _, bob = set_up(fresh_server)
    fresh_server.call("POST", "/api/notes", MINUTES, bob)
    with window(browser, fresh_server.url, token=bob) as page:
        page.goto("/app/")
        part = page.get_by_role("region", name="Team activity")
        expect(part).to_contain_text("What your colleagues write, upload and share appears here.")
        expect(part.get_by_role("link")).to_have_count(0)


@pytest.mark.parametrize("width", [1280, 390])
def test_everything_that_others_shared_is_on_home(browser: Browser, fresh_server: Served, width: int) -> None:
    ann, bob = set_up(fresh_server)
    me = fresh_server.call("GET", "/api/whoami", token=ann)["user"]["id"]
    private = {"visibility": "private", "body": "…"}
    note = fresh_server.call("POST", "/api/notes", {**private, "title": "Pier log"}, bob)["id"]
    document = fresh_server.call("POST", "/api/documents", {**private, "title": "Pier 2"}, bob)["id"]
    talk = fresh_server.call("POST", "/api/conversations", {"title": "Tides"}, bob)["id"]
    fresh_server.call("POST", f"/api/conversations/{talk}/share", {"user_id": me, "permission": "notes:read"}, bob)
    fresh_server.call("POST", f"/api/repo-obj/{document}/share", {"user_id": me, "capability": "view"}, bob)
    with window(browser, fresh_server.url, token=ann, width=width) as page:
        page.goto("/app/")
        lines = page.get_by_role("region", name="Shared with you").get_by_role("listitem")
        expect(lines).to_contain_text(["Pier 2", "Tides"])
        expect(lines.first).to_contain_text("Shared by Bob Tanner")
        fresh_server.call("POST", f"/api/notes/{note}/share", {"user_id": me, "permission": "notes:read"}, bob)
        expect(lines).to_contain_text(["Pier log", "Pier 2", "Tides"])
        expect(lines.first.get_by_role("img", name="Note")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        lines.filter(has_text="Tides").get_by_role("link").click()
        page.wait_for_url(f"**/chat/{talk}")


@pytest.mark.parametrize("width", [1280, 390])
def test_who_is_mentioned_sees_it_on_home_and_goes_on_with_it_later(
    browser: Browser, fresh_server: Served, width: int
) -> None:
    ann, bob = set_up(fresh_server)
    note = fresh_server.call("POST", "/api/notes", {**MINUTES, "body": ""}, bob)["id"]
    with (
        window(browser, fresh_server.url, token=ann, width=width) as page,
        window(browser, fresh_server.url, token=bob) as other,
    ):
        page.goto("/app/")
        expect(page.get_by_role("heading", name="Hello, Ann")).to_be_visible()
        expect(page.get_by_role("region", name="Mentions")).to_have_count(0)
        other.goto(f"/app/notes/{note}?edit=true")
        editor(other).focus()
        other.keyboard.type("Ask @An")
        expect(other.get_by_role("listbox").get_by_role("option", name="Ann ann")).to_be_visible()
        other.wait_for_timeout(200)  # the editor ignores keys that come sooner
        other.keyboard.press("Enter")
        other.keyboard.press("Control+s")
        mention = page.get_by_role("region", name="Mentions").get_by_role("listitem")
        expect(mention).to_contain_text("Bob Tanner")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        mention.get_by_role("link", name="Minutes of the meeting").click()
        expect(page.get_by_role("article")).to_contain_text("Ask @Ann")
        page.goto("/app/")
        page.get_by_role("region", name="Continue where you left off").get_by_role(
            "link", name="Minutes of the meeting"
        ).click()
        page.wait_for_url(f"**/notes/{note}")


def test_older_mentions_are_shown_on_request(browser: Browser, fresh_server: Served) -> None:
    ann, bob = set_up(fresh_server)
    who = fresh_server.call("GET", "/api/whoami", token=ann)["user"]["id"]
    for number in range(7):
        text = {**MINUTES, "title": f"Minutes {number}", "body": f"Ask [@Ann](/people/{who})"}
        fresh_server.call("POST", "/api/notes", text, bob)
    with window(browser, fresh_server.url, token=ann) as page:
        page.goto("/app/")
        mentions = page.get_by_role("region", name="Mentions")
        expect(mentions.get_by_role("listitem")).to_have_count(5)
        mentions.get_by_role("button", name="Show more").click()
        expect(mentions.get_by_role("listitem")).to_have_count(7)
        expect(mentions.get_by_role("listitem").last).to_contain_text("Minutes 0")
        expect(mentions.get_by_role("button", name="Show more")).to_have_count(0)


def test_the_checklist_goes_on_until_all_is_done(browser: Browser, fresh_server: Served) -> None:
    created = fresh_server.call(
        "POST", "/api/bootstrap", {"username": "ann", "display_name": "Ann", "password": PASSWORD}
    )
    ann = created["token"]
    with window(browser, fresh_server.url, token=ann) as page:
        part = page.get_by_role("region", name="Get set up")
        for done, (step, heading) in enumerate(STEPS.items()):
            page.goto("/app/")
            expect(part).to_contain_text(f"{done} of 5 done")
            part.get_by_role("link", name=step).click()
            expect(page.get_by_role("heading", name=heading, exact=True).first).to_be_visible()
            take_step(step, fresh_server, created["team"]["id"], ann)
        page.goto("/app/")
        expect(page.get_by_role("heading", name="Hello, Ann")).to_be_visible()
        settle(page)
        expect(part).to_have_count(0)


STEPS = {
    "Invite someone": "People", "Connect a model": "Model roles", "Add your brand": "Branding", "Connect S3": "Connect",
    "Turn on two-factor authentication": "Your account",
}  # fmt: skip
"""What the checklist asks for, and the heading of the screen that each leads to."""


def take_step(step: str, served: Served, team: str, ann: str) -> None:
    match step:
        case "Invite someone":
            bob = {"username": "bob", "display_name": "Bob", "password": PASSWORD, "role": "member", "team_id": team}
            served.call("POST", "/api/org/members", bob, ann)
        case "Connect a model":
            worker = served.call("POST", "/api/executors", {"name": "shed", "mode": "pull"}, ann)["token"]
            served.call("POST", "/api/workers/claim", {"max_wait": 0}, worker)
            served.call("PUT", "/api/model-roles", {"roles": {"chat": "shed", "utility": "shed"}}, ann)
        case "Add your brand":
            served.call("PUT", "/api/org/branding", {"title": "Acme"}, ann)
        case "Connect S3":
            served.call("POST", "/api/s3/credentials", {"name": "Backup"}, ann)
        case _:
            secret = served.call("POST", "/api/2fa/enable", {"confirm": True}, ann)["secret"]
            served.call("POST", "/api/2fa/enable", {"code": pyotp.TOTP(secret).now()}, ann)


def test_shares_that_cannot_be_loaded_are_not_taken_for_none(browser: Browser, fresh_server: Served) -> None:
    ann, _ = set_up(fresh_server)
    problem = {"status": 500, "title": "Broken", "detail": "It broke.", "code": "internal"}
    with window(browser, fresh_server.url, token=ann) as page:
        page.route("**/api/shared?*", lambda route: route.fulfill(status=500, json=problem))
        page.goto("/app/")
        expect(page.get_by_role("alert")).to_contain_text("It broke.")
        expect(page.get_by_role("heading", name="Nothing here yet")).to_have_count(0)
        page.unroute("**/api/shared?*")
        page.get_by_role("button", name="Try again").click()
        expect(page.get_by_role("heading", name="Nothing here yet")).to_be_visible()


def test_a_dismissed_checklist_stays_away_in_every_browser(browser: Browser, fresh_server: Served) -> None:
    ann, _ = set_up(fresh_server)
    with window(browser, fresh_server.url, token=ann) as page:
        page.goto("/app/")
        part = page.get_by_role("region", name="Get set up")
        expect(part).to_be_visible()
        with page.expect_response("**/api/profile"):
            part.get_by_role("button", name="Dismiss").click()
        expect(part).to_have_count(0)
    with window(browser, fresh_server.url, token=ann, empty_cache=True) as page:
        page.goto("/app/")
        settle(page)
        expect(page.get_by_role("heading", name="Nothing here yet")).to_be_visible()
        expect(page.get_by_role("region", name="Get set up")).to_have_count(0)


def lines(page: Page) -> Locator:
    return page.get_by_role("region", name="Team activity").get_by_role("listitem")
