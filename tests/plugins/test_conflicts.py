"""A transaction of a plugin that conflicts with another is tried again, as those of the shipped packages are."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from teamspace.settings import Settings
from tests.plugins.help import SAMPLE, world_with, write_plugin
from tests.support.world import World

SOURCE = """
from teamspace.core.db import SerializationFailure
from teamspace.sdk import Permission, PluginRoute, Tool

ROUTES = (PluginRoute("GET", "/write", None, "write", "x"), PluginRoute("GET", "/never", None, "never", "x"))
TOOLS = (Tool("conflicting", "write", "x", Permission.CHAT_USE),)
calls = []

async def write() -> dict[str, int]:
    calls.append(1)
    if len(calls) % 3:
        raise SerializationFailure("conflict")
    return {"calls": len(calls)}

async def never() -> None:
    calls.append(1)
    raise SerializationFailure("conflict")
"""


@pytest.fixture
async def world(settings: Settings, sqlite_template: Path, tmp_path: Path) -> AsyncIterator[World]:
    folder = write_plugin(tmp_path / "conflicting", SOURCE)
    async with world_with(settings, sqlite_template, folder, SAMPLE) as instance:
        yield instance


async def test_a_route_is_tried_again(world: World) -> None:
    ann = await world.bootstrap()
    answer = await ann.get("/api/x/conflicting/write")
    assert (answer.status_code, answer.json()) == (200, {"calls": 3})
    refused = await ann.get("/api/x/conflicting/never")
    assert (refused.status_code, refused.json()["key"]) == (503, "database.conflicting_writes")
    assert (await ann.get("/api/x/conflicting/write")).json() == {"calls": 9}, "after five attempts"


async def test_a_tool_is_tried_again(world: World) -> None:
    ann = await world.bootstrap()
    await ann.post("/api/tools/conflicting", {"enabled": True})
    assert (await ann.post("/api/x/sample/call/conflicting", {})).json()["value"] == {"calls": 3}
