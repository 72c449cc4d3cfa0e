"""Every view of the console: screens, main dialogs, screen states, and the sign-in pages."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import FilePayload, Page, Route, expect

from tests.console import screens
from tests.console.browser import settle, sign_in, visit
from tests.console.instance import PASSWORD, TIMETABLE, WITH_TWO_FACTOR, WORKFLOWS, Instance
from tests.console.writing import editor, lose_events, replace_first_line, replace_text

WIDTHS = {1440: 900, 390: 844}
PLAN = "Two boats on Sundays.\n"
SCHEMES = ("light", "dark")
FEATURES = {
    path.split("/$")[0]: file.parent.name
    for file in (Path(__file__).parents[2] / "console/src/features").glob("*/screens.ts")
    for path in re.findall(r'screen\("([^"]+)"', file.read_text())
}
"""The folder of the screens below an address."""


LETTER = """\
Boats leave the quay every hour from November on.

Dear {name}, crane 3 is back on Tuesday. [simulate:lose-placeholder]

- Bring [the map](https://harbour.example/map).
"""
MESSAGES = """\
{
  "menu": {
    "open": "Open {name}",
    "quay": "The quay is closed"
  },
  "lost": "Hello {you} [simulate:lose-placeholder]"
}
"""


class View(NamedTuple):
    name: str
    address: str
    who: str = "operator"
    """Empty for a visitor who is not signed in."""
    act: Callable[[Page, Instance], None] | None = None
    """Steps after opening the address."""

    @property
    def feature(self) -> str:
        """The folder of its screen in `console/src/features`; empty for a screen of the frame."""
        address, path = self.address.removeprefix("/app"), self.address.removeprefix("/app").partition("?")[0]
        if address == self.address:
            return "entrance"
        return next(
            (FEATURES[each] for each in sorted(FEATURES, reverse=True) if f"{path}/".startswith(f"{each}/")), ""
        )

    def show(self, page: Page, instance: Instance) -> None:
        if self.act is wait_for_error:
            page.route("**/api/audit*", lambda route: route.fulfill(status=500, json=FAILURE))
        if self.act is cause_conflict:
            lose_events(page)
        if self.act is lose_connection:
            page.route("**/api/audit*", lambda route: route.abort())
            page.route("**/health", lambda route: route.abort())
        address = instance.resolve(self.address)
        if self.act is None and address.startswith("/app/") and can_navigate_in_place(page):
            visit(page, address.removeprefix("/app"))
        else:
            page.goto(address)
            settle(page)
        if self.act:
            self.act(page, instance)


def can_navigate_in_place(page: Page) -> bool:
    """Whether the screen has no dialog and no editor, so that another can be opened without loading the page."""
    return "/app/" in page.url and "edit=" not in page.url and not page.locator("[role=dialog]").count()


FAILURE = {
    "type": "urn:teamspace:problem:internal", "title": "Something failed here", "status": 500, "code": "internal",
    "detail": "It is not your fault. The server has kept what it needs to find the cause.",
    "request_id": "01a1de2d-91ef-7000-81db-fdd3b7347782",
}  # fmt: skip

FULL = {
    "type": "urn:teamspace:problem:storage_full", "title": "No room", "status": 507, "code": "storage_full",
    "detail": "The company has no room left.", "request_id": "01a1de2d-91ef-7000-81db-fdd3b7347783",
}  # fmt: skip


NO_REQUESTS_LEFT = {
    "type": "urn:teamspace:problem:quota_exceeded", "title": "Quota exceeded", "status": 429, "code": "quota_exceeded",
    "detail": "No requests left.", "request_id": "01a1de2d-91ef-7000-81db-fdd3b7347784",
    "dimension": "ai.requests", "level": "team", "resets_at": "2026-11-17T00:00:00Z",
}  # fmt: skip


BROKEN_PLUGIN = {
    "id": "tide-tables", "name": "Tide tables", "version": "1.4.0", "description": "High and low water at every pier.",
    "state": "failed", "error": "TOOLS: tide_at: there is no function find_tide in plugin.py", "tools": [], "workflows": [],
    "routes": [], "kinds": [], "blob_stores": [], "has_bundle": False, "has_landing": False, "has_onboarding": False,
}  # fmt: skip

CHANGED_TOOL = {
    "name": "mcp_charts_find_chart", "source": "mcp:charts", "description": "Find a sea chart, and send it to the yard.",
    "permission": "chat:use", "feature": None, "enabled": False, "changed": True, "pin": "one",
    "parameters": {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]},
}  # fmt: skip

_CLEAN: dict[str, Any] = {
    "score": 0, "doubts": [], "difficulty": 0, "solving": 812.0, "age": 74.2, "from_prefix": 0, "duplicates": 0, "similar": 0,
    "entropy": 4.1, "origin": "https://join.fjordline.example", "agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0",
}  # fmt: skip


def _prospect(number: int, name: str, why: str, **more: Any) -> dict[str, Any]:
    return {
        "id": f"prospect-{number}", "email": f"{name.split(maxsplit=1)[0].lower()}@harbour.example", "locale": "en",
        "fields": {"email": f"{name.split(maxsplit=1)[0].lower()}@harbour.example", "name": name, "use": why, "news": number % 2 == 0},
        "state": "captured", "level": "ok", "signals": _CLEAN, "verdict": None, "note": "", "decided_by": None,
        "decided_at": None, "user_id": None, "experience_version": 2, "created_at": f"2026-11-1{number}T09:00:00Z", **more,
    }  # fmt: skip


PROSPECTS = [
    _prospect(
        6, "Ida Solberg", "We run three ferries and plan every berth on paper.\nThat has to end before the summer season.",
        verdict={
            "decision": "accept", "score": 86, "model": "simulated-utility", "reasons": [
                {"criterion": "Works at a harbour or on ships", "field": "use", "quote": "We run three ferries"},
                {"criterion": "Has a real need", "field": "use", "quote": "plan every berth on paper"},
            ],
        },
    ),
    _prospect(
        5, "Bartholomew Featherstonehaugh-Cholmondeley", "Need it for the harbour. Need it for the harbour. Need it for the harbour.",
        level="suspicious", verdict={"decision": "review", "score": 41, "model": "simulated-utility", "reasons": []},
        signals={**_CLEAN, "score": 60, "doubts": ["fast", "duplicate"], "age": 1.8, "duplicates": 2},
    ),
    _prospect(
        4, "Win Bigprize", "CLICK HERE", level="blocked",
        signals={**_CLEAN, "score": 100, "doubts": ["trap", "disposable", "copied", "program"], "similar": 41, "agent": "curl/8.5"},
        verdict={"decision": "decline", "score": 3, "model": "simulated-utility", "reasons": []},
    ),
    _prospect(3, "Elif Demir", "A pilot station with twelve people."),
]  # fmt: skip
FUNNEL_DAYS = [
    {"day": "2026-11-17", "views": 412, "starts": 121, "solved": 96, "signed_up": 88, "accepted": 31, "activated": 24},
    {"day": "2026-11-16", "views": 380, "starts": 97, "solved": 70, "signed_up": 69, "accepted": 40, "activated": 33},
]

MCP_SERVERS: list[dict[str, Any]] = [
    {
        "name": "charts", "transport": "stdio", "state": "connected", "protocol": "2025-11-25", "sandbox": "bubblewrap",
        "last_error": None, "connected_at": "2026-11-16T08:00:00Z", "tools": [
            {"name": "mcp_charts_find_chart", "title": "Find chart", "description": "Find a sea chart by place."},
            {"name": "mcp_charts_depth_at", "title": "Depth", "description": "Return the depth at a position, in metres."},
        ],
    },
    {
        "name": "weather", "transport": "http", "state": "failed", "protocol": None, "sandbox": None,
        "last_error": "https://weather.example/mcp: connection refused; next attempt in 32 s", "connected_at": None,
        "tools": [],
    },
]  # fmt: skip

SANDBOXED_PLUGINS: list[dict[str, Any]] = [
    {
        "id": "freight-rates", "name": "Freight rates", "version": "0.3.1", "state": "running", "sandbox": "bubblewrap",
        "description": "Compares the rates of carriers.", "last_error": None, "restarts": 0,
        "started_at": "2026-11-16T08:00:00Z", "tools": ["oop_freight_rates_compare"], "capabilities": [
            {"name": "log", "granted": True, "used": 412, "refused": 0},
            {"name": "http.fetch:rates.example", "granted": True, "used": 57, "refused": 2},
            {"name": "repo.read:contracts/", "granted": False, "used": 0, "refused": 3},
        ],
    },
    {
        "id": "label-printer", "name": "Label printer", "version": "2.0.0", "state": "disabled", "sandbox": "landlock",
        "description": "Prints labels for crates.", "last_error": "The process ended 5 times in 10 minutes, last with signal 9",
        "restarts": 5, "started_at": None, "tools": [], "capabilities": [],
    },
]  # fmt: skip


def open_dialog(name: str, dialog: str = "") -> Callable[[Page, Instance], None]:
    """Press a button and wait for its dialog."""

    def act(page: Page, _: Instance) -> None:
        page.get_by_role("button", name=name).first.click()
        expect(page.get_by_role("dialog", name=dialog or name)).to_be_visible()

    return act


def select_files(page: Page, _: Instance) -> None:
    for box in page.get_by_role("checkbox", name=re.compile("^Select (?!all)")).all()[:2]:
        box.check()
    expect(page.get_by_role("toolbar", name="Actions for the selection")).to_contain_text("2 selected")


def show_tiles(page: Page, _: Instance) -> None:
    # The choice would follow the account into the other views.
    page.route("**/api/profile", lambda route: route.fulfill(json={}))
    page.get_by_role("button", name="Tiles").click()
    expect(page.get_by_role("grid").get_by_role("gridcell").first).to_be_visible()


def move_files(page: Page, instance: Instance) -> None:
    select_files(page, instance)
    page.get_by_role("button", name="Move…").click()
    expect(page.get_by_role("dialog", name="Move 2 items").get_by_role("treeitem").nth(1)).to_be_visible()


def press_key(key: str) -> Callable[[Page, Instance], None]:
    def act(page: Page, _: Instance) -> None:
        page.keyboard.press(key)
        expect(page.get_by_role("dialog")).to_be_visible()

    return act


def before_the_next_save(page: Page, path: str, act: Callable[[], None]) -> None:
    """Act once when the page saves, before the server learns of it: typing may take longer than the editor waits."""

    def handle(route: Route) -> None:
        if route.request.method == "PUT":
            page.unroute(f"**{path}", handle)
            act()
        route.continue_()

    page.route(f"**{path}", handle)


def cause_conflict(page: Page, instance: Instance) -> None:
    """Another person saves while this one edits."""
    wait_for_editor(page, instance)
    note = instance.sample_note
    old = instance.read(note)
    changed = old.replace("**Tuesday**", "**Wednesday**")
    before_the_next_save(page, f"/api/notes/{note}", lambda: instance.rewrite(note, changed))
    replace_first_line(page, "Crane 3 comes on Thursday.")
    expect(page.get_by_role("dialog")).to_be_visible()
    instance.rewrite(note, old)


def change_elsewhere(page: Page, instance: Instance) -> None:
    """Another person changes the same words while this one has unsaved text."""
    document = instance.document("Ice plan", TIMETABLE)
    visit(page, f"/documents/{document}?edit=true")
    expect(editor(page)).to_contain_text("every hour")
    replace_first_line(page, "No boats in November.", save=False)
    changed = {"body": TIMETABLE.replace("every hour", "every half hour")}
    instance.call("PUT", f"/api/documents/{document}", changed, instance.session("admin"))
    expect(page.get_by_text("Changed by someone else.")).to_be_visible()


def link_and_visit(page: Page, instance: Instance) -> None:
    """A document links to the note, and two people are there."""
    note = instance.sample_note
    instance.document("Harbour plan", f"See the [handover](/notes/{note}).")
    for who, editing in (("member", True), ("owner", False)):
        instance.call("PUT", f"/api/presence/note/{note}", {"editing": editing}, instance.session(who))
    expect(page.get_by_role("region", name="Linked from")).to_be_visible()
    expect(page.get_by_role("img", name="Priya Raman is editing")).to_be_visible()


def delete_note_elsewhere(page: Page, instance: Instance) -> None:
    note = instance.note("Old plan", PLAN)
    delete_elsewhere(page, instance, f"/notes/{note}", f"/api/notes/{note}")


def fill_trash(page: Page, instance: Instance) -> None:
    token = instance.operator
    for path in (
        f"/api/notes/{instance.note('Moorings for the winter', PLAN)}",
        f"/api/repo-obj/{instance.upload('harbour/plans/quay-walls.pdf', PLAN.encode())}",
        f"/api/repo-obj/{instance.upload('harbour/tides.csv', PLAN.encode())}",
    ):
        instance.call("DELETE", path, token=token)
    page.reload()
    expect(page.get_by_role("row").nth(3)).to_be_visible()


def empty_trash(page: Page, instance: Instance) -> None:
    fill_trash(page, instance)
    page.get_by_role("button", name="Empty trash").click()
    expect(page.get_by_role("dialog", name="Empty the trash?")).to_be_visible()


def delete_with_undo(page: Page, instance: Instance) -> None:
    page.goto(f"/app/notes/{instance.note('Berths', PLAN)}")
    page.get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Delete note").click()
    expect(page.get_by_role("button", name="Undo")).to_be_visible()


def delete_file_elsewhere(page: Page, instance: Instance) -> None:
    file = instance.upload("old-plan.txt", PLAN.encode())
    delete_elsewhere(page, instance, f"/files/{file}", f"/api/repo-obj/{file}")


def delete_elsewhere(page: Page, instance: Instance, address: str, path: str) -> None:
    """Another person deletes what this one has open."""
    visit(page, address)
    expect(page.locator("main")).to_contain_text(PLAN.strip())
    instance.call("DELETE", path, token=instance.operator)
    expect(page.get_by_text("This was deleted")).to_be_visible()


def wait_for_editor(page: Page, _: Instance) -> None:
    """Discards a draft that another view left."""
    discard = page.get_by_role("button", name="Discard")
    expect(editor(page).or_(discard)).to_be_visible()
    if discard.is_visible():
        discard.click()
    expect(editor(page)).to_be_visible()


def select_words(page: Page, instance: Instance) -> None:
    wait_for_editor(page, instance)
    editor(page).locator(".cm-line").nth(2).click(click_count=3)
    expect(page.get_by_role("toolbar", name="Selected text")).to_be_visible()


def open_block_menu(page: Page, instance: Instance) -> None:
    """In a note of its own: what is typed is saved."""
    page.goto(f"/app/notes/{instance.note('Berths', '')}?edit=true")
    wait_for_editor(page, instance)
    editor(page).focus()
    page.keyboard.type("/")
    expect(page.get_by_role("listbox").get_by_role("option").first).to_be_visible()


def open_table_menu(page: Page, instance: Instance) -> None:
    wait_for_editor(page, instance)
    page.get_by_role("textbox", name="Row 1, column 1").click()
    page.keyboard.press("Shift+F10")
    expect(page.get_by_role("menuitem", name="Insert row above")).to_be_visible()


def show_side_by_side(page: Page, _: Instance) -> None:
    """On a phone there is no such choice."""
    expect(page.get_by_role("region", name="Changes")).to_be_visible()
    choice = page.get_by_text("Side by side")
    if choice.is_visible():
        choice.click()


def upload_files(page: Page, _: Instance) -> None:
    """Upload one file that succeeds, one that exceeds the quota, and one that already exists."""
    page.route("**/api/repo/**/plan.bin*", lambda route: route.fulfill(status=507, json=FULL))
    page.set_input_files(
        "input[data-what=files]",
        [
            FilePayload(name="tides.csv", mimeType="text/csv", buffer=b"hour,level\n06:00,1.2\n"),
            FilePayload(name="plan.bin", mimeType="", buffer=b"0123456789"),
            FilePayload(name="pier-2.md", mimeType="text/markdown", buffer=b"# Pier 2, once more\n"),
        ],
    )
    expect(page.get_by_role("button", name="Keep both")).to_be_visible()
    expect(page.get_by_text("The company has no room left.")).to_be_visible()


def open_share_dialog(page: Page, _: Instance) -> None:
    open_dialog("Share", "Share “pier-2”")(page, _)
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Who has access").click()
    expect(dialog.get_by_text("Owner")).to_be_visible()


def request_code(page: Page, instance: Instance) -> None:
    sign_in(page, WITH_TWO_FACTOR.username, PASSWORD)
    expect(page.get_by_label("Code")).to_be_visible()


def wait_for_error(page: Page, _: Instance) -> None:
    expect(page.get_by_role("alert")).to_be_visible()


def lose_connection(page: Page, _: Instance) -> None:
    expect(page.get_by_role("status").filter(has_text="Can’t reach the server. Retrying…")).to_be_visible()


def create_key(page: Page, _: Instance) -> None:
    """Create a key and show its secret."""
    fill_in_key_form(page, _)
    page.get_by_role("dialog").get_by_role("button", name="Create key").click()
    expect(page.get_by_role("dialog", name="Secret for Nightly backup")).to_be_visible()


def fill_in_key_form(page: Page, _: Instance) -> None:
    open_dialog("New key", "New S3 key")(page, _)
    page.get_by_label("Name", exact=False).fill("Nightly backup")
    page.get_by_label("Read and write").check()
    page.get_by_label("Limit to folder").fill("backups/")


def search_for(query: str) -> Callable[[Page, Instance], None]:
    """Search with the keyboard: in the sidebar, or on the search screen on a phone."""

    def act(page: Page, _: Instance) -> None:
        page.keyboard.press("/")
        expect(page.locator("input:focus")).to_be_visible()
        page.keyboard.type(query)
        expect(page.locator("mark").first).to_be_visible()

    return act


def show_arguments(page: Page, _: Instance) -> None:
    page.get_by_role("button", name="arguments of search").click()
    expect(page.get_by_role("table", name="Arguments of search")).to_be_visible()


def show_calls(page: Page, instance: Instance) -> None:
    """Open the last calls of a tool: one by an agent, one by an MCP client that was refused."""
    instance.call("POST", "/api/tools/word_count", {"enabled": True}, instance.operator)
    prompt = "Use word_count with the text: two boats."
    instance.call("POST", "/api/agent", {"prompt": prompt}, instance.session("member"))
    call = {"name": "word_count", "arguments": {"text": 3}}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    instance.call("POST", "/mcp", request, instance.operator)
    page.get_by_role("button", name="Last calls of word_count").click()
    expect(page.get_by_role("table", name="Last calls of word_count")).to_be_visible()


def show_changed_tool(page: Page, _: Instance) -> None:
    page.route("**/api/tools", lambda route: route.fulfill(json={"items": [CHANGED_TOOL], "next_cursor": None}))
    page.reload()
    settle(page)
    expect(page.get_by_role("note")).to_be_visible()


def show_items(path: str, items: list[dict[str, Any]]) -> Callable[[Page, Instance], None]:
    """Answer a list of the API with these items."""

    def act(page: Page, _: Instance) -> None:
        page.route(f"**{path}", lambda route: route.fulfill(json={"items": items}))
        page.reload()
        settle(page)

    return act


def show_member_items(path: str, items: list[dict[str, Any]]) -> Callable[[Page, Instance], None]:
    """As to people who are no operators: without reasons."""
    hidden = "An operator can see why."
    return show_items(path, [{**item, "last_error": item["last_error"] and hidden} for item in items])


def open_plugin_page(page: Page, _: Instance) -> None:
    inside = page.frame_locator("iframe")
    inside.get_by_label("Text").fill("Two boats on Sundays, one in the week.")
    inside.get_by_role("button", name="Count words").click()
    expect(inside.get_by_text("8 words")).to_be_visible()


def break_plugin_page(page: Page, _: Instance) -> None:
    broken = "export default () => { throw new Error('The tide table is empty.') }"
    page.route("**/bundle/index.js", lambda route: route.fulfill(body=broken, content_type="text/javascript"))
    page.reload()
    expect(page.get_by_role("alert")).to_contain_text("The tide table is empty.")


def create_token(page: Page, _: Instance) -> None:
    open_dialog("New token")(page, _)
    page.get_by_label("Name", exact=False).fill("Laptop")
    page.get_by_role("dialog").get_by_role("button", name="Create token").click()
    expect(page.get_by_role("dialog", name="Token Laptop")).to_be_visible()


def show_no_terms(page: Page, _: Instance) -> None:
    page.route("**/api/glossary*", lambda route: route.fulfill(json={"items": [], "next_cursor": None}))
    page.reload()
    settle(page)


def edit_term(page: Page, _: Instance) -> None:
    page.get_by_role("table", name="German").get_by_role("button", name="Edit quay").click()
    expect(page.get_by_label("Translation of quay")).to_be_focused()


def add_term(page: Page, _: Instance) -> None:
    page.get_by_role("button", name="Add term").click()
    expect(page.get_by_role("form", name="New term")).to_be_visible()


def import_terms(page: Page, _: Instance) -> None:
    """Import one term that is new, one that differs, and a line with an error."""
    open_dialog("Import", "Import terms")(page, _)
    content = b"term,target,translation\nberth,de,Liegeplatz\nquay,de,Kaje\nship,de,\n"
    file = FilePayload(name="harbour.csv", mimeType="text/csv", buffer=content)
    page.get_by_role("dialog").locator("input[type=file]").set_input_files(file)
    expect(page.get_by_role("dialog").get_by_role("region", name="Errors")).to_be_visible()


def translate_text(page: Page, _: Instance) -> None:
    """Translate a text with terms of the glossary and a check that fails."""
    page.get_by_role("textbox", name="Text", exact=True).fill(LETTER)
    _translate(page)
    page.get_by_role("region", name="Checks").get_by_role("button").first.click()


def translate_catalog(page: Page, _: Instance) -> None:
    page.get_by_role("textbox", name="Catalog", exact=True).fill(MESSAGES)
    _translate(page)


def _translate(page: Page) -> None:
    target = page.get_by_role("combobox", name="To", exact=True)
    target.fill("germ")
    page.get_by_role("option", name="German").first.click()
    expect(page.get_by_text(re.compile(r"^About \d+ tokens|^No cost"))).to_be_visible()
    page.get_by_role("button", name="Translate").click()
    expect(page.get_by_role("region", name="Checks")).to_be_visible()


def list_three_jobs(route: Route) -> None:
    """Answer with one running, one queued and one finished job."""
    states = ("running", "queued", "succeeded")
    since = "2026-11-16T09:00:00Z"
    times = {"created_at": since, "started_at": since, "finished_at": since}
    jobs: list[dict[str, Any]] = [
        {"view": "outline", "id": f"job-{state}", "kind": "ai.chat", "state": state, **times} for state in states
    ]
    jobs[0] |= {
        "view": "full", "kind": "repo.extract_text", "title": "quay-survey-of-the-north-pier.pdf", "owner": "",
        "subject": {"type": "object", "id": "survey"}, "waiting": None, "progress": 0.4, "attempt": 1,
    }  # fmt: skip
    items = [job for job in jobs if f"state={job['state']}" in route.request.url or "state=" not in route.request.url]
    route.fulfill(json={"items": items, "next_cursor": None})


def open_activity(page: Page, _: Instance) -> None:
    """On a phone it is under More."""
    page.route("**/api/jobs?*", list_three_jobs)
    page.reload()
    settle(page)
    open_more(page, _)
    page.get_by_role("button", name="Activity").last.click()
    expect(page.get_by_role("link", name="All jobs")).to_be_visible()


def open_more(page: Page, _: Instance) -> None:
    """Open the menu of a phone; wider windows show everything."""
    more = page.get_by_role("button", name="More", exact=True)
    if more.is_visible():
        more.click()
        expect(page.get_by_role("dialog", name="More")).to_be_visible()


def ask(page: Page, prompt: str) -> None:
    page.get_by_label("Your prompt").fill(prompt)
    page.keyboard.press("Enter")


def open_source(page: Page, _: Instance) -> None:
    page.get_by_role("button", name="Source 1").click()
    expect(page.get_by_role("complementary", name="Source").locator("mark")).to_be_visible()


def open_written(page: Page, _: Instance) -> None:
    """A conversation with a formula and code."""
    page.get_by_role("region", name="Conversations").get_by_role("link", name="The wait is").first.click()
    expect(page.locator("math")).not_to_have_count(0)


def see_answer_begin(page: Page, _: Instance) -> None:
    """An answer that is being given; the server ends it after a minute."""
    ask(page, "[simulate:slow:60] " + "The pilots ask for more time. " * 8)
    expect(page.get_by_role("listitem", name="Answer")).to_contain_text("This is the simulated")
    page.mouse.move(0, 0)


def lose_answer(page: Page, _: Instance) -> None:
    """A window that is online again replaces its connection, and here it gets none."""
    see_answer_begin(page, _)
    page.route("**/api/ai/chat/stream", lambda route: route.abort())
    page.route("**/health", lambda route: route.abort())
    page.context.set_offline(True)
    page.context.set_offline(False)
    expect(page.get_by_text("Connection lost.")).to_be_visible()


def fail_answer(page: Page, _: Instance) -> None:
    ask(page, "[simulate:fail] Which pier is free on Sunday?")
    expect(page.get_by_role("alert")).to_be_visible()


def branch(page: Page, _: Instance) -> None:
    """Two versions of a prompt, the second with two answers."""
    ask(page, "Which pier is free on Sunday?")
    expect(page.get_by_role("button", name="Regenerate")).to_be_enabled()
    page.get_by_role("button", name="Edit prompt").click()
    page.keyboard.type(" And on Monday?")
    page.keyboard.press("Enter")
    expect(page.get_by_role("listitem", name="Prompt")).to_contain_text("2 / 2")
    page.get_by_role("button", name="Regenerate").click()
    expect(page.get_by_role("listitem", name="Answer")).to_contain_text("2 / 2")
    page.mouse.move(0, 0)


def stop_answer(page: Page, _: Instance) -> None:
    ask(page, "[simulate:slow:60] " + "The pilots ask for more time. " * 8)
    expect(page.get_by_role("listitem", name="Answer")).to_contain_text("This is the simulated")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("Stopped.")).to_be_visible()


def use_tools(page: Page, _: Instance) -> None:
    page.get_by_role("button", name="Use tools").click()
    ask(page, "Search for pier. Create a note titled Pier plan saying Ask the yard. Read note n1")
    expect(page.get_by_role("region", name="Pier plan")).to_be_visible()
    expect(page.get_by_role("button", name="Regenerate")).to_be_visible()
    page.locator("summary").first.click()
    page.get_by_role("button", name="Use tools").click()
    page.mouse.move(0, 0)


def open_run(page: Page, instance: Instance) -> None:
    """Open the job of an agent's run, with its first step."""
    prompt = "Create a note titled Lunch saying Meet at noon. Read note n1"
    run = instance.call("POST", "/api/agent", {"prompt": prompt}, instance.operator)
    visit(page, f"/settings/team/jobs/{run['job_id']}")
    page.get_by_role("region", name="Steps").locator("summary").first.click()
    expect(page.get_by_role("region", name="Lunch").first).to_be_visible()


def exceed_quota(page: Page, _: Instance) -> None:
    page.route("**/api/ai/chat/stream", lambda route: route.fulfill(status=429, json=NO_REQUESTS_LEFT))
    ask(page, "One more question, please.")
    expect(page.get_by_role("alert")).to_contain_text("The team has no AI requests left.")


def pick_a_file(page: Page, _: Instance) -> None:
    field = page.get_by_label("Your prompt")
    field.fill("Compare ")
    field.press_sequentially("@pier-2")
    expect(page.get_by_role("option", name="pier-2", exact=True)).to_be_visible()


def write_broken_spec(page: Page, _: Instance) -> None:
    """A tool that does not exist, and a reference to a later step."""
    spec = page.get_by_role("textbox", name="Spec as JSON")
    expect(spec).to_be_visible()
    broken = json.dumps(
        {**WORKFLOWS[0], "steps": [*WORKFLOWS[0]["steps"][:3], {"id": "write", "kind": "tool", "tool": "paint", "end": True}]},
        indent=2,
    )  # fmt: skip
    replace_text(page, spec, broken)
    expect(page.get_by_role("region", name="Errors").get_by_role("button").first).to_be_visible()


def estimate_run(page: Page, _: Instance) -> None:
    page.get_by_label("subject").fill("pier")
    page.get_by_label("places").fill('["Pier 1", "Pier 2"]')
    page.get_by_role("button", name="Estimate cost").click()
    expect(page.get_by_role("table", name="Cost by step")).to_be_visible()


def leave_inputs_wrong(page: Page, _: Instance) -> None:
    page.get_by_label("places").fill("Pier 1")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("This isn’t valid JSON.")).to_be_visible()


