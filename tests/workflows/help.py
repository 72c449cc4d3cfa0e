"""Helpers for tests of workflows: publish, run, wait."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from teamspace import tools
from teamspace.core.loader import Package
from tests.identity.help import broken
from tests.jobs.help import running, sweeping
from tests.support.world import Caller, World
from tests.workflows import toys

Json = dict[str, Any]


def add_toys(world: World) -> None:
    toys.reset()
    bound, faults = tools.bind([toys], {}, Package("tests.workflows.toys"))
    assert not faults
    world.app.toolbox.add(bound)


@asynccontextmanager
async def workflow_world(world: World) -> AsyncIterator[Caller]:
    """A world with toys and a running worker; yields its operator."""
    add_toys(world)
    ann = await world.bootstrap()
    async with running(world), sweeping(world):
        yield ann


def call(id: str, tool: str, **more: Any) -> Json:
    return {"id": id, "kind": "tool", "tool": tool, "with": {}} | more


def map_over(id: str, over: Any, tool: str, **more: Any) -> Json:
    return {"id": id, "kind": "map", "over": over, "tool": tool, "with": {}} | more


def choose(id: str, when: Json, then: str, otherwise: str, **more: Any) -> Json:
    return {"id": id, "kind": "choice", "when": when, "then": then, "else": otherwise} | more


def ref(path: str) -> Json:
    return {"$ref": path}


def spec(slug: str, *steps: Json, **more: Any) -> Json:
    return {"format": 1, "slug": slug, "start": steps[0]["id"], "max_steps": 50, "steps": list(steps)} | more


def doubling(slug: str = "doubling", **more: Any) -> Json:
    """Lists numbers, doubles each, and adds up the results."""
    return spec(
        slug,
        call("list", "toy_range", **{"with": {"below": ref("input.below")}}),
        map_over("each", ref("steps.list.output.result"), "toy_double", **{"with": {"number": ref("item")}}),
        call("total", "toy_sum", **{"with": {"results": ref("steps.each.output.results")}}),
        inputs={"below": {"type": "integer"}},
        **more,
    )


async def publish(caller: Caller, raw: Json) -> Json:
    answer = await caller.post("/api/workflows", raw)
    assert answer.status_code == 201, answer.text
    published: Json = answer.json()
    return published


async def start(caller: Caller, slug: str, input: Json | None = None, **more: Any) -> Json:
    answer = await caller.post(f"/api/workflows/{slug}/run", {"input": input or {}, **more})
    assert answer.status_code == 202, answer.text
    run: Json = answer.json()
    return run


async def get_run(caller: Caller, run_id: str) -> Json:
    answer = await caller.get(f"/api/runs/{run_id}")
    assert answer.status_code == 200, answer.text
    run: Json = answer.json()
    return run


async def ended(caller: Caller, run_id: str, seconds: float = 30) -> Json:
    """Poll until the run has ended, and return it."""
    async with asyncio.timeout(seconds):
        while True:
            run = await get_run(caller, run_id)
            if run["state"] != "running":
                return run
            await asyncio.sleep(0.02)


async def run_to_end(caller: Caller, raw: Json, input: Json | None = None) -> Json:
    await publish(caller, raw)
    return await ended(caller, (await start(caller, raw["slug"], input))["id"])


def step_of(run: Json, id: str) -> Json:
    found: Json = next(step for step in run["steps"] if step["id"] == id)
    return found


def states(run: Json) -> dict[str, str]:
    return {step["id"]: step["state"] for step in run["steps"]}


async def broken_invariants(world: World) -> list[str]:
    return [name for name in await broken(world) if name.startswith(("jobs.", "quota.", "workflows."))]
