"""Restores a backup into an empty instance: checks everything before it is visible; can be repeated after a crash."""

import asyncio
import io
import os
import secrets
import shutil
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, Any

from teamspace import blobs, wiring
from teamspace.app import prepare_folder, restore_marker
from teamspace.core import clock
from teamspace.core.crypto import sync_folder
from teamspace.core.db import Engine, audit, catalog, connect
from teamspace.core.db.dialect import Dialect
from teamspace.core.db.engine import BulkLoad
from teamspace.core.db.epoch import epoch_file
from teamspace.core.db.migrate import Migration, apply, bundled_migrations
from teamspace.ops.archive import BackupReader
from teamspace.ops.blob_checks import check_listed
from teamspace.ops.doctor import check_invariants
from teamspace.ops.errors import OpsError
from teamspace.ops.exclusive import exclusive_access
from teamspace.ops.keys import vault_for
from teamspace.ops.manifest import Manifest, check_mac
from teamspace.ops.reads import SourceReads
from teamspace.ops.rows import decoder
from teamspace.settings import Settings

_BUFFER = 1 << 20
_SET_DATA = "UPDATE blobs SET data = :data WHERE org_id = :org_id AND digest = :digest"
_SELECT_IN_ROWS = (
    "SELECT org_id, digest, data FROM blobs WHERE data IS NOT NULL AND size > :small"
    " AND (org_id, digest) > (:org_id, :digest) ORDER BY org_id, digest LIMIT :limit"
)
_BLOBS_AT_ONCE = 8  # their disk syncs are combined; one after the other took five times as long


async def restore(settings: Settings, source: Path, *, check: bool = True) -> str:
    """Fill the empty database and data folder from `source`; return a summary."""
    started = time.monotonic()
    with BackupReader(source) as reader:
        manifest = reader.manifest
        known, newer = _migrations(manifest)
        check_mac(manifest, vault_for(manifest, settings))
        prepare_folder(settings.data)
        async with exclusive_access(settings), _empty_database(settings) as engine:
            dialect = engine.dialect
            reader.verify()
            async with engine.bulk_load() as target:
                await apply(target, dialect, known)
                unknown = await _load(target, dialect, reader)
                await apply(target, dialect, newer)
                # The blobs are now in another folder; the first start binds it to the database.
                await target.fetch(f"DELETE FROM instance WHERE name = '{blobs.FOLDER_ID}'", {})
                await _check(target, dialect, manifest, invariants=check)
                await _put_blobs(target, reader, wiring.open_store(settings))
    left_out = f"; skipped {', '.join(unknown)}: not part of the schema" if unknown else ""
    return (
        f"restored {source} of {manifest.created_at}: {manifest.rows} rows of {len(manifest.tables)} tables,"
        f" {manifest.blobs} blobs, {time.monotonic() - started:.1f} s{left_out}"
    )


def _migrations(manifest: Manifest) -> tuple[list[Migration], list[Migration]]:
    """Return the migrations of the backup, and the newer ones."""
    ours = {migration.number: migration for migration in bundled_migrations()}
    for theirs in manifest.migrations:
        if theirs.number not in ours:
            raise OpsError(
                f"the backup has schema {manifest.schema}, this server knows {max(ours)}: restore it with the newer server"
            )
        if theirs.digest != ours[theirs.number].digest:
            raise OpsError(f"{theirs.name} differs from the migration in the backup")
    done = {theirs.number for theirs in manifest.migrations}
    known = [migration for number, migration in ours.items() if number in done]
    return known, [migration for number, migration in ours.items() if number not in done]


# The target


@asynccontextmanager
async def _empty_database(settings: Settings) -> AsyncIterator[Engine]:
    """Open an empty database, which becomes the configured one when the block succeeds."""
    if settings.on_sqlite:
        async with _new_file(Path(settings.database.removeprefix("sqlite:")), restore_marker(settings)) as engine:
            yield engine
        return
    engine = await connect(settings.database, pool=1)
    try:
        if await catalog.tables(engine, engine.dialect):
            raise OpsError("the database is not empty: a restore needs an empty one")
        with _keep_marker(restore_marker(settings)):
            yield engine
    finally:
        await engine.close()


@contextmanager
def _keep_marker(marker: Path) -> Iterator[None]:
    """Keep a marker file during the block. If the process is killed it stays, so no server starts on the empty database."""
    marker.touch()
    sync_folder(marker.parent)
    try:
        yield
    finally:
        marker.unlink()
        sync_folder(marker.parent)