def open_steps(page: Page, _: Instance) -> None:
    for summary in page.get_by_role("region", name="Steps").locator("summary").all()[:3]:
        summary.click()


def show_running_run(page: Page, instance: Instance) -> None:
    """A run in the middle of a map, as the API tells it."""
    run = instance.call("GET", instance.resolve("/api/runs/RUN"), token=instance.operator)
    now = datetime.now(UTC).isoformat()
    running = {
        **run,
        "state": "running",
        "finished_at": None,
        "steps_used": 34,
        "usage": {"requests": 6, "tokens": 4_210},
    }
    running["steps"] = [dict(step) for step in run["steps"]]
    look = next(step for step in running["steps"] if step["id"] == "look")
    look |= {"state": "running", "finished_at": None, "started_at": now, "total": 3, "succeeded": 1, "running": 1}
    look["items"] = [
        {**item, "state": state, "attempt": attempt, "result": None}
        for item, state, attempt in zip(look["items"], ("succeeded", "running", "queued"), (1, 2, 0), strict=True)
    ]
    for step in running["steps"][3:]:
        step |= {"state": "pending", "started_at": None, "finished_at": None, "output": None, "items": []}
    page.route("**/api/runs/*", lambda route: route.fulfill(json=running))
    page.reload()
    settle(page)
    page.get_by_role("region", name="Steps").locator("summary").nth(2).click()


