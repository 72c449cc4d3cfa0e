"""Images and files in the results of MCP servers are kept as files of the caller."""

import base64
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from teamspace.mcp.domain.client import files
from teamspace.settings import Settings
from tests.mcp.help import call, call_text, connected, loop_watched, scripted, turn_on, world_with
from tests.support.world import Caller, World

PICTURES = "mcp_scales_pictures"
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@pytest.fixture
async def instance(settings: Settings, sqlite_template: Path) -> AsyncIterator[tuple[World, Caller]]:
    async with world_with(settings, sqlite_template, scripted("parcels")) as (world, ann):
        await connected(ann)
        await turn_on(ann, PICTURES)
        yield world, ann


async def draw(caller: Caller, data: bytes = PIXEL, **more: Any) -> dict[str, Any]:
    result = await call(caller, PICTURES, data=base64.b64encode(data).decode(), **more)
    artifact: dict[str, Any] = result["structuredContent"]
    return artifact


async def list_keys(caller: Caller) -> list[str]:
    return [item["key"] for item in (await caller.get("/api/repo")).json()["items"]]


async def test_they_are_private_files_of_the_caller(instance: tuple[World, Caller]) -> None:
    world, ann = instance
    bob = await world.person(ann.org, ann.team)
    artifact = await draw(bob)
    file, image = artifact["parts"]
    assert (artifact["kind"], artifact["object_id"]) == ("document", file["object_id"])
    assert artifact["content_type"], "the console must not take it for a text"
    assert (file["key"][-4:], image["key"][-4:], image["key"][:11]) == (".dwg", ".png", "mcp/scales/")
    for part in (file, image):
        content = await bob.get(f"/api/repo-obj/{part['object_id']}/content")
        assert content.content == PIXEL
        assert (await ann.get(f"/api/repo-obj/{part['object_id']}")).status_code == 404
        assert "data" not in part
    assert content.headers["content-type"] == "image/png"
    shown = (await bob.get(f"/api/repo-obj/{image['object_id']}")).json()
    assert (shown["visibility"], shown["content_type"]) == ("private", "image/png")


async def test_a_caller_who_may_not_write_files_gets_the_result_without_them(instance: tuple[World, Caller]) -> None:
    world, ann = instance
    narrow = await world.token(ann, scope=["chat:use"])
    artifact = await draw(narrow)
    assert artifact["object_id"] is None and "not kept" in artifact["summary"]
    assert await list_keys(ann) == []


async def test_there_are_so_many_files_at_most(instance: tuple[World, Caller]) -> None:
    _, ann = instance
    artifact = await draw(ann, count=50)
    assert [part for part in artifact["parts"] if "object_id" in part] == artifact["parts"][: files.MAX_FILES]
    assert len(await list_keys(ann)) == files.MAX_FILES


async def test_what_is_not_base64_is_left_out(instance: tuple[World, Caller]) -> None:
    _, ann = instance
    assert "not kept" in await call_text(ann, PICTURES, data="no base64!")
    assert await list_keys(ann) == []


async def test_a_false_type_does_not_fail_the_call(instance: tuple[World, Caller]) -> None:
    _, ann = instance
    _, image = (await draw(ann, type="../../etc/passwd\n"))["parts"]
    assert image["key"].startswith("mcp/scales/") and ".." not in image["key"]


async def test_a_large_file_is_decoded_beside_the_event_loop(instance: tuple[World, Caller]) -> None:
    _, ann = instance
    async with loop_watched():
        file, image = (await draw(ann, os.urandom(30_000), times=46))["parts"]
    assert (file["size"], "object_id" in image) == (1_380_000, True)


async def test_a_full_quota_does_not_fail_the_call(instance: tuple[World, Caller]) -> None:
    _, ann = instance
    limit = {"dimension": "storage.bytes", "limit": 10, "window": "lifetime"}
    assert (await ann.post("/api/quota", limit)).status_code == 200
    artifact = await draw(ann)
    assert artifact["object_id"] is None and len(artifact["parts"]) == 2
    assert await list_keys(ann) == []
