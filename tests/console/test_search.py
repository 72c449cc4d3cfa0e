"""Search in the console: from sqlite_instance with a key, as you type, with matches highlighted and markup escaped."""

import re

import pytest
from playwright.sync_api import Browser, FilePayload, expect

from tests.console.browser import settle, window
from tests.console.instance import Instance
from tests.extraction.files import pdf

pytestmark = [pytest.mark.sampled(8), pytest.mark.about("console/search", "extraction", "fulltext", "search")]

NOTE, FILE = "Lighthouse keeping", "lighthouse-log.txt"


def test_search_as_you_type_finds_notes_and_files(browser: Browser, instance: Instance) -> None:
    note = instance.note(NOTE, "The <b>lantern</b> turns once in nine seconds.", "member")
    file = instance.upload(f"logs/{FILE}", b"All calm.", "member")
    with window(browser, instance.url, token=instance.session("member")) as page:
        page.goto("/app/settings/team/usage")
        settle(page)
        page.keyboard.press("/")
        expect(page.get_by_role("combobox", name="Search or run a command")).to_be_focused()
        page.keyboard.type("lightho")
        results = page.get_by_role("listbox")
        content = results.get_by_role("group", name="Content")
        expect(content.get_by_role("option", name=FILE)).to_be_visible()
        expect(content.get_by_role("option", name=NOTE)).to_be_visible()
        for _ in range(9):
            if NOTE in results.get_by_role("option", selected=True).inner_text():
                break
            page.keyboard.press("ArrowDown")
        expect(results.get_by_role("option", selected=True)).to_contain_text(NOTE)
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile(f"/app/notes/{note}"))
        expect(results).to_have_count(0)
        page.keyboard.press("/")
        page.keyboard.type("lighthouse-log")
        results.get_by_role("group", name="Content").get_by_role("option", name=FILE).click()
        expect(page).to_have_url(re.compile(f"/app/files/{file}"))


def test_a_pdf_is_found_by_a_word_inside_it(browser: Browser, instance: Instance) -> None:
    content = pdf("The bosun keeps the sextant in the chart room")
    with window(browser, instance.url, token=instance.session("member")) as page:
        page.goto("/app/files?in=found/")
        settle(page)
        page.set_input_files("input[data-what=files]", [FilePayload(name="inventory.pdf", mimeType="", buffer=content)])
        page.get_by_role("grid").get_by_role("link", name="inventory.pdf").click()
        expect(page.get_by_role("complementary", name="Details")).to_contain_text("Searchable")
        page.keyboard.press("/")
        page.keyboard.type("sextant")
        option = page.get_by_role("group", name="Content").get_by_role("option", name="inventory.pdf")
        expect(option.locator("mark")).to_have_text("sextant")
        expect(option).to_contain_text("The bosun keeps the sextant in the chart room")
        option.click()
        expect(page.get_by_role("heading", name="inventory.pdf", level=1)).to_be_visible()


def test_the_search_screen_shows_all_results_and_escapes_markup(browser: Browser, instance: Instance) -> None:
    instance.note("Foghorn", "Sounds <img src=x onerror=alert(1)> twice & rests; the foghorn rests.", "member")
    with window(browser, instance.url, token=instance.session("member")) as page:
        page.goto("/app/")
        settle(page)
        page.keyboard.press("/")
        page.keyboard.type("foghorn rests")
        page.get_by_role("option", name="Search for “foghorn rests”").click()
        expect(page).to_have_url(re.compile(r"/app/search\?q=foghorn"))
        result = page.get_by_role("list", name="Search results").get_by_role("listitem")
        expect(result).to_have_count(1)
        expect(result).to_contain_text("<img src=x onerror=alert(1)> twice & rests")
        expect(result.locator("mark").first).to_have_text(re.compile("rests|foghorn", re.IGNORECASE))
        expect(result.locator("img")).to_have_count(0)
        page.get_by_text("Files and documents", exact=True).click()
        expect(page.get_by_role("heading", name="No results for “foghorn rests”")).to_be_visible()
        page.reload()
        expect(page.get_by_role("heading", name="No results for “foghorn rests”")).to_be_visible()
        page.get_by_label("Search for").fill("")
        expect(page.get_by_role("heading", name="Search notes, documents, files and conversations")).to_be_visible()


def test_the_palette_offers_to_search_for_other_words(browser: Browser, sqlite_instance: Instance) -> None:
    sqlite_instance.note("Barometer", "Falls before a storm.", "member")
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/")
        settle(page)
        page.keyboard.press("Control+k")
        page.keyboard.type("barometer")
        page.get_by_role("option", name="Search for “barometer”").click()
        expect(page.get_by_role("link", name=re.compile("Barometer"))).to_be_visible()
