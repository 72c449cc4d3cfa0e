"""Tools, model roles, the glossary and translations in the console."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, FilePayload, Locator, Page, expect

from tests.console.browser import settle, window
from tests.console.instance import Instance

pytestmark = [
    pytest.mark.sampled(8),
    pytest.mark.about(
        "console/models",
        "console/tools",
        "console/glossary",
        "console/translate",
        "ai",
        "executors",
        "tools",
        "translation",
    ),
]

TEXT = "Dear {name}, the boats leave the quay at 7.\n\nBring [the map](https://harbour.example/map)."
LOSE_ONCE, LOSE = "[simulate:lose-placeholder:1]", "[simulate:lose-placeholder]"


@pytest.fixture
def glossary(instance: Instance) -> Iterator[None]:
    """An empty glossary; afterwards it is as it was."""
    before = clear_glossary(instance)
    yield
    clear_glossary(instance)
    for term in before:
        instance.call("POST", "/api/glossary", term, instance.operator)


def clear_glossary(instance: Instance) -> list[dict[str, Any]]:
    """Delete all terms and return them."""
    terms: list[dict[str, Any]] = instance.call("GET", "/api/glossary?limit=200", token=instance.operator)["items"]
    for term in terms:
        del term["updated_at"]
        gone = {"term": term["term"], "target": term["target"], "translation": None}
        instance.call("POST", "/api/glossary", gone, instance.operator)
    return terms


def test_a_tool_that_is_turned_off_is_off_for_everyone(browser: Browser, instance: Instance) -> None:
    with window(browser, instance.url, token=instance.session("admin")) as page:
        page.goto("/app/settings/team/tools")
        tool = page.get_by_role("listitem").filter(has=page.get_by_text("read_note", exact=True))
        tool.get_by_role("button", name="arguments of read_note").click()
        expect(tool.get_by_role("table", name="Arguments of read_note")).to_contain_text("Yes")
        switch = page.get_by_role("switch", name="Turn read_note on or off")
        switch.press("Space")
        expect(page.get_by_text("read_note turned off")).to_be_visible()
        expect(switch).not_to_be_checked()
        assert not is_on(instance, "read_note")
        page.get_by_label("Filter tools").fill("note tags")
        expect(page.get_by_role("listitem").filter(has=page.get_by_text("read_note", exact=True))).to_be_visible()
        expect(page.get_by_role("main")).not_to_contain_text("create_document")
    with window(browser, instance.url, token=instance.session("member")) as page:
        page.goto("/app/settings/team/tools")
        tool = page.get_by_role("listitem").filter(has=page.get_by_text("read_note", exact=True))
        expect(tool.get_by_text("Off", exact=True)).to_be_visible()
        expect(page.get_by_role("switch")).to_have_count(0)
    instance.call("POST", "/api/tools/read_note", {"enabled": True}, instance.operator)


def is_on(instance: Instance, name: str) -> bool:
    tools = instance.call("GET", "/api/tools", token=instance.session("member"))["items"]
    enabled: bool = next(tool["enabled"] for tool in tools if tool["name"] == name)
    return enabled


def test_an_admin_chooses_the_executor_of_a_role(browser: Browser, instance: Instance) -> None:
    draft = {"name": "Attic GPU", "mode": "pull", "model": "tiny"}
    executor = instance.call("POST", "/api/executors", draft, instance.operator)["id"]
    with window(browser, instance.url, token=instance.session("admin")) as page:
        page.goto("/app/settings/team/models")
        expect(page.get_by_role("main").get_by_text("Answers are simulated")).to_be_visible()
        expect(page.get_by_text("A company admin or an operator")).to_be_visible()
        page.get_by_role("combobox", name="Executor for Utility").click()
        page.get_by_role("option", name=re.compile("^Attic GPU · tiny")).click()
        expect(page.get_by_text("Attic GPU answers from now on")).to_be_visible()
        assert chosen(instance) == {"chat": None, "utility": "Attic GPU"}
        utility = page.get_by_role("region", name="Utility")
        utility.get_by_role("button", name="Use default").click()
        expect(page.get_by_text("Back to the default")).to_be_visible()
        assert chosen(instance) == {"chat": None, "utility": None}
    with window(browser, instance.url, token=instance.session("member")) as page:
        page.goto("/app/settings/team/models")
        expect(page.get_by_role("region", name="Chat")).to_contain_text("This server")
        expect(page.get_by_role("combobox", name=re.compile("Executor"))).to_have_count(0)
    with window(browser, instance.url, token=instance.session("operator")) as page:
        page.goto("/app/settings/team/models")
        page.get_by_role("link", name="Connect a model under Executors").click()
        expect(page).to_have_url(re.compile("/settings/instance/executors"))
    instance.call("DELETE", f"/api/executors/{executor}", token=instance.operator)


def chosen(instance: Instance) -> dict[str, str | None]:
    roles: dict[str, str | None] = instance.call("GET", "/api/model-roles", token=instance.operator)["roles"]
    return roles


@pytest.mark.usefixtures("glossary")
def test_terms_are_added_changed_deleted_and_brought_back(browser: Browser, instance: Instance) -> None:
    with window(browser, instance.url, token=instance.session("admin")) as page:
        page.goto("/app/settings/team/glossary")
        expect(page.get_by_role("heading", name="No terms yet")).to_be_visible()
        page.get_by_role("button", name="Add term").click()
        form = page.get_by_role("form", name="New term")
        form.get_by_label("Term").fill("quay")
        form.get_by_label("Translation").fill("Kai")
        choose_language(page, form.get_by_role("combobox", name="Target language"), "deutsch", "German")
        form.get_by_role("combobox", name="Avoid").fill("Pier")
        form.get_by_role("button", name="Add", exact=True).click()
        expect(page.get_by_text("quay added")).to_be_visible()
        expect(form.get_by_label("Term")).to_be_focused()
        table = page.get_by_role("table", name="German")
        expect(table.get_by_role("row", name=re.compile("^quay Kai"))).to_contain_text("Pier")
        form.get_by_role("button", name="Close").click()
        table.get_by_role("button", name="Edit quay").click()
        field = table.get_by_label("Translation of quay")
        expect(field).to_be_focused()
        field.fill("Kaje")
        field.press("Enter")
        expect(page.get_by_text("quay saved")).to_be_visible()
        expect(table.get_by_role("button", name="Edit quay")).to_be_focused()
        assert translations(instance) == {"quay": "Kaje"}
        page.get_by_label("Filter terms").fill("zeppelin")
        expect(page.get_by_role("heading", name="No matching terms")).to_be_visible()
        page.get_by_label("Filter terms").press("Escape")
        table.get_by_role("button", name="Delete quay").click()
        expect(page.get_by_text("quay deleted")).to_be_visible()
        assert translations(instance) == {}
        page.get_by_role("button", name="Undo").click()
        expect(page.get_by_text("quay is back")).to_be_visible()
        assert translations(instance) == {"quay": "Kaje"}
    with window(browser, instance.url, token=instance.session("member")) as page:
        page.goto("/app/settings/team/glossary")
        expect(page.get_by_role("table", name="German")).to_contain_text("Kaje")
        expect(page.get_by_role("button", name=re.compile("Add|Edit|Delete|Import"))).to_have_count(0)


@pytest.mark.usefixtures("glossary")
def test_a_glossary_is_exported_and_imported_with_errors_and_conflicts_shown(
    browser: Browser, instance: Instance, tmp_path: Path
) -> None:
    add_term(instance, "quay", "Kai", note='Not "Pier"', forbidden=["Pier", "Steg"])
    add_term(instance, "crane", "Kran")
    with window(browser, instance.url, token=instance.session("admin")) as page:
        page.goto("/app/settings/team/glossary")
        with page.expect_download() as download:
            page.get_by_role("button", name="Export").click()
        exported = tmp_path / "glossary.csv"
        download.value.save_as(exported)
        lines = exported.read_text("utf-8-sig").splitlines()
        assert lines == [
            "term,target,translation,note,forbidden", "crane,de,Kran,,", 'quay,de,Kai,"Not ""Pier""",Pier|Steg',
        ]  # fmt: skip
        changed = "\r\n".join([*lines[:2], lines[2].replace("Kai", "Kaje"), "berth,de,Liegeplatz,,", "ship,de,,,"])
        page.get_by_role("button", name="Import").click()
        dialog = page.get_by_role("dialog", name="Import terms")
        file = FilePayload(name="changed.csv", mimeType="text/csv", buffer=changed.encode())
        dialog.locator("input[type=file]").set_input_files(file)
        expect(dialog.get_by_role("status")).to_contain_text("1 new term, 1 different, 1 unchanged, 1 error")
        expect(dialog.get_by_role("region", name="Errors")).to_contain_text("Line 5 No translation")
        conflict = dialog.get_by_role("region", name="Different in the glossary")
        expect(conflict).to_contain_text("Kaje")
        dialog.get_by_role("checkbox", name="Replace quay (German)").check()
        dialog.get_by_role("button", name="Import 2 terms").click()
        expect(page.get_by_text("2 terms imported")).to_be_visible()
        expect(dialog).to_have_count(0)
        assert translations(instance) == {"berth": "Liegeplatz", "crane": "Kran", "quay": "Kaje"}


