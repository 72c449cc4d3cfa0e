"""A disk with a volatile cache: what is synced stays, and of anything else a power cut leaves what it likes.

A log tells what happened to the files of one folder, in order. From it come all the images to which a cut may lead:
data that was written and not synced may be lost, kept, or kept in some sectors and torn in others; and whatever was
created, renamed or removed may not have been, unless the folder that holds the name was synced.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path, PurePosixPath

SECTOR = 512
FOLDER = 0
"""The number of a name that is a folder's; every file has one of its own."""


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
    """Names that change together: one that is new or gone, or both sides of a rename."""

    names: tuple[tuple[str, int | None], ...]

    @property
    def folder(self) -> str:
        """Where it must be synced: of a rename, where the file goes."""
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
    """Somebody has asked for something, which may have happened from here on."""

    what: object


@dataclass(frozen=True)
class Acknowledged:
    """Somebody was told that it has happened, and relies on it from here on."""

    what: object


Change = Written | Resized | Named
Event = Change | Synced | FolderSynced | Requested | Acknowledged
Outcome = Callable[[Change], Iterable[Change]]
"""What a cut leaves of a change that was not synced."""


def nothing(change: Change) -> Iterable[Change]:
    return ()


def everything(change: Change) -> Iterable[Change]:
    return (change,)


def torn(seed: int) -> Outcome:
    """Some of it, another part for each seed: whole sectors, and beginnings of sectors."""
    chance = random.Random(seed)
    loss = chance.choice((0.5, 0.1, 0.01))

    def left(change: Change) -> Iterator[Change]:
        if not isinstance(change, Written):
            if chance.random() >= loss:
                yield change
            return
        for sector in _sectors(change):
            if chance.random() >= loss:
                yield sector
            elif chance.random() < 0.5:
                yield Written(sector.file, sector.offset, sector.data[: chance.randrange(len(sector.data))])

    return left


def _sectors(change: Written) -> Iterator[Written]:
    start, end = change.offset, change.offset + len(change.data)
    while start < end:
        beyond = min(start - start % SECTOR + SECTOR, end)
        yield Written(change.file, start, change.data[start - change.offset : beyond - change.offset])
        start = beyond


class Image:
    """Files and folders by their names: what a machine finds when it has power again."""

    def __init__(self, entries: dict[str, bytes | None]) -> None:
        self.entries = entries

    @property
    def digest(self) -> bytes:
        summed = blake2b()
        for name, data in sorted(self.entries.items()):
            summed.update(f"{name}\0{-1 if data is None else len(data)}\0".encode() + (data or b""))
        return summed.digest()

    def write(self, root: Path) -> None:
        root.mkdir()
        for name, data in sorted(self.entries.items()):
            if data is None:
                (root / name).mkdir()
            else:
                (root / name).write_bytes(data)


class Disk:
    """What is certain to stay, and the changes that are only in the cache."""

    def __init__(self) -> None:
        self._files: dict[int, bytearray] = {}
        self._names: dict[str, int] = {}
        self._cached: list[Change] = []

    def take(self, event: Event) -> None:
        match event:
            case Written() | Resized() | Named():
                self._cached.append(event)
            case Synced(file):
                self._settle(lambda change: not isinstance(change, Named) and change.file == file)
            case FolderSynced(name):
                self._settle(lambda change: isinstance(change, Named) and change.folder == name)

    def _settle(self, reached: Callable[[Change], bool]) -> None:
        waiting: list[Change] = []
        for change in self._cached:
            if reached(change):
                _apply(change, self._files, self._names)
                waiting = [left for old in waiting if (left := _overtaken(old, change))]
            else:
                waiting.append(change)
        self._cached = waiting

    def after_a_cut(self, outcome: Outcome) -> Image:
        files = {file: bytearray(data) for file, data in self._files.items()}
        names = dict(self._names)
        for change in self._cached:
            for left in outcome(change):
                _apply(left, files, names)
        found: dict[str, bytes | None] = {}
        for name, file in sorted(names.items()):
            parent = str(PurePosixPath(name).parent)
            if parent == "." or parent in found:  # else nobody gets there
                found[name] = None if file == FOLDER else bytes(files.get(file, b""))
        return Image(found)


def _overtaken(old: Change, new: Change) -> Change | None:
    """What is left of a change when a later one has reached the disk: no name goes back to what it was in between."""
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
    """A moment, and what the disk has and may have of all that has happened by then."""

    happened: int
    disk: Disk
    """Only until the next cut is asked for."""


def cuts(log: Sequence[Event]) -> Iterator[Cut]:
    """Before each sync, and at the end: in between only more may be lost."""
    disk = Disk()
    for number, event in enumerate(log):
        if isinstance(event, Synced | FolderSynced):
            yield Cut(number, disk)
        disk.take(event)
    yield Cut(len(log), disk)


def cuts_when_acknowledged(log: Sequence[Event]) -> Iterator[Cut]:
    """After each time that somebody was told something."""
    disk = Disk()
    for number, event in enumerate(log, 1):
        disk.take(event)
        if isinstance(event, Acknowledged):
            yield Cut(number, disk)
