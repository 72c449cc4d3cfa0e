"""Helpers to create, claim and finish jobs."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from teamspace import jobs
from teamspace.core.principal import system
from teamspace.jobs import Failed, Job, JobClaim, JobFault, Queue
from tests.identity.help import broken
from tests.support.world import Caller, World

CHAT = jobs.local_channel("ai.chat")


async def create_job(caller: Caller, prompt: str = "Hello", *, model: str | None = None, **more: Any) -> dict[str, Any]:
    input = {"prompt": prompt} if model is None else {"prompt": prompt, "model": model}
    answer = await caller.post("/api/jobs", {"kind": "ai.chat", "input": input, **more})
    assert answer.status_code == 202, answer.text
    job: dict[str, Any] = answer.json()
    return job


async def get_job(caller: Caller, job_id: str) -> dict[str, Any]:
    answer = await caller.get(f"/api/jobs/{job_id}")
    assert answer.status_code == 200, answer.text
    job: dict[str, Any] = answer.json()
    return job


def queue(world: World) -> Queue:
    return world.app.queue


async def claim(world: World, count: int = 1, channels: tuple[str, ...] = (CHAT,)) -> list[tuple[Job, JobClaim]]:
    return await queue(world).claim(world.db, channels, count=count, executor_id=jobs.LOCAL)


def result(text: str = "Done", tokens: int = 7) -> dict[str, Any]:
    return {"text": text, "usage": {"prompt_tokens": 0, "completion_tokens": tokens, "total_tokens": tokens}}


async def complete(world: World, claim: JobClaim, value: Any = None) -> None:
    outcome = await queue(world).read_result(world.db, claim, result() if value is None else value)
    async with world.db.maintenance(system()) as tx:
        await queue(world).finish(tx, claim, outcome)


async def fail(world: World, claim: JobClaim, *, retryable: bool = True) -> None:
    async with world.db.maintenance(system()) as tx:
        await queue(world).finish(tx, claim, Failed(JobFault("It did not work.", "broken", retryable)))


@asynccontextmanager
async def running(world: World) -> AsyncIterator[None]:
    """Run the server's own worker and the queue that promotes jobs for it."""
    promoting = asyncio.create_task(world.app.queue.run(world.db))
    task = asyncio.create_task(world.app.runner.run())
    try:
        yield
    finally:
        world.app.stopping.begin()
        await asyncio.wait_for(task, 20)
        promoting.cancel()


@asynccontextmanager
async def sweeping(world: World) -> AsyncIterator[None]:
    """Sweep often, so that what is due need not be waited for. No sweep goes on after the block."""
    over = asyncio.Event()

    async def sweep() -> None:
        while not over.is_set():
            await jobs.sweep(world.db, world.app.queue)
            with suppress(TimeoutError):
                await asyncio.wait_for(over.wait(), 0.05)

    task = asyncio.create_task(sweep())
    try:
        yield
    finally:
        over.set()
        await task


async def started(caller: Caller, job_id: str, seconds: float = 15) -> None:
    """Poll until the job runs."""
    async with asyncio.timeout(seconds):
        while True:
            if (await get_job(caller, job_id))["state"] == "running":
                return
            await asyncio.sleep(0.02)


async def ended(caller: Caller, job_id: str, seconds: float = 15) -> dict[str, Any]:
    """Poll until the job has ended, and return it."""
    async with asyncio.timeout(seconds):
        while True:
            job = await get_job(caller, job_id)
            if job["state"] not in ("queued", "running"):
                return job
            await asyncio.sleep(0.02)


async def broken_invariants(world: World) -> list[str]:
    """Return the broken invariants of jobs, quotas and executors; the others need owners, which these tests don't create."""
    return [name for name in await broken(world) if name.startswith(("jobs.", "quota.", "executors."))]
