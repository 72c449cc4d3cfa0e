"""A real sandboxed plugin and a real MCP server in the console: found, granted, turned on, used, and changed."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.console.browser import visit, window
from tests.console.conftest import Serve
from tests.console.instance import Instance
from tests.mcp import scripted

pytestmark = [pytest.mark.sampled(8), pytest.mark.about("console/plugins", "console/tools", "oop", "mcp", "tools")]

EXAMPLE = Path(__file__).parents[2] / "examples/sandboxed-plugin"
PROGRAM = {
    "command": sys.executable,
    "args": ["-I", str(scripted.__file__), "parcels"],
    "read": [str(scripted.__file__)],
}
SERVERS = {"parcels": PROGRAM, "nowhere": {"command": "no-such-program"}}


@pytest.fixture(scope="module")
def extended(serve: Serve) -> Iterator[Instance]:
    """An instance with a sandboxed plugin, an MCP server, and one that cannot be started."""
    servers = json.dumps({"mcpServers": SERVERS})
    with serve("sqlite", SERVICE_SANDBOXED_PLUGINS=str(EXAMPLE), SERVICE_MCP_SERVERS=servers) as served:
        yield Instance(served)


def test_a_capability_is_granted_used_and_counted(browser: Browser, extended: Instance) -> None:
    with window(browser, extended.url, token=extended.session("operator")) as page:
        page.goto("/app/settings/instance/sandboxed")
        card = page.get_by_role("region", name="Sandboxed plugin", exact=True)
        expect(card).to_contain_text("Running")
        storage = card.get_by_role("row", name="kv")
        for capability in ("clock", "kv"):
            card.get_by_role("switch", name=f"Grant {capability} to").check(force=True)
            expect(page.get_by_text(f"{capability} granted to Sandboxed plugin")).to_be_visible()
        card.get_by_role("link", name="Open Tools").click()
        tool = turn_on(page, "sandboxed-plugin")
        assert call(extended, tool, name="Ann")["greetings"] == 1
        page.get_by_role("button", name="Last calls").click()
        expect(page.get_by_role("table", name="Last calls")).to_contain_text("MCP client")
        visit(page, "/settings/instance/sandboxed")
        expect(cell(storage, "Used")).not_to_have_text("0")


def test_a_server_and_its_tools_are_shown_and_a_fault_only_to_operators(browser: Browser, extended: Instance) -> None:
    with window(browser, extended.url, token=extended.session("operator")) as page:
        page.goto("/app/settings/instance/mcp")
        expect(page.get_by_role("region", name="parcels")).to_contain_text("Connected")
        expect(page.get_by_role("region", name="parcels").get_by_role("table")).to_contain_text("Weigh a parcel.")
        expect(page.get_by_role("region", name="nowhere")).to_contain_text("no-such-program")
    with window(browser, extended.url, token=extended.session("member")) as page:
        page.goto("/app/settings/instance/mcp")
        expect(page.get_by_role("region", name="nowhere")).to_contain_text("Last error")
        expect(page.locator("main")).not_to_contain_text("no-such-program")


def cell(row: Locator, column: str) -> Locator:
    return row.locator(f"[data-title={column}]")


def turn_on(page: Page, source: str) -> str:
    """Turn on the only tool of a source; return its name."""
    tools = page.get_by_role("region", name=source)
    tools.get_by_role("switch").check(force=True)
    expect(page.get_by_text("sandboxed_plugin_greet turned on")).to_be_visible()
    return tools.locator("code").first.inner_text()


def call(instance: Instance, tool: str, **arguments: Any) -> Any:
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    result = instance.call("POST", "/mcp", request, instance.operator)["result"]
    assert not result.get("isError"), result
    return json.loads(result["content"][0]["text"])
