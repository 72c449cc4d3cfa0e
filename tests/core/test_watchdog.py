"""The watchdog of the event loop."""

import asyncio
import time

import msgspec
import pytest

from teamspace.core.limits import LoadShedder
from teamspace.core.watchdog import Watchdog
from tests.core.conftest import Lab
from tests.support.world import World


def test_the_longest_block_is_of_the_last_few_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [600.0]
    monkeypatch.setattr("teamspace.core.watchdog.time.monotonic", lambda: now[0])
    watchdog = Watchdog()
    assert watchdog.longest_block == 0
    for late in (0.01, 0.2, 0.05):
        watchdog.record_delay(late)
    now[0] += 120
    watchdog.record_delay(0.1)
    assert watchdog.longest_block == 0.2
    now[0] += 180
    assert watchdog.longest_block == 0.1
    now[0] += 120
    assert watchdog.longest_block == 0


async def test_a_blocked_loop_is_logged_with_the_active_routes(
    bench: Lab,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def block(**_: object) -> None:
        time.sleep(0.25 + 2 * LoadShedder.TICK)  # noqa: ASYNC251 - this is the fault

    endpoints = bench.gate._router._root.fixed["lab"].fixed["boom"].endpoints
    endpoints["GET"] = msgspec.structs.replace(endpoints["GET"], handler=block)
    bench.gate.shedder.start()
    await asyncio.sleep(0.05)
    assert (await bench(None, "GET", "/lab/boom")).status_code == 204
    await asyncio.sleep(0.05)
    bench.gate.shedder.stop()
    assert bench.gate.watchdog.longest_block > 0.25
    (line,) = [record.getMessage() for record in caplog.records if record.name == "teamspace.loop"]
    assert "was blocked for" in line and "/lab/boom" in line


async def test_the_longest_block_is_a_metric_in_both_formats(world: World) -> None:
    ann = await world.bootstrap()
    world.app.gate.watchdog.record_delay(0.75)
    (process,) = (await ann.get("/api/metrics")).json()["processes"].values()
    assert process["teamspace_loop_held_seconds"] == 0.75
    text = (await ann.get("/api/metrics", headers={"accept": "text/plain"})).text
    assert "teamspace_loop_held_seconds 0.75" in text or 'teamspace_loop_held_seconds{process="' in text
