"""The writing end of a stream: rows that are not saved yet, in bounded memory."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from teamspace.core.errors import Overloaded, TooLarge
from teamspace.events.schemas import StreamBatch, StreamRow

MAX_BYTES, MAX_ROWS = 1024 * 1024, 20_000
"""How much a stream can have; its last row does not count."""
MAX_UNSAVED_ROWS = 4_000
MAX_UNSAVED_BYTES = 64 * 1024 * 1024
"""How much all streams of this process can have in memory: some ten seconds of a thousand streams."""
MAX_END_BYTES = 16 * 1024
"""How much of a stream that has ended its readers can keep in memory, so that most need not read its end elsewhere."""
ROW_BYTES = 200
"""What a row takes besides its data."""


class Memory:
    """The bytes of all unsaved rows of this process."""

    def __init__(self) -> None:
        self.used = 0

    def take(self, size: int) -> None:
        if self.used + size > MAX_UNSAVED_BYTES:
            raise Overloaded("events.unsaved", 2)
        self.used += size


class StreamWriter:
    """Appends to one stream; there is one writer per stream."""

    __slots__ = (
        "_bytes", "_memory", "_on_append", "_rows", "closed", "ends", "hidden_after", "id", "owner", "saved", "unsaved",
    )  # fmt: skip

    def __init__(
        self, stream_id: str, saved: int, owner: tuple[str, str, str], on_append: Callable[["StreamWriter"], None]
    ) -> None:
        self.id, self.saved, self.owner = stream_id, saved, owner
        self.unsaved: list[StreamRow] = []
        """The rows after `saved`, numbered without a gap."""
        self.closed = False
        self.ends = 0
        """How often someone began to end the stream."""
        self.hidden_after: int | None = None
        """Someone ends the stream after this row: later ones exist only if that is rolled back."""
        self._rows, self._bytes = 0, 0
        self._memory, self._on_append = Memory(), on_append

    @property
    def newest(self) -> int:
        return self.saved + len(self.unsaved)

    def append(self, name: str, data: Any) -> None:
        """Add a row with a struct or dict; nothing happens if the stream has ended.

        Raises TooLarge if the stream is full: then it can only be ended. Raises Overloaded if rows are not saved as
        fast as they come.
        """
        if self.closed:
            return
        encoded = msgspec.json.encode(data)
        if not encoded.startswith(b"{"):
            raise TypeError("the data of a row is an object")
        if self._rows >= MAX_ROWS or self._bytes + len(encoded) > MAX_BYTES:
            raise TooLarge("events.stream_full", rows=MAX_ROWS, bytes=MAX_BYTES)
        if len(self.unsaved) >= MAX_UNSAVED_ROWS:
            raise Overloaded("events.unsaved", 2)
        self._memory.take(len(encoded) + ROW_BYTES)
        self._rows += 1
        self._bytes += len(encoded)
        self.unsaved.append(StreamRow(self.newest + 1, name, encoded))
        self._on_append(self)

    def share(self, memory: Memory) -> None:
        """Count the rows in the memory of all: the stream exists."""
        memory.used += self._memory.used
        self._memory = memory

    def rows_after(self, number: int, limit: int) -> list[StreamRow]:
        """Return the unsaved rows that readers can see; `number` is at least `saved`."""
        start = number - self.saved
        rows = self.unsaved[start : start + limit]
        if self.hidden_after is not None:
            rows = [row for row in rows if row.number <= self.hidden_after]
        return rows

    def mark_saved(self, number: int) -> None:
        """Drop the rows up to this number: readers find them in the database."""
        count = max(number - self.saved, 0)
        self._memory.used -= sum(len(row.data) + ROW_BYTES for row in self.unsaved[:count])
        del self.unsaved[:count]
        self.saved += count

    def close(self) -> None:
        """Drop all rows: the stream has ended, or another process continues it."""
        self.mark_saved(self.newest)
        self.closed = True

    def finish(self, last: StreamRow) -> None:
        """Close it after the stream's last row. Who reads it now finds the last rows here, if they are short."""
        saved, rows = self.saved, [*self.unsaved[: last.number - 1 - self.saved], last]
        self.close()
        if sum(len(row.data) + ROW_BYTES for row in rows) <= MAX_END_BYTES:
            self.saved, self.unsaved, self.hidden_after = saved, rows, None


_CONTENT = msgspec.json.Decoder(list[tuple[str, msgspec.Raw]])


def pack(stream_id: str, rows: Sequence[StreamRow]) -> StreamBatch:
    content = msgspec.json.encode([(row.name, msgspec.Raw(row.data)) for row in rows])
    return StreamBatch(stream_id, rows[0].number, rows[-1].number, content.decode())


def unpack(batch: StreamBatch, last: int | None) -> list[StreamRow]:
    """Return the rows of a batch; `last` is the number of the stream's last row, if it has ended."""
    return [
        StreamRow(number, name, bytes(data), number == last)
        for number, (name, data) in enumerate(_CONTENT.decode(batch.content), batch.first)
    ]
