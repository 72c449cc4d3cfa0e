"""What was added to the server, in the console: plugins and their pages, tools with their calls, and what contains them."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.console.browser import settle, visit, window
from tests.console.instance import Instance
from tests.console.views import BROKEN_PLUGIN, CHANGED_TOOL, MCP_SERVERS, SANDBOXED_PLUGINS, show_items

pytestmark = [pytest.mark.sampled(8), pytest.mark.about("console/plugins", "console/tools", "plugins", "tools")]

TOOL = "word_count"
TEXT = "Two boats on Sundays."


def test_a_tool_of_a_plugin_is_turned_on_used_by_an_agent_and_its_call_is_shown(
    browser: Browser, instance: Instance
) -> None:
    instance.call("POST", f"/api/tools/{TOOL}", {"enabled": False}, instance.operator)
    with window(browser, instance.url, token=instance.session("operator")) as page:
        page.goto("/app/settings/instance/plugins")
        row = page.get_by_role("row", name="Example tools")
        expect(row).to_contain_text("1 tool, 2 routes, 1 job type, a page")
        expect(row).to_contain_text("Loaded")
        row.get_by_role("link", name="Example tools", exact=True).click()
        expect(page.get_by_role("list", name="Tools")).to_have_text(TOOL)
        expect(page.get_by_role("table", name="API routes")).to_contain_text("/api/x/example-tools/word-count")
        page.get_by_role("link", name="Open Tools").click()
        switch = page.get_by_role("switch", name=f"Turn {TOOL} on or off")
        switch.click(force=True)
        expect(switch).to_be_checked()
        expect(page.get_by_text(f"{TOOL} turned on")).to_be_visible()
        prompt = f"Use {TOOL} with the text: {TEXT}"
        run = instance.call("POST", "/api/agent", {"prompt": prompt}, instance.session("member"))
        assert [step["tool"] for step in run["steps"]] == [TOOL]
        page.get_by_role("button", name=f"Last calls of {TOOL}").click()
        call = page.get_by_role("table", name=f"Last calls of {TOOL}").get_by_role("row").nth(1)
        for words in ("just now", "Priya Raman", "Agent", "OK"):
            expect(call).to_contain_text(words)
        page.get_by_role("link", name="All in the audit log").click()
        expect(page.get_by_role("heading", name="Audit log")).to_be_visible()


def test_members_see_tools_read_only_and_no_calls(browser: Browser, sqlite_instance: Instance) -> None:
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/settings/team/tools")
        settle(page)
        expect(page.get_by_role("region", name="example-tools")).to_contain_text(TOOL)
        expect(page.get_by_role("switch")).to_have_count(0)
        expect(page.get_by_role("button", name="Last calls")).to_have_count(0)
        expect(page.get_by_text("A team admin can turn tools on and off.")).to_be_visible()


def test_a_changed_tool_says_so_until_it_is_turned_on_again(browser: Browser, sqlite_instance: Instance) -> None:
    tool, sent = {**CHANGED_TOOL}, list[Any]()

    def answer(route: Route) -> None:
        if route.request.method == "POST":
            sent.append(json.loads(route.request.post_data or ""))
            tool.update(enabled=True, changed=False)
            route.fulfill(json=tool)
        else:
            route.fulfill(json={"items": [tool], "next_cursor": None})

    with window(browser, sqlite_instance.url, token=sqlite_instance.session("operator")) as page:
        page.route(re.compile(r"/api/tools"), answer)
        page.goto("/app/settings/team/tools")
        expect(page.get_by_role("region", name="charts")).to_contain_text("and send it to the yard")
        expect(page.get_by_role("note")).to_contain_text("changed since you enabled this tool")
        page.get_by_role("switch").check(force=True)
        expect(page.get_by_role("note")).to_have_count(0)
        assert sent == [{"enabled": True, "pin": "one"}], "what was read is what is turned on"


def test_why_a_plugin_failed_is_for_operators(browser: Browser, sqlite_instance: Instance) -> None:
    reason = str(BROKEN_PLUGIN["error"])
    for role, text in (("operator", reason), ("member", "An operator of this instance can see why.")):
        with window(browser, sqlite_instance.url, token=sqlite_instance.session(role)) as page:
            page.goto("/app/settings/instance/plugins/tide-tables")
            show_items("/api/plugins", [BROKEN_PLUGIN])(page, sqlite_instance)
            expect(page.get_by_role("alert")).to_contain_text(text)
            visit(page, "/plugins/tide-tables")
            expect(page.get_by_role("alert")).to_contain_text(text)
            expect(page.locator("iframe")).to_have_count(0)


def test_operators_grant_capabilities_and_others_read_them(browser: Browser, sqlite_instance: Instance) -> None:
    plugin = SANDBOXED_PLUGINS[0]
    granted = list[list[str]]()

    def grant(route: Route) -> None:
        granted.append(json.loads(route.request.post_data or "")["capabilities"])
        capabilities = [{**each, "granted": each["name"] in granted[-1]} for each in plugin["capabilities"]]
        route.fulfill(json={**plugin, "capabilities": capabilities})

    with window(browser, sqlite_instance.url, token=sqlite_instance.session("operator")) as page:
        page.goto("/app/settings/instance/sandboxed")
        page.route("**/api/oop/freight-rates/grants", grant)
        show_items("/api/oop", SANDBOXED_PLUGINS)(page, sqlite_instance)
        expect(page.get_by_role("region", name="Label printer")).to_contain_text("last with signal 9")
        row = page.get_by_role("row", name="repo.read:contracts/")
        expect(row).to_contain_text("Read files in contracts/")
        row.get_by_role("switch").click(force=True)  # it changes when the server has answered
        expect(page.get_by_text("repo.read:contracts/ granted to Freight rates")).to_be_visible()
        assert granted == [["log", "http.fetch:rates.example", "repo.read:contracts/"]]
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/settings/instance/sandboxed")
        show_items("/api/oop", SANDBOXED_PLUGINS)(page, sqlite_instance)
        expect(page.get_by_role("row", name="repo.read:contracts/")).to_contain_text("Not granted")
        expect(page.get_by_role("switch")).to_have_count(0)


def test_only_the_content_scrolls(browser: Browser, sqlite_instance: Instance) -> None:
    """Hidden inputs of switches, far down, must not make the window scroll into nothing."""
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("operator")) as page:
        for path in ("/app/settings/team/tools", "/app/settings/team/features"):
            page.goto(path)
            expect(page.get_by_role("switch").first).to_be_visible()
            assert page.evaluate("document.documentElement.scrollHeight - innerHeight") == 0, path


def test_a_long_name_of_a_tool_stays_in_its_column(browser: Browser, sqlite_instance: Instance) -> None:
    name = "mcp_charts_" + "trigger_a_long_running_operation_" * 2
    server = {**MCP_SERVERS[0], "tools": [{"name": name[:64], "title": "", "description": "Runs for long. " * 20}]}
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("operator"), width=1024) as page:
        page.goto("/app/settings/instance/mcp")
        show_items("/api/mcp", [server])(page, sqlite_instance)
        shown, description = (
            page.get_by_text(name[:64]).bounding_box(),
            page.get_by_text("Runs for long").bounding_box(),
        )
        assert shown and description and shown["x"] + shown["width"] <= description["x"]


# Pages of plugins


def test_the_page_of_a_plugin_counts_words_in_the_language_of_its_reader(browser: Browser, instance: Instance) -> None:
    with window(browser, instance.url, token=instance.session("member")) as page:
        page.goto("/app/settings/instance/plugins")
        page.get_by_role("link", name="Open page of Example tools").click()
        inside = page.frame_locator("iframe[title='Example tools']")
        inside.get_by_label("Text").fill(TEXT)
        inside.get_by_role("button", name="Count words").click()
        expect(inside.get_by_text("4 words")).to_be_visible()
        inside.get_by_label("Text").fill("Boats")
        inside.get_by_role("button", name="Count words").press("Enter")
        expect(inside.get_by_text("1 word", exact=True)).to_be_visible()
    with window(browser, instance.url, token=instance.session("member"), locale="de-CH") as page:
        page.goto("/app/plugins/example-tools")
        inside = page.frame_locator("iframe")
        inside.get_by_label("Text").fill(TEXT)
        inside.get_by_role("button", name="Wörter zählen").click()
        expect(inside.get_by_text("4 Wörter")).to_be_visible()


ATTEMPTS = {
    "the session's token": "sessionStorage.getItem('teamspace.token')",
    "the console": "parent.document.title",
    "the network": "await fetch('/api/whoami')",
    "another origin": "await api.get('https://elsewhere.example/api/whoami')",
    "a way out of the API": "await api.get('/api/../mcp')",
    "another method": "await api.trace('/api/whoami')",
    "a token": "await api.post('/api/tokens', { name: 'stolen' })",
    "a note in its reader's name": "await api.post('/api/notes', { title: 'Not mine' })",
    "a way around that": "await api.post('/api/x/example-tools/../../notes', { title: 'Not mine' })",
    "another plugin": "await api.get('/api/x/integrator-demo/eta?lane=a')",
    "code from a text": "eval('1')",
    "a script of this server": "await import(new URL('/assets/scheme.js', 'ORIGIN'))",
}


def test_a_page_reaches_nothing_but_what_it_is_given(browser: Browser, sqlite_instance: Instance) -> None:
    attempts = "".join(
        f"try {{ {code}; reached.push({json.dumps(name)}) }} catch {{}}\n" for name, code in ATTEMPTS.items()
    ).replace("ORIGIN", sqlite_instance.url)
    code = f"""export default async (root, {{ api, theme }}) => {{
        const reached = []
        {attempts}
        const me = await api.get('/api/whoami')
        const style = getComputedStyle(document.body).color === '' ? 'no style' : theme.scheme
        root.textContent = JSON.stringify([reached, me.team.name, style])
    }}"""
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member"), expected="") as page:
        open_page_with(page, code)
        expect(page.frame_locator("iframe").locator("main")).to_have_text('[[],"Harbour office","light"]')


FAULTS = {
    "throws": ("export default () => { throw new Error('No tide today') }", "No tide today"),
    "rejects": ("export default async () => { await null; throw new Error('No tide tomorrow') }", "No tide tomorrow"),
    "is no module": ("this is not a script", "Unexpected identifier"),
    "shows nothing": ("export const nothing = 1", "index.js has no default export that is a function"),
    "throws later": ("export default (root) => { setTimeout(() => { throw new Error('Too late') }, 50) }", "Too late"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_page_that_fails_says_so_and_nothing_else_breaks(
    browser: Browser, sqlite_instance: Instance, fault: str
) -> None:
    code, message = FAULTS[fault]
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member"), expected="Too late") as page:
        open_page_with(page, code)
        expect(page.get_by_role("alert")).to_contain_text("The rest of the console isn’t affected.")
        expect(page.get_by_role("alert")).to_contain_text(message)
        expect(page.locator("iframe")).to_have_count(0)
        page.unroute_all()
        page.get_by_role("button", name="Try again").click()
        expect(page.frame_locator("iframe").get_by_label("Text")).to_be_visible()


def test_what_the_server_refuses_to_a_page_is_shown_and_the_page_stays(
    browser: Browser, sqlite_instance: Instance
) -> None:
    code = "export default (root, { api }) => { root.textContent = 'Here'; void api.get('/api/admin/status') }"
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member"), expected="") as page:
        open_page_with(page, code)
        expect(page.get_by_text("This requires “Manage this instance”")).to_be_visible()
        expect(page.frame_locator("iframe").get_by_text("Here")).to_be_visible()


def test_a_bundle_without_a_page_is_an_error_of_its_own(browser: Browser, sqlite_instance: Instance) -> None:
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/plugins/rs3")
        expect(page.get_by_role("heading", name="No page")).to_be_visible()
        page.goto("/app/plugins/nowhere")
        expect(page.get_by_role("heading", name="No plugin “nowhere”")).to_be_visible()


def open_page_with(page: Page, code: str) -> None:
    """Open the page of a plugin with other code."""
    page.route("**/bundle/index.js", lambda route: route.fulfill(body=code, content_type="text/javascript"))
    page.goto("/app/plugins/example-tools")


def test_a_public_page_of_a_plugin_signs_visitors_up_without_reaching_the_console(
    browser: Browser, sqlite_instance: Instance
) -> None:
    config = sqlite_instance.call("GET", "/api/beta/config?locale=en")
    page, errors = browser.new_page(locale="en-GB"), list[str]()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{sqlite_instance.url}/beta/bundle/beta-onboarding/index.html")
    expect(page.get_by_role("heading")).to_have_text(config["copy"]["title"])
    storage = "(() => { try { return sessionStorage.length } catch { return 'out of reach' } })()"
    assert page.evaluate(storage) == "out of reach"
    assert page.evaluate("fetch('/api/config').then(() => 'reached', () => 'out of reach')") == "out of reach"
    for field in config["fields"]:
        if field["type"] in ("text", "email", "textarea") and field["required"]:
            page.get_by_label(field["label"]).fill("visitor@example.com")
        elif field["type"] == "checkbox" and field["required"]:
            page.get_by_label(field["label"]).check()
    page.get_by_role("button").click()
    expect(page.get_by_role("status")).to_have_text(config["copy"]["thanks"])
    assert errors == []
    page.close()
    operator = sqlite_instance.operator
    (prospect,) = sqlite_instance.call("GET", "/api/beta/prospects?q=visitor@example.com", token=operator)["items"]
    sqlite_instance.call("DELETE", f"/api/beta/prospects/{prospect['id']}", token=operator)