LONG_NAME = "Quarterly-reconciliation-of-berth-fees-with-the-harbour-masters-own-ledger-and-every-invoice-since-2019"
MANY_STEPS = 100
MANY_ITEMS = 1_000
SENT_ITEMS = 200


def show_long_workflow(page: Page, _: Instance) -> None:
    """As many steps as a spec may have, with names that do not break."""

    def answer(route: Route) -> None:
        found = route.fetch().json()
        call = {"kind": "tool", "tool": "search", "with": {"q": LONG_NAME, "limit": 5}}
        steps = [{"id": f"{'reconcile_every_berth_' * 2}{place}", **call} for place in range(MANY_STEPS)]
        spec = {**found["spec"], "title": LONG_NAME, "start": steps[0]["id"], "steps": steps}
        route.fulfill(json={**found, "title": LONG_NAME, "description": f"{LONG_NAME} " * 3, "spec": spec})

    page.route("**/api/workflows/harbour-digest", answer)
    page.reload()
    settle(page)


def show_large_map(page: Page, instance: Instance) -> None:
    """A run over a thousand items with long names, of which one has failed."""
    run = instance.call("GET", instance.resolve("/api/runs/RUN"), token=instance.operator)
    places = [f"{LONG_NAME}-{number}" for number in range(MANY_ITEMS)]
    look = next(step for step in run["steps"] if step["id"] == "look")
    fault: dict[str, Any] = {"code": "not_found", "message": f"There is no {LONG_NAME}.", "key": None, "params": {}}
    sample = look["items"][0]
    look |= {"state": "failed", "total": MANY_ITEMS, "succeeded": MANY_ITEMS - 1, "failed": 1, "error": fault}
    look["items"] = [
        {**sample, "index": index, **({"state": "failed", "result": None, "error": fault} if index == 1 else {})}
        for index in range(SENT_ITEMS)
    ]
    error = {**fault, "step": "look"}
    shown = {**run, "state": "failed", "error": error, "input": {**run["input"], "places": places}}
    page.route("**/api/runs/*", lambda route: route.fulfill(json=shown))
    page.reload()
    settle(page)
    page.get_by_role("region", name="Steps").scroll_into_view_if_needed()


