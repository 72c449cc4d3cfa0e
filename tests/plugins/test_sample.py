"""A plugin's routes, job kinds, tools, files and blob store work like those of the shipped packages."""

import logging
import re
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from teamspace import wiring
from teamspace.core import plugin_calls
from teamspace.core.errors import ResponseRefused
from teamspace.core.routing import Route
from teamspace.settings import Settings
from tests.jobs.help import ended, running
from tests.plugins.help import ROGUE, SAMPLE, failures, world_with
from tests.support.world import World


@pytest.fixture
async def world(settings: Settings, sqlite_template: Path) -> AsyncIterator[World]:
    async with world_with(settings, sqlite_template, SAMPLE, ROGUE) as instance:
        yield instance


# Routes


async def test_its_route_is_served_to_callers_with_the_permission(world: World) -> None:
    ann = await world.bootstrap()
    path = "/api/x/sample/greeting/Bob"
    assert (await ann.get(path)).json() == {"text": "Hello Bob, from ann"}
    assert (await ann.get(f"{path}?loud=true")).json() == {"text": "HELLO BOB, FROM ANN"}
    assert (await world.anonymous.get(path)).status_code == 401
    scoped = await world.token(ann, scope=["notes:read"])
    assert (await scoped.get(path)).json()["code"] == "out_of_scope"


async def test_query_and_body_are_checked_against_their_types(world: World) -> None:
    ann = await world.bootstrap()
    assert (await ann.post("/api/x/sample/echo", {"text": "Hi"})).json() == {"text": "Hi"}
    for refused in (
        await ann.get("/api/x/sample/greeting/Bob?loud=7"),
        await ann.get("/api/x/sample/greeting/Bob?soft=true"),
        await ann.post("/api/x/sample/echo", {"text": 7}),
        await ann.get("/api/x/sample/refuse?a=1"),
    ):
        assert (refused.status_code, refused.json()["code"]) == (400, "invalid_request")


async def test_a_user_error_is_400_with_the_plugins_words(world: World) -> None:
    ann = await world.bootstrap()
    refused = await ann.get("/api/x/sample/refuse")
    assert (refused.status_code, refused.json()["code"]) == (400, "plugin_error")
    assert refused.json()["detail"] == "Not on a Monday."


async def test_its_routes_come_after_the_shipped_ones_and_are_described(world: World) -> None:
    served = [endpoint.route for endpoint in world.app.endpoints]
    ours = wiring.SHIPPED.rows(Route)
    assert served[: len(ours)] == list(ours)
    assert {route.path.split("/")[3] for route in served[len(ours) :]} == {"sample", "rogue"}
    described = (await world.anonymous.get("/api/openapi.json")).json()["paths"]
    assert described["/api/x/sample/greeting/{name}"]["get"]["parameters"][1]["name"] == "loud"
    assert "requestBody" in described["/api/x/sample/echo"]["post"]


