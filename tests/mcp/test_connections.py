"""Connections to MCP servers: what teams see of them, calls, changes, deaths, and servers that mean harm."""

import asyncio
import gc
import sys
from importlib import import_module
from pathlib import Path

import pytest

from teamspace.mcp.domain.client import connection, naming
from teamspace.sandbox import starting
from teamspace.settings import McpEntry, Settings
from tests.mcp.help import (
    SCRIPTED,
    call,
    call_text,
    connected,
    find_tool,
    loop_watched,
    scripted,
    shown,
    turn_on,
    wait_until,
    world_with,
)

pytestmark = pytest.mark.by_turns
WEIGH = "mcp_scales_weigh"


@pytest.fixture(autouse=True)
def short_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checks and attempts follow each other quickly; the SDK is there, and no garbage of earlier tests."""
    import_module("teamspace.mcp.domain.client.session")
    for name, seconds in (("CHECK_SECONDS", 0.5), ("SHORTEST_DELAY", 0.2), ("_PAUSE_SECONDS", 0.1)):
        monkeypatch.setattr(connection, name, seconds)
    gc.collect()
    gc.freeze()  # for good: to unfreeze means that every later collection walks all modules and tests


# What teams see


async def test_a_servers_tools_are_off_until_a_team_turns_them_on(settings: Settings, sqlite_template: Path) -> None:
    async with world_with(settings, sqlite_template, scripted("parcels")) as (_, ann):
        server = await connected(ann)
        assert (server["transport"], server["protocol"], server["last_error"]) == ("stdio", "2025-11-25", None)
        assert server["sandbox"] in ("bubblewrap", "landlock") and server["connected_at"]
        assert server["tools"][0] == {"name": WEIGH, "title": "Weigh a parcel", "description": "Weigh a parcel."}
        tool = await find_tool(ann, WEIGH)
        assert (tool["source"], tool["enabled"], tool["permission"]) == ("mcp:scales", False, "chat:use")
        assert (await call(ann, WEIGH, amount=2))["isError"]
        await turn_on(ann, WEIGH)
        assert await call_text(ann, WEIGH, amount=2) == 'weigh: {"amount": 2}'
        assert "minimum" in await call_text(ann, WEIGH, amount=0)
        rows = (await ann.get("/api/audit?action=tool.end")).json()["items"]
        assert [(row["target"], row["detail"]["outcome"]) for row in rows] == [(WEIGH, "ok")]


async def test_without_servers_there_is_nothing(settings: Settings, sqlite_template: Path) -> None:
    async with world_with(settings, sqlite_template) as (_, ann):
        assert (await ann.get("/api/mcp")).json() == {"items": []}


async def test_only_operators_see_why_a_server_fails(settings: Settings, sqlite_template: Path) -> None:
    gone = McpEntry(name="gone", command="/no/such/program")
    async with world_with(settings, sqlite_template, scripted("exit"), gone) as (world, ann):
        failed = await wait_until(ann, lambda server: server["state"] == "failed")
        assert failed["last_error"].endswith("the program ended with code 1; it wrote: no license")
        assert "there is no program /no/such/program" in (await shown(ann, "gone"))["last_error"]
        bob = await world.person(ann.org, ann.team)
        assert (await shown(bob))["last_error"] == "The server has a problem. Operators see the reason."


async def test_a_program_sees_itself_and_what_the_operator_names(
    settings: Settings, sqlite_template: Path, tmp_path: Path
) -> None:
    """It is in the folder for programs of someone's home."""
    program, secret, named = (tmp_path / "home" / name for name in ("bin/server", ".ssh/key", "named.txt"))
    program.parent.mkdir(parents=True)
    secret.parent.mkdir()
    program.write_text(f"#!{sys.executable}\n{SCRIPTED.read_text()}")
    program.chmod(0o755)
    secret.write_text("secret")
    named.write_text("named")
    entry = McpEntry(name="scales", command=str(program), args=("parcels",), read=(named,))
    async with world_with(settings, sqlite_template, entry) as (world, ann):
        await connected(ann)
        await turn_on(ann, "mcp_scales_read")
        assert await call_text(ann, "mcp_scales_read", path=str(named)) == "named"
        for hidden in (secret, world.app.settings.data, Path("/etc/passwd"), Path(__file__)):
            refused = await call_text(ann, "mcp_scales_read", path=str(hidden))
            assert refused.startswith("The MCP server scales answers: [Errno"), refused


