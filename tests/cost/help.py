"""Requests sent directly to the gate, and their CPU time on the event loop."""

import asyncio
import gc
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping, Sequence
from typing import Any, TypeVar

import msgspec

from tests.support.world import World

T = TypeVar("T")
LIMIT = 0.1
"""Seconds of CPU time on the event loop that one request may take."""
FLOOR = 0.01
"""Below this a measurement is noise, and its growth means nothing."""
GROWTH = 2.5
"""How many times more a request of twice the size may take."""
_PAIRS = 6
_CHUNK = 64 * 1024


class Call(msgspec.Struct, frozen=True):
    method: str
    path: str
    query: bytes = b""
    headers: Sequence[tuple[bytes, bytes]] = ()
    body: bytes = b""
    chunk: int = _CHUNK


async def measure_call(world: World, call: Call) -> tuple[float, int]:
    """CPU seconds of the call on this thread, and its status. Other threads and waiting do not count, so a busy
    machine changes nothing."""
    size = call.chunk
    chunks = [call.body[start : start + size] for start in range(0, len(call.body), size)] or [b""]
    chunks.reverse()
    status = [0]

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": chunks.pop(), "more_body": bool(chunks)}

    async def send(message: MutableMapping[str, Any]) -> None:
        status[0] = message.get("status", status[0])

    scope = {
        "type": "http", "method": call.method, "path": call.path, "raw_path": call.path.encode("latin-1"),
        "query_string": call.query, "headers": list(call.headers), "client": ("127.0.0.1", 50000),
    }  # fmt: skip
    began = time.thread_time()
    await world.app.gate(scope, receive, send)
    return time.thread_time() - began, status[0]


def spare_existing_objects() -> None:
    """Keep the garbage collector from traversing what exists during a measurement. The server does the same at its start;
    in a process that has run thousands of tests, it would take a tenth of a second."""
    gc.collect()
    gc.freeze()


class Costs:
    """Measures calls and collects those that take too long."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.calls = 0
        self.faults: list[str] = []
        spare_existing_objects()

    async def measure(self, name: str, call: Call, half: Callable[[], Call] | None = None) -> int:
        """Returns the status. Slow calls are repeated, since a first run has one-time costs; `half` is the same call
        at half the size."""
        self.calls += 1
        cost, status = await measure_call(self._world, call)
        if cost > FLOOR:
            cost = min(cost, (await measure_call(self._world, call))[0])
        if cost > LIMIT:
            cost = min(cost, *[(await measure_call(self._world, call))[0] for _ in range(2)])
        if cost > LIMIT:
            self.faults.append(f"{name}: {cost * 1000:.0f} ms, status {status}")
        elif cost > FLOOR and half is not None and (growth := await self._growth(call, half())) > GROWTH:
            self.faults.append(f"{name}: {cost * 1000:.1f} ms, {growth:.1f} times what half of it takes")
        return status

    async def _growth(self, call: Call, half: Call) -> float:
        """How many times longer the call takes than its half. One is measured right after the other, since the speed
        of a processor changes within seconds; quadratic work shows in every pair."""
        growth = float("inf")
        for _ in range(_PAIRS):
            smaller, _ = await measure_call(self._world, half)
            whole, _ = await measure_call(self._world, call)
            growth = min(growth, whole / max(FLOOR, smaller))
            if growth <= GROWTH:
                break
        return growth


async def longest_step(work: Awaitable[T]) -> tuple[float, T]:
    """The longest CPU time for which some work kept this thread from doing anything else, and its result."""
    longest = 0.0

    async def watch() -> None:
        nonlocal longest
        while True:
            began = time.thread_time()
            await asyncio.sleep(0)
            longest = max(longest, time.thread_time() - began)

    spare_existing_objects()
    watching = asyncio.ensure_future(watch())
    await asyncio.sleep(0)
    try:
        result = await work
        await asyncio.sleep(0)  # so that the last step counts
    finally:
        watching.cancel()
    return longest, result


async def cpu_seconds(work: Awaitable[Any]) -> float:
    began = time.thread_time()
    await work
    return time.thread_time() - began


def every_nth(items: Sequence[str], number: int, step: int) -> Iterable[str]:
    """Every `step`-th item, starting at a different one for each number, so that together they cover all."""
    return (item for index, item in enumerate(items) if (index + number) % step == 0)
