"""PgQueuer over asyncpg, with its tables durable, which is its default."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
from pgqueuer import AsyncpgDriver, AsyncpgPoolDriver, Job, PgQueuer, Queries

from benchmarks.queues import side
from benchmarks.queues.side import TEAMS, Put, Tally, Work

BATCH = 500
KIND = "nothing"


class Peer:
    async def prepare(self, jobs: int) -> None:
        async with _queries() as queries:
            await queries.install()
            if jobs:
                await queries.enqueue([KIND] * jobs, [_payload(number) for number in range(jobs)], [0] * jobs)

    @asynccontextmanager
    async def entering(self, clients: int) -> AsyncIterator[Put]:
        async with asyncpg.create_pool(side.url(), min_size=clients, max_size=clients) as pool:
            queries = Queries(AsyncpgPoolDriver(pool))
            yield lambda number: queries.enqueue(KIND, _payload(number))

    @asynccontextmanager
    async def working(self, tally: Tally) -> AsyncIterator[Work]:
        logging.getLogger("pgqueuer").setLevel(logging.WARNING)
        async with asyncpg.create_pool(side.url(), min_size=4, max_size=4) as pool:
            queue = PgQueuer(AsyncpgPoolDriver(pool))

            @queue.entrypoint(KIND)
            async def nothing(job: Job) -> None:
                tally()

            yield lambda: queue.run(batch_size=BATCH)


def _payload(number: int) -> bytes:
    return b'{"team": %d}' % (number % TEAMS)


@asynccontextmanager
async def _queries() -> AsyncIterator[Queries]:
    connection = await asyncpg.connect(side.url())
    try:
        yield Queries(AsyncpgDriver(connection))
    finally:
        await connection.close()


if __name__ == "__main__":
    side.main(Peer())
