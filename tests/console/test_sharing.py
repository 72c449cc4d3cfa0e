"""Notes and conversations in the share dialog that everything has: teams, ends, who can see it and why; and its tab."""

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.console.browser import window
from tests.console.instance import PEOPLE, Instance

pytestmark = [
    pytest.mark.sampled(8),
    pytest.mark.about("console/notes", "console/chat", "sharing", "notes", "conversations"),
]
GRANTS = "People and teams with access"


def share(page: Page, dialog: Locator, letters: str, name: str, permission: str, day: str) -> None:
    dialog.get_by_label("Person or team").fill(letters)
    page.get_by_role("option", name=name).click()
    for label, choice in (("Permission", permission), ("Expires", "Custom date…")):
        dialog.get_by_label(label, exact=True).click()
        page.get_by_role("option", name=choice, exact=True).click()
    dialog.get_by_label("Last day").fill(day)
    dialog.get_by_role("button", name="Share", exact=True).click()


@pytest.mark.parametrize(("kind", "right"), [("notes", "Can edit"), ("chat", "Can continue")])
def test_a_team_is_given_access_until_a_date_that_is_changed_later(
    browser: Browser, instance: Instance, kind: str, right: str
) -> None:
    title, team, viewer = f"Lock gates {kind}", instance.team["name"], PEOPLE["viewer"]
    id = (
        instance.note(title, "Closed on Friday.", "member", "private") if kind == "notes"
        else instance.conversation("Closed?", who="member", title=title)
    )  # fmt: skip
    with window(browser, instance.url, token=instance.session("member")) as page:
        page.goto(f"/app/{kind}/{id}")
        page.get_by_role("button", name="Share", exact=True).click()
        dialog = page.get_by_role("dialog", name=f"Share “{title}”")
        share(page, dialog, "harb", team, right, "2099-12-31")
        row = dialog.get_by_role("list", name=GRANTS).get_by_role("listitem")
        expect(row).to_contain_text([re.compile(f"{team}.*expires in")])

        end = row.get_by_role("button", name=re.compile(f"^Expiry for {team}"))
        end.click()
        page.get_by_role("menuitem", name="7 days", exact=True).click()
        expect(row).to_contain_text("expires in 7 days")
        end.click()
        page.get_by_role("menuitem", name="Custom date…").click()
        form = row.get_by_role("form", name=f"Last day for {team}")
        expect(form.get_by_label("Last day")).to_be_focused()
        form.get_by_label("Last day").fill("2099-12-31")
        form.get_by_role("button", name="Save").click()
        expect(form).to_have_count(0)
        expect(end).not_to_have_accessible_name(re.compile("7 days"))

        dialog.get_by_role("button", name="Who has access").click()
        why = dialog.get_by_role("list", name="Who has access").get_by_role("listitem")
        expect(why.filter(has_text=viewer.name)).to_contain_text(
            re.compile(f"Shared with {team} · {right.lower()} · until")
        )
        expect(why.filter(has_text=PEOPLE["member"].name)).to_contain_text("Owner")
        page.keyboard.press("Escape")

        page.goto(f"/app/{kind}/{id}?inspect=sharing")
        tab = page.get_by_role("tabpanel", name="Sharing")
        expect(tab.get_by_role("list", name=GRANTS)).to_contain_text(team)
        with window(browser, instance.url, token=instance.session("viewer")) as colleague:
            colleague.goto(f"/app/{kind}/{id}")
            expect(colleague.get_by_role("heading", name=title)).to_be_visible()
            expect(colleague.get_by_role("button", name="Share", exact=True)).to_have_count(0)
        tab.get_by_role("button", name=re.compile(f"^Expiry for {team}")).click()
        expect(page.get_by_role("menu")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("menu")).to_have_count(0)
        tab.get_by_role("button", name=f"Remove {team}").click()
        expect(tab).to_contain_text("Not shared with anyone yet.")

        tab.get_by_label("Permission", exact=True).click()
        expect(page.get_by_role("option", name=right, exact=True)).to_be_visible()
        page.keyboard.press("Escape")  # the list, and not the tab
        expect(page.get_by_role("option", name=right, exact=True)).to_have_count(0)
        expect(tab).to_be_visible()
        page.keyboard.press("Escape")
        expect(tab).to_have_count(0)