async def test_nothing_starts_without_a_sandbox(
    settings: Settings, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(starting, "find_tier", lambda: None)
    async with world_with(settings, sqlite_template, scripted("parcels")) as (_, ann):
        failed = await wait_until(ann, lambda server: server["state"] == "failed")
        assert "neither bubblewrap nor Landlock" in failed["last_error"]


# Calls


async def test_results_and_refusals(settings: Settings, sqlite_template: Path) -> None:
    async with world_with(settings, sqlite_template, scripted("parcels")) as (_, ann):
        tools = [f"mcp_scales_{name}" for name in ("refuse", "long", "parts", "structured", "broken", "weigh")]
        await connected(ann)
        await turn_on(ann, *tools)
        refused = await call(ann, "mcp_scales_refuse")
        assert refused["isError"] and refused["content"][0]["text"] == (
            "The MCP server scales answers: The scales are broken."
        )
        assert "or does not follow the protocol" in await call_text(ann, "mcp_scales_broken")
        structured = await call(ann, "mcp_scales_structured", count=1)
        assert structured["structuredContent"] == {"a": "a" * 50, "b": [[]]}
        async with loop_watched():
            text = await call_text(ann, "mcp_scales_long", size=4_000_000)
            assert text.endswith("[cut: 16384 of 4000000 bytes]")
            assert "the answer is too large" in await call_text(ann, "mcp_scales_long", size=5_000_000)
            await call(ann, "mcp_scales_parts", count=1000)
            assert "more than 1000 items in content" in await call_text(ann, "mcp_scales_parts", count=1001)
            await call(ann, "mcp_scales_structured", count=10_000)
            assert "more than 15000 objects" in await call_text(ann, "mcp_scales_structured", count=20_000)
        assert await call_text(ann, WEIGH, amount=1) == 'weigh: {"amount": 1}', "nothing has ended the connection"


async def test_a_call_has_a_deadline(
    settings: Settings, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "CALL_SECONDS", 1.0)
    monkeypatch.setattr(connection, "LIST_SECONDS", 1.0)
    async with world_with(settings, sqlite_template, scripted("parcels")) as (_, ann):
        await connected(ann)
        await turn_on(ann, "mcp_scales_wait")
        assert "did not answer within 1 seconds" in await call_text(ann, "mcp_scales_wait", seconds=60)
        await wait_until(ann, lambda server: server["state"] == "failed")
        await connected(ann)


async def test_a_server_that_dies_is_connected_again(settings: Settings, sqlite_template: Path) -> None:
    async with world_with(settings, sqlite_template, scripted("parcels")) as (_, ann):
        since = (await connected(ann))["connected_at"]
        await turn_on(ann, WEIGH, "mcp_scales_die")
        dead = await call(ann, "mcp_scales_die")
        assert dead["isError"] and dead["content"][0]["text"] == "The MCP server scales is not connected."
        assert (await find_tool(ann, WEIGH))["enabled"], "its tools stay listed"
        await wait_until(ann, lambda server: server["state"] == "connected" and server["connected_at"] > since)
        assert await call_text(ann, WEIGH, amount=2) == 'weigh: {"amount": 2}'


async def test_a_server_that_knows_nothing_but_the_handshake(settings: Settings, sqlite_template: Path) -> None:
    async with world_with(settings, sqlite_template, scripted("strict")) as (_, ann):
        assert (await connected(ann))["protocol"] == "2025-11-25"


async def test_a_tool_that_changes_is_off_until_it_is_turned_on_again(
    settings: Settings, sqlite_template: Path
) -> None:
    async with world_with(settings, sqlite_template, scripted("parcels")) as (_, ann):
        await connected(ann)
        await turn_on(ann, WEIGH, "mcp_scales_change")
        await call(ann, "mcp_scales_change")
        await wait_until(ann, lambda server: "read all notes" in server["tools"][0]["description"])
        tool = await find_tool(ann, WEIGH)
        assert (tool["enabled"], tool["changed"]) == (False, True)
        assert "has changed since it was turned on" in await call_text(ann, WEIGH, amount=2)
        await turn_on(ann, WEIGH)
        assert await call_text(ann, WEIGH, amount=2) == 'weigh: {"amount": 2}'


# Servers that mean harm


@pytest.mark.parametrize(
    ("mode", "words", "count"),
    [
        ("huge-schema", "huge (the schema has 20034 bytes, more than 16384)", 1),
        ("deep-schema", "deep (the schema: is nested deeper than 50 levels)", 1),
        ("long-description", "talks (the description has 2001 characters", 1),
        ("many-tools", "the tools after the first 200", 200),
        ("endless-pages", "the tools after the first 100", 100),
        ("empty-pages", "the tools after the first 0", 0),
        ("patterns", "lookahead (the schema/properties/a/pattern", 2),
        ("names", "listed twice", 5),
        ("noise", None, 1),
        ("stderr", None, 1),
    ],
)
async def test_what_is_too_large_is_left_out_and_named(
    settings: Settings, sqlite_template: Path, mode: str, words: str | None, count: int
) -> None:
    async with world_with(settings, sqlite_template, scripted(mode)) as (_, ann), loop_watched():
        server = await connected(ann)
        assert len(server["tools"]) == count
        assert (server["last_error"] is None) if words is None else (words in server["last_error"])


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("wide", "more than 15000 objects and lists"),
        ("endless-line", "a line of more than"),
        ("requests", "too many requests"),
        ("flood", "did not answer in time"),
        ("silent", "did not answer in time"),
    ],
)
async def test_a_hostile_server_is_not_connected_and_holds_nothing(
    settings: Settings, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch, mode: str, words: str
) -> None:
    if "in time" in words:
        monkeypatch.setattr(connection, "CONNECT_SECONDS", 5.0)
    async with world_with(settings, sqlite_template, scripted(mode)) as (_, ann), loop_watched():
        failed = await wait_until(ann, lambda server: server["state"] == "failed")
        assert words in failed["last_error"] and failed["tools"] == []


