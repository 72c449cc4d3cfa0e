"""Where rate limits keep their token buckets: in this process, or in memory that the server's processes share."""

import hashlib
import struct
from collections import OrderedDict
from pathlib import Path
from typing import Protocol

from teamspace.core.mapped import map_file

_MAX_BUCKETS = 50_000
_SLOTS = 1 << 16
_PROBES = 8
_SLOT = struct.Struct("<Qdd")


class Buckets(Protocol):
    """The level of each key's bucket, and when it had that level, in seconds of the monotonic clock."""

    def read(self, key: str) -> tuple[float, float] | None: ...

    def write(self, key: str, level: float, since: float) -> None: ...


class LocalBuckets:
    def __init__(self) -> None:
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def read(self, key: str) -> tuple[float, float] | None:
        return self._buckets.get(key)

    def write(self, key: str, level: float, since: float) -> None:
        self._buckets[key] = (level, since)
        self._buckets.move_to_end(key)
        if len(self._buckets) > _MAX_BUCKETS:
            self._buckets.popitem(last=False)


class SharedBuckets:
    """A hash table in a file that all processes map: a limit counts for the server, whichever process is asked.

    Without a lock: two processes that count for one key at the same moment may count one request less. A key has a few
    slots to choose from, and takes the oldest of them if all are in use.
    """

    def __init__(self, file: Path) -> None:
        self._memory = map_file(file, _SLOTS * _SLOT.size)

    def read(self, key: str) -> tuple[float, float] | None:
        digest = digest_of(key)
        for place in _places(digest):
            found, level, since = _SLOT.unpack_from(self._memory, place)
            if found == digest:
                return level, since
        return None

    def write(self, key: str, level: float, since: float) -> None:
        digest = digest_of(key)
        oldest, oldest_since = 0, float("inf")
        for place in _places(digest):
            found, _, was_since = _SLOT.unpack_from(self._memory, place)
            if found == digest:
                oldest = place
                break
            if was_since < oldest_since:
                oldest, oldest_since = place, was_since
        _SLOT.pack_into(self._memory, oldest, digest, level, since)


def digest_of(key: str) -> int:
    """Return the 64 bits that stand for a key in shared memory."""
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest(), "little")


def _places(digest: int) -> range:
    """Return the offsets of a key's slots, which are neighbours."""
    first = digest % (_SLOTS - _PROBES)
    return range(first * _SLOT.size, (first + _PROBES) * _SLOT.size, _SLOT.size)