def find_nobody(page: Page, _: Instance) -> None:
    page.get_by_role("searchbox", name="Find by name").fill("zeppelin")
    expect(page.get_by_role("link", name="Ida Solberg")).to_have_count(0)
    settle(page)


def test_key(page: Page, _: Instance) -> None:
    page.get_by_role("textbox", name="Key").fill("inbox/scans/bill.txt")
    page.get_by_role("button", name="Test", exact=True).click()
    expect(page.get_by_text("1 workflow would start")).to_be_visible()


def edit_trigger(page: Page, _: Instance) -> None:
    page.get_by_role("button", name="New trigger").click()
    dialog = page.get_by_role("dialog", name="New trigger")
    dialog.get_by_label("Workflow to run").select_option("harbour-digest")
    dialog.get_by_label("Folder").fill("invoices/")
    expect(dialog.get_by_label("places")).to_be_visible()


def turn_workflows_off(page: Page, _: Instance) -> None:
    """As the session tells it."""

    def answer(route: Route) -> None:
        me = route.fetch().json()
        route.fulfill(json={**me, "features": [name for name in me["features"] if name != "workflows"]})

    page.route("**/api/whoami", answer)
    page.reload()
    expect(page.get_by_role("alert")).to_contain_text("Workflows is off")


def show_empty(path: str) -> Callable[[Page, Instance], None]:
    def act(page: Page, _: Instance) -> None:
        page.route(re.compile(rf"{path}(\?|$)"), lambda route: route.fulfill(json={"items": [], "next_cursor": None}))
        page.reload()
        settle(page)

    return act


