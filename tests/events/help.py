"""A hub that runs in the test, and streams whose events are collected."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from teamspace import tenancy, wiring
from teamspace.app import App
from teamspace.core.db import Db
from teamspace.core.limits import Notifier, Stopping
from teamspace.core.principal import Call, Principal
from teamspace.events import EventSubject, Hub, store
from tests.support.world import Caller, World


class Told(msgspec.Struct, frozen=True):
    """One event as a client sees it."""

    name: str
    cursor: str
    data: dict[str, str]

    @property
    def change(self) -> tuple[str, str, str]:
        return self.data["type"], self.data["id"], self.data["change"]


def parse(chunk: bytes) -> list[Told]:
    events = []
    for block in chunk.decode().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if fields:
            events.append(Told(fields["event"], fields["id"], msgspec.json.decode(fields["data"])))
    return events


class Stream:
    """An open stream; `events` grows as they arrive."""

    def __init__(self, hub: Hub, db: Db, who: Principal, cursor: str | None) -> None:
        self.events: list[Told] = []
        self.ended = False
        self._task = asyncio.create_task(self._read(hub.listen(db, who, cursor)))

    async def _read(self, chunks: AsyncIterator[bytes]) -> None:
        async for chunk in chunks:
            self.events += parse(chunk)
        self.ended = True

    @property
    def names(self) -> list[str]:
        return [event.name for event in self.events]

    @property
    def changes(self) -> list[tuple[str, str, str]]:
        return [event.change for event in self.events if event.name == "change"]

    @property
    def cursor(self) -> str:
        return self.events[-1].cursor

    async def close(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


class Process:
    """One server process as far as events are concerned."""

    def __init__(self, db: Db) -> None:
        self.db, self.stopping = db, Stopping()
        self.notifier = Notifier(self.stopping)

        async def identify(db: Db, ids: Any) -> Any:
            return await tenancy.get_callers(db, ids, hosted=False)

        self.hub = Hub(wiring.SHIPPED.rows(EventSubject), self.notifier, identify)
        self.streams: list[Stream] = []
        db.notify = self.notifier.notify

    async def listen(self, caller: Caller, cursor: str | None = None) -> Stream:
        """Open a stream, and wait until it is ready."""
        stream = Stream(self.hub, self.db, await principal(caller), cursor)
        self.streams.append(stream)
        await until(lambda: bool(stream.events) or stream.ended)
        return stream

    async def settle(self) -> None:
        """Deliver everything that was committed.

        Other tests use the same PostgreSQL server: while one of their transactions runs, events after it wait.
        """
        async with asyncio.timeout(10):
            while await store.has_unsettled(self.db):  # noqa: ASYNC110 - other processes decide
                await asyncio.sleep(0.005)
        await self.deliver()

    async def deliver(self) -> None:
        """Deliver what there is, as the hub's own task does."""
        self.hub._check_due = 0.0
        await self.hub._run_once(self.db)
        for _ in range(5):
            await asyncio.sleep(0)

    async def close(self) -> None:
        for stream in self.streams:
            await stream.close()


async def principal(caller: Caller) -> Principal:
    app: App = caller.world.app
    return await tenancy.CallerCache(app.last_use).identify(app.db, caller.token or "", Call(), fresh=True)


async def until(holds: Any, seconds: float = 5.0) -> None:
    async with asyncio.timeout(seconds):
        while not holds():  # noqa: ASYNC110 - it waits for any condition
            await asyncio.sleep(0.005)


@asynccontextmanager
async def process(world: World) -> AsyncIterator[Process]:
    process = Process(world.db)
    try:
        yield process
    finally:
        await process.close()