@asynccontextmanager
async def _new_file(path: Path, draft: Path) -> AsyncIterator[Engine]:
    """Create the database under a temporary name; rename it at the end, when it is complete and on disk."""
    for name in (path, path.with_name(f"{path.name}-wal")):  # SQLite would replay a leftover log into the new database
        if name.exists() and name.stat().st_size:
            raise OpsError(f"{name} is not empty: a restore needs an empty folder")
    _remove(draft)
    try:
        engine = await connect(f"sqlite:{draft}")
        try:
            yield engine
        finally:
            await engine.close()
        _rename(draft, path)
    finally:
        _remove(draft)


def _remove(draft: Path) -> None:
    for file in draft.parent.glob(f"{draft.name}*"):
        file.unlink()
    epoch_file(draft).unlink(missing_ok=True)


def _rename(draft: Path, path: Path) -> None:
    wal = draft.with_name(f"{draft.name}-wal")
    if wal.exists() and wal.stat().st_size:
        raise OpsError(f"{draft} is incomplete")
    with draft.open("rb") as file:
        os.fsync(file.fileno())
    for leftover in ("-wal", "-shm"):
        path.with_name(f"{path.name}{leftover}").unlink(missing_ok=True)
    draft.rename(path)
    sync_folder(path.parent)


# The content


async def _load(target: BulkLoad, dialect: Dialect, reader: BackupReader) -> list[str]:
    """Fill every table; return the tables of the backup that are not part of the schema."""
    tables = {table.name: table for table in await catalog.tables(target, dialect)}
    for name in reversed(tables):  # migrations insert rows that are also in the backup
        await target.fetch(f'DELETE FROM "{name}"', {})
    for name, table in tables.items():
        entry = reader.manifest.table(name)
        column = {column.name: column for column in table.columns}
        rows = reader.rows(entry, decoder([column[name] for name in entry.columns]))
        await target.load(name, entry.columns, rows)
    return [entry.name for entry in reader.manifest.tables if entry.name not in tables]


async def _check(target: BulkLoad, dialect: Dialect, manifest: Manifest, *, invariants: bool) -> None:
    reads = SourceReads(target, dialect)
    unlisted = await check_listed(reads, wiring.BLOB_COLUMNS)
    for fault in [*await target.dangling_references(), *unlisted.found]:
        raise OpsError(f"the backup is incomplete: {fault}")
    if invariants:
        async for result in check_invariants(reads):
            for fault in result.found:
                raise OpsError(f"{result.name} is violated: {fault}; --no-check restores anyway")
        for fault in await audit.check_heads(reads, map(str, manifest.heads)):
            raise OpsError(f"{fault}; --no-check restores anyway")


async def _put_blobs(target: BulkLoad, reader: BackupReader, files: blobs.BlobStore) -> None:
    """Store the blobs before the commit, so that no visible row lacks its blob.

    The backup can be of another kind of store: this one decides which blobs are in their rows.
    """
    files.discard_stale(clock.now())  # from an interrupted restore
    files.staging_folder.mkdir(parents=True, exist_ok=True)
    copies = ((blob, _copy(file, files.staging_folder)) for blob, file in reader.blobs())
    while batch := list(islice(copies, _BLOBS_AT_ONCE)):
        await asyncio.gather(*(files.put(*_name(blob), draft) for blob, draft in batch if blob.size > files.small))
        for blob, draft in batch:
            if blob.size <= files.small:
                await target.fetch(_SET_DATA, _key(*_name(blob)) | {"data": draft.read_bytes()})
                draft.unlink()
    await _move_out_of_rows(target, files)


async def _move_out_of_rows(target: BulkLoad, files: blobs.BlobStore) -> None:
    after = ("", "")
    while rows := await target.fetch(_SELECT_IN_ROWS, _key(*after) | {"small": files.small, "limit": _BLOBS_AT_ONCE}):
        drafts = [_copy(io.BytesIO(data), files.staging_folder) for _, _, data in rows]
        puts = (files.put(org_id, digest, draft) for (org_id, digest, _), draft in zip(rows, drafts, strict=True))
        await asyncio.gather(*puts)
        for org_id, digest, _ in rows:
            await target.fetch(_SET_DATA, _key(org_id, digest) | {"data": None})
        after = (rows[-1][0], rows[-1][1])


def _name(blob: blobs.Blob) -> tuple[str, str]:
    return blob.org_id, blob.digest


def _key(org_id: str, digest: str) -> dict[str, Any]:
    return {"org_id": org_id, "digest": digest}


def _copy(file: IO[bytes], folder: Path) -> Path:
    draft = folder / secrets.token_hex(16)
    with draft.open("wb") as out:
        shutil.copyfileobj(file, out, _BUFFER)
    return draft
