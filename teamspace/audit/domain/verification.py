"""An export verified without the server: every line by itself, and each with the one before it."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import BinaryIO

import msgspec

from teamspace.core.db.audit import START, Head, Line, kept_heads

CLEAN, BROKEN, UNREADABLE = 0, 1, 2
_decoder = msgspec.json.Decoder(Line)


class Broken(Exception):
    """The export is not what the server wrote; the message says where and why."""


def verify_file(export: str, heads: str | None, *, whole: bool) -> tuple[int, str]:
    """An exit status, and the line that says why. `-` stands for standard input."""
    try:
        kept = kept_heads(Path(heads).read_text().splitlines()) if heads else None
        with _opened(export) as file:
            return CLEAN, "ok: " + verified(file, kept, whole=whole)
    except Broken as fault:
        return BROKEN, f"broken: {fault}"
    except OSError as fault:
        return UNREADABLE, f"teamspace: cannot read {fault.filename or export}: {fault.strerror or fault}"
    except ValueError as fault:
        return UNREADABLE, f"teamspace: cannot read {heads}: {fault}"


def _opened(export: str) -> AbstractContextManager[BinaryIO]:
    return nullcontext(sys.stdin.buffer) if export == "-" else Path(export).open("rb")


def verified(export: Iterable[bytes], heads: list[Head] | None = None, *, whole: bool = False) -> str:
    """What the export holds, in words; Broken when it does not hold together.

    With `whole` there may be no gap from the first row of the chain on. With `heads` the chain must
    reach those that were kept elsewhere, and pass through them.
    """
    reading = _Reading(heads, whole)
    for number, raw in enumerate(export, 1):
        if text := raw.rstrip(b"\r\n"):
            reading.take(number, text)
    reading.end()
    return reading.words()


class _Kept:
    """The heads that were kept elsewhere. One place of a chain may have been kept more than once."""

    def __init__(self, heads: Iterable[Head]) -> None:
        self._hashes: dict[tuple[str, int], set[str]] = {}
        self._farthest: dict[str, int] = {}
        for head in heads:
            self._hashes.setdefault((head.org_id, head.seq), set()).add(head.hash)
            self._farthest[head.org_id] = max(head.seq, self.farthest(head.org_id))

    def farthest(self, org_id: str | None) -> int:
        """How far the company's chain was seen to reach; when nothing says whose it is, how far any was."""
        return max(self._farthest.values(), default=0) if org_id is None else self._farthest.get(org_id, 0)

    def contradicts(self, line: Line) -> bool:
        places = ((line.seq, line.hash), (line.seq - 1, line.prev))
        return any(self._hashes.get((line.org_id, seq), {digest}) != {digest} for seq, digest in places)


class _Reading:
    """One export, as far as it was read."""

    def __init__(self, heads: list[Head] | None, whole: bool) -> None:
        self._asked = heads is not None
        self._kept = _Kept(heads or ())
        self._whole = whole
        self._first: Line | None = None
        self._last: Line | None = None
        self._number = self._count = self._gaps = 0

    @property
    def _reached(self) -> int:
        return self._last.seq if self._last else 0

    @property
    def _farthest(self) -> int:
        return self._kept.farthest(self._last.org_id if self._last else None)

    def take(self, number: int, text: bytes) -> None:
        line = _decoded(number, text)
        for fault in self._faults(line):
            raise Broken(f"line {number}, seq {line.seq}: {fault}")
        self._gaps += bool(self._last and line.seq > self._reached + 1)
        self._count += 1
        self._number, self._first, self._last = number, self._first or line, line

    def end(self) -> None:
        if self._farthest > self._reached:
            end = f"line {self._number}, seq {self._reached}"
            raise Broken(f"{end}: it ends here, and the chain was seen to reach seq {self._farthest}")

    def words(self) -> str:
        if self._first is None or self._last is None:
            return "no events"
        first, last = self._first, self._last
        events = f"{self._count} of {last.seq - first.seq + 1}" if self._gaps else f"{self._count}"
        whose = f"company {last.org_id}" if last.org_id else "the instance"
        gaps = f"; gaps: {self._gaps}" if self._gaps else ""
        unproven = "; no head of it was kept" if self._asked and not self._farthest else ""
        return f"{events} events of {whose}, {first.seq} to {last.seq}, head {last.hash}{gaps}{unproven}"

    def _faults(self, line: Line) -> Iterator[str]:
        if self._last and line.org_id != self._last.org_id:
            yield "it is of another company than the line before it"
        if line.seq <= self._reached:
            yield f"it does not come after seq {self._reached}"
        if not line.holds:
            yield "its content does not fit its hash"
        if line.seq == self._reached + 1 and line.prev != (self._last.hash if self._last else START):
            yield "it does not follow from the line before it"
        if self._whole and line.seq > self._reached + 1:
            yield f"seq {self._reached + 1} is missing"
        if self._kept.contradicts(line):
            yield "its hash, or the one before it, is not the one that was kept"


def _decoded(number: int, text: bytes) -> Line:
    try:
        line = _decoder.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise Broken(f"line {number}: it is not a line of an export") from None
    if msgspec.json.encode(line) != text:
        # A field that stands there twice, for instance, would show people another value than it shows us.
        raise Broken(f"line {number}, seq {line.seq}: it is not written as the server writes it")
    return line
