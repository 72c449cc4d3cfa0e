"""Verifies an export without the server: every line by itself, and its link to the line before."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import BinaryIO

import msgspec

from teamspace.core.db.audit import ZERO_HASH, ChainHead, ChainLine, parse_heads

CLEAN, BROKEN, UNREADABLE = 0, 1, 2
_decoder = msgspec.json.Decoder(ChainLine)


class BrokenExport(Exception):
    """The export was changed; the message says where and why."""


def verify_file(export: str, heads: str | None, *, complete: bool) -> tuple[int, str]:
    """Verify a file (`-` is standard input); return an exit status and a message."""
    try:
        saved = parse_heads(Path(heads).read_text().splitlines()) if heads else None
        with _open(export) as file:
            return CLEAN, "ok: " + verify(file, saved, complete=complete)
    except BrokenExport as fault:
        return BROKEN, f"broken: {fault}"
    except OSError as fault:
        return UNREADABLE, f"teamspace: cannot read {fault.filename or export}: {fault.strerror or fault}"
    except ValueError as fault:
        return UNREADABLE, f"teamspace: cannot read {heads}: {fault}"


def _open(export: str) -> AbstractContextManager[BinaryIO]:
    return nullcontext(sys.stdin.buffer) if export == "-" else Path(export).open("rb")


def verify(export: Iterable[bytes], heads: list[ChainHead] | None = None, *, complete: bool = False) -> str:
    """Return a summary of the export, or raise BrokenExport.

    With `complete` the export must contain all rows from the first one on. With `heads` the chain must contain
    these saved heads.
    """
    reader = _ExportReader(heads, complete)
    for number, raw in enumerate(export, 1):
        if text := raw.rstrip(b"\r\n"):
            reader.read(number, text)
    reader.end()
    return reader.summary()


class _SavedHeads:
    """The saved heads. The same position of a chain may have been saved more than once."""

    def __init__(self, heads: Iterable[ChainHead]) -> None:
        self._hashes: dict[tuple[str, int], set[str]] = {}
        self._farthest: dict[str, int] = {}
        for head in heads:
            self._hashes.setdefault((head.org_id, head.seq), set()).add(head.hash)
            self._farthest[head.org_id] = max(head.seq, self.farthest(head.org_id))

    def farthest(self, org_id: str | None) -> int:
        """Return the highest saved number of the company's chain; of any chain if the company is unknown."""
        return max(self._farthest.values(), default=0) if org_id is None else self._farthest.get(org_id, 0)

    def contradicts(self, line: ChainLine) -> bool:
        positions = ((line.seq, line.hash), (line.seq - 1, line.prev))
        return any(self._hashes.get((line.org_id, seq), {digest}) != {digest} for seq, digest in positions)


class _ExportReader:
    """The state while reading an export."""

    def __init__(self, heads: list[ChainHead] | None, complete: bool) -> None:
        self._has_heads = heads is not None
        self._saved = _SavedHeads(heads or ())
        self._complete = complete
        self._first: ChainLine | None = None
        self._last: ChainLine | None = None
        self._number = self._count = self._gaps = 0

    @property
    def _reached(self) -> int:
        return self._last.seq if self._last else 0

    @property
    def _farthest(self) -> int:
        return self._saved.farthest(self._last.org_id if self._last else None)

    def read(self, number: int, text: bytes) -> None:
        line = _decode(number, text)
        for fault in self._faults(line):
            raise BrokenExport(f"line {number}, seq {line.seq}: {fault}")
        self._gaps += bool(self._last and line.seq > self._reached + 1)
        self._count += 1
        self._number, self._first, self._last = number, self._first or line, line

    def end(self) -> None:
        if self._farthest > self._reached:
            end = f"line {self._number}, seq {self._reached}"
            raise BrokenExport(f"{end}: the export ends here, but a saved head has seq {self._farthest}")

    def summary(self) -> str:
        if self._first is None or self._last is None:
            return "no events"
        first, last = self._first, self._last
        events = f"{self._count} of {last.seq - first.seq + 1}" if self._gaps else f"{self._count}"
        owner = f"company {last.org_id}" if last.org_id else "the instance"
        gaps = f"; gaps: {self._gaps}" if self._gaps else ""
        unproven = "; no saved head for this chain" if self._has_heads and not self._farthest else ""
        return f"{events} events of {owner}, {first.seq} to {last.seq}, head {last.hash}{gaps}{unproven}"

    def _faults(self, line: ChainLine) -> Iterator[str]:
        if self._last and line.org_id != self._last.org_id:
            yield "belongs to another company than the line before"
        if line.seq <= self._reached:
            yield f"does not come after seq {self._reached}"
        if not line.is_valid:
            yield "the content does not match its hash"
        if line.seq == self._reached + 1 and line.prev != (self._last.hash if self._last else ZERO_HASH):
            yield "does not follow the line before"
        if self._complete and line.seq > self._reached + 1:
            yield f"seq {self._reached + 1} is missing"
        if self._saved.contradicts(line):
            yield "its hash, or the previous one, differs from the saved head"


def _decode(number: int, text: bytes) -> ChainLine:
    try:
        line = _decoder.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise BrokenExport(f"line {number}: not a line of an export") from None
    if msgspec.json.encode(line) != text:
        # With a repeated field, for instance, people could see another value than the one we verify.
        raise BrokenExport(f"line {number}, seq {line.seq}: not formatted as the server writes it")
    return line