@pytest.mark.parametrize("way", ["crash", "leave", "hang"])
async def test_a_handler_that_fails_costs_its_own_request_and_is_named(
    world: World, way: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(plugin_calls, "SECONDS", 0.1)
    ann = await world.bootstrap()
    with caplog.at_level(logging.ERROR, "teamspace"):
        failed = await ann.get(f"/api/x/rogue/{way}")
    assert failed.status_code == 500
    assert "rogue" in failed.json()["detail"] and "secret detail" not in failed.text
    assert any("the plugin rogue" in message and f"/api/x/rogue/{way}" in message for message in caplog.messages)
    assert (await ann.get("/api/x/sample/greeting/Bob")).status_code == 200
    figures = (await ann("GET", "/api/metrics", headers={"accept": "text/plain"})).text
    assert re.search(r'teamspace_plugin_failures_total{plugin="rogue"[^}]*} 1\.0', figures)


# Jobs


async def test_its_job_kind_runs(world: World) -> None:
    ann = await world.bootstrap()
    job = (await ann.post("/api/jobs", {"kind": "x.sample.shout", "input": {"text": "hello"}})).json()
    async with running(world):
        done = await ended(ann, job["id"])
    assert (done["state"], done["result"]) == ("succeeded", {"text": "HELLO"})


async def test_a_job_cannot_end_the_server(world: World, caplog: pytest.LogCaptureFixture) -> None:
    ann = await world.bootstrap()
    job = (await ann.post("/api/jobs", {"kind": "x.rogue.leave", "input": {"text": "hello"}})).json()
    async with running(world):
        assert (await ended(ann, job["id"]))["state"] == "failed"
    assert any("x.rogue.leave" in message for message in caplog.messages)


async def test_the_result_of_its_remote_kind_is_checked(world: World) -> None:
    kind = world.app.queue.kinds["x.sample.report"]
    input = kind.read_input({"text": "May"})
    assert msgspec.to_builtins(await kind.read_result(input, {"share": 0.5})) == {"share": 0.5}
    with pytest.raises(ResponseRefused, match="from 0 to 1"):
        await kind.read_result(input, {"share": 2})


# Tools


async def test_its_tools_are_off_until_the_team_turns_them_on(world: World) -> None:
    ann = await world.bootstrap()
    listed = {tool["name"]: (tool["source"], tool["enabled"]) for tool in (await ann.get("/api/tools")).json()["items"]}
    assert listed["sample_sum"] == ("sample", False)
    assert listed["word_count"] == ("example-tools", True)
    call = "/api/x/sample/call/sample_sum"
    refused = await ann.post(call, {"arguments": {"amounts": []}})
    assert (refused.status_code, refused.json()["code"]) == (403, "tool_disabled")
    await ann.post("/api/tools/sample_sum", {"enabled": True})
    assert (await ann.post(call, {"arguments": {"amounts": [{"value": 2}]}})).json()["value"] == 2000


async def test_a_tool_that_fails_is_named(world: World, caplog: pytest.LogCaptureFixture) -> None:
    ann = await world.bootstrap()
    await ann.post("/api/tools/rogue_crash", {"enabled": True})
    failed = await ann.post("/api/x/sample/call/rogue_crash", {})
    assert (failed.status_code, failed.json()["key"]) == (500, "plugins.failed")
    assert any("the plugin rogue failed in the tool rogue_crash" in message for message in caplog.messages)


# Blob stores


async def test_its_blob_store_keeps_the_files(settings: Settings, sqlite_template: Path) -> None:
    chosen = msgspec.structs.replace(settings, blob_store="sample-store")
    async with world_with(chosen, sqlite_template, SAMPLE) as world:
        ann = await world.bootstrap()
        body = b"x" * 100_000
        stored = await ann.world.client.put(
            "/api/repo/a.bin", content=body, headers={"authorization": f"Bearer {ann.token}"}
        )
        assert stored.status_code == 201, stored.text
        content = await ann.get(f"/api/repo-obj/{stored.json()['id']}/content")
        assert content.content == body
        await ann.world.client.put("/api/repo/b.bin", content=b"few", headers={"authorization": f"Bearer {ann.token}"})
        sizes = [file.stat().st_size for file in (settings.data / "sample").rglob("*") if file.is_file()]
        assert sorted(sizes) == [3, 100_000], "small ones too"


# The report


async def test_the_report_says_what_each_plugin_adds(world: World) -> None:
    ann = await world.bootstrap()
    assert failures(world.app.tables) == {}
    items = {item["id"]: item for item in (await ann.get("/api/plugins")).json()["items"]}
    assert items["sample"] | {"routes": [], "tools": []} == {
        "id": "sample", "name": "Sample", "version": "1.2.3", "description": "Has a row in every table.",
        "state": "loaded", "error": None, "tools": [], "workflows": [], "routes": [],
        "kinds": ["x.sample.shout", "x.sample.report"], "blob_stores": ["sample-store"], "has_bundle": True,
        "has_landing": True,
        "has_onboarding": False,
    }  # fmt: skip
    assert {"method": "GET", "path": "/api/x/sample/greeting/:name"} in items["sample"]["routes"]
    assert "sample_sum" in items["sample"]["tools"]
