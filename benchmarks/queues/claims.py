"""How long a claim takes with few and with many jobs waiting."""

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from statistics import median
from typing import Any

from benchmarks.load import percentile
from benchmarks.queues import filling
from benchmarks.queues.filling import KIND, Nothing
from benchmarks.queues.place import Place
from benchmarks.queues.side import Tally
from teamspace import jobs
from teamspace.core.principal import Call, Principal
from tests.support.world import World

TEAMS = 2000
PLACES = (jobs.local_place(KIND),)
WARM_UP = 10
"""One of so many claims is made before any is timed."""


async def compared(places: Sequence[Place], sizes: Sequence[int], claims: int, rounds: int) -> dict[str, Any]:
    """The queues take turns; of each, the medians of the rounds."""
    async with AsyncExitStack() as stack:
        made = [await stack.enter_async_context(_queue(place, size)) for place, size in zip(places, sizes, strict=True)]
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
async def _queue(place: Place, size: int) -> AsyncIterator[World]:
    """One team owns half of what waits."""
    async with filling.opened(filling.settings(place.folder, place.url), Tally()) as made:
        await filling.founded(made, TEAMS)
        first, *others = await filling.members(made.db)
        await filling.fill(made.db, size, lambda number: others[number // 2 % len(others)] if number % 2 else first)
        place.settle()
        await made.app.queue.promote_waiting(made.db)
        place.settle()
        yield made


async def timed(made: World, claims: int) -> list[float]:
    """Each claim's transaction, which also lets the next job of the lane in. Every job that is done is replaced."""
    queue, db, took = made.app.queue, made.db, []
    for _ in range(claims):
        began = time.perf_counter()
        [(job, claim)] = await queue.claim(db, PLACES, count=1, executor_id=jobs.LOCAL)
        took.append(time.perf_counter() - began)
        await queue.land(db, [(claim, Nothing())])
        who = Principal("api", Call(), user_id=job.user_id, org_id=job.org_id, team_id=job.team_id)
        async with db.upkeep(who) as tx:
            await queue.enqueue(tx, who, KIND, Nothing())
    return took