@pytest.mark.usefixtures("glossary")
def test_a_lost_placeholder_is_repaired_and_terms_are_marked(browser: Browser, instance: Instance) -> None:
    add_term(instance, "quay", "Kai")
    with translate_screen(browser, instance) as page:
        field = page.get_by_role("textbox", name="Text", exact=True)
        field.fill(f"{TEXT} {LOSE_ONCE}")
        choose_language(page, page.get_by_role("combobox", name="To", exact=True), "germ", "German")
        expect(page.get_by_text(re.compile(r"^About \d+ tokens"))).to_be_visible()
        field.press("Control+Enter")
        result = page.get_by_role("region", name="Translation", exact=True)
        expect(result).to_contain_text("{name}")
        expect(result).to_contain_text("https://harbour.example/map")
        expect(result.locator("mark")).to_have_text("Kai")
        expect(page.get_by_role("region", name="Checks")).to_contain_text("All checks passed")
        expect(page.get_by_role("region", name="Glossary")).to_contain_text("quay → Kai")
        expect(page.get_by_role("region", name="Glossary")).to_contain_text("1 of 1 used")
        record = page.get_by_role("region", name="History").get_by_role("link").first
        expect(record).to_contain_text("Dear {name}")
        field.fill("Something else")
        expect(page.get_by_text("The text has changed since this translation.")).to_be_visible()
        record.click()
        expect(field).to_have_value(f"{TEXT} {LOSE_ONCE}")
        page.get_by_role("button", name="Undo").click()
        expect(field).to_have_value("Something else")
        page.reload()
        expect(field).to_have_value("Something else")
        record.click()
        expect(field).to_have_value(f"{TEXT} {LOSE_ONCE}")
        page.reload()
        expect(field).to_have_value(f"{TEXT} {LOSE_ONCE}")
        expect(result).to_contain_text("{name}")


