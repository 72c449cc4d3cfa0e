"""Companies in the console: created, branded, given a hostname, suspended and resumed."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.console.browser import sign_in, window
from tests.console.instance import PASSWORD, Instance
from tests.console.writing import write

pytestmark = [
    pytest.mark.sampled(8),
    pytest.mark.about("console/instance", "console/branding", "branding", "instance", "tenancy"),
]

# White on the first has a contrast of 4.47; WCAG 2 requires 4.5.
FAINT, READABLE = "#777777", "#8b1a1a"
ACCENT = "getComputedStyle(document.documentElement).getPropertyValue('--accent')"


def test_a_company_is_created_branded_and_found_by_its_hostname(browser: Browser, instance: Instance) -> None:
    with window(browser, instance.url, token=instance.session("operator")) as operator:
        link = create_company(operator, "Acme", owner="acme.wile")
        with window(browser, instance.url) as owner:
            activate(owner, link)
            set_branding(owner, "Acme Rockets")
        set_hostname(operator, "acme.example")
    port = instance.served.port
    with window(browser, f"http://acme.example:{port}", java_script_enabled=False) as page:
        page.goto("/")
        assert page.title() == "Acme Rockets"
        assert page.evaluate(ACCENT) == READABLE, "the branding applies before any script runs"
    with window(browser, f"http://acme.example:{port}") as page:
        page.goto("/")
        expect(page).to_have_title("Sign in · Acme Rockets")
        sign_in(page, "acme.wile", PASSWORD)
        expect(page.get_by_role("heading", name="Hello")).to_be_visible()
        page.keyboard.press("c")
        page.get_by_label("Title").fill("Plan")
        expect(page.get_by_text("Saved · version 1").first, "over plain http too").to_be_visible()
    with window(browser, instance.url) as page:
        page.goto("/")
        expect(page).to_have_title("Sign in · Teamspace")
        assert page.evaluate(ACCENT) != READABLE, "other companies keep their branding"


def test_a_suspended_company_can_read_and_sees_why_it_cannot_write(browser: Browser, instance: Instance) -> None:
    token, note = company_with_a_note(instance)
    with (
        window(browser, instance.url, token=instance.session("operator")) as operator,
        window(browser, instance.url, token=token) as owner,
    ):
        owner.goto(f"/app/notes/{note}?edit=true")
        operator.goto("/app/settings/instance/companies/nordic")
        operator.get_by_role("button", name="Suspend Nordic").click()
        operator.get_by_role("dialog").get_by_role("button", name="Suspend", exact=True).click()
        expect(operator.get_by_role("button", name="Resume Nordic")).to_be_visible()

        write(owner, ", more")
        refused = owner.get_by_role("alert")
        expect(refused).to_contain_text("Couldn’t save. Your text is still here.")
        expect(refused).to_contain_text("suspended")
        owner.goto(f"/app/notes/{note}")
        expect(owner.get_by_role("status").filter(has_text="Nordic is suspended.")).to_be_visible()
        expect(owner.get_by_role("article")).to_contain_text("Wood")

        operator.get_by_role("button", name="Resume Nordic").click()
        expect(operator.get_by_role("button", name="Suspend Nordic")).to_be_visible()
        owner.reload()
        owner.get_by_role("button", name="Restore").click()
        expect(owner.get_by_text("Saved · version 2").first).to_be_visible()
        expect(owner.get_by_text("Nordic is suspended.")).to_have_count(0)


def create_company(page: Page, name: str, *, owner: str) -> str:
    """Create a company without a password; return the activation link for its owner."""
    page.goto("/app/settings/instance/companies")
    page.get_by_role("button", name="New company").click()
    dialog = page.get_by_role("dialog", name="New company")
    dialog.get_by_role("textbox", name="Name", exact=True).first.fill(name)
    dialog.get_by_role("textbox", name="Username").fill(owner)
    dialog.get_by_role("button", name="Create company").click()
    handover = page.get_by_role("dialog", name=f"{name} created")
    link = handover.locator("code").inner_text()
    handover.get_by_label("I’ve saved it somewhere safe").check()
    handover.get_by_role("button", name="Done").click()
    expect(page.get_by_role("row", name=name)).to_contain_text("Active")
    return link


def activate(page: Page, link: str) -> None:
    page.goto(link)
    page.get_by_label("New password").fill(PASSWORD)
    page.get_by_label("Confirm password").fill(PASSWORD)
    page.get_by_role("button", name="Set password").click()
    expect(page.get_by_role("heading", name="Hello")).to_be_visible()


def set_branding(page: Page, title: str) -> None:
    """Set a title and an accent; one with too little contrast is refused."""
    page.goto("/app/settings/company/branding")
    page.get_by_label("Title").fill(title)
    accent = page.get_by_role("group", name="Accent", exact=True)
    save = page.get_by_role("button", name="Save")
    accent.get_by_label("Accent, hex code").fill(FAINT)
    expect(accent).to_contain_text("4.47 between the two")
    expect(accent).to_contain_text("too low, needs 4.5")
    expect(save).to_be_disabled()
    accent.get_by_label("Accent, hex code").fill(READABLE)
    expect(accent).not_to_contain_text("too low")
    save.click()
    expect(page.get_by_text("Branding saved")).to_be_visible()


def set_hostname(page: Page, name: str) -> None:
    page.get_by_role("link", name="Acme").click()
    page.get_by_role("textbox", name="Hostname").fill(name)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text(f"Acme now uses {name}")).to_be_visible()


def company_with_a_note(instance: Instance) -> tuple[str, str]:
    """Create a company that can be suspended; return its owner's token and a note's id."""
    owner = {"username": "nordic.kai", "password": PASSWORD}
    draft = {"name": "Nordic", "slug": "nordic", "owner": owner}
    token = instance.call("POST", "/api/orgs", draft, instance.operator)["token"]
    note = instance.call("POST", "/api/notes", {"title": "Stock", "body": "Wood"}, token)["id"]
    return token, note
