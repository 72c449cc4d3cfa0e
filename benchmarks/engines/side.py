"""The command line of an engine's process, the same for all engines. Peers import it too: only the standard library.

    linear RUNS STEPS AT_ONCE HISTORY   runs of one step after another, so many at a time
    map RUNS ITEMS AT_ONCE HISTORY      runs of a map and one step that gets its results

Prints a line of JSON. BENCHMARK_URL and BENCHMARK_FOLDER say where the database is, BENCHMARK_POSTMASTER is PostgreSQL's
process.
"""

import asyncio
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from benchmarks.processes import cpu_seconds, ended_seconds, family

CONCURRENT = 16
"""Steps that run at a time; Teamspace's limit of a team."""
WARM_UP = 2

Execute = Callable[[], Awaitable[object]]


class Engine(Protocol):
    def opened(self, verb: str, size: int, history: int) -> AbstractAsyncContextManager[Execute]:
        """Open the engine, and yield a function that executes one run to its end."""
        ...

    def servers(self) -> list[int]:
        """Processes that belong to the engine, besides this one and PostgreSQL."""
        ...

    def statements(self) -> int:
        """How many SQL statements this process has sent, if that is known."""
        ...


def _server_cpu(engine: Engine) -> float:
    postmaster = int(os.environ["BENCHMARK_POSTMASTER"])
    used = sum(cpu_seconds(family(pid)) for pid in engine.servers())
    if os.environ["BENCHMARK_URL"]:
        used += cpu_seconds(family(postmaster)) + ended_seconds(postmaster)
    return used


async def execute_all(execute: Execute, runs: int, at_once: int) -> None:
    waiting = iter(range(runs))

    async def client() -> None:
        for _ in waiting:
            await execute()

    await asyncio.gather(*(client() for _ in range(at_once)))


async def measure(engine: Engine, verb: str, runs: int, size: int, at_once: int, history: int) -> dict[str, float]:
    async with engine.opened(verb, size, history) as execute:
        await execute_all(execute, WARM_UP, 1)
        used, served, sent = time.process_time(), _server_cpu(engine), engine.statements()
        began = time.perf_counter()
        await execute_all(execute, runs, at_once)
        seconds = time.perf_counter() - began
        return {
            "steps": runs * (size if verb == "linear" else size + 1), "seconds": seconds,
            "cpu": time.process_time() - used, "server_cpu": _server_cpu(engine) - served,
            "statements": engine.statements() - sent,
        }  # fmt: skip


def main(engine: Engine) -> None:
    verb, *numbers = sys.argv[1:]
    print(json.dumps(asyncio.run(measure(engine, verb, *map(int, numbers)))), flush=True)
