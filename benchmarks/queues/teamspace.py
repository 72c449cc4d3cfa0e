"""Teamspace's queue, with everything a server runs besides: sweeps, promotion, notifications, upkeep."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from benchmarks.queues import filling, side
from benchmarks.queues.filling import KIND, Nothing
from benchmarks.queues.side import TEAMS, Put, Tally, Work
from teamspace.jobs import Authority
from teamspace.settings import Settings
from tests.support.world import World

SLOTS = 500
"""As many as its peers take at once."""


class Teamspace:
    async def prepare(self, jobs: int) -> None:
        async with filling.opened(_settings(), Tally()) as made:
            await filling.founded(made, TEAMS)
            people = await filling.members(made.db)
            await filling.fill(made.db, jobs, lambda number: people[number % TEAMS])
            await made.app.queue.promote_waiting(made.db)

    @asynccontextmanager
    async def entering(self, clients: int) -> AsyncIterator[Put]:
        # One connection more than clients, for promotion.
        async with filling.opened(_settings(SERVICE_DATABASE_POOL=str(clients + 1)), Tally()) as made, _kept_up(made):
            people = await filling.members(made.db)
            queue = made.app.queue

            async def put(number: int) -> None:
                who = people[number % TEAMS]
                async with made.db.maintenance(who) as tx:
                    await queue.enqueue(tx, Authority.of(who), KIND, Nothing())

            yield put

    @asynccontextmanager
    async def working(self, tally: Tally) -> AsyncIterator[Work]:
        async with filling.opened(_settings(SERVICE_JOB_SLOTS=str(SLOTS)), tally) as made, _kept_up(made):
            yield made.app.runner.run


def _settings(**more: str) -> Settings:
    return filling.settings(side.folder(), side.url(), **more)


@asynccontextmanager
async def _kept_up(made: World) -> AsyncIterator[None]:
    upkeep = asyncio.create_task(made.app.upkeep())
    try:
        yield
    finally:
        upkeep.cancel()


if __name__ == "__main__":
    side.main(Teamspace())
