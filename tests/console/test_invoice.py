"""An invoice in the console, from the upload to the graph: one journey through triggers, runs, processing, a broken spec
and entities.
"""

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, FilePayload, Locator, Page, expect

from tests.console.browser import settle, window
from tests.console.conftest import Serve
from tests.console.instance import FIELDS, FORM, Instance
from tests.console.writing import replace_text
from tests.extraction.files import pdf

pytestmark = [
    pytest.mark.sampled(3),
    pytest.mark.about(
        "console/workflows", "console/knowledge", "console/repository", "workflows", "triggers", "pipeline", "knowledge"
    ),
]

LINES = ("Invoice 2026-117", "From: Quay Works", "To: Harbour Lines", "Total: EUR 420", "Due: 2026-12-01", "",
         "Astrid Lund leads Quay Works.", "Please call Astrid Lund in Bergen before you pay.")  # fmt: skip
NEXT_LINE = ") Tj 0 -18 Td ("
"""Between two texts on a page of a PDF."""
INVOICE = "lantern.pdf"
MADE = ("lantern.pdf.fields.json", "lantern.pdf.form.md", "lantern.pdf.form.md.de.md")


@pytest.fixture
def workspace(serve: Serve, database: str) -> Iterator[Instance]:
    """An instance of its own: what is extracted from its documents is this journey's."""
    with serve(database) as served:
        yield Instance(served)


def test_an_invoice_is_processed_overwritten_refreshed_and_found_in_the_graph(
    browser: Browser, workspace: Instance
) -> None:
    with window(browser, workspace.url, token=workspace.session("operator")) as page:
        upload(page, "forms/", "order.md", FORM.encode())
        create_trigger(page)
        upload(page, "invoices/", INVOICE, invoice("EUR 420"))
        see_history(page)
        see_run(page)
        see_what_was_made(page)
        turn_trigger_off(page)
        overwrite(page, invoice("EUR 480"))
        see_what_is_stale(page)
        refresh(page)
        publish_broken_spec(page)
        find_person(page)


def upload(page: Page, folder: str, name: str, body: bytes) -> None:
    page.goto(f"/app/files?in={folder}")
    settle(page)
    choose_file(page, name, body)
    expect(page.get_by_role("grid").get_by_role("link", name=name, exact=True)).to_be_visible()


def choose_file(page: Page, name: str, body: bytes) -> None:
    kind = "application/pdf" if name.endswith(".pdf") else "text/markdown"
    page.set_input_files("input[data-what=files]", [FilePayload(name=name, mimeType=kind, buffer=body)])


def create_trigger(page: Page) -> None:
    page.goto("/app/workflows/triggers")
    page.get_by_role("button", name="New trigger").first.click()
    dialog = page.get_by_role("dialog", name="New trigger")
    dialog.get_by_label("Workflow to run").select_option("process-upload")
    dialog.get_by_label("Folder or beginning of the key").fill("invoices/")
    dialog.get_by_label("File types").fill("application/pdf")
    dialog.get_by_label("File types").press("Enter")
    dialog.get_by_label("locales").fill('["de"]')
    dialog.get_by_label("schema").fill(json.dumps(FIELDS))
    dialog.get_by_label("template").fill("forms/order.md")
    dialog.get_by_role("button", name="Create trigger").click()
    expect(trigger_link(page)).to_be_visible()


def trigger_link(page: Page) -> Locator:
    return page.get_by_role("link", name="Uploads to invoices/ of type application/pdf")


def see_history(page: Page) -> None:
    page.goto("/app/workflows/triggers")
    trigger_link(page).click()
    row = page.get_by_role("table", name="History").get_by_role("row", name=re.compile(re.escape(INVOICE)))
    row.get_by_role("link", name="Started a run").click()


def see_run(page: Page) -> None:
    """Every step with its outcome; the fields are those of the PDF."""
    expect(page.get_by_role("main").get_by_role("status").first).to_have_text("Done")
    steps = page.get_by_role("region", name="Steps").locator("ol").first.locator("> li")
    expect(steps).to_have_text([re.compile(f"^{name}.*{state}") for name, state in STEPS])
    steps.nth(1).locator("summary").click()
    expect(page.get_by_role("region", name="Result of fields")).to_contain_text('"from": "Quay Works"')
    documents = page.get_by_role("region", name="Documents", exact=True).get_by_role("listitem")
    expect(documents).to_have_count(len(MADE))
    page.get_by_role("region", name="Documents", exact=True).get_by_role(
        "link", name=f"Open {MADE[1]}", exact=True
    ).click()
    expect(page.get_by_role("main")).to_contain_text("Pay EUR 420 to Quay Works before 2026-12-01.")


STEPS = (
    ("text", "Done"), ("fields", "Done"), ("has_form", "Done"), ("form", "Done"), ("translate_form", "1 of 1 item"),
    ("translate_source", "Skipped"),
)  # fmt: skip


