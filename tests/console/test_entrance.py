"""Setting up an instance, two-factor authentication, time zone, and invitations."""

import re
import time
from pathlib import Path

import pyotp
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.console.browser import sign_in, sign_out, window
from tests.console.conftest import Serve
from tests.console.instance import OPERATOR, PASSWORD, Instance
from tests.support.served import Served

pytestmark = [
    pytest.mark.sampled(8),
    pytest.mark.about("console/account", "console/entrance", "console/members", "identity", "instance", "tenancy"),
]

STEP_SECONDS = 30
BOOTSTRAP_CODE = "a-code-of-the-harbour-master"


def test_the_first_visitor_sets_up_the_instance_and_two_factor_authentication(
    browser: Browser, fresh_server: Served
) -> None:
    with window(browser, fresh_server.url) as page:
        set_up(page)
        secret, codes = turn_on_second_factor(page)
        for code in (next_code(secret), codes[0]):
            sign_out(page)
            sign_in(page, "ann", PASSWORD)
            enter_code(page, code)
            expect(page.get_by_role("heading", name="Hello, Ann Lee")).to_be_visible()
        page.goto("/app/settings/me/account")
        expect(page.get_by_text(f"{len(codes) - 1} recovery codes left")).to_be_visible()
        sign_out(page)
        sign_in(page, "ann", PASSWORD)
        enter_code(page, codes[0])
        expect(page.get_by_role("alert"), "a recovery code works once").to_be_visible()


def test_a_bootstrap_code_is_required_where_configured(browser: Browser, serve: Serve) -> None:
    with serve("sqlite", SERVICE_BOOTSTRAP_CODE=BOOTSTRAP_CODE) as served, window(browser, served.url) as page:
        page.goto("/")
        expect(page.get_by_label("Bootstrap code")).to_be_focused()
        page.keyboard.type("some other code")
        page.get_by_label("Username").fill("ann")
        page.get_by_label("Password", exact=False).first.fill(PASSWORD)
        page.get_by_role("button", name="Create account").click()
        expect(page.get_by_role("alert")).to_contain_text("bootstrap code")
        page.get_by_label("Bootstrap code").fill(BOOTSTRAP_CODE)
        page.get_by_role("button", name="Create account").click()
        expect(page.get_by_role("heading", name="Hello, ann")).to_be_visible()


def test_an_invited_person_signs_in_with_the_shown_credentials(browser: Browser, instance: Instance) -> None:
    with window(browser, instance.url, token=instance.session("operator")) as page:
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
    credentials = dict(line.split(": ", 1) for line in shown)
    with window(browser, credentials["Address"]) as page:
        sign_in(page, credentials["Username"], credentials["Password"])
        expect(page.get_by_role("heading", name="Hello, Jo Berg")).to_be_visible()


def test_a_wrong_password_is_explained(browser: Browser, instance: Instance) -> None:
    with window(browser, instance.url) as page:
        sign_in(page, OPERATOR.username, "some other phrase")
        expect(page.get_by_role("alert")).to_contain_text("password")
        expect(page.get_by_label("Username")).to_have_value(OPERATOR.username)


def test_the_language_is_chosen_before_signing_in_and_kept(browser: Browser, instance: Instance) -> None:
    with window(browser, instance.url, empty_cache=True) as page:
        page.goto("/login")
        choice = page.get_by_label("Language")
        expect(choice.locator("option")).to_have_text(["Deutsch", "English", "Español", "Íslenska", "Nederlands"])
        choice.select_option(label="Deutsch")
        expect(page.get_by_role("button", name="Anmelden")).to_be_visible()
        page.get_by_label("Benutzername").fill(OPERATOR.username)
        page.get_by_label(re.compile("^Passwort")).fill(PASSWORD)
        page.get_by_role("button", name="Anmelden").click()
        expect(page.get_by_role("link", name="Notizen").first).to_be_visible()
        assert page.evaluate("document.documentElement.lang") == "de"


def test_times_are_shown_in_the_chosen_time_zone(browser: Browser, fresh_server: Served) -> None:
    with window(browser, fresh_server.url, timezone_id="America/New_York") as page:
        set_up(page)
        page.goto("/app/settings/me/account")
        choice = page.get_by_role("combobox", name="Time zone")
        expect(choice).to_have_value("Same as this device (America/New York)")
        began = page.get_by_text(re.compile("last used "))
        expect(began.locator("time")).to_have_attribute("title", re.compile(r" [AP]M E[SD]T$"))
        choice.fill("tokyo")
        page.get_by_role("option", name="Asia/Tokyo").click()
        page.get_by_role("button", name="Save").click()
        expect(began.locator("time")).to_have_attribute("title", re.compile(r" [AP]M GMT\+9$"))
        page.reload()
        expect(choice).to_have_value(re.compile("^Asia/Tokyo"))
        expect(began.locator("time")).to_have_attribute("title", re.compile(r" [AP]M GMT\+9$"))
        choice.fill("same as")
        page.get_by_role("option", name="Same as this device").click()
        page.get_by_role("button", name="Save").click()
        expect(began.locator("time")).to_have_attribute("title", re.compile(r" [AP]M E[SD]T$"))


def set_up(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_role("heading", name="Set up this instance")).to_be_visible()
    fields = {"Username": "ann", "Name": "Ann Lee", "Password": PASSWORD, "Company": "Lee Bakery", "Team": "Ovens"}
    for label, text in fields.items():
        page.get_by_label(re.compile(f"^{label}")).first.fill(text)
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_role("heading", name="Hello, Ann Lee")).to_be_visible()
    expect(page.get_by_text("Ovens, Lee Bakery")).to_be_visible()


def turn_on_second_factor(page: Page) -> tuple[str, list[str]]:
    """Return the TOTP secret and the recovery codes."""
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
    """The dialog shows them once, stays open until they are saved, and offers a file with all of them."""
    dialog = page.get_by_role("dialog", name="Your recovery codes")
    expect(dialog).to_be_visible()
    codes = dialog.get_by_role("list", name="Your recovery codes").locator("code").all_inner_texts()
    page.keyboard.press("Escape")
    expect(dialog.get_by_role("button", name="Done")).to_be_disabled()
    with page.expect_download() as download:
        dialog.get_by_role("button", name="Download").click()
    saved = Path(download.value.path()).read_text()
    assert download.value.suggested_filename == "recovery-codes-ann.txt"
    assert len(codes) >= 8 and all(code in saved for code in codes)
    dialog.get_by_label("I’ve saved them somewhere safe").check()
    dialog.get_by_role("button", name="Done").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_text(f"{len(codes)} recovery codes left")).to_be_visible()
    return codes


def next_code(secret: str) -> str:
    """The code of the next time step, since each code is accepted once."""
    return pyotp.TOTP(secret).at(int(time.time()) + STEP_SECONDS)


def enter_code(page: Page, code: str) -> None:
    page.get_by_label("Code").fill(code)
    page.get_by_role("button", name="Sign in").click()
