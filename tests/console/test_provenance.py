"""Processing in the console: what was made from a file, what a new version makes stale, and refreshing it."""

import pytest
from playwright.sync_api import Browser, expect

from tests.console.browser import window
from tests.console.instance import FIELDS, FORM, INVOICE, Instance

pytestmark = [
    pytest.mark.sampled(3),
    pytest.mark.about("console/repository", "console/documents", "pipeline", "repository", "workflows"),
]


def test_a_new_version_makes_derived_files_stale_until_they_are_refreshed(browser: Browser, instance: Instance) -> None:
    template = instance.upload("bills/form.md", FORM.encode(), "member")
    bill = instance.upload("bills/bill.txt", INVOICE.encode(), "member")
    instance.await_text(bill)
    run = {"object_id": bill, "schema": FIELDS, "template": template, "locales": ["de"]}
    run_id = instance.run("process-upload", run, "member")
    with window(browser, instance.url, token=instance.session("member")) as page:
        page.goto(f"/app/files/{bill}?inspect=processing")
        processing = page.get_by_role("tabpanel", name="Processing")
        graph = processing.get_by_role("figure", name="Provenance")
        expect(graph.get_by_role("link", name="bill.txt.fields.json")).to_be_visible()
        expect(graph.get_by_role("link", name="fields: show run")).to_have_attribute(
            "href", f"/app/workflows/runs/{run_id}"
        )
        expect(graph.get_by_role("link", name="bill.txt.form.md.de.md")).to_be_visible()
        expect(
            processing.get_by_role("region", name="Runs").get_by_role("link", name="Process an upload")
        ).to_be_visible()
        expect(processing.get_by_role("region", name="Out of date")).to_have_count(0)
        instance.await_text(instance.upload("bills/bill.txt", INVOICE.replace("420", "480").encode(), "member"))
        stale = processing.get_by_role("region", name="Out of date")
        expect(stale).to_contain_text("has changed from version 1 to version 2.")
        expect(stale).to_contain_text("1 line added, 1 removed.")
        stale.get_by_text("Show changes").click()
        expect(stale.locator("ins")).to_have_text("Total: EUR 480")
        processing.get_by_text("Table", exact=True).click()
        table = processing.get_by_role("table", name="Provenance")
        expect(table.get_by_role("row", name="bill.txt.fields.json").first).to_contain_text("Out of date")
        stale.get_by_role("button", name="Refresh").click()
        expect(stale).to_have_count(0)
        expect(table.get_by_role("row", name="bill.txt.fields.json, version 2").first).to_contain_text("Up to date")


def test_a_document_says_that_it_is_out_of_date_and_who_can_refresh_it(browser: Browser, instance: Instance) -> None:
    page_text = b"# Plan\n\nTwo boats on Sundays.\n"
    source = instance.upload("plans/plan.md", page_text)
    instance.await_text(source)
    instance.run("process-upload", {"object_id": source, "schema": FIELDS, "template": "", "locales": ["de"]})
    derived = instance.call("GET", f"/api/repo-obj/{source}/processing", token=instance.operator)["derived"]
    translation = next(item["id"] for item in derived if item["key"].endswith(".de.md"))
    instance.await_text(instance.upload("plans/plan.md", page_text.replace(b"Two", b"Three")))
    with window(browser, instance.url, token=instance.session("viewer")) as page:
        page.goto(f"/app/documents/{translation}")
        page.get_by_role("link", name="Out of date").click()
        drawer = page.get_by_role("tabpanel", name="Processing")
        expect(drawer.get_by_role("region", name="Out of date")).to_contain_text("This file is out of date")
        expect(drawer).to_contain_text("Someone who can run workflows can refresh this.")
        expect(
            drawer.get_by_role("figure", name="Provenance").get_by_role("link", name="plan.md", exact=True)
        ).to_be_visible()
        page.reload()
        expect(drawer).to_be_visible()
        page.get_by_role("tab", name="Processing").press("Escape")
        expect(drawer).to_have_count(0)
        expect(page.get_by_role("button", name="Details")).to_be_focused()