def see_what_was_made(page: Page) -> None:
    """The graph leads from the invoice to its fields, the form, and the translation of the form."""
    open_invoice(page)
    expect(page.get_by_role("complementary", name="Details")).to_contain_text("Searchable")
    page.get_by_role("tab", name="Processing").click()
    for name in MADE:
        expect(graph(page).get_by_role("link", name=name, exact=True)).to_be_visible()
    expect(graph(page).get_by_role("link", name="translate: show run")).to_be_visible()
    expect(stale(page)).to_have_count(0)
    graph(page).get_by_role("link", name=MADE[0], exact=True).click()
    expect(page.get_by_role("region", name="Preview")).to_contain_text('"total": "EUR 420"')
    expect(graph(page).get_by_role("link", name=INVOICE, exact=True)).to_be_visible()


def open_invoice(page: Page) -> None:
    page.goto("/app/files?in=invoices/")
    page.get_by_role("grid").get_by_role("link", name=INVOICE, exact=True).click()
    expect(page.get_by_role("heading", name=INVOICE, level=1)).to_be_visible()


def graph(page: Page) -> Locator:
    return page.get_by_role("tabpanel", name="Processing").get_by_role("figure", name="Provenance")


def stale(page: Page) -> Locator:
    return page.get_by_role("tabpanel", name="Processing").get_by_role("region", name="Out of date")


def turn_trigger_off(page: Page) -> None:
    """Otherwise the new version would be processed at once."""
    page.goto("/app/workflows/triggers")
    page.get_by_role("button", name="Actions for “Uploads to invoices/").click()
    page.get_by_role("menuitem", name="Turn off").click()
    expect(page.get_by_role("row", name="Uploads to invoices/")).to_contain_text("Off")


def overwrite(page: Page, body: bytes) -> None:
    page.goto("/app/files?in=invoices/")
    settle(page)
    choose_file(page, INVOICE, body)
    page.get_by_role("region", name="Uploads").get_by_role("button", name="Replace").click()
    expect(page.get_by_role("region", name="Uploads").get_by_role("status")).to_have_text("1 file uploaded")


def see_what_is_stale(page: Page) -> None:
    open_invoice(page)
    expect(stale(page)).to_contain_text("has changed from version 1 to version 2. 1 line added, 1 removed.")
    stale(page).get_by_text("Show changes").click()
    expect(stale(page).locator("del")).to_have_text("Total: EUR 420")
    expect(stale(page).locator("ins")).to_have_text("Total: EUR 480")
    expect(graph(page).get_by_role("listitem").filter(has_text=MADE[0])).to_contain_text("Out of date")
    expect(graph(page).get_by_role("listitem").filter(has_text=MADE[2])).to_contain_text("Source out of date")


def refresh(page: Page) -> None:
    """The form has the new total, and its history both."""
    stale(page).get_by_role("button", name="Refresh").click()
    expect(stale(page)).to_have_count(0)
    expect(graph(page).get_by_text("out of date")).to_have_count(0)
    graph(page).get_by_role("link", name=MADE[1], exact=True).click()
    expect(page.get_by_role("article")).to_contain_text("Pay EUR 480 to Quay Works before 2026-12-01.")
    page.get_by_role("button", name="Details").click()
    page.get_by_role("tab", name="Versions").click()
    expect(page.get_by_role("link", name="Version 2")).to_contain_text("Latest")


def publish_broken_spec(page: Page) -> None:
    page.goto("/app/workflows/new")
    editor = page.get_by_role("textbox", name="Spec as JSON")
    errors = page.get_by_role("region", name="Errors")
    expect(errors).to_contain_text("Valid.")
    replace_text(page, editor, spec("doc_txt"))
    expect(errors.get_by_role("button").first).to_contain_text("/steps/0/tool")
    expect(page.get_by_role("button", name="Publish")).to_be_disabled()
    errors.get_by_role("button").first.click()
    expect(editor).to_be_focused()
    page.keyboard.type('"tool": "doc_text"')
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("heading", name="Read an invoice", level=1)).to_be_visible()


def spec(tool: str) -> str:
    step = {"id": "read", "kind": "tool", "tool": tool, "with": {"object": {"$ref": "input.object_id"}}, "end": True}
    made = {"format": 1, "slug": "read-invoice", "title": "Read an invoice", "start": "read", "max_steps": 2}
    return json.dumps({**made, "inputs": {"object_id": {"type": "string"}}, "steps": [step]}, indent=2)


def find_person(page: Page) -> None:
    """From the name to the sentence in the newest version of the invoice."""
    page.goto("/app/graph")
    settle(page)
    page.keyboard.press("c")
    dialog = page.get_by_role("dialog", name="Extract entities")
    dialog.get_by_role("button", name="Extract", exact=True).click()
    expect(dialog.get_by_role("link", name="Show run")).to_be_visible()
    dialog.get_by_role("button", name="Close").last.click()
    page.get_by_role("searchbox", name="Find by name").fill("astrid")
    page.get_by_role("region", name="Entities").get_by_role("link", name="Astrid Lund").click()
    figure = page.get_by_role("figure", name="Relations of Astrid Lund")
    expect(figure.get_by_role("link", name="Astrid Lund leads Quay Works")).to_be_visible()
    page.get_by_role("region", name="Evidence").get_by_role("link", name="before you pay").click()
    passage = page.get_by_role("complementary", name="Source")
    expect(passage).to_contain_text(INVOICE)
    expect(passage.locator("mark")).to_have_text("Please call Astrid Lund in Bergen before you pay.")


def invoice(total: str) -> bytes:
    return pdf(NEXT_LINE.join(LINES).replace("EUR 420", total))
