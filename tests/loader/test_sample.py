"""A plugin's route, job kinds, tools, listener and blob store work like those of the shipped packages."""

from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from teamspace import wiring
from teamspace.core.errors import ResponseRefused
from teamspace.core.loader import Loaded
from teamspace.core.routing import Route
from teamspace.settings import Settings
from tests.jobs.help import ended, running
from tests.loader.help import SAMPLE, failures, world_with
from tests.loader.sample_plugin import listeners
from tests.support.world import World


@pytest.fixture
async def world(settings: Settings, sqlite_template: Path) -> AsyncIterator[World]:
    async with world_with(settings, sqlite_template, SAMPLE) as instance:
        yield instance


async def test_its_route_is_served_to_callers_with_the_permission(world: World) -> None:
    ann = await world.bootstrap()
    path = "/api/x/sample/greeting/Bob"
    assert (await ann.get(path)).json() == {"text": "Hello Bob, from ann"}
    assert (await world.anonymous.get(path)).status_code == 401
    scoped = await world.token(ann, scope=["notes:read"])
    assert (await scoped.get(path)).json()["code"] == "out_of_scope"


async def test_its_routes_come_after_the_shipped_ones(world: World) -> None:
    served = [endpoint.route for endpoint in world.app.endpoints]
    assert served[: len(wiring.SHIPPED.rows(Route))] == list(wiring.SHIPPED.rows(Route))
    assert [route.path.split("/")[3] for route in served[len(wiring.SHIPPED.rows(Route)) :]] == ["sample", "sample"]
    described = (await world.anonymous.get("/api/openapi.json")).json()["paths"]
    assert "/api/x/sample/greeting/{name}" in described


async def test_its_job_kind_runs(world: World) -> None:
    ann = await world.bootstrap()
    job = (await ann.post("/api/jobs", {"kind": "x.sample.shout", "input": {"text": "hello"}})).json()
    async with running(world):
        done = await ended(ann, job["id"])
    assert (done["state"], done["result"]) == ("succeeded", {"text": "HELLO"})


async def test_the_result_of_its_remote_kind_is_checked(world: World) -> None:
    kind = world.app.queue.kinds["x.sample.report"]
    input = kind.read_input({"text": "May"})
    assert msgspec.to_builtins(await kind.read_result(input, {"share": 0.5})) == {"share": 0.5}
    with pytest.raises(ResponseRefused, match="from 0 to 1"):
        await kind.read_result(input, {"share": 2})


async def test_its_listener_hears_events(world: World) -> None:
    ann = await world.bootstrap()
    org, _ = await world.company()
    assert (await ann.post(f"/api/orgs/{org.id}/suspend")).status_code == 200
    assert listeners.SUSPENDED[-1] == org.id


async def test_its_tools_are_off_until_the_team_turns_them_on(world: World) -> None:
    ann = await world.bootstrap()
    enabled = {tool.name: tool.is_shipped for tool in world.app.toolbox}
    assert enabled["search"] and not enabled["sample_sum"]
    refused = await ann.post("/api/x/sample/call/sample_sum", {"arguments": {"amounts": []}})
    assert (refused.status_code, refused.json()["code"]) == (403, "tool_disabled")


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
        assert [file.stat().st_size for file in (settings.data / "sample").rglob("*") if file.is_file()] == [100_000]


async def test_the_results_say_that_everything_was_loaded(world: World) -> None:
    assert failures(world.app.tables) == {}
    assert world.app.tables.results[-1] == Loaded(SAMPLE)
