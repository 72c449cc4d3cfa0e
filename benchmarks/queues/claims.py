"""Measure how long a claim takes with few and with many queued jobs."""

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from statistics import median
from typing import Any

from benchmarks.load import percentile
from benchmarks.queues import filling
from benchmarks.queues.filling import KIND, Nothing
from benchmarks.queues.side import Tally
from benchmarks.queues.storage import Storage
from teamspace import jobs
from teamspace.core.principal import Call, Principal
from teamspace.jobs import Authority, Succeeded
from tests.support.world import World

TEAMS = 2000
CHANNELS = (jobs.local_channel(KIND),)
WARM_UP = 10
"""The warm-up is this fraction of the timed claims."""


async def compared(storages: Sequence[Storage], sizes: Sequence[int], claims: int, rounds: int) -> dict[str, Any]:
    """Measure the queues in alternating rounds and return the medians."""
    async with AsyncExitStack() as stack:
        made = [
            await stack.enter_async_context(_queue(storage, size))
            for storage, size in zip(storages, sizes, strict=True)
        ]
        seen: list[list[list[float]]] = [[] for _ in sizes]
        for queue, rounds_seen in [*zip(made, seen, strict=True)] * rounds:
            await timed(queue, max(claims // WARM_UP, 1))
            rounds_seen.append(sorted(await timed(queue, claims)))
    few, many = ({f"p{percent}_ms": _median(each, percent) for percent in (50, 99)} for each in seen)
    ratios = {name.removesuffix("_ms"): round(many[name] / few[name], 2) for name in few}
    return {str(sizes[0]): few, str(sizes[1]): many, "ratio": ratios}


def _median(rounds: Sequence[list[float]], percent: int) -> float:
    return round(median(percentile(each, percent) for each in rounds), 3)


@asynccontextmanager
async def _queue(storage: Storage, size: int) -> AsyncIterator[World]:
    """Open a queue in which one team owns half of the jobs."""
    async with filling.opened(filling.settings(storage.folder, storage.url), Tally()) as made:
        await filling.founded(made, TEAMS)
        first, *others = await filling.members(made.db)
        await filling.fill(made.db, size, lambda number: others[number // 2 % len(others)] if number % 2 else first)
        storage.settle()
        await made.app.queue.promote_waiting(made.db)
        storage.settle()
        yield made


async def timed(made: World, claims: int) -> list[float]:
    """Time each claim's transaction, which also promotes the lane. Every finished job is replaced by a new one."""
    queue, db, took = made.app.queue, made.db, []
    for _ in range(claims):
        began = time.perf_counter()
        [(job, claim)] = await queue.claim(db, CHANNELS, count=1, executor_id=jobs.LOCAL)
        took.append(time.perf_counter() - began)
        await queue.finish_many(db, [(claim, Succeeded(Nothing()))])
        who = Principal("api", Call(), user_id=job.user_id, org_id=job.org_id, team_id=job.team_id)
        async with db.maintenance(who) as tx:
            await queue.enqueue(tx, Authority.of(who), KIND, Nothing())
    return took
