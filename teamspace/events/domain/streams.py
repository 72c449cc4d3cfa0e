"""Streams of content for one reader: what is appended reaches readers in this process at once, and others soon after.

Rows are saved in small batches. Until then they are in memory, where only readers of this process find them.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Any
from weakref import WeakValueDictionary

import msgspec

from teamspace.core import clock
from teamspace.core.db import Db, Tx
from teamspace.core.errors import NotFound, TooLarge
from teamspace.core.ids import new_id
from teamspace.core.limits import Notifier
from teamspace.core.principal import Principal, system
from teamspace.events import access, store
from teamspace.events.schemas import StreamRow

log = logging.getLogger("teamspace.events")

END = "end"
"""The name of the last row."""
SAVE_SECONDS, SAVE_ROWS = 0.25, 32
KEEP_SECONDS = 10 * clock.MINUTE
"""How long a stream is kept after its last row."""
MAX_BYTES, MAX_ROWS = 1024 * 1024, 20_000
POLL_SECONDS = 2.0
_PAGE = 200


class StreamWriter:
    """Appends to one stream; there is one writer per stream."""

    def __init__(self, streams: "Streams", db: Db, stream_id: str, org_id: str) -> None:
        self.id = stream_id
        self.unsaved: list[StreamRow] = []
        self._streams, self._db, self._org_id = streams, db, org_id
        self._count, self._bytes = 0, 0
        self._timer: asyncio.TimerHandle | None = None
        self._saving = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    def append(self, name: str, data: Any) -> None:
        """Add a row, or raise TooLarge if the stream is full; then only its end can be added."""
        encoded = msgspec.json.encode(data).decode()
        if self._count >= MAX_ROWS or self._bytes + len(encoded) > MAX_BYTES:
            raise TooLarge(f"A stream has at most {MAX_ROWS} rows and {MAX_BYTES} bytes.")
        self._bytes += len(encoded)
        self._add(name, encoded)
        if len(self.unsaved) >= SAVE_ROWS:
            self._save_soon()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SAVE_SECONDS, self._save_soon)

    async def end(self, data: Any = None) -> None:
        """Add the end and save everything; readers stop there."""
        self._add(END, msgspec.json.encode({} if data is None else data).decode())
        await self.save()

    def _add(self, name: str, encoded: str) -> None:
        self._count += 1
        self.unsaved.append(StreamRow(self._count, name, encoded))
        self._streams.wake(self.id)

    def _save_soon(self) -> None:
        self._cancel_timer()
        task = asyncio.get_running_loop().create_task(self._save_in_background())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _save_in_background(self) -> None:
        try:
            await self.save()
        except Exception:
            log.exception("a stream could not be saved; it is retried with the next rows")

    async def save(self) -> None:
        """Save what is in memory. Rows stay there until readers find them in the database."""
        self._cancel_timer()
        async with self._saving:
            rows = tuple(self.unsaved)
            if not rows:
                return
            # A crash may lose the newest rows: their writer is gone with them.
            async with self._db.maintenance(system(org_id=self._org_id), durable=False) as tx:
                if not await store.extend_stream(tx, self.id, clock.later(KEEP_SECONDS)):
                    raise NotFound("The stream has expired.")
                for row in rows:
                    await store.insert_stream_row(tx, self.id, self._org_id, row)
                tx.notify(topic(self.id))
            del self.unsaved[: len(rows)]

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class Streams:
    """The streams that this process writes or reads."""

    def __init__(self, notifier: Notifier) -> None:
        self._notifier = notifier
        self._writers: WeakValueDictionary[str, StreamWriter] = WeakValueDictionary()
        """A writer that no one holds any more has saved its rows."""

    async def open(self, db: Db, tx: Tx, who: Principal) -> StreamWriter:
        """Open a stream that only `who` can read, in the transaction that begins what it reports."""
        writer = StreamWriter(self, db, new_id(), who.org_id)
        expires_at = clock.later(KEEP_SECONDS)
        await store.insert_stream(tx, writer.id, who.org_id, who.team_id, who.user_id, expires_at)
        self._writers[writer.id] = writer
        return writer

    async def read(self, db: Db, who: Principal, stream_id: str, after: int = 0) -> AsyncIterator[StreamRow]:
        """Yield the rows after a number, also new ones, until the end; NotFound for everyone but the owner."""
        fence = access.own_streams_fence(who)
        if not await store.has_stream(db, fence, stream_id):
            raise NotFound()
        with self._notifier.subscribe([topic(stream_id)]) as news:
            while not self._notifier.stopping:
                rows = self._in_memory(stream_id, after)
                rows = rows or await store.select_stream_rows(db, fence, stream_id, after, _PAGE)
                for row in rows:
                    after = row.number
                    yield row
                    if row.name == END:
                        return
                if rows or await self._notifier.wait(news, POLL_SECONDS):
                    continue
                if not await store.has_stream(db, fence, stream_id):
                    return

    def _in_memory(self, stream_id: str, after: int) -> list[StreamRow]:
        """Return the unsaved rows, if none before them is missing."""
        writer = self._writers.get(stream_id)
        if writer is None or not writer.unsaved or writer.unsaved[0].number > after + 1:
            return []
        return [row for row in writer.unsaved if row.number > after]

    def wake(self, stream_id: str) -> None:
        self._notifier.receive(topic(stream_id))

    async def save(self) -> None:
        """Save what all writers have in memory: the server stops."""
        for writer in tuple(self._writers.values()):
            await writer.save()


def topic(stream_id: str) -> str:
    return f"stream:{stream_id}"
