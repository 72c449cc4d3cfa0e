"""JSON-RPC over HTTP: notifications, unknown methods and versions, and what the gate refuses."""

from typing import Any

import pytest

from tests.mcp.help import ask
from tests.support.world import World

NEW = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}


async def test_a_notification_is_accepted_without_a_body(world: World) -> None:
    ann = await world.bootstrap()
    answer = await ann.post("/mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (answer.status_code, answer.content) == (202, b"")


@pytest.mark.parametrize("version", ["2025-06-18", "2024-11-05", "1999-01-01", None])
async def test_the_handshake_agrees_on_a_version(world: World, version: str | None) -> None:
    ann = await world.bootstrap()
    agreed = (await ask(ann, "initialize", {"protocolVersion": version}))["result"]["protocolVersion"]
    assert agreed == (version if version in ("2025-06-18", "2024-11-05") else "2025-11-25")


async def test_an_unknown_version_or_method_is_a_fault(world: World) -> None:
    ann = await world.bootstrap()
    newer = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2999-01-01"}}
    error = (await ask(ann, "tools/list", newer))["error"]
    assert (error["code"], error["data"]["supported"]) == (-32022, ["2026-07-28"])
    for params in ({}, NEW):
        assert (await ask(ann, "prompts/list", params, id="a"))["error"]["code"] == -32601


async def test_results_say_how_long_they_may_be_cached(world: World) -> None:
    ann = await world.bootstrap()
    listed = (await ask(ann, "tools/list", NEW))["result"]
    assert (listed["resultType"], listed["cacheScope"]) == ("complete", "private")
    assert "resultType" not in (await ask(ann, "tools/list"))["result"]


async def test_only_posts_with_a_credential_are_answered(world: World) -> None:
    ann = await world.bootstrap()
    assert (await ann.get("/mcp")).status_code == 405
    assert (await ann.delete("/mcp")).status_code == 405
    refused = await world.anonymous.post("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"})
    assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
    bodies: tuple[Any, ...] = ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, {"id": 1}, [])
    for body in bodies:
        assert (await ann.post("/mcp", body)).status_code == 400


@pytest.mark.parametrize("arguments", [7, [], "x"])
async def test_arguments_are_an_object(world: World, arguments: Any) -> None:
    ann = await world.bootstrap()
    params = {"name": "search", "arguments": arguments}
    assert (await ask(ann, "tools/call", params)).get("error", {}).get("code") == (-32602 if arguments else None)


async def test_calls_are_audited_as_the_callers(world: World) -> None:
    ann = await world.bootstrap()
    await ask(ann, "tools/call", {"name": "word_count", "arguments": {"text": "a"}})
    rows = (await ann.get("/api/audit?action=tool.call")).json()["items"]
    assert [(row["target"], row["detail"]["caller"]) for row in rows] == [("word_count", "mcp")]