def test_a_failed_check_is_shown_in_both_texts(browser: Browser, instance: Instance) -> None:
    with translate_screen(browser, instance) as page:
        page.get_by_role("textbox", name="Text", exact=True).fill(f"Good morning.\n\nDear {{name}}, come in. {LOSE}")
        choose_language(page, page.get_by_role("combobox", name="To", exact=True), "german", "German")
        page.get_by_role("button", name="Translate").click()
        checks = page.get_by_role("region", name="Checks")
        expect(checks).to_contain_text("1 check failed")
        checks.get_by_role("button", name=re.compile("^Placeholders")).click()
        result = page.get_by_role("region", name="Translation", exact=True)
        expect(result.locator("[data-marked]").first).to_be_in_viewport()
        expect(result.locator("[data-marked]").first).to_contain_text("come in")
        expect(result.locator("[data-marked]").first).not_to_contain_text("Good morning")


def test_a_catalog_is_translated_by_key_and_keeps_its_structure(
    browser: Browser, instance: Instance, tmp_path: Path
) -> None:
    catalog = {"menu": {"open": f"Open {{name}} {LOSE}", "sizes": ["Small", 2]}, "close": "Close"}
    with translate_screen(browser, instance, "?mode=catalog") as page:
        field = page.get_by_role("textbox", name="Catalog", exact=True)
        field.fill('{"menu": }')
        expect(page.get_by_role("alert")).to_contain_text("This isn’t valid JSON. Check line 1.")
        file = FilePayload(name="en.json", mimeType="application/json", buffer=json.dumps(catalog).encode())
        page.locator("input[type=file]").set_input_files(file)
        expect(page.get_by_text("3 texts, 1 other value stays as it is")).to_be_visible()
        choose_language(page, page.get_by_role("combobox", name="To", exact=True), "nl", "Dutch")
        page.get_by_role("button", name="Translate").click()
        expect(page.get_by_role("region", name="Checks")).to_contain_text("1 check failed")
        page.get_by_role("switch", name="Only failed checks").check()
        expect(page.locator("dt")).to_have_text(["menu.openPlaceholders"])
        with page.expect_download() as download:
            page.get_by_role("button", name="Download JSON").click()
        download.value.save_as(tmp_path / "nl.json")
        translated = json.loads((tmp_path / "nl.json").read_text())
        assert (translated["menu"]["sizes"], translated["close"]) == (["[nl] Small", 2], "[nl] Close")


