"""Sandboxed plugins for tests, and an instance that runs them."""

import asyncio
import contextlib
import shutil
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from teamspace.app import prepare_folder
from teamspace.oop.domain import limits
from teamspace.settings import Settings
from tests.support.world import Caller, World
from tests.support.world import world as open_world

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"


def copy_plugin(folder: Path, name: str, port: int = 0) -> Path:
    """Copy a plugin of these tests, with what every plugin in Python needs; return its folder."""
    target = folder / name
    shutil.copytree(HERE / name, target)
    shutil.copy(EXAMPLES / "sandboxed-plugin" / "workspace.py", target)
    manifest = target / "plugin.json"
    manifest.write_text(manifest.read_text().replace("PORT", str(port)))
    return target


@asynccontextmanager
async def instance_with(settings: Settings, template: Path, *folders: Path, **changes: Any) -> AsyncIterator[World]:
    """An instance that runs the plugins in these folders."""
    if settings.on_sqlite:
        prepare_folder(settings.data)
        shutil.copyfile(template, settings.database.removeprefix("sqlite:"))
    limits.HANDSHAKE_SECONDS = 30.0  # the machine may be busy with other tests
    async with open_world(msgspec.structs.replace(settings, sandboxed_plugins=folders, **changes)) as world:
        running = asyncio.create_task(world.app.plugin_host.run(world.db))
        try:
            yield world
        finally:
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running


async def report(caller: Caller, plugin: str) -> dict[str, Any]:
    items = (await caller.get("/api/oop")).json()["items"]
    return next(item for item in items if item["id"] == plugin)


async def until(caller: Caller, plugin: str, state: str, restarts: int = 0) -> dict[str, Any]:
    """Wait until a plugin is in a state, after some restarts; return its report.

    Plugins have the lowest priority: beside other tests, a start can take a minute.
    """
    deadline = time.monotonic() + 120
    while True:
        found = await report(caller, plugin)
        if found["state"] == state and found["restarts"] >= restarts:
            return found
        assert time.monotonic() < deadline, found
        await asyncio.sleep(0.05)


async def turn_on(caller: Caller, plugin: str) -> None:
    """Wait until a plugin runs, and turn all its tools on for the caller's team."""
    for tool in (await until(caller, plugin, "running"))["tools"]:
        assert (await caller.post(f"/api/tools/{tool}", {"enabled": True})).status_code == 200


async def grant(caller: Caller, plugin: str, *capabilities: str) -> dict[str, Any]:
    answer = await caller.put(f"/api/oop/{plugin}/grants", {"capabilities": list(capabilities)})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def call(caller: Caller, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool over MCP; return its result, with `error` instead if it is one."""
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    answer = await caller.post("/mcp", request)
    assert answer.status_code == 200, answer.text
    result = answer.json()["result"]
    if result.get("isError"):
        return {"error": result["content"][0]["text"]}
    return dict(result["structuredContent"])
