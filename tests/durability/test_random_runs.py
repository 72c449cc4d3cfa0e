"""Random specs on a real server that is killed at random moments: every run ends as a plain interpreter says."""

import asyncio
import random
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.durability.leases import end_leases
from tests.durability.test_workflows import OPERATOR, PATIENCE, get
from tests.durability.test_workflows import settings as settings  # noqa: PLC0414 # a fixture
from tests.support.served import Served, teamspace
from tests.support.world import Caller
from tests.workflows.test_engine_random import Trial

RUNS = 6
KILLS = 2
"""Of the same runs: a job that loses its server once more than that is given up."""


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(1, 5))])
async def test_random_runs_on_a_killed_server_end_as_the_interpreter_says(settings: dict[str, str], seed: int) -> None:
    rng = random.Random(seed)
    with Served(settings, "tests.durability.random_runs") as served:
        token = served.call("POST", "/api/bootstrap", OPERATOR)["token"]
        me = get(served, "/api/whoami", token)
        ann = cast(Caller, SimpleNamespace(team=SimpleNamespace(id=me["team"]["id"]), user_id=me["user"]["id"]))
        trials = [Trial(ann, 50_000 + seed * 100 + number) for number in range(RUNS)]
        for trial in trials:
            for step in trial.raw["steps"]:
                step["retry"] = 2
            served.call("POST", "/api/workflows", trial.raw, token)
            body = {"input": trial.case.input}
            trial.run_id = served.call("POST", f"/api/workflows/{trial.raw['slug']}/run", body, token)["id"]
        for _ in range(KILLS):
            await asyncio.sleep(rng.random() * 0.6)
            served.kill()
            if url := settings["SERVICE_DATABASE_URL"]:
                await end_leases(url)
            served.start()
        for trial in trials:
            trial.check_outcome(await ended(served, token, trial.run_id))
    assert teamspace("doctor", settings=settings).returncode == 0, "each step advanced once"


async def ended(served: Served, token: str, run_id: str) -> dict[str, Any]:
    async with asyncio.timeout(PATIENCE):
        while True:
            run = get(served, f"/api/runs/{run_id}", token)
            if run["state"] != "running":
                return run
            await asyncio.sleep(0.1)