async def test_a_slow_pattern_and_an_output_schema_hold_nothing(settings: Settings, sqlite_template: Path) -> None:
    servers = scripted("patterns"), scripted("outputs", "outputs")
    async with world_with(settings, sqlite_template, *servers) as (_, ann):
        await asyncio.gather(connected(ann), connected(ann, "outputs"))
        await turn_on(ann, "mcp_scales_slow", "mcp_outputs_structured")
        async with loop_watched():
            await call(ann, "mcp_scales_slow", a="a" * 100_000)
            assert (await call(ann, "mcp_outputs_structured"))["structuredContent"]["a"] == "a" * 50


# Names


@pytest.mark.parametrize(
    ("server", "tools", "names"),
    [
        ("time", ["get_time", "Convert-Time"], ["mcp_time_get_time", "mcp_time_convert_time"]),
        ("My Server", ["a.b", "a b"], ["mcp_my_server_a_b_", "mcp_my_server_a_b_"]),
        ("s", ["x" * 70], ["mcp_s_" + "x" * 49 + "_"]),
        ("s", ["a\nb", "é"], ["mcp_s_a_b", "mcp_s__"]),
    ],
)
def test_names_have_letters_digits_and_underscores(server: str, tools: list[str], names: list[str]) -> None:
    made = naming.to_registry_names(server, tools)
    assert all(name.startswith(wanted) for name, wanted in zip(made, names, strict=True)), made
    assert len(set(made)) == len(made) and all(len(name) <= 64 for name in made)