def show_passage(page: Page, _: Instance) -> None:
    page.get_by_role("region", name="Evidence").get_by_role("listitem").get_by_role("link").nth(1).click()
    expect(page.get_by_role("complementary", name="Source").locator("mark")).to_be_visible()


def show_timeline(page: Page, _: Instance) -> None:
    """The documents are a month apart."""

    def answer(route: Route) -> None:
        entity = route.fetch().json()
        for place, document in enumerate(entity["timeline"]):
            document["at"] = f"2026-{9 - 2 * place:02}-14T09:00:00Z"
        route.fulfill(json=entity)

    page.route("**/api/kg/entities/*", answer)
    page.reload()
    settle(page)
    page.get_by_role("region", name="Over time").scroll_into_view_if_needed()


def show_no_entities(page: Page, _: Instance) -> None:
    page.route(
        re.compile(r"/api/kg/entities(\?|$)"), lambda route: route.fulfill(json={"items": [], "next_cursor": None})
    )
    page.reload()
    settle(page)


def estimate_extraction(page: Page, instance: Instance) -> None:
    instance.await_text(instance.upload("crew/unread.txt", b"Nils Berg sails for Harbour Lines.\n"))
    open_dialog("Extract entities")(page, instance)
    expect(page.get_by_role("dialog").get_by_role("status")).to_contain_text("to read, for at most")


