"""The way in: a fresh instance, a second factor, and a newcomer who was invited."""

import re
import time
from pathlib import Path

import pyotp
from playwright.sync_api import Browser, Page, expect

from tests.console.browser import sign_in, sign_out, window
from tests.console.conftest import Serve
from tests.console.stage import OPERATOR, PASSWORD, Stage
from tests.support.served import Served

STEP_SECONDS = 30
CODE = "a-code-of-the-harbour-master"


def test_the_first_visitor_sets_up_the_instance_and_guards_the_account(browser: Browser, fresh: Served) -> None:
    with window(browser, fresh.url) as page:
        set_up(page)
        secret, codes = turn_on_second_factor(page)
        for answer in (next_code(secret), codes[0]):
            sign_out(page)
            sign_in(page, "ann", PASSWORD)
            give_code(page, answer)
            expect(page.get_by_role("heading", name="Hello, Ann Lee")).to_be_visible()
        page.goto("/app/settings/me/account")
        expect(page.get_by_text(f"{len(codes) - 1} recovery codes left")).to_be_visible()
        sign_out(page)
        sign_in(page, "ann", PASSWORD)
        give_code(page, codes[0])
        expect(page.get_by_role("alert"), "a recovery code works once").to_be_visible()


def test_where_a_code_is_set_nobody_sets_up_the_instance_without_it(browser: Browser, serve: Serve) -> None:
    with serve("sqlite", SERVICE_BOOTSTRAP_CODE=CODE) as served, window(browser, served.url) as page:
        page.goto("/")
        expect(page.get_by_label("Bootstrap code")).to_be_focused()
        page.keyboard.type("some other code")
        page.get_by_label("Username").fill("ann")
        page.get_by_label("Password", exact=False).first.fill(PASSWORD)
        page.get_by_role("button", name="Create account").click()
        expect(page.get_by_role("alert")).to_contain_text("bootstrap code")
        page.get_by_label("Bootstrap code").fill(CODE)
        page.get_by_role("button", name="Create account").click()
        expect(page.get_by_role("heading", name="Hello, ann")).to_be_visible()


def test_somebody_who_was_invited_signs_in_with_what_the_dialog_showed(browser: Browser, stage: Stage) -> None:
    with window(browser, stage.url, token=stage.session("operator")) as page:
        page.goto("/app/settings/team/people")
        page.get_by_role("button", name="Invite person").click()
        roles = page.get_by_role("radiogroup", name="Role")
        expect(roles.get_by_label("Member")).to_be_checked()
        expect(roles.get_by_role("radio")).to_have_count(3)
        roles.get_by_role("button", name="More roles").click()
        expect(roles.get_by_label("Guest")).to_have_accessible_description("Can only see what’s shared with them.")
        page.get_by_label("Username").fill("jo")
        page.get_by_label("Name", exact=True).fill("Jo Berg")
        page.get_by_role("button", name="Generate password").click()
        page.get_by_role("button", name="Invite", exact=True).click()
        dialog = page.get_by_role("dialog", name="Invitation for Jo Berg")
        expect(dialog).to_be_visible()
        shown = dialog.get_by_role("listitem").all_inner_texts()
        page.get_by_label("I’ve saved them somewhere safe").check()
        page.get_by_role("button", name="Done").click()
        expect(page.get_by_role("row", name="Jo Berg")).to_contain_text("Member")
    handed = dict(line.split(": ", 1) for line in shown)
    with window(browser, handed["Address"]) as page:
        sign_in(page, handed["Username"], handed["Password"])
        expect(page.get_by_role("heading", name="Hello, Jo Berg")).to_be_visible()


def test_a_wrong_password_is_refused_in_words(browser: Browser, stage: Stage) -> None:
    with window(browser, stage.url) as page:
        sign_in(page, OPERATOR.username, "some other phrase")
        expect(page.get_by_role("alert")).to_contain_text("password")
        expect(page.get_by_label("Username")).to_have_value(OPERATOR.username)


def set_up(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_role("heading", name="Set up this instance")).to_be_visible()
    wishes = {"Username": "ann", "Name": "Ann Lee", "Password": PASSWORD, "Company": "Lee Bakery", "Team": "Ovens"}
    for label, words in wishes.items():
        page.get_by_label(re.compile(f"^{label}")).first.fill(words)
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_role("heading", name="Hello, Ann Lee")).to_be_visible()
    expect(page.get_by_text("Ovens, Lee Bakery")).to_be_visible()


def turn_on_second_factor(page: Page) -> tuple[str, list[str]]:
    """The key that the app would hold, and the recovery codes."""
    page.goto("/app/settings/me/account")
    page.get_by_role("button", name="Set up").click()
    dialog = page.get_by_role("dialog")
    picture = dialog.get_by_role("img", name="QR code")
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.naturalWidth") > 0
    secret = dialog.locator("code").inner_text().replace(" ", "")
    dialog.get_by_label("Code from the app").fill(pyotp.TOTP(secret).now())
    dialog.get_by_role("button", name="Turn on").click()
    return secret, recovery_codes(page)


def recovery_codes(page: Page) -> list[str]:
    """They are shown once, in a dialog that stays until they are kept, and the file has all of them."""
    dialog = page.get_by_role("dialog", name="Your recovery codes")
    expect(dialog).to_be_visible()
    codes = dialog.get_by_role("list", name="Your recovery codes").locator("code").all_inner_texts()
    page.keyboard.press("Escape")
    expect(dialog.get_by_role("button", name="Done")).to_be_disabled()
    with page.expect_download() as download:
        dialog.get_by_role("button", name="Download").click()
    kept = Path(download.value.path()).read_text()
    assert download.value.suggested_filename == "recovery-codes-ann.txt"
    assert len(codes) >= 8 and all(code in kept for code in codes)
    dialog.get_by_label("I’ve saved them somewhere safe").check()
    dialog.get_by_role("button", name="Done").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_text(f"{len(codes)} recovery codes left")).to_be_visible()
    return codes


def next_code(secret: str) -> str:
    """A code is taken once, so the one that confirmed the factor cannot open the door too; a phone may be ahead."""
    return pyotp.TOTP(secret).at(int(time.time()) + STEP_SECONDS)


def give_code(page: Page, code: str) -> None:
    page.get_by_label("Code").fill(code)
    page.get_by_role("button", name="Sign in").click()
