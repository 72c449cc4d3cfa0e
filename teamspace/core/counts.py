"""Where limits of concurrency keep what is taken: in this process, or in memory that the server's processes share."""

import struct
from collections import Counter
from pathlib import Path
from typing import Protocol

from teamspace.core.buckets import digest_of
from teamspace.core.mapped import map_file

_SLOTS = 1 << 13
_PROBES = 8
_DIGEST = struct.Struct("<Q")
_COUNT = struct.Struct("<H")
MAX_COUNT = 0xFFFF


class Counts(Protocol):
    """How many of each key are taken."""

    def read(self, key: str) -> int: ...

    def take(self, key: str) -> int:
        """Count one more; returns where, for `release`."""

    def release(self, key: str, place: int) -> None: ...


class LocalCounts:
    def __init__(self) -> None:
        self._taken: Counter[str] = Counter()

    def read(self, key: str) -> int:
        return self._taken[key]

    def take(self, key: str) -> int:
        self._taken[key] += 1
        return 0

    def release(self, key: str, place: int) -> None:
        self._taken[key] -= 1
        if not self._taken[key]:
            del self._taken[key]


class SharedCounts:
    """A hash table in a file that all processes map. A slot has a key's digest and a count for each process.

    A process writes only its own counts, so none is lost without a lock, and one that replaces a dead process starts
    with zeros. Two processes that need a slot at the same moment may take the same one: then a key's count is too low
    until its slot is free again, and what is released is always what was taken.
    """

    def __init__(self, file: Path, process: int, processes: int) -> None:
        """`process` is the position of this one among `processes`, which is the same for everyone who maps the file."""
        self._process, self._processes = process, processes
        self._size = _DIGEST.size + processes * _COUNT.size
        self._memory = map_file(file, _SLOTS * self._size)
        for place in range(0, len(self._memory), self._size):
            self._set(place, 0)

    def read(self, key: str) -> int:
        digest = digest_of(key)
        return sum(self._total(place) for place in self._places(digest) if self._holder(place) == digest)

    def take(self, key: str) -> int:
        digest = digest_of(key)
        place = self._place_for(digest)
        self._set(place, min(MAX_COUNT, self._own(place) + 1))
        return place

    def release(self, key: str, place: int) -> None:
        self._set(place, max(0, self._own(place) - 1))

    def _place_for(self, digest: int) -> int:
        """Return the key's slot, or a free one that is now the key's, or its first: then it counts with another key."""
        places = self._places(digest)
        for place in places:
            if self._holder(place) == digest:
                return place
        free = next((place for place in places if not self._total(place)), None)
        if free is None:
            return places[0]
        _DIGEST.pack_into(self._memory, free, digest)
        return free

    def _places(self, digest: int) -> range:
        first = digest % (_SLOTS - _PROBES)
        return range(first * self._size, (first + _PROBES) * self._size, self._size)

    def _holder(self, place: int) -> int:
        return int(_DIGEST.unpack_from(self._memory, place)[0])

    def _total(self, place: int) -> int:
        return sum(struct.unpack_from(f"<{self._processes}H", self._memory, place + _DIGEST.size))

    def _own(self, place: int) -> int:
        return int(_COUNT.unpack_from(self._memory, self._own_offset(place))[0])

    def _set(self, place: int, count: int) -> None:
        _COUNT.pack_into(self._memory, self._own_offset(place), count)

    def _own_offset(self, place: int) -> int:
        return place + _DIGEST.size + self._process * _COUNT.size
