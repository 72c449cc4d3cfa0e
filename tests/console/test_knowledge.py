"""The graph in the console: from an uploaded text to a person and the sentence; merging and splitting."""

import re

import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect

from tests.console.browser import settle, window
from tests.console.instance import Instance

pytestmark = [pytest.mark.sampled(3), pytest.mark.about("console/knowledge", "knowledge", "workflows")]

LOG = "Astrid Lund works for Beacon Lines. Last week Astrid Lund met Jonas Vik in Tromso.\n"
OTHER = "Greta Holm works for Mast Works. Greta Holm called Otto Berg.\n"
SAME = "The yard says that Greta Holm moved to Bodo.\n"


def test_an_upload_is_read_and_its_people_lead_to_the_sentence(browser: Browser, instance: Instance) -> None:
    with window(browser, instance.url, token=instance.session("member")) as page:
        page.goto("/app/files?in=graph/")
        settle(page)
        log = FilePayload(name="log.txt", mimeType="text/plain", buffer=LOG.encode())
        page.set_input_files("input[data-what=files]", [log])
        page.get_by_role("grid").get_by_role("link", name="log.txt").click()
        expect(page.get_by_role("complementary", name="Details")).to_contain_text("Searchable")
        page.keyboard.press("g")
        page.keyboard.press("g")
        expect(page.get_by_role("region", name="Entities")).to_be_visible()
        page.keyboard.press("c")
        dialog = page.get_by_role("dialog", name="Extract entities")
        expect(dialog.get_by_role("status")).to_contain_text(
            re.compile(r"documents? to read, for at most \d+ AI request")
        )
        dialog.get_by_role("button", name="Extract", exact=True).click()
        expect(dialog.get_by_role("link", name="Show run")).to_have_attribute(
            "href", re.compile("/app/workflows/runs/")
        )
        dialog.get_by_role("button", name="Close").last.click()
        page.get_by_role("searchbox", name="Find by name").fill("astrid")
        page.get_by_role("region", name="Entities").get_by_role("link", name="Astrid Lund").click()
        expect(page.get_by_role("heading", name="Astrid Lund", level=1)).to_be_visible()
        graph = page.get_by_role("figure", name="Relations of Astrid Lund")
        expect(graph.get_by_role("link", name="Astrid Lund works for Beacon Lines")).to_be_visible()
        page.get_by_text("Table", exact=True).click()
        table = page.get_by_role("table", name="Relations of Astrid Lund")
        expect(table.get_by_role("row", name="Beacon Lines")).to_contain_text("Astrid Lund works for Beacon Lines")
        page.get_by_role("region", name="Evidence").get_by_role("link", name="met Jonas Vik").click()
        passage = page.get_by_role("complementary", name="Source")
        expect(passage.locator("mark")).to_have_text("Last week Astrid Lund met Jonas Vik in Tromso.")
        page.reload()
        expect(passage.locator("mark")).to_be_visible()
        page.keyboard.press("Escape")
        expect(passage).to_have_count(0)
        page.keyboard.press("/")
        page.keyboard.type("astrid")
        page.get_by_role("group", name="Content").get_by_role("option", name="Entity").click()
        expect(page).to_have_url(re.compile("/app/graph/"))


def test_entities_are_merged_and_split_again(browser: Browser, instance: Instance) -> None:
    for key, text in (("graph/other.txt", OTHER), ("graph/same.txt", SAME)):
        instance.await_text(instance.upload(key, text.encode()))
    instance.extract_entities()
    with window(browser, instance.url, token=instance.session("admin")) as page:
        page.goto(f"/app/graph/{instance.entity('Otto Berg')}")
        page.get_by_role("button", name="Merge").click()
        dialog = page.get_by_role("dialog", name="Merge “Otto Berg”")
        choose(page, "Greta Holm")
        expect(dialog).to_contain_text("What documents say about it appears under “Greta Holm”")
        dialog.get_by_role("button", name="Merge").click()
        expect(page.get_by_role("heading", name="Greta Holm", level=1)).to_be_visible()
        expect(page.get_by_text("Also called Otto Berg")).to_be_visible()
        page.get_by_role("button", name="Split").click()
        dialog = page.get_by_role("dialog", name="Split “Greta Holm”")
        expect(dialog.get_by_role("button", name="Split off")).to_be_disabled()
        dialog.get_by_label("“Greta Holm” in same.txt").check()
        dialog.get_by_label("Name of the new entity").fill("Greta Holm of Bodo")
        dialog.get_by_role("button", name="Split off").click()
        expect(page.get_by_role("heading", name="Greta Holm of Bodo", level=1)).to_be_visible()
        expect(page.get_by_role("region", name="Evidence").get_by_role("link", name="same.txt")).to_be_visible()


def test_people_who_cannot_change_the_graph_are_not_offered_to(browser: Browser, sqlite_instance: Instance) -> None:
    sqlite_instance.await_text(sqlite_instance.upload("graph/public.txt", b"Signe Dahl works for Rope Works.\n"))
    sqlite_instance.extract_entities()
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("viewer")) as page:
        page.goto(f"/app/graph/{sqlite_instance.entity('Signe Dahl')}")
        expect(page.get_by_role("heading", name="Signe Dahl", level=1)).to_be_visible()
        for action in ("Merge", "Split", "Extract entities"):
            expect(page.get_by_role("button", name=action)).to_have_count(0)
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("guest")) as page:
        page.goto("/app/graph")
        settle(page)  # with or without entities: other tests may have shared something with the guest
        expect(page.get_by_role("button", name="Extract entities")).to_have_count(0)


def test_a_question_about_a_person_is_answered_with_the_sentence(browser: Browser, instance: Instance) -> None:
    instance.await_text(instance.upload("graph/ask.txt", b"Runa Moe works for Net Works. Runa Moe met Tor Ness.\n"))
    instance.extract_entities()
    with window(browser, instance.url, token=instance.session("member")) as page:
        page.goto(f"/app/graph/{instance.entity('Runa Moe')}")
        page.get_by_role("link", name="Ask about this").click()
        attached = page.get_by_role("list", name="Attachments").get_by_role("listitem")
        expect(attached).to_have_text("Runa Moe")
        expect(page).to_have_url(re.compile("/app/chat/new$"))
        prompt = page.get_by_label("Your prompt")
        prompt.press_sequentially("Whom did she meet? @Tor Ness")
        page.get_by_role("option", name="Tor Ness").first.click()
        expect(attached).to_have_count(2)
        prompt.press("Enter")
        expect(page.get_by_role("list", name="Attachments").get_by_role("link", name="Runa Moe")).to_be_visible()
        page.get_by_role("listitem", name="Answer").get_by_role("button", name="Source 1: ask.txt").click()
        passage = page.get_by_role("complementary", name="Source")
        expect(passage.locator("mark")).to_contain_text("Runa Moe met Tor Ness.")


def choose(page: Page, name: str) -> None:
    page.get_by_role("combobox", name="Merge into").fill(name)
    page.get_by_role("option", name=name).first.click()
