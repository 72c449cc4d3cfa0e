"""The editor: formatted text over Markdown, toolbar, menus, tables, files, tasks and suggestions."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.console.browser import visit, window
from tests.console.instance import PEOPLE, Instance, picture
from tests.console.writing import editor, saved

pytestmark = [pytest.mark.sampled(8), pytest.mark.about("console/notes", "notes")]

TABLE = "Rates\n\n| Berth | Fee |\n|:--|--:|\n| 1 \\| a | **12** |\n| 2 | 9 |\n\nEnd\n"
# A file that a page holds is pasted as a browser does it.
PASTE = """([name, type, bytes]) => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(bytes)], name, {type}));
    const event = new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true});
    document.querySelector('.cm-content').dispatchEvent(event);
}"""
PASTE_HTML = """html => {
    const data = new DataTransfer();
    data.setData('text/html', html);
    data.setData('text/plain', 'plain');
    const event = new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true});
    document.querySelector('.cm-content').dispatchEvent(event);
}"""


@contextmanager
def writing(
    browser: Browser, instance: Instance, body: str, *, width: int = 1280, **more: str
) -> Iterator[tuple[Page, str]]:
    """The editor of a new note with a body, and its id; the cursor is at the end."""
    note = instance.note("Harbour", body, **more)
    with window(browser, instance.url, token=instance.session("operator"), width=width, height=844) as page:
        page.goto(f"/app/notes/{note}?edit=true")
        expect(editor(page)).to_be_visible()
        editor(page).focus()
        page.keyboard.press("Control+End")
        yield page, note


@contextmanager
def no_requests_left(instance: Instance) -> Iterator[None]:
    limit = {"dimension": "ai.requests", "window": "day"}
    instance.call("POST", "/api/quota", {**limit, "limit": 0}, instance.operator)
    try:
        yield
    finally:
        instance.call("POST", "/api/quota", {**limit, "limit": 1_000_000}, instance.operator)


def save(page: Page) -> None:
    """However often it was saved meanwhile."""
    page.keyboard.press("Control+s")
    expect(saved(page)).to_be_visible()


def tool(page: Page, name: str) -> Locator:
    return page.get_by_role("toolbar", name="Formatting").get_by_role("button", name=name, exact=True)


def test_marks_are_hidden_except_at_the_cursor_and_the_source_can_be_shown(
    browser: Browser, sqlite_instance: Instance
) -> None:
    text = "# Plan\n\nBuy **bread** and [salt](https://example.org).\n\n- [ ] knead\n\nend"
    with writing(browser, sqlite_instance, text) as (page, note):
        expect(editor(page)).to_contain_text("Buy bread and salt.")
        expect(editor(page)).not_to_contain_text("**")
        expect(editor(page).get_by_role("checkbox")).to_have_count(1)
        editor(page).get_by_text("bread").click()
        expect(editor(page)).to_contain_text("**bread**")
        tool(page, "Markdown source").click()
        expect(editor(page)).to_contain_text("# Plan")
        expect(editor(page)).to_contain_text("[salt](https://example.org)")
        page.reload()
        expect(editor(page)).to_contain_text("# Plan")
        tool(page, "Markdown source").click()
        editor(page).get_by_role("checkbox").click()
        save(page)
    assert sqlite_instance.read(note) == text.replace("[ ]", "[x]")


@pytest.mark.parametrize("width", [1280, 390])
def test_the_toolbar_formats_the_selection(browser: Browser, sqlite_instance: Instance, width: int) -> None:
    with writing(browser, sqlite_instance, "Tide table", width=width) as (page, note):
        page.keyboard.press("Control+a")
        tool(page, "Bold").click()
        tool(page, "Bulleted list").click()
        page.keyboard.press("End")
        page.keyboard.press("Enter")
        page.keyboard.type("second")
        save(page)
    assert sqlite_instance.read(note) == "- **Tide table**\n- second"


@pytest.mark.parametrize("width", [1280, 390])
def test_a_slash_offers_blocks(browser: Browser, sqlite_instance: Instance, width: int) -> None:
    with writing(browser, sqlite_instance, "Start\n", width=width) as (page, note):
        page.keyboard.type("/head")
        options = page.get_by_role("listbox").get_by_role("option")
        expect(options.first).to_contain_text("Heading 1")
        page.wait_for_timeout(200)  # a list that has just opened takes no keys
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.keyboard.type("Cranes")
        page.keyboard.press("Enter")
        page.keyboard.type("/task")
        expect(options.first).to_contain_text("Task list")
        page.wait_for_timeout(200)
        page.keyboard.press("Enter")
        page.keyboard.type("oil them")
        save(page)
    assert sqlite_instance.read(note) == "Start\n## Cranes\n- [ ] oil them"


def test_pages_and_people_are_linked_while_typing(browser: Browser, sqlite_instance: Instance) -> None:
    other = sqlite_instance.note("Quarterly anchorage", "x")
    with writing(browser, sqlite_instance, "See ") as (page, note):
        page.keyboard.type("[[Quarterly anch")
        option = page.get_by_role("listbox").get_by_role("option", name=re.compile("Quarterly anchorage"))
        expect(option.first).to_be_visible()
        page.wait_for_timeout(200)
        page.keyboard.press("Enter")
        page.keyboard.type(" with @" + PEOPLE["member"].name.split()[0])
        expect(page.get_by_role("listbox").get_by_role("option").first).to_contain_text(PEOPLE["member"].name)
        page.wait_for_timeout(200)
        page.keyboard.press("Enter")
        save(page)
        page.get_by_role("button", name="Done").click()
        page.get_by_role("article").get_by_role("link", name="Quarterly anchorage").click()
        expect(page).to_have_url(re.compile(f"/app/notes/{other}"))
    person = sqlite_instance.id_of("member")
    assert (
        sqlite_instance.read(note)
        == f"See [Quarterly anchorage](/notes/{other}) with [@{PEOPLE['member'].name}](/people/{person})"
    )


def test_a_document_with_a_title_is_linked_and_found_as_a_document(browser: Browser, sqlite_instance: Instance) -> None:
    document = sqlite_instance.document("Berth allotment", "Ramps and lamps.")
    with writing(browser, sqlite_instance, "See ") as (page, note):
        page.keyboard.type("[[Berth allot")
        option = page.get_by_role("listbox").get_by_role("option", name=re.compile("Berth allotment"))
        expect(option.first).to_contain_text("Document")
        page.wait_for_timeout(200)
        page.keyboard.press("Enter")
        save(page)
        assert sqlite_instance.read(note) == f"See [Berth allotment](/documents/{document})"
        page.keyboard.press("Control+k")
        page.get_by_role("combobox", name="Search or run a command").fill("Berth allot")
        found = page.get_by_role("group", name="Content").get_by_role("option", name=re.compile("^Berth allotment"))
        expect(found).to_contain_text("Document")
        found.click()
        expect(page).to_have_url(re.compile(f"/app/documents/{document}"))


@pytest.mark.parametrize("width", [1280, 390])
def test_a_cell_is_edited_and_the_rest_of_the_table_stays(
    browser: Browser, sqlite_instance: Instance, width: int
) -> None:
    with writing(browser, sqlite_instance, TABLE, width=width) as (page, note):
        cell = page.get_by_role("textbox", name="Row 1, column 1")
        expect(cell).to_have_text("1 | a")
        cell.click()
        page.keyboard.press("End")
        page.keyboard.type(" | b")
        page.keyboard.press("Tab")
        expect(page.get_by_role("textbox", name="Row 1, column 2")).to_be_focused()
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")  # beyond the last cell: a new row
        page.keyboard.type("3")
        save(page)
    assert sqlite_instance.read(note) == TABLE.replace("1 \\| a", "1 \\| a \\| b").replace(
        "| 2 | 9 |", "| 2 | 9 |\n| 3 |  |"
    )


def test_rows_and_columns_have_menus_by_pointer_and_keyboard(browser: Browser, sqlite_instance: Instance) -> None:
    with writing(browser, sqlite_instance, TABLE) as (page, note):
        page.get_by_role("textbox", name="Row 2, column 1").hover()
        page.get_by_role("button", name="Row 2", exact=True).click()
        page.get_by_role("menuitem", name="Move row up").click()
        page.get_by_role("textbox", name="Row 1, column 2").click()
        page.keyboard.press("Shift+F10")
        page.get_by_role("menuitem", name="Center").click()
        expect(page.get_by_role("textbox", name="Row 1, column 2")).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.get_by_role("button", name="Done")).to_be_visible()
        save(page)
    assert (
        sqlite_instance.read(note) == "Rates\n\n| Berth | Fee |\n|:--|:--:|\n| 2 | 9 |\n| 1 \\| a | **12** |\n\nEnd\n"
    )


def test_a_file_is_pasted_into_a_cell(browser: Browser, sqlite_instance: Instance) -> None:
    with writing(browser, sqlite_instance, TABLE) as (page, note):
        page.get_by_role("textbox", name="Row 2, column 1").click()
        page.evaluate(PASTE.replace(".cm-content", ":focus"), ["plan.pdf", "application/pdf", [1, 2, 3]])
        expect(page.get_by_role("textbox", name="Row 2, column 1")).to_contain_text("plan.pdf")
        save(page)
    assert re.search(r"\n\| 2 \[plan\.pdf\]\(/files/[^)]+\) *\| 9 \|\n", sqlite_instance.read(note))


def test_an_inserted_table_takes_the_focus(browser: Browser, sqlite_instance: Instance) -> None:
    with writing(browser, sqlite_instance, "") as (page, note):
        tool(page, "Table").click()
        expect(page.get_by_role("textbox", name="Heading of column 1")).to_be_focused()
        page.keyboard.type("Ship")
        save(page)
    assert sqlite_instance.read(note).startswith("| Ship |")


@pytest.mark.parametrize("visibility", ["private", "team"])
def test_a_pasted_image_is_stored_beside_its_page_and_shown(
    browser: Browser, sqlite_instance: Instance, visibility: str
) -> None:
    with writing(browser, sqlite_instance, "Look: ", visibility=visibility) as (page, note):
        page.evaluate(PASTE, ["quay.png", "image/png", list(picture())])
        expect(editor(page).get_by_role("img", name="quay.png")).to_be_visible()
        save(page)
        page.get_by_role("button", name="Done").click()
        image = page.get_by_role("article").get_by_role("img", name="quay.png")
        expect(image).to_have_attribute("src", re.compile("^/api/repo-media/"))
        expect(image).to_have_js_property("naturalWidth", 640)
    found = sqlite_instance.call("GET", f"/api/repo?prefix=attachments/{note}/", token=sqlite_instance.operator)[
        "items"
    ]
    assert [(item["key"], item["visibility"]) for item in found] == [(f"attachments/{note}/quay.png", visibility)]
    assert sqlite_instance.read(note) == f"Look: ![quay.png](/files/{found[0]['id']}) "


def test_who_a_page_is_shared_with_sees_its_images(browser: Browser, sqlite_instance: Instance) -> None:
    with writing(browser, sqlite_instance, "Look: ", visibility="private") as (page, note):
        page.evaluate(PASTE, ["quay.png", "image/png", list(picture())])
        expect(editor(page).get_by_role("img", name="quay.png")).to_be_visible()
        save(page)
    share = {"user_id": sqlite_instance.id_of("member"), "permission": "notes:read"}
    sqlite_instance.call("POST", f"/api/notes/{note}/share", share, sqlite_instance.operator)
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto(f"/app/notes/{note}")
        expect(page.get_by_role("article").get_by_role("img", name="quay.png")).to_be_visible()


def test_files_of_a_page_follow_its_access_level(browser: Browser, sqlite_instance: Instance) -> None:
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("operator")) as page:
        page.goto("/app/notes/new")
        expect(editor(page)).to_be_visible()
        page.evaluate(PASTE, ["plan.pdf", "application/pdf", [1, 2, 3]])
        expect(editor(page)).to_contain_text("plan.pdf")
        expect(page).to_have_url(re.compile(r"/app/notes/(?!new)[^/?]+\?edit=true"))
        note = page.url.split("/")[-1].split("?")[0]
        with page.expect_response(re.compile(r"/api/repo-obj/[^/]+/visibility")):
            page.get_by_role("button", name="Access: Private. Change").click()
            page.get_by_role("menuitemradio", name=re.compile("^Team")).click()
    found = sqlite_instance.call("GET", f"/api/repo?prefix=attachments/{note}/", token=sqlite_instance.operator)[
        "items"
    ]
    assert [item["visibility"] for item in found] == ["team"]


def test_a_refused_upload_leaves_the_text_and_says_why(browser: Browser, sqlite_instance: Instance) -> None:
    with writing(browser, sqlite_instance, "Before") as (page, note):
        page.route(
            "**/api/repo/attachments/**",
            lambda route: route.fulfill(status=413, json={"code": "too_large", "detail": "Too large."}),
        )
        page.evaluate(PASTE, ["quay.png", "image/png", list(picture())])
        expect(page.get_by_text("Too large.")).to_be_visible()
        page.keyboard.type(" and after")
        save(page)
    assert sqlite_instance.read(note) == "Before and after"


def test_a_file_that_arrives_after_its_text_was_left_is_linked_at_the_end(
    browser: Browser, sqlite_instance: Instance
) -> None:
    with writing(browser, sqlite_instance, "Before") as (page, note):
        held: list[Route] = []
        page.route("**/api/repo/attachments/**", lambda route: route.continue_() if held else held.append(route))
        with page.expect_request("**/api/repo/attachments/**"):
            page.evaluate(PASTE, ["plan.pdf", "application/pdf", [1, 2, 3]])
        visit(page, "/notes")
        expect(editor(page)).to_have_count(0)
        held[0].continue_()
        expect(page.get_by_text("It’s linked at the end of the text.")).to_be_visible()
    assert re.fullmatch(r"Before\n\n\[plan\.pdf\]\(/files/[^)]+\)\n", sqlite_instance.read(note))


def test_formatted_text_is_pasted_as_markdown(browser: Browser, sqlite_instance: Instance) -> None:
    with writing(browser, sqlite_instance, "") as (page, note):
        page.evaluate(
            PASTE_HTML, "<p>Some <b>bold</b> <a href='https://example.org/'>link</a></p><ul><li>one</li></ul>"
        )
        save(page)
    assert sqlite_instance.read(note) == "Some **bold** [link](https://example.org/)\n\n- one"


def test_a_task_is_ticked_while_reading(browser: Browser, sqlite_instance: Instance) -> None:
    body = "Costs $x$ and \\[y\\]\n\n- [ ] first\n- [x] second\n"
    note = sqlite_instance.note("Tasks", body)
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("operator"), width=390, height=844) as page:
        page.goto(f"/app/notes/{note}")
        box = page.get_by_role("article").get_by_role("checkbox", name="first")
        box.click()
        expect(box).to_be_checked()
        expect(saved(page, 2)).to_be_visible()
    assert sqlite_instance.read(note) == body.replace("[ ] first", "[x] first")
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("viewer")) as page:
        page.goto(f"/app/notes/{note}")
        expect(page.get_by_role("article").get_by_role("img", name="Done:")).to_have_count(2)
        expect(page.get_by_role("article").get_by_role("checkbox")).to_have_count(0)


def test_a_suggestion_changes_nothing_before_it_is_accepted(browser: Browser, sqlite_instance: Instance) -> None:
    with writing(browser, sqlite_instance, "The crane are broken.") as (page, note):
        page.keyboard.press("Control+a")
        tool(page, "AI").click()
        page.get_by_role("menuitem", name="Fix spelling and grammar").click()
        dialog = page.get_by_role("dialog", name="Fix spelling and grammar")
        expect(dialog.get_by_role("region", name="Changes")).to_contain_text("This is the simulated model")
        assert sqlite_instance.read(note) == "The crane are broken."
        dialog.get_by_role("button", name="Replace").click()
        expect(editor(page)).to_contain_text("This is the simulated model")
        save(page)
    suggested = sqlite_instance.read(note)
    assert suggested.startswith("This is the simulated model")
    assert "Correct spelling, grammar and punctuation" in suggested, "it was asked for this"
    assert "The crane are broken." in suggested, "and about this"


def test_a_refused_suggestion_says_which_limit_is_reached(browser: Browser, sqlite_instance: Instance) -> None:
    with writing(browser, sqlite_instance, "Text") as (page, _), no_requests_left(sqlite_instance):
        tool(page, "AI").click()
        page.get_by_role("menuitem", name="Shorten").click()
        expect(page.get_by_role("dialog").get_by_role("alert", name="Quota used up")).to_be_visible()
        page.get_by_role("button", name="Dismiss").click()
        expect(editor(page)).to_have_text("Text")


def test_a_suggestion_for_an_empty_text_says_that_there_is_none(browser: Browser, sqlite_instance: Instance) -> None:
    with writing(browser, sqlite_instance, "") as (page, _):
        tool(page, "AI").click()
        page.get_by_role("menuitem", name="Translate").click()
        dialog = page.get_by_role("dialog", name="Translate")
        expect(dialog.get_by_role("alert")).to_have_text("There’s no text here yet. Write something first.")
        expect(dialog.get_by_role("status")).to_have_count(0)


def test_the_toolbar_is_one_stop_and_arrow_keys_move_in_it(browser: Browser, sqlite_instance: Instance) -> None:
    with writing(browser, sqlite_instance, "Text") as (page, _):
        tool(page, "Headings").focus()
        page.keyboard.press("ArrowRight")
        expect(tool(page, "Bold")).to_be_focused()
        page.keyboard.press("End")
        expect(tool(page, "Markdown source")).to_be_focused()
        page.keyboard.press("Tab")
        expect(editor(page)).to_be_focused()
        page.keyboard.press("Shift+Tab")
        expect(tool(page, "Markdown source")).to_be_focused()


@pytest.mark.parametrize("width", [1280, 390])
def test_steps_are_undone_and_redone_in_the_toolbar(browser: Browser, sqlite_instance: Instance, width: int) -> None:
    with writing(browser, sqlite_instance, "Tide table", width=width) as (page, note):
        undo, redo = tool(page, "Undo"), tool(page, "Redo")
        for step in (undo, redo):
            expect(step).to_be_disabled()
        page.keyboard.type(" of May")
        expect(undo).to_be_enabled()
        undo.hover()
        expect(page.get_by_role("tooltip").filter(has_text="Undo (Ctrl+Z)")).to_be_visible()
        undo.click()
        expect(editor(page)).to_have_text("Tide table")
        expect(undo).to_be_disabled()
        redo.focus()
        page.keyboard.press("Enter")
        expect(editor(page)).to_have_text("Tide table of May")
        expect(redo).to_be_disabled()
        expect(redo, "which would lose the place in the bar").to_be_focused()
        save(page)
    assert sqlite_instance.read(note) == "Tide table of May"


def selection_bar(page: Page) -> Locator:
    return page.get_by_role("toolbar", name="Selected text")


def box(found: Locator) -> tuple[float, float]:
    """Top and bottom on the screen."""
    expect(found).to_be_in_viewport()
    place = found.bounding_box()
    assert place
    return place["y"], place["y"] + place["height"]


def test_a_bar_at_the_selection_formats_it_without_covering_it(browser: Browser, sqlite_instance: Instance) -> None:
    text = "\n\n".join(f"Paragraph {number} of the tide table." for number in range(40))
    with writing(browser, sqlite_instance, text) as (page, note):
        expect(selection_bar(page)).to_have_count(0)
        word = editor(page).get_by_text("Paragraph 30 of")
        word.dblclick(position={"x": 20, "y": 8})
        expect(selection_bar(page)).to_be_visible()
        assert box(selection_bar(page))[1] <= box(word)[0]
        selection_bar(page).get_by_role("button", name="Bold").click()
        expect(selection_bar(page)).to_be_visible()
        selection_bar(page).get_by_role("button", name="Headings").click()
        page.get_by_role("menuitem", name="Heading 2").click()
        page.keyboard.press("ArrowLeft")
        expect(selection_bar(page)).to_have_count(0)
        # Below the selection, where the fixed toolbar leaves no room above it.
        page.keyboard.press("Control+Home")
        page.keyboard.press("Shift+End")
        expect(selection_bar(page)).to_be_visible()
        fixed = box(page.get_by_role("toolbar", name="Formatting"))
        first = box(editor(page).get_by_text("Paragraph 0 of"))
        here = box(selection_bar(page))
        assert here[1] <= first[0] or here[0] >= first[1], (here, first)
        assert here[0] >= fixed[1], (here, fixed)
        save(page)
    assert "\n## **Paragraph** 30 of the tide table.\n" in sqlite_instance.read(note)


def test_the_bar_at_the_selection_is_reached_and_closed_by_keys(browser: Browser, sqlite_instance: Instance) -> None:
    with writing(browser, sqlite_instance, "Tide table") as (page, note):
        page.keyboard.press("Alt+F10")
        expect(tool(page, "Undo")).to_be_focused()
        editor(page).focus()
        page.keyboard.press("Shift+Home")
        expect(selection_bar(page)).to_be_visible()
        page.keyboard.press("Alt+F10")
        headings = selection_bar(page).get_by_role("button", name="Headings")
        expect(headings).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.get_by_role("menu")).to_be_visible()
        page.keyboard.press("Escape")
        expect(headings).to_be_focused()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        expect(selection_bar(page).get_by_role("button", name="Italic")).to_be_focused()
        page.keyboard.press("Enter")
        expect(editor(page)).to_be_focused()
        page.keyboard.press("Tab")
        expect(selection_bar(page).get_by_role("button", name="Italic")).to_be_focused()
        page.keyboard.press("Escape")
        expect(selection_bar(page)).to_have_count(0)
        expect(editor(page)).to_be_focused()
        page.keyboard.press("Shift+ArrowRight")
        expect(selection_bar(page)).to_be_visible()
        page.keyboard.press("Escape")
        expect(selection_bar(page)).to_have_count(0)
        page.get_by_role("textbox", name="Title").focus()
        expect(selection_bar(page)).to_have_count(0)
        save(page)
    assert sqlite_instance.read(note) == "_Tide table_"


def test_a_model_is_asked_from_the_bar_at_the_selection(browser: Browser, sqlite_instance: Instance) -> None:
    with writing(browser, sqlite_instance, "The crane are broken. Call Ann.") as (page, _):
        page.keyboard.press("Shift+Home")
        selection_bar(page).get_by_role("button", name="AI").click()
        page.get_by_role("menuitem", name="Shorten").click()
        dialog = page.get_by_role("dialog", name="Shorten")
        expect(dialog.get_by_role("region", name="Changes")).to_contain_text("This is the simulated model")
        expect(dialog.get_by_role("region", name="Changes")).to_contain_text("Shorten the passage")
        expect(selection_bar(page)).to_have_count(0)


def test_a_finger_gets_no_bar_at_the_selection(browser: Browser, sqlite_instance: Instance) -> None:
    note = sqlite_instance.note("Harbour", "Tide table")
    token = sqlite_instance.session("operator")
    with window(browser, sqlite_instance.url, token=token, width=390, height=844, has_touch=True) as page:
        page.goto(f"/app/notes/{note}?edit=true")
        editor(page).get_by_text("Tide").tap()
        page.keyboard.press("Control+a")
        tool(page, "Bold").tap()
        expect(editor(page)).to_contain_text("**Tide table**")
        expect(selection_bar(page)).to_have_count(0)


def test_a_text_from_windows_keeps_its_line_endings(browser: Browser, sqlite_instance: Instance) -> None:
    with writing(browser, sqlite_instance, "# Plan\r\n\r\nflour\r\n\r\nsalt\n") as (page, note):
        page.keyboard.press("Control+Home")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("End")
        page.keyboard.type(" and")
        page.keyboard.press("Enter")
        page.keyboard.type("water")
        save(page)
        body = sqlite_instance.read(note)
        assert body == "# Plan\r\n\r\nflour and\r\nwater\r\n\r\nsalt\n"
        sqlite_instance.rewrite(note, body.replace("salt", "pepper"))
        expect(editor(page)).to_contain_text("pepper")
        page.keyboard.type("!")
        save(page)
        assert sqlite_instance.read(note) == "# Plan\r\n\r\nflour and\r\nwater!\r\n\r\npepper\n"
