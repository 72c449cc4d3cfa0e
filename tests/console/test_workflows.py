"""Workflows in the console: the editor, runs, and upload triggers."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.console.browser import settle, window
from tests.console.conftest import Serve
from tests.console.instance import NOWHERE, WORKFLOWS, Instance
from tests.console.writing import replace_text

pytestmark = [
    pytest.mark.sampled(3),
    pytest.mark.about("console/workflows", "workflows", "triggers", "tools"),
]

NAMED = "harbour-digest"
SLOW: dict[str, Any] = {
    "format": 1, "slug": "slow-answer", "title": "Slow answer", "start": "ask", "max_steps": 4, "steps": [
        {"id": "ask", "kind": "tool", "tool": "chat_message", "with": {"text": "Take your time. [simulate:slow:60]"}},
        {"id": "look", "kind": "tool", "tool": "search", "with": {"q": "pier"}, "end": True},
    ],
}  # fmt: skip


@pytest.fixture
def workspace(serve: Serve, database: str) -> Iterator[Instance]:
    """An instance of its own with the sample content."""
    with serve(database) as served:
        instance = Instance(served)
        instance.sample_note  # noqa: B018 - creates all sample items
        yield instance


@pytest.fixture
def page(browser: Browser, workspace: Instance) -> Iterator[Page]:
    with window(browser, workspace.url, token=workspace.session("operator")) as opened:
        yield opened


def test_a_broken_spec_says_where_and_is_published_when_it_is_mended(page: Page, workspace: Instance) -> None:
    page.goto("/app/workflows")
    page.get_by_role("link", name="New workflow").click()
    errors = page.get_by_role("region", name="Errors")
    expect(errors).to_contain_text("Valid. Publishing creates my-workflow.")
    broken = spec(tool="serach")
    write(page, broken)
    error = errors.get_by_role("button").first
    expect(error).to_contain_text(f"Line {line_of(broken, 'serach')}")
    expect(error).to_contain_text("/steps/0/tool")
    expect(page.get_by_role("region", name="Graph of Tide news")).to_contain_text("Error")
    expect(page.get_by_role("button", name="Publish")).to_be_disabled()
    error.click()
    expect(editor(page)).to_be_focused()
    page.keyboard.type('"tool": "search"')
    expect(errors).to_contain_text("Valid. Publishing creates tide-news.")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("heading", name="Tide news", level=1)).to_be_visible()
    shown = workspace.call("GET", "/api/workflows/tide-news", token=workspace.operator)
    assert (shown["version"], shown["spec"]["steps"][0]["tool"]) == (1, "search")


def test_json_that_cannot_be_read_says_where(page: Page) -> None:
    page.goto("/app/workflows/new")
    write(page, '{\n  "slug": "x",\n  "steps" []\n}')
    errors = page.get_by_role("region", name="Errors")
    expect(errors.get_by_role("button")).to_have_text("Line 3A colon is missing after the name.")
    expect(page.get_by_text("The graph appears when the JSON can be read.")).to_be_visible()


def test_a_draft_outlives_leaving_and_a_lost_connection(page: Page, workspace: Instance) -> None:
    page.goto(f"/app/workflows/spec/{NAMED}/edit")
    write(page, spec(slug=NAMED, title="Tide digest"))
    expect(page.get_by_text("Draft kept in this browser")).to_be_visible()
    page.get_by_role("main").get_by_role("link", name="Workflows", exact=True).click()
    expect(page.get_by_role("heading", name="Workflows", level=1)).to_be_visible()
    page.goto(f"/app/workflows/spec/{NAMED}/edit")
    expect(editor(page)).to_contain_text("Tide digest")
    page.route("**/api/workflows", lambda route: route.abort() if route.request.method == "POST" else route.fallback())
    expect(page.get_by_role("button", name="Publish")).to_be_enabled()
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("alert").first).to_contain_text("server can’t be reached")
    expect(editor(page)).to_contain_text("Tide digest")
    page.unroute("**/api/workflows")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("heading", name="Tide digest", level=1)).to_be_visible()
    assert workspace.call("GET", f"/api/workflows/{NAMED}", token=workspace.operator)["version"] == 3
    page.get_by_label("Version").select_option("1")
    expect(page.get_by_role("heading", name="Harbour digest", level=1)).to_be_visible()


def test_a_run_is_started_watched_and_its_document_opened(page: Page) -> None:
    page.goto("/app/workflows")
    page.get_by_role("link", name="Run Harbour digest").click()
    page.get_by_label("places").fill("Pier 1")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("This isn’t valid JSON.")).to_be_visible()
    expect(page.get_by_label("places")).to_be_focused()
    page.get_by_label("places").fill('["Pier 1", "Pier 2"]')
    page.get_by_label("subject").fill("pier")
    page.get_by_role("button", name="Estimate cost").click()
    expect(page.get_by_role("note")).to_contain_text("No cost: no step asks a model")
    expect(page.get_by_role("table", name="Cost by step").get_by_role("row")).to_have_count(6)
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_role("heading", name=re.compile(r"^Run of \w+ digest$"))).to_be_visible()
    expect(status(page)).to_have_text("Done")
    steps = page.get_by_role("region", name="Steps").locator("ol").first.locator("> li")
    expect(steps).to_have_text([re.compile(f"^{name}.*{state}") for name, state in STEPS])
    steps.nth(2).locator("summary").first.click()
    expect(steps.nth(2)).to_contain_text("For each of: input places")
    second = steps.nth(2).get_by_role("group").filter(has_text="Item 2")
    expect(second.last).to_contain_text("Pier 2")
    second.last.locator("summary").click()
    expect(second.last.get_by_role("definition").first).to_have_text("2")
    page.get_by_role("region", name="Documents").get_by_role("link", name="Open").click()
    expect(page.get_by_role("heading", name="pier", exact=True)).to_be_visible()


STEPS = (("find", "Done"), ("is_empty", "Done"), ("look", "2 of 2 items"), ("write", "Done"), ("say_so", "Skipped"))


def test_a_run_is_followed_live_and_cancelled(page: Page, workspace: Instance) -> None:
    workspace.call("POST", "/api/workflows", SLOW, workspace.operator)
    page.goto("/app/workflows/runs?slug=slow-answer")
    expect(page.get_by_text("No matching runs")).to_be_visible()
    run = workspace.call("POST", "/api/workflows/slow-answer/run", {"input": {}}, workspace.operator)["id"]
    page.get_by_role("link", name="Slow answer, version 1").click()
    page.get_by_role("button", name="Cancel run").click()
    page.get_by_role("dialog", name="Cancel this run?").get_by_role("button", name="Cancel run").click()
    expect(status(page)).to_have_text("Cancelled")
    expect(page.get_by_role("button", name="Cancel run")).to_have_count(0)
    assert workspace.call("GET", f"/api/runs/{run}", token=workspace.operator)["state"] == "cancelled"


def test_a_failed_run_says_why_and_is_resumed(page: Page, workspace: Instance) -> None:
    """A document that does not exist yet: the second attempt finds it."""
    steps = [
        {"id": "find", "kind": "tool", "tool": "search", "with": {"q": "pier"}},
        {
            "id": "read",
            "kind": "tool",
            "tool": "read_document",
            "with": {"document": {"$ref": "input.key"}},
            "end": True,
        },
    ]
    made = {
        "format": 1,
        "slug": "wait-for-file",
        "inputs": {"key": {"type": "string"}},
        "start": "find",
        "max_steps": 4,
    }
    workspace.call("POST", "/api/workflows", {**made, "steps": steps}, workspace.operator)
    failed = workspace.run("wait-for-file", {"key": "late/tides.md"})
    page.goto(f"/app/workflows/runs/{failed}")
    expect(status(page)).to_have_text("Failed")
    expect(page.get_by_role("alert")).to_contain_text("The run failed at step read")
    workspace.upload("late/tides.md", b"# Tides\n\nHigh water at noon.\n")
    page.get_by_role("button", name="Resume").click()
    page.wait_for_url(lambda url: "/workflows/runs/" in url and failed not in url)
    expect(status(page)).to_have_text("Done")
    page.get_by_role("region", name="Steps").locator("summary", has_text="read_document").click()
    expect(page.get_by_role("region", name="Result of read")).to_contain_text("High water at noon.")
    page.get_by_role("link", name="Earlier run").click()
    page.wait_for_url(f"**/workflows/runs/{failed}")


def test_a_run_is_run_again_with_its_former_input(page: Page, workspace: Instance) -> None:
    page.goto(workspace.resolve("/app/workflows/runs/RUN"))
    page.get_by_role("link", name="Run again").click()
    form = page.get_by_role("form", name="Run Harbour digest")
    expect(form.get_by_label("subject")).to_have_value("pier")
    expect(form.get_by_label("places")).to_have_value(json.dumps(["Pier 1", "Pier 2", "North quay"], indent=2))
    expect(form.get_by_role("note").first).to_contain_text("Filled in from an earlier run.")
    expect(form.get_by_role("note").last).to_contain_text("No cost: no step asks a model")
    form.get_by_label("subject").fill("quay")
    expect(form.get_by_role("table", name="Cost by step")).to_have_count(0)
    page.reload()
    expect(form.get_by_label("subject")).to_have_value("quay")
    form.get_by_role("button", name="Run", exact=True).click()
    expect(status(page)).to_have_text("Done")
    expect(page.get_by_role("region", name="Inputs", exact=True)).to_contain_text("North quay")
    page.get_by_role("link", name="Run again").click()
    expect(form.get_by_label("subject")).to_have_value("quay")
    workspace.call("POST", "/api/workflows", {**WORKFLOWS[0], "max_steps": 41}, workspace.operator)
    page.goto(workspace.resolve("/app/workflows/spec/harbour-digest/run?from=RUN"))
    expect(form.get_by_role("note").first).to_contain_text("That run used version 2; this one uses version 3.")
    expect(form.get_by_label("subject")).to_have_value("pier")


@pytest.mark.parametrize("input", [{"subject": "pier" * 9_000, "places": []}, None])
def test_an_input_that_cannot_be_filled_in_is_told(
    page: Page, workspace: Instance, input: dict[str, Any] | None
) -> None:
    """One is too long, the other is not there."""
    run = workspace.run("harbour-digest", input) if input else NOWHERE
    page.goto(f"/app/workflows/spec/{NAMED}/run?from={run}")
    words = "too long to be filled in here" if input else "can’t be read"
    expect(page.get_by_role("note")).to_contain_text(f"The input of the earlier run {'is ' if input else ''}{words}")
    expect(page.get_by_label("subject")).to_have_value("")


def test_a_trigger_starts_a_run_when_a_file_is_uploaded(page: Page, workspace: Instance) -> None:
    page.goto("/app/workflows/triggers")
    settle(page)
    page.keyboard.press("c")
    dialog = page.get_by_role("dialog", name="New trigger")
    dialog.get_by_label("Workflow to run").select_option("read-scan")
    dialog.get_by_label("Folder or beginning of the key").fill("invoices/")
    dialog.get_by_label("File types").fill("text/*")
    dialog.get_by_label("File types").press("Enter")
    dialog.get_by_role("button", name="Create trigger").click()
    link = page.get_by_role("link", name="Uploads to invoices/ of type text/*")
    expect(link).to_be_visible()
    row = page.get_by_role("row").filter(has=link)
    expect(row.get_by_role("link", name="Read a scan")).to_be_visible()
    page.get_by_role("textbox", name="Key").fill("invoices/november.txt")
    page.get_by_role("button", name="Test", exact=True).click()
    expect(page.get_by_text("1 workflow would start on invoices/november.txt")).to_be_visible()
    expect(page.get_by_text("The key does not begin with inbox/scans/.")).to_be_visible()
    link.click()
    expect(page.get_by_text("No upload has matched yet.")).to_be_visible()
    workspace.upload("invoices/november.txt", b"Two crates of lamps.\n")
    history = page.get_by_role("table", name="History")
    expect(history.get_by_role("row", name=re.compile("november.txt"))).to_contain_text("Started a run")
    history.get_by_role("link", name="Started a run").click()
    expect(status(page)).to_have_text("Done")
    expect(page.get_by_role("link", name="Show trigger")).to_be_visible()


def test_a_trigger_that_cannot_start_says_why(page: Page, workspace: Instance) -> None:
    """The uploader may write files, but not run workflows."""
    draft = {"workflow_slug": "read-scan", "match_prefix": "yard/"}
    trigger = workspace.call("POST", "/api/doc-triggers", draft, workspace.operator)["id"]
    scope = ["files:write"]
    token = workspace.call("POST", "/api/tokens", {"name": "Yard", "scope": scope}, workspace.operator)["token"]
    workspace.served.put("/api/repo/yard/list.txt?visibility=team", b"Ropes.\n", token)
    page.goto(f"/app/workflows/triggers/{trigger}")
    row = page.get_by_role("table", name="History").get_by_role("row", name=re.compile("list.txt"))
    expect(row).to_contain_text("does not have")


def test_viewers_read_and_members_do_not_see_the_runs_of_others_in_full(browser: Browser, workspace: Instance) -> None:
    with window(browser, workspace.url, token=workspace.session("viewer")) as page:
        page.goto("/app/workflows")
        expect(page.get_by_role("link", name="Harbour digest")).to_be_visible()
        expect(page.get_by_role("link", name="New workflow")).to_have_count(0)
        expect(page.get_by_role("link", name="Run Harbour digest")).to_have_count(0)
        page.goto(workspace.resolve("/app/workflows/runs/FAILED"))
        expect(page.get_by_role("note")).to_contain_text("You can’t see what this run is about")


def test_a_choice_is_drawn_with_both_ways(page: Page) -> None:
    page.goto(f"/app/workflows/spec/{NAMED}")
    graph = page.get_by_role("region", name="Graph of Harbour digest")
    expect(graph).to_contain_text("If result of find is empty?")
    expect(graph.get_by_role("region", name="Yes")).to_contain_text("say_so")
    expect(graph.get_by_role("region", name="No").get_by_role("listitem")).to_have_count(2)
    expect(graph.get_by_role("region", name="No")).to_contain_text("For each of: input places")


def editor(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Spec as JSON")


def write(page: Page, text: str) -> None:
    replace_text(page, editor(page), text)


def status(page: Page) -> Locator:
    return page.get_by_role("main").get_by_role("status").first


def spec(slug: str = "tide-news", title: str = "Tide news", tool: str = "search") -> str:
    step = {"id": "find", "kind": "tool", "tool": tool, "with": {"q": "tide"}, "end": True}
    made = {"format": 1, "slug": slug, "title": title, "start": "find", "max_steps": 5, "steps": [step]}
    return json.dumps(made, indent=2)


def line_of(text: str, part: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if part in line)