def show_provenance(page: Page, _: Instance) -> None:
    page.get_by_role("figure", name="Provenance").scroll_into_view_if_needed()


def show_provenance_table(page: Page, _: Instance) -> None:
    page.get_by_role("tabpanel", name="Processing").get_by_text("Table", exact=True).click()
    page.get_by_role("table", name="Provenance").scroll_into_view_if_needed()


def open_text(page: Page, _: Instance) -> None:
    page.get_by_role("list", name="Texts in Spanish").get_by_role("button").first.click()
    expect(page.get_by_label("Spanish", exact=True)).to_be_focused()
    expect(page.get_by_text("Shown on")).to_be_visible()


def break_text(page: Page, instance: Instance) -> None:
    """Leave out a placeholder."""
    open_text(page, instance)
    page.get_by_label("Spanish", exact=True).fill("Nada")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Placeholders differ")).to_be_visible()


def show_prospects(page: Page, _: Instance) -> None:
    page.route(
        re.compile(r"/api/beta/prospects\?"),
        lambda route: route.fulfill(json={"items": PROSPECTS, "next_cursor": None, "numbers": FUNNEL_DAYS}),
    )
    page.reload()
    settle(page)


def decline_prospect(page: Page, instance: Instance) -> None:
    show_prospects(page, instance)
    page.get_by_role("button", name="Decline").first.click()
    expect(page.get_by_label("Note for your team")).to_be_focused()


def break_contrast(page: Page, _: Instance) -> None:
    page.get_by_label("Accent", exact=True).fill("#ffffff")
    expect(page.get_by_text("Too little contrast with Button text").first).to_be_visible()


def _name(path: str) -> str:
    return path.strip("/").replace("/", "-").replace("$", "one-") or "home"


# fmt: off
FIRST_RUN = View("entrance-first-run", "/", "")
SCREENS = tuple(View(_name(screen.path), "/app" + screen.address(screen.of.upper())) for screen in screens.SCREENS)
LEAFLET = """\
# Ferry to the islands

From November on, boats leave **every hour**.

| Pier | First | Last |
|---|---|---|
| Two  | 06:10 | 21:10 |
| Five | 06:40 | 20:40 |

- Bring [the map](https://harbour.example/map).
- Bicycles travel free.
"""


def open_link(password: str | None = None) -> Callable[[Page, Instance], None]:
    """The page of a public link, which is not a part of the console."""

    def act(page: Page, instance: Instance) -> None:
        file = instance.upload("leaflets/ferry.md", LEAFLET.encode(), "owner", "private")
        draft = {"password": password} if password else {}
        link = instance.call("POST", f"/api/repo-obj/{file}/links", draft, instance.session("owner"))
        visit_link(page, link["url"].rpartition("/")[2])

    return act


def mistype_password(page: Page, instance: Instance) -> None:
    open_link("a word on paper")(page, instance)
    page.get_by_label("Password").fill("another word")
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_role("alert")).to_be_visible()


def open_dead_link(page: Page, instance: Instance) -> None:
    visit_link(page, "x" * 24)


def visit_link(page: Page, token: str) -> None:
    page.goto(f"/s/{token}")
    settle(page)


