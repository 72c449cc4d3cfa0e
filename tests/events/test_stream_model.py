"""Whatever happens to writer, saver and readers, each reader joins the same text, every row exactly once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from teamspace.core.db import Tx
from teamspace.core.errors import Overloaded
from teamspace.core.ids import new_id
from teamspace.core.limits import Notifier, Stopping
from teamspace.core.principal import Principal, system
from teamspace.events import Streams
from teamspace.events.domain import streams as module
from tests.events.help import principal
from tests.support.world import Caller, World

pytestmark = pytest.mark.both_databases

STEPS = st.one_of(
    st.tuples(st.just("append"), st.integers(1, 4)),
    st.tuples(st.just("pause"), st.integers(1, 20)),
    st.tuples(st.just("save"), st.none()),
    st.tuples(st.just("save_meanwhile"), st.none()),
    st.tuples(st.just("write_meanwhile"), st.none()),
    st.tuples(st.just("fail_before_commit"), st.none()),
    st.tuples(st.just("fail_after_commit"), st.none()),
    st.tuples(st.just("join"), st.booleans()),
    st.tuples(st.just("leave"), st.integers(0, 5)),
    st.tuples(st.just("resume"), st.tuples(st.integers(0, 5), st.booleans())),
    st.tuples(st.just("roll_back_end"), st.integers(0, 10)),
)
"""Booleans choose the process: that of the writer, or another one."""


class Rollback(Exception):
    """The transaction that ends the stream fails."""


class Client:
    """Reads a stream through several connections, each after the last row that it has seen."""

    def __init__(self, run: "Run") -> None:
        self.text, self.number, self.has_ended = "", 0, False
        self._run = run
        self._task: asyncio.Task[None] | None = None

    def connect(self, streams: Streams) -> None:
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._read(streams))

    async def _read(self, streams: Streams) -> None:
        async for rows in streams.read(self._run.world.db, self._run.who, self._run.stream_id, self.number):
            for row in rows:
                assert row.number == self.number + 1 or row.is_last, "none is missing or doubled"
                self.number, self.has_ended = row.number, row.is_last
                self.text += msgspec.json.decode(row.data)["text"]

    async def leave(self) -> None:
        if self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def finish(self, streams: Streams) -> None:
        if not self.has_ended:
            self.connect(streams)
        if self._task is not None:
            await self._task


class Run:
    """One stream, the process that writes it, another that reads it, and clients of both."""

    def __init__(self, world: World, who: Principal) -> None:
        self.world, self.who, self.stream_id = world, who, new_id()
        notifier = Notifier(Stopping())
        world.db.notify = notifier.notify
        self.processes = Streams(notifier), Streams(Notifier(Stopping()))
        self.clients: list[Client] = []
        self.text = ""
        self._meanwhile: list[asyncio.Task[Any]] = []

    @property
    def streams(self) -> Streams:
        return self.processes[0]

    async def run(self, steps: list[tuple[str, Any]]) -> None:
        async with self.world.db.maintenance(self.who) as tx:
            self.writer = await self.streams.open(self.world.db, tx, self.who, self.stream_id)
        for name, argument in steps:
            await getattr(self, name)(argument)

    async def append(self, count: int) -> None:
        for _ in range(count):
            text = f"{len(self.text)} "
            self.writer.append("delta", {"text": text})
            self.text += text

    async def pause(self, turns: int) -> None:
        for _ in range(turns):
            await asyncio.sleep(0)

    async def save(self, _: None) -> None:
        await self.streams.save()

    async def save_meanwhile(self, _: None) -> None:
        self._meanwhile.append(asyncio.create_task(self.streams.save()))

    async def write_meanwhile(self, _: None) -> None:
        """Write something else: while it is committed, save and end wait together, and share the next commit."""

        async def write() -> None:
            async with self.world.db.maintenance(system()):
                pass

        self._meanwhile.append(asyncio.create_task(write()))

    async def fail_before_commit(self, _: None) -> None:
        await self._fail_save(after_commit=False)

    async def fail_after_commit(self, _: None) -> None:
        await self._fail_save(after_commit=True)

    async def _fail_save(self, *, after_commit: bool) -> None:
        db = self.world.db
        begin = db.maintenance

        @asynccontextmanager
        async def failing(who: Principal, **options: Any) -> AsyncIterator[Tx]:
            async with begin(who, **options) as tx:
                yield tx
                if not after_commit:
                    raise Overloaded("database.unreachable")
            raise Overloaded("database.no_answer")

        with pytest.MonkeyPatch.context() as patch, suppress(Overloaded):
            patch.setattr(db, "maintenance", failing)
            await self.streams.save()

    async def join(self, elsewhere: bool) -> None:
        self.clients.append(Client(self))
        self.clients[-1].connect(self.processes[elsewhere])

    async def leave(self, index: int) -> None:
        if index < len(self.clients):
            await self.clients[index].leave()

    async def resume(self, choice: tuple[int, bool]) -> None:
        index, elsewhere = choice
        if index < len(self.clients) and not self.clients[index].has_ended:
            await self.leave(index)
            self.clients[index].connect(self.processes[elsewhere])

    async def roll_back_end(self, turns: int) -> None:
        """Begin to end the stream; what follows happens while that transaction is open, and it is rolled back."""

        async def roll_back() -> None:
            async with self.world.db.maintenance(system()) as tx:
                await self.streams.end(tx, self.stream_id, "done", {"text": "never"})
                await self.pause(turns)
                raise Rollback

        self._meanwhile.append(asyncio.create_task(roll_back()))
        await self.pause(3)

    async def end(self, turns: int, *, elsewhere: bool) -> None:
        """End the stream; another process ends it without what was not saved, so everything is saved before."""
        if elsewhere:
            await asyncio.gather(*self._meanwhile, return_exceptions=True)
            await self.save(None)
        await self.write_meanwhile(None)
        await self.pause(turns)
        await self.save_meanwhile(None)
        await self.pause(1)
        async with self.world.db.maintenance(system()) as tx:
            await self.processes[elsewhere].end(tx, self.stream_id, "done", {"text": "."})
            if not elsewhere:
                self.writer.append("delta", {"text": "after the end"})
                await self.pause(3)
        self.text += "."

    async def finish(self) -> None:
        self.clients.append(Client(self))
        await asyncio.gather(*self._meanwhile, return_exceptions=True)
        async with asyncio.timeout(10):
            for number, client in enumerate(self.clients):
                await client.finish(self.processes[number % 2])


@pytest.fixture
async def who(ann: Caller, monkeypatch: pytest.MonkeyPatch) -> Principal:
    monkeypatch.setattr(module, "SAVE_SECONDS", 0.01)
    monkeypatch.setattr(module, "RETRY_SECONDS", 0.01)
    monkeypatch.setattr(module, "POLL_SECONDS", 0.02)
    return await principal(ann)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(STEPS, max_size=25), st.integers(0, 10), st.booleans())
async def test_every_reader_joins_the_same_text(
    world: World, who: Principal, steps: list[tuple[str, Any]], turns: int, elsewhere: bool
) -> None:
    run = Run(world, who)
    await run.run(steps)
    await run.end(turns, elsewhere=elsewhere)
    await run.finish()
    assert {client.text for client in run.clients} == {run.text}
    assert run.streams._memory.used == 0
