"""A queue as a process of its own, so that all are started, fed and watched in the same way.

    prepare JOBS         make its tables in an empty database, and put so many jobs in, all at once
    enqueue JOBS CLIENTS put jobs in, every client awaiting each of its own; prints what that took
    work                 say `ready`, wait for a line, then work until terminated, telling how many are done

Where it stores is in BENCHMARK_URL and BENCHMARK_FOLDER. graphile/queue.mjs speaks the same verbs.
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
"""One of so many jobs is put in before the clock runs."""

Put = Callable[[int], Awaitable[object]]
Work = Callable[[], Awaitable[object]]


class Tally:
    """Jobs done by this process, and when the first of them was."""

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
    """What a queue brings along."""

    async def prepare(self, jobs: int) -> None: ...

    def entering(self, clients: int) -> AbstractAsyncContextManager[Put]:
        """Connected; what puts the job of a number in."""
        ...

    def working(self, tally: Tally) -> AbstractAsyncContextManager[Work]:
        """Connected; what works until it is cancelled."""
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
