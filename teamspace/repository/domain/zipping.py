"""Several objects as one zip, which is written while it is sent: in memory there is one piece and the list of names."""

import asyncio
import zipfile
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

from teamspace import tenancy
from teamspace.blobs import BlobStore
from teamspace.core import pools
from teamspace.core.db import Db
from teamspace.core.errors import BadRequest, NotFound, Unauthenticated
from teamspace.core.principal import Principal
from teamspace.repository import access, store
from teamspace.repository.domain import finding, key_order, reading
from teamspace.repository.domain.zip_names import ZipNames
from teamspace.repository.schemas import ObjectRow, VersionRow, ZipRequest

MAX_FILES = 10_000
MISSING = "not included.txt"
_PAGE = 500
_PIECE = 64 * 1024
_FIRST_YEAR = 1980

Chosen = list[tuple[str, str]]
"""Ids of objects, and the path of each in the zip."""


async def choose(db: Db, who: Principal, request: ZipRequest, *, names_gone: bool = False) -> Chosen:
    """Return what the zip will contain. An object that the caller cannot read is refused, or is named by its id."""
    if not request.ids and not request.prefixes:
        raise BadRequest("repository.zip_nothing")
    ids = sorted(set(request.ids))
    chosen: dict[str, str] = {}
    for start in range(0, len(ids), _PAGE):
        found = await store.select_by_ids(db, access.fence_of_named(who), ids[start : start + _PAGE])
        chosen.update((item.id, item.key.rpartition("/")[2] or item.filename) for item in found)
        await asyncio.sleep(0)  # a page is read on the event loop
    gone = [(object_id, object_id) for object_id in ids if object_id not in chosen]
    if gone and not names_gone:
        raise NotFound()
    chosen.update(gone)
    for prefix in _outermost(request.prefixes):
        above = prefix.rstrip("/").rfind("/") + 1
        async for row in _below(db, who, prefix):
            chosen.setdefault(row.id, row.key[above:])
            if len(chosen) > MAX_FILES:
                raise BadRequest("repository.zip_limit", limit=MAX_FILES)
    return list(chosen.items())


def _outermost(prefixes: list[str]) -> list[str]:
    """Return the prefixes without those that others contain: a hundred times the same one is one walk."""
    kept: list[str] = []
    for prefix in sorted(prefixes):
        if not kept or not prefix.startswith(kept[-1]):
            kept.append(prefix)
    return kept


async def _below(db: Db, who: Principal, prefix: str) -> AsyncIterator[ObjectRow]:
    after: key_order.Position | None = None
    while True:
        walk = await key_order.walk_team(db, who, prefix=prefix, delimiter="", after=after, size=_PAGE)
        for entry in walk.entries:
            # Programs that use S3 make such a key to show an empty folder.
            if not isinstance(entry, str) and not (entry.key.endswith("/") and not entry.size):
                yield entry
        after = walk.next_position
        if after is None:
            return
        await asyncio.sleep(0)


async def write(db: Db, files: BlobStore, who: Principal, chosen: Chosen) -> AsyncGenerator[bytes, None]:
    """Yield the zip. The right to read an object is checked when its turn comes; one that is gone by then is listed in
    a text file at the end."""
    sink, names, missing = _Sink(), ZipNames(), list[str]()
    names.choose(MISSING)
    archive = zipfile.ZipFile(sink, "w")
    try:
        for object_id, path in chosen:
            # Thousands can be gone, or so small that they are in the database: nothing else waits.
            await asyncio.sleep(0)
            version = await _read_right(db, who, object_id)
            if version is None:
                missing.append(path)
                continue
            async with aclosing(_write_file(db, files, archive, sink, names.choose(path), version)) as pieces:
                async for piece in pieces:
                    yield piece
        if missing:
            archive.writestr(MISSING, "\n".join(missing) + "\n")
        await pools.TEXT.run(archive.close)  # writes the list of names
        yield sink.take()
    finally:
        archive.close()


async def _read_right(db: Db, who: Principal, object_id: str) -> VersionRow | None:
    """Return the newest version if the caller may still read the object, with the rights that they have now."""
    try:
        now = await tenancy.act_for(db, who.call, who.user_id, who.team_id, scope=who.scope)
        row = await finding.get_visible(db, now, object_id)
        return await finding.get_version(db, row, row.version)
    except (NotFound, Unauthenticated):
        return None


async def _write_file(
    db: Db, files: BlobStore, archive: zipfile.ZipFile, sink: "_Sink", name: str, version: VersionRow
) -> AsyncGenerator[bytes, None]:
    date = version.created_at
    info = zipfile.ZipInfo(name, (max(int(date[:4]), _FIRST_YEAR), int(date[5:7]), int(date[8:10]),
                                  int(date[11:13]), int(date[14:16]), int(date[17:19])))  # fmt: skip
    info.external_attr = 0o644 << 16
    info.file_size = version.size
    content = reading.read_range(db, files, version, 0, version.size)
    async with aclosing(content):
        with archive.open(info, "w", force_zip64=version.size >= zipfile.ZIP64_LIMIT) as entry:
            async for chunk in content:
                entry.write(chunk)
                if sink.size >= _PIECE:
                    yield sink.take()


class _Sink:
    """A stream that zipfile writes to, and that is emptied while it does."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self.size = 0

    def write(self, data: bytes) -> int:
        self._pieces.append(bytes(data))
        self.size += len(data)
        return len(data)

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass

    def take(self) -> bytes:
        taken = b"".join(self._pieces)
        self._pieces.clear()
        self.size = 0
        return taken
