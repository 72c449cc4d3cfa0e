"""Runs of workflows, read by MCP clients."""

import threading

import pytest

from teamspace.mcp import OfferedRun
from teamspace.workflows.domain import offering
from teamspace.workflows.schemas import RunDetail, RunOutline
from tests.mcp.help import call
from tests.mcp.test_clients import SPEC
from tests.support.world import World


async def test_a_run_is_returned_as_its_route_returns_it_and_encoded_beside_the_event_loop(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads, encode = list[threading.Thread](), offering._to_offered

    def record(run: RunDetail | RunOutline) -> OfferedRun:
        threads.append(threading.current_thread())
        return encode(run)

    monkeypatch.setattr(offering, "_to_offered", record)
    ann = await world.bootstrap()
    assert (await ann.post("/api/workflows", SPEC)).status_code == 201
    begun = await call(ann, "run_count-words", text="word " * 100_000)
    run_id = begun["structuredContent"]["run_id"]
    found = await call(ann, "run_get_state", run_id=run_id)
    assert found["structuredContent"] == (await ann.get(f"/api/runs/{run_id}")).json()
    assert len(threads) == 2 and threading.main_thread() not in threads
