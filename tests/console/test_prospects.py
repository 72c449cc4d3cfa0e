"""Sign-up in the console: who signed up is decided on by keys alone, and the page is edited and published."""

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect

from tests.console.browser import settle, window
from tests.console.instance import Instance, picture
from tests.onboarding.help import document
from tests.onboarding.signing_up import PROSE, WHY, solve

pytestmark = [pytest.mark.sampled(8), pytest.mark.about("console/signup", "onboarding")]

ADDRESS = "/app/settings/company/sign-up"
NAME: dict[str, Any] = {"name": "name", "type": "text", "label": {"en": "Your name"}}


def publish(instance: Instance) -> None:
    instance.call("PUT", "/api/beta/experience", document("Join us", NAME, WHY), instance.operator)
    instance.call("POST", "/api/beta/experience/publish", {}, instance.operator)


def sign_up(instance: Instance, name: str, email: str) -> None:
    pow = solve(instance.call("GET", "/api/beta/challenge"))
    fields = {"email": email, "name": name, "why": f"{PROSE} {name}."}
    instance.call("POST", "/api/beta/signup", {"fields": fields, "pow": pow, "locale": "en"})


def detail(page: Page, name: str) -> Any:
    return page.get_by_role("article", name=name)


def test_prospects_are_decided_on_by_keys(browser: Browser, instance: Instance) -> None:
    publish(instance)
    for name in ("Carl", "Bea", "Ann"):
        sign_up(instance, name, f"{name.lower()}@prospects.example")
    with window(browser, instance.url, token=instance.operator) as page:
        page.goto(f"{ADDRESS}?q=bea")
        expect(detail(page, "Bea")).to_contain_text(PROSE)
        page.get_by_role("button", name="Clear filters").click()
        rows = page.get_by_role("region", name="Prospects").get_by_role("link")
        expect(rows).to_have_text([re.compile("^Ann"), re.compile("^Bea"), re.compile("^Carl")])
        expect(detail(page, "Ann")).to_contain_text("Sent by a program, not a common browser.")
        page.keyboard.press("j")
        expect(detail(page, "Bea")).to_be_visible()
        page.keyboard.press("k")
        expect(detail(page, "Ann")).to_be_visible()
        page.keyboard.press("a")
        secret = page.get_by_role("dialog", name="Activation link for Ann")
        expect(secret.get_by_role("listitem")).to_contain_text("/activate#")
        secret.get_by_role("checkbox").check()
        secret.get_by_role("button", name="Done").click()
        expect(detail(page, "Bea")).to_be_visible()
        page.keyboard.press("d")
        expect(page.get_by_label("Note for your team")).to_be_focused()
        page.keyboard.type("Not this year.")
        page.keyboard.press("Control+Enter")
        expect(detail(page, "Carl")).to_be_visible()
        expect(rows).to_have_count(1)
        page.get_by_role("button", name="Delete").click()
        confirm = page.get_by_role("dialog", name="Delete Carl?")
        expect(confirm).to_contain_text("gone for good")
        confirm.get_by_role("button", name="Delete").click()
        expect(page.get_by_role("heading", name="Nobody is waiting")).to_be_visible()
        page.get_by_text("Declined", exact=True).click()
        expect(detail(page, "Bea")).to_contain_text("Not this year.")
        with page.expect_download() as download:
            page.get_by_role("button", name="Export CSV").click()
        assert "bea@prospects.example" in download.value.path().read_text()
    items = instance.call("GET", "/api/beta/prospects?q=", token=instance.operator)["items"]
    assert {item["email"][:3]: item["state"] for item in items} == {"ann": "accepted", "bea": "declined"}


def test_who_was_decided_on_elsewhere_leaves_the_list(browser: Browser, instance: Instance) -> None:
    publish(instance)
    sign_up(instance, "Dora", "dora@prospects.example")
    with window(browser, instance.url, token=instance.operator) as page:
        page.goto(f"{ADDRESS}?q=dora")
        expect(detail(page, "Dora")).to_be_visible()
        (dora,) = instance.call("GET", "/api/beta/prospects?q=dora", token=instance.operator)["items"]
        instance.call("POST", f"/api/beta/prospects/{dora['id']}/decide", {"decision": "decline"}, instance.operator)
        page.keyboard.press("a")
        expect(page.get_by_text("This prospect was already accepted or declined.")).to_be_visible()
        expect(page.get_by_role("heading", name="Nobody matches")).to_be_visible()
        page.goto(f"{ADDRESS}?id={dora['id']}")
        settle(page)
        expect(page.get_by_role("button", name="Accept")).to_have_count(0)


def test_a_page_is_edited_previewed_and_published(browser: Browser, instance: Instance) -> None:
    publish(instance)
    with window(browser, instance.url, token=instance.operator) as page:
        page.goto(f"{ADDRESS}/page")
        preview = page.get_by_role("region", name="Preview")
        expect(preview).to_contain_text("Join us")
        page.get_by_label("Title").fill("Come aboard")
        expect(preview).to_contain_text("Come aboard")
        page.get_by_role("button", name="Add question").click()
        fields = page.get_by_role("list", name="Questions").get_by_role("listitem")
        expect(fields).to_have_count(4)
        fields.last.get_by_label("Question").fill("How many boats?")
        fields.last.get_by_label("Question").press("Alt+ArrowUp")
        expect(fields.nth(2).get_by_label("Question")).to_have_value("How many boats?")
        accent = page.get_by_label("Accent", exact=True)
        accent.fill("#ffffff")
        expect(page.get_by_text("Too little contrast with Button text").first).to_be_visible()
        expect(page.get_by_role("button", name="Save draft")).to_be_disabled()
        accent.fill("#0f6b62")
        file = FilePayload(name="boats.png", mimeType="image/png", buffer=picture())
        page.locator("input[type=file]").set_input_files(file)
        page.get_by_label("Logo").select_option("boats.png")
        expect(preview.locator("img")).to_have_attribute("src", re.compile("^/api/beta/asset/"))
        page.get_by_role("button", name="Save draft").click()
        expect(page.get_by_text("Draft, not published.")).to_be_visible()
        page.get_by_role("button", name="Publish").click()
        page.get_by_role("dialog").get_by_role("button", name="Publish").click()
        expect(page.get_by_text("Sign-up page published")).to_be_visible()
    shown = instance.call("GET", "/api/beta/config?locale=en")
    assert shown["copy"]["title"] == "Come aboard"
    assert shown["logo"]
    assert [field["label"] for field in shown["fields"]][2] == "How many boats?"


def test_a_draft_that_someone_else_saved_costs_nothing_that_was_typed(browser: Browser, instance: Instance) -> None:
    publish(instance)
    with window(browser, instance.url, token=instance.operator) as page:
        page.goto(f"{ADDRESS}/page")
        page.get_by_label("Title").fill("Mine")
        instance.call("PUT", "/api/beta/experience", document("Theirs"), instance.session("admin"))
        page.get_by_role("button", name="Save draft").click()
        expect(page.get_by_role("alert")).to_contain_text("Someone else saved a draft")
        expect(page.get_by_label("Title")).to_have_value("Mine")
        page.get_by_role("button", name="Save mine").click()
        expect(page.get_by_text("Draft, not published.")).to_be_visible()
    shown = instance.call("GET", "/api/beta/experience", token=instance.operator)
    assert shown["copy"]["en"]["title"] == "Mine"
