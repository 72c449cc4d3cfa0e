"""DBOS on PostgreSQL. Runs in the peers' environment, as a program."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from dbos import DBOS

from benchmarks.engines import side
from benchmarks.engines.side import CONCURRENT, Execute


@DBOS.step()
async def nothing(number: int) -> int:
    return number


@DBOS.workflow()
async def linear(size: int) -> int:
    last = 0
    for number in range(size):
        last = await nothing(number)
    return last


@DBOS.workflow()
async def mapped(size: int) -> int:
    results = list[int]()
    for first in range(0, size, CONCURRENT):
        results += await asyncio.gather(*(nothing(each) for each in range(first, min(first + CONCURRENT, size))))
    return await nothing(len(results))


class Dbos:
    @asynccontextmanager
    async def opened(self, verb: str, size: int, history: int) -> AsyncIterator[Execute]:
        url = os.environ["BENCHMARK_URL"].replace("postgresql://", "postgresql+psycopg://")
        DBOS(config={"name": "benchmark", "system_database_url": url, "log_level": "ERROR", "sys_db_pool_size": 20})
        DBOS.launch()
        workflow = linear if verb == "linear" else mapped

        async def execute() -> None:
            await workflow(size)

        yield execute
        DBOS.destroy()

    def servers(self) -> list[int]:
        return []

    def statements(self) -> int:
        return 0


if __name__ == "__main__":
    side.main(Dbos())
