"""The command line of a queue's process, the same for all queues.

    prepare JOBS         create the tables in an empty database and bulk-insert JOBS jobs
    enqueue JOBS CLIENTS enqueue jobs one at a time per client; prints seconds and CPU time
    work                 print `ready`, wait for a line, then work until terminated, printing how many jobs are done

BENCHMARK_URL and BENCHMARK_FOLDER say where the database is. graphile/queue.mjs has the same commands.
"""

import asyncio
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol

import uvloop

TEAMS = 20
TICK = 0.005
WARM_UP = 10
"""The warm-up is this fraction of the jobs."""

Put = Callable[[int], Awaitable[object]]
Work = Callable[[], Awaitable[object]]


class Tally:
    """Counts the jobs done by this process, and records when the first was done."""

    def __init__(self) -> None:
        self.done = 0
        self.first = 0.0

    def __call__(self) -> None:
        if not self.done:
            self.first = time.monotonic()
        self.done += 1

    async def tell(self) -> None:
        told = 0
        while True:
            await asyncio.sleep(TICK)
            if told != self.done:
                told = self.done
                print(told, self.first, flush=True)


class Side(Protocol):
    """What each queue implements."""

    async def prepare(self, jobs: int) -> None: ...

    def entering(self, clients: int) -> AbstractAsyncContextManager[Put]:
        """Connect and yield a function that enqueues a job by number."""
        ...

    def working(self, tally: Tally) -> AbstractAsyncContextManager[Work]:
        """Connect and yield a function that works until cancelled."""
        ...


def url() -> str:
    return os.environ["BENCHMARK_URL"]


def folder() -> Path:
    return Path(os.environ["BENCHMARK_FOLDER"])


async def put_all(put: Put, numbers: Iterable[int], clients: int) -> None:
    waiting = iter(numbers)

    async def client() -> None:
        for number in waiting:
            await put(number)

    await asyncio.gather(*(client() for _ in range(clients)))


async def enqueue(side: Side, jobs: int, clients: int) -> None:
    async with side.entering(clients) as put:
        await put_all(put, range(max(jobs // WARM_UP, clients)), clients)
        began, used = time.perf_counter(), time.process_time()
        await put_all(put, range(jobs), clients)
        seen = {"seconds": time.perf_counter() - began, "cpu": time.process_time() - used}
    print(json.dumps(seen), flush=True)


async def work(side: Side) -> None:
    tally = Tally()
    async with side.working(tally) as run:
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        await asyncio.gather(run(), tally.tell())


def main(side: Side) -> None:
    verb, *numbers = sys.argv[1:]
    given = [int(number) for number in numbers]
    match verb:
        case "prepare":
            uvloop.run(side.prepare(*given))
        case "enqueue":
            uvloop.run(enqueue(side, *given))
        case "work":
            uvloop.run(work(side))