LINK_VIEWS = (
    View("link-page",           "/login", "", open_link()),
    View("link-password",       "/login", "", open_link("a word on paper")),
    View("link-wrong-password", "/login", "", mistype_password),
    View("link-dead",           "/login", "", open_dead_link),
)  # fmt: skip
VIEWS = (
    *SCREENS,
    *LINK_VIEWS,
    View("note-editor",         "/app/notes/NOTE?edit=true", act=wait_for_editor),
    View("note-selection",      "/app/notes/NOTE?edit=true", act=select_words),
    View("note-menu",           "/app/notes/NOTE?edit=true", act=open_block_menu),
    View("note-table",          "/app/notes/NOTE?edit=true", act=open_table_menu),
    View("note-conflict",       "/app/notes/NOTE?edit=true", act=cause_conflict),
    View("note-share",          "/app/notes/NOTE",           act=open_dialog("Share", "Share “Harbour handover”")),
    View("document-editor",     "/app/documents/DOCUMENT?edit=true", act=wait_for_editor),
    View("document-changed",    "/app/documents",            act=change_elsewhere),
    View("trash-filled",        "/app/trash",                act=fill_trash),
    View("trash-emptying",      "/app/trash",                act=empty_trash),
    View("trash-undo",          "/app/notes",                act=delete_with_undo),
    View("note-deleted",        "/app/notes",                act=delete_note_elsewhere),
    View("file-deleted",        "/app/files",                act=delete_file_elsewhere),
    View("document-sides",      "/app/documents/DOCUMENT?version=1&view=source", act=show_side_by_side),
    View("document-read",       "/app/documents/DOCUMENT?version=1&view=read"),
    View("note-linked",         "/app/notes/NOTE",           act=link_and_visit),
    View("document-share",      "/app/documents/DOCUMENT",   act=open_dialog("Share", "Share “Winter timetable”")),
    View("documents-empty",     "/app/documents",            "org_admin"),
    View("files-folder",        "/app/files?in=reports/"),
    View("files-selected",      "/app/files",                act=select_files),
    View("files-tiles",         "/app/files",                act=show_tiles),
    View("files-move",          "/app/files",                act=move_files),
    View("files-nothing",       "/app/files?in=new/"),
    View("home-guest",          "/app/",                     "guest"),
    View("files-shared",        "/app/files?show=shared",    "guest"),
    View("files-new-folder",    "/app/files",                act=open_dialog("New folder")),
    View("files-tray",          "/app/files?in=reports/",    act=upload_files),
    View("file-image",          "/app/files/PICTURE"),
    View("file-old-version",    "/app/files/FILE?version=1"),
    View("file-share",          "/app/files/FILE",           act=open_share_dialog),
    View("members-invite",      "/app/settings/team/people",          act=open_dialog("Invite person")),
    View("connect-empty",       "/app/settings/team/connect",         "org_admin"),
    View("connect-new",         "/app/settings/team/connect",         act=fill_in_key_form),
    View("connect-secret",      "/app/settings/team/connect",         "admin", create_key),
    View("connect-revoke",      "/app/settings/team/connect",         act=open_dialog("Revoke Scanner at pier 2", "Revoke Scanner at pier 2?")),
    View("connect-mcp",         "/app/settings/team/connect?way=mcp"),
    View("connect-mcp-member",  "/app/settings/team/connect?way=mcp", "member"),
    View("connect-mcp-token",   "/app/settings/team/connect?way=mcp", "admin", create_token),
    View("connect-openai",      "/app/settings/team/connect?way=openai"),
    View("tokens-new",          "/app/settings/team/tokens",          act=open_dialog("New token")),
    View("account-factor",      "/app/settings/me/account",           act=open_dialog("Set up", "Two-factor authentication")),
    View("companies-new",       "/app/settings/instance/companies",   act=open_dialog("New company")),
    View("jobs-new",            "/app/settings/team/jobs",            act=open_dialog("Ask a model")),
    View("jobs-run",            "/app/settings/team/jobs",            act=open_run),
    View("executors-new",       "/app/settings/instance/executors",   act=open_dialog("New executor")),
    View("usage-try",           "/app/settings/team/usage",           act=open_dialog("Test the quota")),
    View("chat-new",            "/app/chat/new"),
    View("chat-first",          "/app/chat",                 "owner"),
    View("chat-written",        "/app/chat",                 act=open_written),
    View("chat-source",         "/app/chat/CONVERSATION",    act=open_source),
    View("chat-stopped",        "/app/chat/new",             act=stop_answer),
    View("chat-tools",          "/app/chat/new",             act=use_tools),
    View("chat-refused",        "/app/chat/new",             act=exceed_quota),
    View("chat-running",        "/app/chat/new",             act=see_answer_begin),
    View("chat-lost",           "/app/chat/new",             act=lose_answer),
    View("chat-failed",         "/app/chat/new",             act=fail_answer),
    View("chat-branches",       "/app/chat/new",             act=branch),
    View("chat-read-only",      "/app/chat/SHARED"),
    View("chat-share",          "/app/chat/CONVERSATION",    act=open_dialog("Share", "Share “Good morning.”")),
    View("chat-pick",           "/app/chat/new",             act=pick_a_file),
    View("tools-arguments",     "/app/settings/team/tools",           act=show_arguments),
    View("tools-member",        "/app/settings/team/tools",           "member"),
    View("tools-calls",         "/app/settings/team/tools?q=word_count", act=show_calls),
    View("tools-changed",       "/app/settings/team/tools",           act=show_changed_tool),
    View("plugins-failed",      "/app/settings/instance/plugins",     act=show_items("/api/plugins", [BROKEN_PLUGIN])),
    View("plugin-failed",       "/app/settings/instance/plugins/tide-tables", act=show_items("/api/plugins", [BROKEN_PLUGIN])),
    View("plugin-failed-member", "/app/settings/instance/plugins/tide-tables", "member", show_items("/api/plugins", [BROKEN_PLUGIN])),
    View("plugins-none",        "/app/settings/instance/plugins",     act=show_items("/api/plugins", [])),
    View("plugin-missing",      "/app/settings/instance/plugins/nowhere"),
    View("sandboxed",           "/app/settings/instance/sandboxed",   act=show_items("/api/oop", SANDBOXED_PLUGINS)),
    View("sandboxed-member",    "/app/settings/instance/sandboxed",   "member", show_member_items("/api/oop", SANDBOXED_PLUGINS)),
    View("sandboxed-none",      "/app/settings/instance/sandboxed",   act=show_items("/api/oop", [])),
    View("mcp",                 "/app/settings/instance/mcp",         act=show_items("/api/mcp", MCP_SERVERS)),
    View("mcp-member",          "/app/settings/instance/mcp",         "member", show_member_items("/api/mcp", MCP_SERVERS)),
    View("mcp-none",            "/app/settings/instance/mcp",         act=show_items("/api/mcp", [])),
    View("plugin-page",         "/app/plugins/PLUGIN",                "member", open_plugin_page),
    View("plugin-page-broken",  "/app/plugins/PLUGIN",                "member", break_plugin_page),
    View("models-member",       "/app/settings/team/models",          "member"),
    View("glossary-empty",      "/app/settings/team/glossary",        act=show_no_terms),
    View("glossary-edit",       "/app/settings/team/glossary",        act=edit_term),
    View("glossary-add",        "/app/settings/team/glossary",        act=add_term),
    View("glossary-import",     "/app/settings/team/glossary",        act=import_terms),
    View("glossary-member",     "/app/settings/team/glossary",        "member"),
    View("languages-add",       "/app/settings/instance/languages",   act=open_dialog("Add language")),
    View("languages-import",    "/app/settings/instance/languages",   act=open_dialog("Import", "Import files")),
    View("languages-reader",    "/app/settings/instance/languages",   "owner"),
    View("texts-open",          "/app/settings/instance/languages/es?ns=glossary", act=open_text),
    View("texts-refused",       "/app/settings/instance/languages/es?q=codes.heading", act=break_text),
    View("texts-nothing",       "/app/settings/instance/languages/es?q=zeppelin"),
    View("texts-reader",        "/app/settings/instance/languages/es?ns=glossary", "owner"),
    View("review-drafts",       "/app/settings/instance/languages/es/review?show=drafts"),
    View("prospects",           "/app/settings/company/sign-up",      act=show_prospects),
    View("prospect",            "/app/settings/company/sign-up?id=prospect-5", act=show_prospects),
    View("prospect-decline",    "/app/settings/company/sign-up?id=prospect-6", act=decline_prospect),
    View("prospects-missing",   "/app/settings/company/sign-up?id=nobody", act=show_prospects),
    View("sign-up-page-contrast", "/app/settings/company/sign-up/page", act=break_contrast),
    View("translate-text",      "/app/translate",                     act=translate_text),
    View("translate-catalog",   "/app/translate?mode=catalog",        act=translate_catalog),
    View("workflows-none",      "/app/workflows",                     act=show_empty("/api/workflows")),
    View("workflows-viewer",    "/app/workflows",                     "viewer"),
    View("workflows-refused",   "/app/workflows",                     "guest"),
    View("workflows-off",       "/app/workflows",                     act=turn_workflows_off),
    View("workflow-version",    "/app/workflows/spec/harbour-digest?version=1", "member"),
    View("workflow-broken",     "/app/workflows/spec/harbour-digest/edit", act=write_broken_spec),
    View("workflow-copy",       "/app/workflows/new?from=harbour-digest"),
    View("workflow-estimate",   "/app/workflows/spec/harbour-digest/run", act=estimate_run),
    View("workflow-inputs",     "/app/workflows/spec/harbour-digest/run", act=leave_inputs_wrong),
    View("workflow-file",       "/app/workflows/spec/read-scan/run"),
    View("workflow-long",       "/app/workflows/spec/harbour-digest", act=show_long_workflow),
    View("workflow-missing",    "/app/workflows/spec/nowhere"),
    View("workflow-again",      "/app/workflows/spec/harbour-digest/run?from=RUN"),
    View("runs-filtered",       "/app/workflows/runs?state=failed"),
    View("runs-none",           "/app/workflows/runs",                act=show_empty("/api/runs")),
    View("runs-viewer",         "/app/workflows/runs",                "viewer"),
    View("run-steps",           "/app/workflows/runs/RUN",            act=open_steps),
    View("run-failed",          "/app/workflows/runs/FAILED"),
    View("run-running",         "/app/workflows/runs/RUN",            act=show_running_run),
    View("run-many",            "/app/workflows/runs/RUN",            act=show_large_map),
    View("run-missing",         "/app/workflows/runs/01890000-0000-7000-8000-000000000000"),
    View("run-outline",         "/app/workflows/runs/FAILED",         "viewer"),
    View("triggers-none",       "/app/workflows/triggers",            act=show_empty("/api/doc-triggers")),
    View("triggers-test",       "/app/workflows/triggers",            act=test_key),
    View("trigger-new",         "/app/workflows/triggers",            act=edit_trigger),
    View("graph-empty",         "/app/graph",                         act=show_no_entities),
    View("graph-extract",       "/app/graph",                         act=estimate_extraction),
    View("graph-nothing",       "/app/graph",                         act=find_nobody),
    View("entity-missing",      "/app/graph/01890000-0000-7000-8000-000000000000"),
    View("entity-table",        "/app/graph/ENTITY?view=table"),
    View("entity-passage",      "/app/graph/ENTITY",                  act=show_passage),
    View("entity-timeline",     "/app/graph/ENTITY",                  act=show_timeline),
    View("entity-merge",        "/app/graph/ENTITY",                  act=open_dialog("Merge", "Merge “Priya Raman”")),
    View("entity-split",        "/app/graph/ENTITY",                  act=open_dialog("Split", "Split “Priya Raman”")),
    View("entity-viewer",       "/app/graph/ENTITY",                  "viewer"),
    View("file-stale",          "/app/files/STALE?inspect=processing", act=show_provenance),
    View("file-provenance",     "/app/files/STALE?inspect=processing", act=show_provenance_table),
    View("document-processing", "/app/documents/DOCUMENT?inspect=processing"),
    View("document-versions",   "/app/documents/DOCUMENT?inspect=versions"),
    View("note-sharing",        "/app/notes/NOTE?inspect=sharing"),
    View("file-sharing",        "/app/files/FILE?inspect=sharing"),
    View("chat-sharing",        "/app/chat/CONVERSATION?inspect=sharing"),
    View("note-details",        "/app/notes/NOTE?inspect=details"),
    View("chat-details",        "/app/chat/CONVERSATION?inspect=details"),
    View("search-results",      "/app/search?q=pier"),
    View("search-nothing",      "/app/search?q=zeppelin"),
    View("search-box",          "/app/",                     act=search_for("pier")),
    View("palette",             "/app/",                     act=press_key("Control+k")),
    View("keys",                "/app/",                     act=press_key("?")),
    View("more",                "/app/",                     act=open_more),
    View("activity",            "/app/",                     act=open_activity),
    View("settings-member",     "/app/settings",             "member"),
    View("state-empty",         "/app/",                     "org_admin"),
    View("state-refused",       "/app/settings/team/audit",                "guest"),
    View("state-missing",       "/app/notes/01890000-0000-7000-8000-000000000000"),
    View("document-missing",    "/app/documents/01890000-0000-7000-8000-000000000000"),
    View("chat-missing",        "/app/chat/01890000-0000-7000-8000-000000000000"),
    View("job-missing",         "/app/settings/team/jobs/01890000-0000-7000-8000-000000000000"),
    View("file-missing",        "/app/files/01890000-0000-7000-8000-000000000000"),
    View("state-nowhere",       "/app/nowhere"),
    View("state-unreachable",   "/app/settings/team/audit",                act=lose_connection),
    View("state-failed",        "/app/settings/team/audit",                act=wait_for_error),
    View("entrance-sign-in",    "/login",                    ""),
    View("entrance-code",       "/login",                    "", request_code),
    View("entrance-activate",   "/activate#ts_x_0000",       ""),
)
# fmt: on