def test_a_refused_translation_keeps_the_text_and_says_why(browser: Browser, instance: Instance) -> None:
    blocked = {"dimension": "ai.requests", "limit": 0, "window": "day"}
    with translate_screen(browser, instance) as page:
        choose_language(page, page.get_by_role("combobox", name="To", exact=True), "german", "German")
        instance.call("POST", "/api/quota", blocked, instance.operator)
        field = page.get_by_role("textbox", name="Text", exact=True)
        field.fill("Not yet")
        refusal = page.get_by_role("alert").filter(has_text="Quota used up")
        expect(refusal).to_contain_text("The team has no AI requests left. Resets ")
        field.press("Control+Enter")
        expect(refusal).to_have_count(1)
        expect(field).to_have_value("Not yet")
        page.reload()
        expect(field).to_have_value("Not yet")
        instance.call("POST", "/api/quota", {**blocked, "limit": None}, instance.operator)
        page.get_by_role("button", name="Translate").click()
        expect(page.get_by_role("region", name="Translation", exact=True)).to_contain_text("Not yet")


def test_a_feature_that_is_off_is_not_offered_and_says_so(browser: Browser, instance: Instance) -> None:
    instance.call("POST", "/api/features/translate", {"enabled": False}, instance.operator)
    try:
        with window(browser, instance.url, token=instance.session("admin")) as page:
            page.goto("/app/translate")
            expect(page.get_by_role("heading", name="Translation is off")).to_be_visible()
            expect(page.get_by_role("navigation", name="Main").get_by_role("link", name="Translate")).to_have_count(0)
            page.get_by_role("link", name="Open Features").click()
            expect(page.get_by_role("switch", name="Translation")).not_to_be_checked()
        with window(browser, instance.url, token=instance.session("member")) as page:
            page.goto("/app/translate")
            expect(page.get_by_role("alert")).to_contain_text("who manage this team.")
    finally:
        instance.call("POST", "/api/features/translate", {"enabled": True}, instance.operator)


@contextmanager
def translate_screen(browser: Browser, instance: Instance, search: str = "") -> Iterator[Page]:
    with window(browser, instance.url, token=instance.session("member")) as page:
        page.goto(f"/app/translate{search}")
        settle(page)
        yield page


def choose_language(page: Page, field: Locator, typed: str, name: str) -> None:
    field.click()
    field.fill(typed)
    page.get_by_role("option", name=name).first.click()
    expect(field).to_have_value(name)


def add_term(instance: Instance, term: str, translation: str, **more: Any) -> None:
    draft = {"term": term, "target": "de", "translation": translation, **more}
    instance.call("POST", "/api/glossary", draft, instance.operator)


def translations(instance: Instance) -> dict[str, str]:
    terms = instance.call("GET", "/api/glossary", token=instance.operator)["items"]
    return {term["term"]: term["translation"] for term in terms}
