"""Procrastinate over psycopg."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from procrastinate import App, PsycopgConnector
from procrastinate.types import JSONDict

from benchmarks.queues import side
from benchmarks.queues.side import TEAMS, Put, Tally, Work

CONCURRENCY = 16
AT_ONCE = 1000


class Peer:
    async def prepare(self, jobs: int) -> None:
        async with _app(1) as app:
            await app.schema_manager.apply_schema_async()
            nothing = app.configure_task("nothing")
            for first in range(0, jobs, AT_ONCE):
                numbers = range(first, min(first + AT_ONCE, jobs))
                given: list[JSONDict] = [{"team": number % TEAMS} for number in numbers]
                await nothing.batch_defer_async(*given)

    @asynccontextmanager
    async def entering(self, clients: int) -> AsyncIterator[Put]:
        async with _app(clients) as app:
            nothing = app.configure_task("nothing")
            yield lambda number: nothing.defer_async(team=number % TEAMS)

    @asynccontextmanager
    async def working(self, tally: Tally) -> AsyncIterator[Work]:
        logging.getLogger("procrastinate").setLevel(logging.WARNING)
        # One connection listens, one fetches; the others end jobs.
        async with _app(CONCURRENCY + 2) as app:

            @app.task(name="nothing")
            async def nothing(team: int) -> None:
                tally()

            yield lambda: app.run_worker_async(concurrency=CONCURRENCY, install_signal_handlers=False)


@asynccontextmanager
async def _app(connections: int) -> AsyncIterator[App]:
    connector = PsycopgConnector(conninfo=side.url(), min_size=connections, max_size=connections)
    async with App(connector=connector).open_async() as app:
        yield app


if __name__ == "__main__":
    side.main(Peer())
