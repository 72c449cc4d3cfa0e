"""Requests of the Model Context Protocol, instances that are connected to MCP servers, and how the event loop fares."""

import asyncio
import gc
import shutil
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from teamspace.app import prepare_folder
from teamspace.settings import McpEntry, Settings
from tests.support.world import Caller, World
from tests.support.world import world as open_world

SCRIPTED = Path(__file__).parent / "scripted.py"


def scripted(mode: str, name: str = "scales") -> McpEntry:
    """The scripted server as a program; the sandbox shows it nothing but itself."""
    return McpEntry(name=name, command=sys.executable, args=("-I", str(SCRIPTED), mode), read=(SCRIPTED,))


@asynccontextmanager
async def world_with(
    settings: Settings, sqlite_template: Path, *servers: McpEntry, **more: Any
) -> AsyncIterator[tuple[World, Caller]]:
    """An instance that connects to these servers, and its operator."""
    if settings.on_sqlite:
        prepare_folder(settings.data)
        shutil.copyfile(sqlite_template, settings.database.removeprefix("sqlite:"))
    async with open_world(msgspec.structs.replace(settings, mcp_servers=servers, **more)) as world:
        connecting = asyncio.create_task(world.app.mcp.run())
        try:
            yield world, await world.bootstrap()
        finally:
            connecting.cancel()
            await asyncio.gather(connecting, return_exceptions=True)


async def shown(caller: Caller, name: str = "scales") -> dict[str, Any]:
    """A server as the API shows it."""
    items = (await caller.get("/api/mcp")).json()["items"]
    return next(item for item in items if item["name"] == name)


async def wait_until(
    caller: Caller, condition: Callable[[dict[str, Any]], bool], name: str = "scales", seconds: float = 60
) -> dict[str, Any]:
    """Wait until the API shows a server so."""
    deadline = time.monotonic() + seconds
    while not condition(server := await shown(caller, name)):
        assert time.monotonic() < deadline, server
        await asyncio.sleep(0.05)
    return server


async def connected(caller: Caller, name: str = "scales") -> dict[str, Any]:
    return await wait_until(caller, lambda server: server["state"] == "connected", name)


async def turn_on(caller: Caller, *tools: str) -> None:
    for tool in tools:
        answer = await caller.post(f"/api/tools/{tool}", {"enabled": True})
        assert answer.status_code == 200, answer.text


async def find_tool(caller: Caller, name: str) -> dict[str, Any]:
    items = (await caller.get("/api/tools")).json()["items"]
    return next(item for item in items if item["name"] == name)


async def ask(caller: Caller, method: str, params: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """Send a JSON-RPC request and return the response."""
    answer = await caller.post("/mcp", {"jsonrpc": "2.0", "id": 7, "method": method, "params": params or {}, **more})
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    assert (body["jsonrpc"], body["id"]) == ("2.0", more.get("id", 7))
    return body


async def call(caller: Caller, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool over MCP, as another program does; return the result, which may be an error."""
    result: dict[str, Any] = (await ask(caller, "tools/call", {"name": tool, "arguments": arguments}))["result"]
    return result


async def call_text(caller: Caller, tool: str, **arguments: Any) -> str:
    text: str = (await call(caller, tool, **arguments))["content"][0]["text"]
    return text


@asynccontextmanager
async def loop_watched(limit: float = 0.1) -> AsyncIterator[None]:
    """Fail if the event loop is held: it uses more CPU time than this between two turns of a timer."""
    longest, interval = 0.0, 0.005
    gc.collect()
    gc.freeze()  # for good, so that no collection walks the modules and tests of this process while it is watched

    async def watch() -> None:
        nonlocal longest
        last = time.thread_time()
        while True:
            await asyncio.sleep(interval)
            now = time.thread_time()
            longest, last = max(longest, now - last), now

    watching = asyncio.create_task(watch())
    try:
        yield
    finally:
        watching.cancel()
    assert longest < limit + interval, f"held for {longest:.3f} s"
