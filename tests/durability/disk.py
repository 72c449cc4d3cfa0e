"""A simulated disk with a volatile cache: synced data survives a power cut, any other data may or may not.

A log lists the changes to the files of one folder, in order. From it come all the images that a cut can leave: data
that was written and not synced may be lost, kept, or kept in some sectors and torn in others; and a create, rename or
remove may be undone unless the folder that contains the name was synced.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path, PurePosixPath

SECTOR = 512
FOLDER = 0
"""The number of all folders; every file has its own number."""


@dataclass(frozen=True)
class Written:
    file: int
    offset: int
    data: bytes


@dataclass(frozen=True)
class Resized:
    file: int
    size: int


@dataclass(frozen=True)
class Named:
    """Names that change together: one that is created or removed, or both names of a rename."""

    names: tuple[tuple[str, int | None], ...]

    @property
    def folder(self) -> str:
        """The folder to sync; for a rename, the target folder."""
        name = next((name for name, file in self.names if file is not None), self.names[0][0])
        return str(PurePosixPath(name).parent)


@dataclass(frozen=True)
class Synced:
    file: int


@dataclass(frozen=True)
class FolderSynced:
    name: str


@dataclass(frozen=True)
class Requested:
    """A request was sent; it may have taken effect from here on."""

    what: object


@dataclass(frozen=True)
class Acknowledged:
    """A request was acknowledged; its effect must survive from here on."""

    what: object


Change = Written | Resized | Named
Event = Change | Synced | FolderSynced | Requested | Acknowledged
Outcome = Callable[[Change], Iterable[Change]]
"""Returns what a cut leaves of a change that was not synced."""


def nothing(change: Change) -> Iterable[Change]:
    return ()


def everything(change: Change) -> Iterable[Change]:
    return (change,)


def torn(seed: int) -> Outcome:
    """Keep a part that depends on the seed: whole sectors, and beginnings of sectors."""
    rng = random.Random(seed)
    loss = rng.choice((0.5, 0.1, 0.01))

    def left(change: Change) -> Iterator[Change]:
        if not isinstance(change, Written):
            if rng.random() >= loss:
                yield change
            return
        for sector in _sectors(change):
            if rng.random() >= loss:
                yield sector
            elif rng.random() < 0.5:
                yield Written(sector.file, sector.offset, sector.data[: rng.randrange(len(sector.data))])

    return left


def _sectors(change: Written) -> Iterator[Written]:
    start, end = change.offset, change.offset + len(change.data)
    while start < end:
        limit = min(start - start % SECTOR + SECTOR, end)
        yield Written(change.file, start, change.data[start - change.offset : limit - change.offset])
        start = limit


class Image:
    """Files and folders by name: what is on the disk when power is back."""

    def __init__(self, entries: dict[str, bytes | None]) -> None:
        self.entries = entries

    @property
    def digest(self) -> bytes:
        hashed = blake2b()
        for name, data in sorted(self.entries.items()):
            hashed.update(f"{name}\0{-1 if data is None else len(data)}\0".encode() + (data or b""))
        return hashed.digest()

    def write(self, root: Path) -> None:
        root.mkdir()
        for name, data in sorted(self.entries.items()):
            if data is None:
                (root / name).mkdir()
            else:
                (root / name).write_bytes(data)


class Disk:
    """The synced state, and the changes that are only in the cache."""

    def __init__(self) -> None:
        self._files: dict[int, bytearray] = {}
        self._names: dict[str, int] = {}
        self._cached: list[Change] = []

    def record(self, event: Event) -> None:
        match event:
            case Written() | Resized() | Named():
                self._cached.append(event)
            case Synced(file):
                self._sync(lambda change: not isinstance(change, Named) and change.file == file)
            case FolderSynced(name):
                self._sync(lambda change: isinstance(change, Named) and change.folder == name)

    def _sync(self, reached: Callable[[Change], bool]) -> None:
        unsynced: list[Change] = []
        for change in self._cached:
            if reached(change):
                _apply(change, self._files, self._names)
                unsynced = [left for old in unsynced if (left := _superseded(old, change))]
            else:
                unsynced.append(change)
        self._cached = unsynced

    def image_after_cut(self, outcome: Outcome) -> Image:
        files = {file: bytearray(data) for file, data in self._files.items()}
        names = dict(self._names)
        for change in self._cached:
            for left in outcome(change):
                _apply(left, files, names)
        found: dict[str, bytes | None] = {}
        for name, file in sorted(names.items()):
            parent = str(PurePosixPath(name).parent)
            if parent == "." or parent in found:  # otherwise it is unreachable
                found[name] = None if file == FOLDER else bytes(files.get(file, b""))
        return Image(found)


def _superseded(old: Change, new: Change) -> Change | None:
    """Return what is left of a change when a later one was synced first: names do not go back to an intermediate state."""
    if not isinstance(old, Named) or not isinstance(new, Named):
        return old
    names = tuple((name, file) for name, file in old.names if name not in dict(new.names))
    return Named(names) if names else None


def _apply(change: Change, files: dict[int, bytearray], names: dict[str, int]) -> None:
    match change:
        case Written(file, offset, data):
            content = files.setdefault(file, bytearray())
            content.extend(bytes(max(0, offset - len(content))))
            content[offset : offset + len(data)] = data
        case Resized(file, size):
            content = files.setdefault(file, bytearray())
            content.extend(bytes(max(0, size - len(content))))
            del content[size:]
        case Named():
            for name, named in change.names:
                if named is None:
                    names.pop(name, None)
                else:
                    names[name] = named


@dataclass(frozen=True)
class Cut:
    """A power cut after a number of events, and the disk at that moment."""

    event_count: int
    disk: Disk
    """Valid until the next cut is generated."""


def cuts(log: Sequence[Event]) -> Iterator[Cut]:
    """Yield a cut before each sync and at the end; cuts in between can only lose the same changes."""
    disk = Disk()
    for number, event in enumerate(log):
        if isinstance(event, Synced | FolderSynced):
            yield Cut(number, disk)
        disk.record(event)
    yield Cut(len(log), disk)


def cuts_when_acknowledged(log: Sequence[Event]) -> Iterator[Cut]:
    """Yield a cut after each acknowledgement."""
    disk = Disk()
    for number, event in enumerate(log, 1):
        disk.record(event)
        if isinstance(event, Acknowledged):
            yield Cut(number, disk)
