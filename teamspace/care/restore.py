"""A restore into an empty place: everything is checked before anything can be seen, and a repeat after a crash is fine."""

import asyncio
import os
import secrets
import shutil
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from itertools import islice
from pathlib import Path
from typing import IO

from teamspace import blobs
from teamspace.app import prepare_folder, restoring
from teamspace.care.alone import alone
from teamspace.care.archive import Reader
from teamspace.care.errors import CareError
from teamspace.care.examine import promises
from teamspace.care.keys import key_of
from teamspace.care.manifest import Manifest, check_mac
from teamspace.care.rows import decoder
from teamspace.care.stock import unlisted
from teamspace.care.view import View
from teamspace.core import clock
from teamspace.core.crypto import sync_folder
from teamspace.core.db import Engine, audit, catalog, connect
from teamspace.core.db.dialect import Dialect
from teamspace.core.db.engine import Loading
from teamspace.core.db.migrate import Migration, apply, shipped
from teamspace.settings import Settings

_BUFFER = 1 << 20
_BLOBS_AT_ONCE = 8  # they share the disk's syncs; one after the other took five times as long


async def restore(settings: Settings, source: Path, *, check: bool = True) -> str:
    """Fill the settings' empty database and folder from `source`; a line about what that was."""
    began = time.monotonic()
    with Reader(source) as reader:
        manifest = reader.manifest
        known, newer = _migrations(manifest)
        check_mac(manifest, key_of(manifest, settings))
        prepare_folder(settings.data)
        async with alone(settings), _empty(settings) as engine:
            dialect = engine.dialect
            reader.verify()
            async with engine.loading() as loading:
                await apply(loading, dialect, known)
                strange = await _load(loading, dialect, reader)
                await apply(loading, dialect, newer)
                # The files will lie in another folder, which the first start makes the database's own.
                await loading.fetch(f"DELETE FROM instance WHERE name = '{blobs.FOLDER_ID}'", {})
                await _check(loading, dialect, manifest, thoroughly=check)
                await _put_blobs(reader, settings)
    left_out = f"; left out: {', '.join(strange)}, which no migration makes" if strange else ""
    return (
        f"restored {source} of {manifest.created_at}: {manifest.rows} rows of {len(manifest.tables)} tables,"
        f" {manifest.blobs} blobs, {time.monotonic() - began:.1f} s{left_out}"
    )


def _migrations(manifest: Manifest) -> tuple[list[Migration], list[Migration]]:
    """Those that the rows need, and those that came later."""
    ours = {migration.number: migration for migration in shipped()}
    for theirs in manifest.migrations:
        if theirs.number not in ours:
            raise CareError(
                f"the backup has schema {manifest.schema}, this server knows {max(ours)}: restore it with the newer server"
            )
        if theirs.digest != ours[theirs.number].digest:
            raise CareError(f"{theirs.name} is not the one the backup was made with")
    done = {theirs.number for theirs in manifest.migrations}
    known = [migration for number, migration in ours.items() if number in done]
    return known, [migration for number, migration in ours.items() if number not in done]


# The place


@asynccontextmanager
async def _empty(settings: Settings) -> AsyncIterator[Engine]:
    """An empty database, which is the settings' own once the block has ended well."""
    if settings.on_sqlite:
        async with _new_file(Path(settings.database.removeprefix("sqlite:")), restoring(settings)) as engine:
            yield engine
        return
    engine = await connect(settings.database, pool=1)
    try:
        if await catalog.tables(engine, engine.dialect):
            raise CareError("the database already holds something: a restore needs an empty one")
        with _marked(restoring(settings)):
            yield engine
    finally:
        await engine.close()


@contextmanager
def _marked(marker: Path) -> Iterator[None]:
    """A file that stays if this process is killed: nobody takes an empty database for a new instance then."""
    marker.touch()
    sync_folder(marker.parent)
    try:
        yield
    finally:
        marker.unlink()
        sync_folder(marker.parent)


@asynccontextmanager
async def _new_file(path: Path, draft: Path) -> AsyncIterator[Engine]:
    """A file beside the name it is to have. It gets that in the last step, whole and on disk."""
    for name in (path, path.with_name(f"{path.name}-wal")):  # a log without its database would be played into ours
        if name.exists() and name.stat().st_size:
            raise CareError(f"{name} already holds something: a restore needs an empty folder")
    _remove(draft)
    try:
        engine = await connect(f"sqlite:{draft}")
        try:
            yield engine
        finally:
            await engine.close()
        _give_name(draft, path)
    finally:
        _remove(draft)


def _remove(draft: Path) -> None:
    for file in draft.parent.glob(f"{draft.name}*"):
        file.unlink()


def _give_name(draft: Path, path: Path) -> None:
    wal = draft.with_name(f"{draft.name}-wal")
    if wal.exists() and wal.stat().st_size:
        raise CareError(f"{draft} could not be completed")
    with draft.open("rb") as file:
        os.fsync(file.fileno())
    for leftover in ("-wal", "-shm"):
        path.with_name(f"{path.name}{leftover}").unlink(missing_ok=True)
    draft.rename(path)
    sync_folder(path.parent)


# The content


async def _load(loading: Loading, dialect: Dialect, reader: Reader) -> list[str]:
    """Fill every table; the names of those in the backup that somebody else has made, and that have no place here."""
    tables = {table.name: table for table in await catalog.tables(loading, dialect)}
    for name in reversed(tables):  # migrations bring rows of their own, and so does the backup
        await loading.fetch(f'DELETE FROM "{name}"', {})
    for name, table in tables.items():
        entry = reader.manifest.table(name)
        column = {column.name: column for column in table.columns}
        rows = reader.rows(entry, decoder([column[name] for name in entry.columns]))
        await loading.load(name, entry.columns, rows)
    return [entry.name for entry in reader.manifest.tables if entry.name not in tables]


async def _check(loading: Loading, dialect: Dialect, manifest: Manifest, *, thoroughly: bool) -> None:
    view = View(loading, dialect)
    for fault in [*await loading.dangling(), *(await unlisted(view)).found]:
        raise CareError(f"the backup is not whole: {fault}")
    if thoroughly:
        async for verdict in promises(view):
            for fault in verdict.found:
                raise CareError(f"{verdict.name} does not hold: {fault}; --no-check restores it all the same")
        for fault in await audit.check_heads(view, map(str, manifest.heads)):
            raise CareError(f"{fault}; --no-check restores it all the same")


async def _put_blobs(reader: Reader, settings: Settings) -> None:
    """Before the commit, so that no row is ever seen without its bytes."""
    files = blobs.opened(settings)
    files.discard_stale(clock.now())  # of a restore that died
    files.drafts.mkdir(parents=True, exist_ok=True)
    coming = ((blob, _copied(file, files.drafts)) for blob, file in reader.blobs())
    while some := list(islice(coming, _BLOBS_AT_ONCE)):
        await asyncio.gather(*(files.put(blob.org_id, blob.digest, draft) for blob, draft in some))


def _copied(file: IO[bytes], folder: Path) -> Path:
    draft = folder / secrets.token_hex(16)
    with draft.open("wb") as out:
        shutil.copyfileobj(file, out, _BUFFER)
    return draft
