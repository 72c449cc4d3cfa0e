"""Public links in the console: switched on in the share dialog, opened by a visitor, and switched off."""

import re

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.console.browser import window
from tests.console.instance import Instance
from tests.console.test_languages import OUTSIDE
from tests.console.views import LINK_VIEWS, WIDTHS, View, mistype_password

pytestmark = [pytest.mark.sampled(8), pytest.mark.about("console/repository", "links")]


def test_a_public_link_is_made_opened_and_turned_off(browser: Browser, sqlite_instance: Instance) -> None:
    instance = sqlite_instance
    file = instance.upload("harbour/tides.txt", b"High water at noon.", "member", "private")
    with window(browser, instance.url, token=instance.session("member")) as page:
        page.goto(f"/app/files/{file}")
        page.get_by_role("button", name="Share").click()
        dialog = page.get_by_role("dialog", name="Share “tides.txt”")
        links = dialog.get_by_role("region", name="Public links")
        expect(links).to_contain_text("Off: nobody outside can open this.")
        links.get_by_role("switch", name="Public links").click(force=True)
        row = links.get_by_role("list", name="Links").get_by_role("listitem")
        expect(row).to_have_count(1)
        expect(row).to_contain_text("0 views · 0 downloads")
        first = row.get_by_role("button", name="Copy Public link").get_attribute("title") or ""

        links.get_by_role("button", name="New link").click()
        form = links.get_by_role("form", name="New link")
        form.get_by_label("Name (optional)").fill("For the printer")
        form.get_by_label("Password (optional)").fill("a word on paper")
        form.get_by_role("button", name="Create link").click()
        expect(row).to_have_count(2)
        expect(row.first).to_contain_text(re.compile("For the printer.*Password"))
        second = row.first.get_by_role("button", name="Copy For the printer").get_attribute("title") or ""

        with window(browser, instance.url) as visitor:
            visitor.goto(first)
            expect(visitor.get_by_role("heading", name="tides.txt")).to_be_visible()
            expect(visitor.get_by_role("region", name="Preview")).to_have_text("High water at noon.")
            with visitor.expect_download() as download:
                visitor.get_by_role("link", name="Download").click()
            assert download.value.path().read_bytes() == b"High water at noon."
            visitor.goto(second)
            visitor.get_by_label("Password").fill("not this one")
            visitor.get_by_role("button", name="Open").click()
            expect(visitor.get_by_role("alert")).to_contain_text("isn’t right")
            visitor.get_by_label("Password").fill("a word on paper")
            visitor.get_by_role("button", name="Open").click()
            expect(visitor.get_by_role("heading", name="tides.txt")).to_be_visible()

        row.first.get_by_role("button", name="Revoke For the printer").click()
        expect(row).to_have_count(1)
        dialog.get_by_role("button", name="Who has access").click()
        expect(dialog).to_contain_text("Anyone who has the public link can view it.")
        links.get_by_role("switch", name="Public links").click(force=True)
        page.get_by_role("dialog", name="Turn off public links?").get_by_role("button", name="Turn off").click()
        expect(row).to_have_count(0)
        with window(browser, instance.url) as visitor:
            visitor.goto(first)
            expect(visitor.get_by_role("heading", name="This link doesn’t work")).to_be_visible()


def test_links_that_somebody_else_revokes_meanwhile_are_off_too(browser: Browser, sqlite_instance: Instance) -> None:
    token = sqlite_instance.session("member")
    file = sqlite_instance.upload("harbour/berths.txt", b"Twelve.", "member", "private")
    first, _ = (sqlite_instance.call("POST", f"/api/repo-obj/{file}/links", {}, token)["id"] for _ in range(2))

    def revoke_first(route: Route) -> None:
        if route.request.method == "DELETE" and route.request.url.endswith(first):
            sqlite_instance.call("DELETE", f"/api/repo-obj/{file}/links/{first}", None, token)
        route.continue_()

    with window(browser, sqlite_instance.url, token=token) as page:
        page.goto(f"/app/files/{file}")
        page.get_by_role("button", name="Share").click()
        links = page.get_by_role("dialog", name="Share “berths.txt”").get_by_role("region", name="Public links")
        expect(links.get_by_role("listitem")).to_have_count(2)
        page.route(f"**/{file}/links/*", revoke_first)
        links.get_by_role("switch", name="Public links").click(force=True)
        ending = page.get_by_role("dialog", name="Turn off public links?")
        ending.get_by_role("button", name="Turn off").click()
        expect(ending).to_have_count(0)
        expect(links.get_by_role("listitem")).to_have_count(0)
    assert sqlite_instance.call("GET", f"/api/repo-obj/{file}/links", None, token)["items"] == []


def test_an_administrator_sees_and_revokes_links_to_what_they_cannot_open(
    browser: Browser, sqlite_instance: Instance
) -> None:
    instance = sqlite_instance
    shown = instance.upload("links/shown.md", b"# Shown", "member")
    hidden = instance.upload("links/hidden.txt", b"Hidden", "member", "private")
    for file in (shown, hidden):
        instance.call("POST", f"/api/repo-obj/{file}/links", {"name": "Press"}, instance.session("member"))
    with window(browser, instance.url, token=instance.session("admin")) as page:
        page.goto("/app/settings/team/links")
        table = page.get_by_role("table", name="Public links")
        rows = table.get_by_role("row").filter(has_text="Press")
        expect(rows).to_have_count(2)
        expect(rows.first).to_contain_text("A file you can’t open")
        expect(rows.last.get_by_role("link", name="shown")).to_be_visible()
        rows.first.get_by_role("button", name="Revoke the link to A file you can’t open").click()
        page.get_by_role("dialog", name="Revoke this link?").get_by_role("button", name="Revoke").click()
        expect(rows).to_have_count(1)
        instance.call("POST", f"/api/repo-obj/{shown}/links", {"name": "Press again"}, instance.session("member"))
        expect(rows).to_have_count(2)
        page.goto("/app/files?in=links/")
        expect(page.get_by_role("grid").get_by_role("img", name="Public link")).to_have_count(1)
        page.goto(f"/app/files/{shown}")
        expect(page.get_by_role("heading", name="shown", exact=True)).to_be_visible()
        expect(page.get_by_role("button", name="Share (has a public link)")).to_be_visible()


@pytest.mark.parametrize("language", ["de", "es", "is", "nl"])
@pytest.mark.parametrize(
    "view", [view for view in LINK_VIEWS if view.act is not mistype_password], ids=lambda view: view.name
)
def test_a_public_page_fits_in_every_language(
    browser: Browser, sqlite_instance: Instance, view: View, language: str
) -> None:
    with window(browser, sqlite_instance.url, locale=language) as page:
        view.show(page, sqlite_instance)
        assert page.evaluate("document.documentElement.lang") == language
        for width, height in WIDTHS.items():
            page.set_viewport_size({"width": width, "height": height})
            assert not page.evaluate(OUTSIDE), f"reaches out of the page at {width} pixels"
