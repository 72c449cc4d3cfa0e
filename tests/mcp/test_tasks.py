"""Calls of slow tools are tasks, which are jobs: polled, cancelled, and kept from everybody else."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from teamspace.settings import Settings
from teamspace.tenancy.schemas import Role
from tests.jobs.help import ended, running, started
from tests.mcp.help import ask
from tests.plugins.help import world_with, write_plugin
from tests.support.world import Caller, World

SLOW = """
import asyncio
from teamspace.sdk import Permission, Tool, UserError

TOOLS = (Tool("research", "research", "Take minutes.", Permission.NOTES_READ, slow=True),)


async def research(topic: str) -> dict[str, str]:
    if topic == "nothing":
        raise UserError("Nothing is known about it.")
    await asyncio.sleep(3600 if topic == "everything" else 0)
    return {"topic": topic}
"""
CAPABLE = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}},
    }
}
PLAIN = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}


@pytest.fixture
async def world(settings: Settings, sqlite_template: Path, tmp_path: Path) -> AsyncIterator[World]:
    folder = write_plugin(tmp_path / "plugins" / "library", SLOW)
    async with world_with(settings, sqlite_template, folder) as instance:
        yield instance


async def team(world: World) -> Caller:
    """Return an owner whose team has turned the tool on."""
    ann = await world.bootstrap()
    assert (await ann.post("/api/tools/research", {"enabled": True})).status_code == 200
    return ann


async def begin(caller: Caller, topic: str = "foxes") -> dict[str, Any]:
    call = {"name": "research", "arguments": {"topic": topic}, **CAPABLE}
    result: dict[str, Any] = (await ask(caller, "tools/call", call))["result"]
    return result


async def get(caller: Caller, task_id: str) -> dict[str, Any]:
    return await ask(caller, "tasks/get", {"taskId": task_id, **CAPABLE})


async def test_a_slow_call_is_a_job_whose_result_is_asked_for_later(world: World) -> None:
    ann = await team(world)
    task = await begin(ann)
    assert (task["resultType"], task["status"], task["ttlMs"]) == ("task", "working", None)
    waiting = (await get(ann, task["taskId"]))["result"]
    assert (waiting["resultType"], waiting["status"], waiting["taskId"]) == ("complete", "working", task["taskId"])
    async with running(world):
        assert (await ended(ann, task["taskId"]))["kind"] == "mcp.call"
    done = (await get(ann, task["taskId"]))["result"]
    assert (done["status"], done["result"]["structuredContent"]) == ("completed", {"topic": "foxes"})
    calls = (await ann.get("/api/audit?action=tool.call")).json()["items"]
    assert [(row["target"], row["detail"]["outcome"]) for row in calls] == [("research", "admitted")]


async def test_what_the_tool_refuses_is_a_result(world: World) -> None:
    ann = await team(world)
    task = await begin(ann, "nothing")
    async with running(world):
        await ended(ann, task["taskId"])
    done = (await get(ann, task["taskId"]))["result"]
    assert (done["status"], done["result"]["isError"]) == ("completed", True)
    assert done["result"]["content"][0]["text"] == "Nothing is known about it."


async def test_a_client_that_does_not_know_tasks_waits(world: World) -> None:
    ann = await team(world)
    for meta in ({}, PLAIN):
        result = (await ask(ann, "tools/call", {"name": "research", "arguments": {"topic": "foxes"}, **meta}))["result"]
        assert result["structuredContent"] == {"topic": "foxes"}
    for method in ("tasks/get", "tasks/update", "tasks/cancel"):
        error = (await ask(ann, method, {"taskId": "x", **PLAIN}))["error"]
        assert error["code"] == -32021
        assert error["data"]["requiredCapabilities"]["extensions"] == {"io.modelcontextprotocol/tasks": {}}


async def test_the_gate_is_asked_before_a_task_is_made(world: World) -> None:
    ann = await world.bootstrap()
    assert (await begin(ann))["isError"]  # the team has not turned it on
    assert (await ann.post("/api/tools/research", {"enabled": True})).status_code == 200
    call = {"name": "research", "arguments": {"topic": 7}, **CAPABLE}
    assert "/arguments/topic" in (await ask(ann, "tools/call", call))["result"]["content"][0]["text"]
    assert (await ann.get("/api/jobs?kind=mcp.call")).json()["items"] == []


async def test_a_waiting_task_is_cancelled_and_a_running_one_is_cut_off(world: World) -> None:
    ann = await team(world)
    waiting, endless = await begin(ann), await begin(ann, "everything")
    cancelled = await ask(ann, "tasks/cancel", {"taskId": waiting["taskId"], **CAPABLE})
    assert {key for key in cancelled["result"] if key != "_meta"} == {"resultType"}
    async with running(world):
        await started(ann, endless["taskId"])
        await ask(ann, "tasks/cancel", {"taskId": endless["taskId"], **CAPABLE})
        await ended(ann, endless["taskId"])
    for task in (waiting, endless):
        assert (await get(ann, task["taskId"]))["result"]["status"] == "cancelled"
        assert "error" not in await ask(ann, "tasks/cancel", {"taskId": task["taskId"], **CAPABLE})


async def test_nobody_else_has_the_task(world: World) -> None:
    ann = await team(world)
    task_id = (await begin(ann))["taskId"]
    bob = await world.person(ann.org, ann.team, Role.ADMIN)
    narrow = await world.token(ann, scope=["chat:use"])
    job = (await ann.post("/api/jobs", {"kind": "ai.chat", "input": {"prompt": "Hi"}})).json()["id"]
    for caller, wanted in ((bob, task_id), (narrow, task_id), (ann, job), (ann, "made-up")):
        for method in ("tasks/get", "tasks/update", "tasks/cancel"):
            error = (await ask(caller, method, {"taskId": wanted, **CAPABLE}))["error"]
            assert (error["code"], error["message"]) == (-32602, "There is no such task.")
    assert "error" not in await ask(ann, "tasks/update", {"taskId": task_id, "inputResponses": {"a": {}}, **CAPABLE})


async def test_a_task_whose_server_died_has_failed(world: World) -> None:
    ann = await team(world)
    task_id = (await begin(ann, "everything"))["taskId"]
    async with running(world):
        await started(ann, task_id)
        await world.app.runner.abort()
    failed = (await get(ann, task_id))["result"]
    assert (failed["status"], failed["error"]["code"]) == ("failed", -32603)
    assert failed["error"]["message"] == failed["statusMessage"]


async def test_the_extension_is_announced_only_where_it_exists(world: World) -> None:
    ann = await world.bootstrap()
    assert (await ask(ann, "server/discover", PLAIN))["result"]["capabilities"]["extensions"]
    assert "extensions" not in (await ask(ann, "initialize"))["result"]["capabilities"]
