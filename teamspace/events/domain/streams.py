"""Streams of content for one reader: what is appended reaches readers in this process at once, and others soon after.

Rows are saved every moment, those of all streams together. Until then they are in memory, where only readers of this
process find them.
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import msgspec

from teamspace.core import clock
from teamspace.core.counts import Counts
from teamspace.core.db import Db, Duplicate, Fence, Tx
from teamspace.core.errors import NotFound
from teamspace.core.limits import KeyedConcurrencyLimit, Notifier
from teamspace.core.principal import Principal, system
from teamspace.core.timers import IdleTimer
from teamspace.events import access, store
from teamspace.events.domain.writers import MAX_UNSAVED_ROWS, Memory, StreamWriter, pack, unpack
from teamspace.events.schemas import StreamRow, StreamState

T = TypeVar("T")
log = logging.getLogger("teamspace.events")

SAVE_SECONDS, SAVE_ROWS = 0.25, 500
"""How long rows wait to be saved, and how many of one stream do."""
RETRY_SECONDS = 2.0
CHECK_SECONDS = 60.0
"""How often to look for streams that another process has ended."""
KEEP_SECONDS = 10 * clock.MINUTE
"""How long a stream is kept after its last row."""
KEEP_OPEN_SECONDS = 7 * clock.DAY
"""How long a stream is kept that no one ends."""
POLL_SECONDS = 2.0
"""How long a lost notification can delay a row."""
OF_TOKEN, OF_COMPANY, MAX_READERS = 100, 1000, 4000
READS_PER_SECOND = 5000
"""How often all readers together get new rows. With many of them, each gets several at once instead of one by one: 1,000
readers five times a second, since sending costs the same for one row and for ten."""
_STREAMS_PER_SAVE = 250
_ROWS_PER_READ, _BATCHES_PER_READ = 200, 20
_SKIPPED = 2 * MAX_UNSAVED_ROWS
"""The numbers that a lost process may have used for rows that it did not save: their readers must not miss later ones.
Twice, since a crash of the database may undo the last saves."""
_MAX_NUMBER = 2**53
_LEAST_PAUSE = 0.02


class Streams:
    """The streams that this process writes or reads."""

    def __init__(self, notifier: Notifier, counts: Counts | None = None) -> None:
        self._notifier = notifier
        self._limits = KeyedConcurrencyLimit(
            "busy.streams", counts, token=OF_TOKEN, company=OF_COMPANY, server=MAX_READERS
        )
        self._memory = Memory()
        self._writers: dict[str, StreamWriter] = {}
        self._changed: dict[str, StreamWriter] = {}
        """Writers with unsaved rows, or whose end may have been rolled back."""
        self._db: Db | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._saver: asyncio.Task[None] | None = None
        self._saving = asyncio.Lock()
        self._check_due = 0.0
        self._readers = 0

    # Writing

    async def open(self, db: Db, tx: Tx, who: Principal, stream_id: str) -> StreamWriter:
        """Open a stream that only `who` can read, in the transaction that begins what it reports.

        One that a lost process has left open is continued. Raises Duplicate if it has ended.
        """
        saved = await store.open_stream(
            tx, stream_id, who.org_id, who.team_id, who.user_id,
            skipped=_SKIPPED, expires_at=clock.later(KEEP_OPEN_SECONDS),
        )  # fmt: skip
        if saved is None:
            raise Duplicate(stream_id)
        self._db = db
        writer = StreamWriter(stream_id, saved, access.owner_of(who), self._note_append)
        tx.after_commit(lambda: self._register(writer))
        return writer

    def writer(self, stream_id: str) -> StreamWriter | None:
        """Return the writer of a stream that this process has opened and that has not ended."""
        return self._writers.get(stream_id)

    async def end(self, tx: Tx, stream_id: str, name: str, data: Any) -> None:
        """Write what this process has not saved, and then the last row; does nothing if the stream has ended.

        Readers learn it after the commit. If the transaction is rolled back, the stream goes on.
        """
        stream = await store.lock_stream(tx, stream_id)
        if stream is None:
            return
        writer = self._writers.get(stream_id)
        rows: list[StreamRow] = []
        newest = stream.saved + _SKIPPED
        is_own = writer is not None and writer.newest >= stream.saved  # otherwise another process has continued it
        if writer is not None and is_own:
            rows = [row for row in writer.unsaved if row.number > stream.saved]
            newest = writer.newest
            self._hide_later_rows(writer)
        last = StreamRow(newest + 1, name, msgspec.json.encode(data), is_last=True)
        await store.end_stream(tx, stream_id, last.number, clock.later(KEEP_SECONDS))
        await store.insert_batches(tx, [pack(stream_id, [*rows, last])])
        tx.after_commit(lambda: self._forget(stream_id, last if is_own else None))
        tx.notify(topic(stream_id))

    def _hide_later_rows(self, writer: StreamWriter) -> None:
        writer.hidden_after = writer.newest
        writer.ends += 1
        self._changed[writer.id] = writer
        self._save_soon(SAVE_SECONDS)

    def _register(self, writer: StreamWriter) -> None:
        self._forget(writer.id)
        self._writers[writer.id] = writer
        writer.share(self._memory)
        if writer.unsaved:
            self._note_append(writer)

    def _note_append(self, writer: StreamWriter) -> None:
        if self._writers.get(writer.id) is not writer:
            return  # it is saved once the transaction that opens the stream is committed
        self._changed[writer.id] = writer
        self._notifier.receive(topic(writer.id))
        self._save_soon(SAVE_SECONDS if len(writer.unsaved) < SAVE_ROWS else 0)

    def _forget(self, stream_id: str, last: StreamRow | None = None) -> None:
        self._changed.pop(stream_id, None)
        if writer := self._writers.pop(stream_id, None):
            if last is None:
                writer.close()
            else:
                writer.finish(last)
            self._notifier.receive(topic(stream_id))

    # Saving

    def _save_soon(self, seconds: float) -> None:
        """Save after that time; while it saves, rows wait for the next time."""
        if self._saver is not None:
            return
        if not seconds:
            self._start_saving()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(seconds, self._start_saving)

    def _start_saving(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._saver = asyncio.get_running_loop().create_task(self._save_in_background())

    async def _save_in_background(self) -> None:
        pause = SAVE_SECONDS
        try:
            await self.save()
        except Exception:
            log.exception("streams could not be saved; it is retried")
            pause = RETRY_SECONDS
        self._saver = None
        if self._changed:
            self._save_soon(pause)

    async def save(self) -> None:
        """Save what all streams have in memory."""
        async with self._saving:
            if time.monotonic() > self._check_due:
                self._check_due = time.monotonic() + CHECK_SECONDS
                self._changed |= self._writers
            writers = tuple(self._changed.values())
            for first in range(0, len(writers), _STREAMS_PER_SAVE):
                await self._save(writers[first : first + _STREAMS_PER_SAVE])

    async def _save(self, writers: Sequence[StreamWriter]) -> None:
        assert self._db is not None
        missing = {writer.id: writer for writer in writers if not writer.closed}
        saved: list[_Saved] = []
        # A crash may lose the newest rows: their writer is gone with them.
        async with self._db.maintenance(system(), durable=False) as tx:
            for stream in await store.lock_free_streams(tx, list(missing)):
                saved.append(_Saved(missing.pop(stream.id), stream.saved))
            batches = [batch for each in saved if (batch := each.batch) is not None]
            if batches:
                await store.set_saved(tx, batches)
                await store.insert_batches(tx, batches)
            locked = await store.select_open_streams(tx, list(missing)) if missing else []
        for each in saved:
            self._finish_save(each)
        for stream_id in missing.keys() - set(locked):
            self._forget(stream_id)

    def _finish_save(self, saved: "_Saved") -> None:
        writer = saved.writer
        if writer.closed:
            return
        if saved.is_replaced:
            self._forget(writer.id)
            return
        writer.mark_saved(saved.until)
        if writer.hidden_after is not None and writer.ends == saved.ends:
            writer.hidden_after = None  # whoever began to end it has rolled back
            self._notifier.receive(topic(writer.id))
        if not writer.unsaved and writer.hidden_after is None:
            self._changed.pop(writer.id, None)
        if saved.batch is not None:
            self._notifier.notify_others(topic(writer.id))

    # Reading

    async def read_saved(self, tx: Tx, stream_id: str, data: type[T]) -> list[tuple[str, T]]:
        """Return what is saved of a stream, or will be with this transaction, for whoever ends it: names and data."""
        batches, rows = await store.select_all_batches(tx, stream_id), list[tuple[str, T]]()
        decoder = msgspec.json.Decoder(list[tuple[str, data]])  # type: ignore[valid-type]
        for batch in batches:
            rows += decoder.decode(batch.content)
        newest = batches[-1].last if batches else 0
        writer = self._writers.get(stream_id)
        unsaved = [row for row in (writer.unsaved if writer else ()) if row.number > newest]
        return rows + [(row.name, msgspec.json.decode(row.data, type=data)) for row in unsaved]

    def check_room(self, who: Principal) -> None:
        """Raise RateLimited if this caller has too many readers; call it before what the stream reports is begun."""
        self._limits.check(**_share_of(who))

    async def check_readable(self, db: Db, who: Principal, stream_id: str) -> None:
        """Raise NotFound for everyone but the owner."""
        writer = self._writers.get(stream_id)
        if writer is not None and writer.owner == access.owner_of(who):
            return
        if await store.get_stream(db, access.own_streams_fence(who), stream_id) is None:
            raise NotFound()

    async def read(
        self, db: Db, who: Principal, stream_id: str, after: int = 0
    ) -> AsyncGenerator[Sequence[StreamRow], None]:
        """Yield the rows after a number, also new ones, until the last; NotFound for everyone but the owner.

        Rows that are there together come together, and none if there was no new one for a while. After a number that
        the stream does not have yet, only the rows beyond it are yielded, and the last in any case.
        """
        await self.check_readable(db, who, stream_id)
        fence, after = access.own_streams_fence(who), min(max(after, 0), _MAX_NUMBER)
        with (
            self._count_reader(who),
            self._notifier.subscribe([topic(stream_id)]) as news,
            IdleTimer(POLL_SECONDS, news.set) as idle,
        ):
            writer = None
            while not self._notifier.stopping:
                news.clear()
                was_idle = idle.is_over
                writer = self._writers.get(stream_id, writer)
                rows = _unsaved_rows(writer, after)
                are_all = rows is not None and len(rows) < _ROWS_PER_READ
                if rows is None or (was_idle and not rows):
                    state = await store.get_stream(db, fence, stream_id)
                    if state is None or (state.ended and state.saved == after):
                        return
                    rows = await _saved_rows(db, fence, stream_id, state, after)
                    if not rows and state.saved > after:
                        after = state.saved  # a lost process has not saved what it had up to there
                        continue
                    are_all = not rows
                idle.reset()
                if rows or was_idle:
                    yield rows
                if rows:
                    after = rows[-1].number
                    if rows[-1].is_last:
                        return
                if rows and (pause := self._readers / READS_PER_SECOND) > _LEAST_PAUSE:
                    await asyncio.sleep(pause)
                elif are_all:
                    await news.wait()

    @contextmanager
    def _count_reader(self, who: Principal) -> Iterator[None]:
        with self._limits.count(**_share_of(who)):
            self._readers += 1
            try:
                yield
            finally:
                self._readers -= 1


class _Saved:
    """What one save writes of a stream, which is locked meanwhile."""

    def __init__(self, writer: StreamWriter, saved: int) -> None:
        """`saved` is what the database has; if an earlier save seemed to fail, it may be more than the writer knows."""
        self.writer, self.ends = writer, writer.ends
        self.is_replaced = saved > writer.newest
        """Whether another process has continued the stream."""
        rows = [row for row in writer.unsaved if row.number > saved]
        self.batch = pack(writer.id, rows) if rows else None
        self.until = rows[-1].number if rows else saved


def _unsaved_rows(writer: StreamWriter | None, after: int) -> list[StreamRow] | None:
    """Return the rows after a number from memory; None if some of them are only in the database."""
    if writer is None or after < writer.saved:
        return None
    rows = writer.rows_after(after, _ROWS_PER_READ)
    return None if writer.closed and not rows else rows


async def _saved_rows(db: Db, fence: Fence, stream_id: str, state: StreamState, after: int) -> list[StreamRow]:
    last = state.saved if state.ended else None
    if last is not None:
        after = min(after, last - 1)
    if after >= state.saved:
        return []
    batches = await store.select_batches(db, fence, stream_id, after, state.saved, _BATCHES_PER_READ)
    return [row for batch in batches for row in unpack(batch, last) if row.number > after]


def _share_of(who: Principal) -> dict[str, str]:
    return {"token": who.token_id, "company": who.org_id, "server": "this server"}


def topic(stream_id: str) -> str:
    return f"stream:{stream_id}"
