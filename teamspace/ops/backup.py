"""Backs up a running instance: all rows of one snapshot, then every blob they reference."""

import hashlib
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from teamspace import __version__, blobs, wiring
from teamspace.blobs import Blob, BlobStore
from teamspace.core import clock
from teamspace.core.db import Engine, audit, catalog, connect
from teamspace.core.db.canary import read_canary
from teamspace.core.db.catalog import Table
from teamspace.core.db.engine import Snapshot
from teamspace.core.db.migrate import applied_migrations
from teamspace.core.tables import BlobColumn
from teamspace.ops.archive import BackupWriter, TableSpool
from teamspace.ops.atomic import atomic_file
from teamspace.ops.blob_checks import check_listed
from teamspace.ops.errors import OpsError
from teamspace.ops.keys import vault_for
from teamspace.ops.manifest import FORMAT, Manifest
from teamspace.ops.reads import SourceReads
from teamspace.ops.rows import SavedBlob, blob_reader, encoder, select_all
from teamspace.settings import Settings


async def backup(settings: Settings, target: Path, *, force: bool = False) -> str:
    """Write everything except the secret key to `target`; return a summary."""
    started = time.monotonic()
    files = wiring.open_store(settings)
    async with _connect(settings) as engine:
        with atomic_file(target, force=force) as out, files.collection_paused():
            writer = BackupWriter(out)
            # The manifest comes first and describes the tables, so they are spooled to temporary files before.
            manifest, spools = await _read_rows(engine, files, wiring.BLOB_COLUMNS, target.parent)
            writer.manifest(manifest, vault_for(manifest, settings))
            for name, spool in spools.items():
                writer.table(name, spool.file)
            for blob in _spooled_blobs(spools["blobs"]):
                if not blob.in_row:
                    await _write_blob(writer, files, blob)
            size = writer.finish()
    return (
        f"backed up to {target}: {manifest.rows} rows of {len(spools)} tables, {manifest.blobs} blobs,"
        f" {size:,} bytes, {time.monotonic() - started:.1f} s"
    )


@asynccontextmanager
async def _connect(settings: Settings) -> AsyncIterator[Engine]:
    """Connect to the database without creating or migrating anything."""
    _check_present(settings)
    engine = await connect(settings.database, pool=1)
    try:
        yield engine
    finally:
        await engine.close()


def _check_present(settings: Settings) -> None:
    if settings.on_sqlite and not Path(settings.database.removeprefix("sqlite:")).exists():
        raise OpsError(f"there is no database in {settings.data}")


async def _read_rows(
    engine: Engine, files: BlobStore, blob_columns: Sequence[BlobColumn], folder: Path
) -> tuple[Manifest, dict[str, TableSpool]]:
    async with engine.snapshot() as snapshot:
        migrations = await applied_migrations(snapshot)
        canary = await read_canary(snapshot) if migrations else None
        if canary is None:
            raise OpsError("no server has started on this database yet")
        tables = await catalog.tables(snapshot, engine.dialect)
        reads = SourceReads(snapshot, engine.dialect)
        present = {(table.name, column) for table in tables for column in table.names}
        inventory = BlobInventory(reads, files, [row for row in blob_columns if (row.table, row.column) in present])
        await inventory.check()
        spools = {table.name: await _spool_table(snapshot, table, folder, inventory) for table in tables}
        heads = [head async for head in audit.chain_heads(reads)]
    manifest = Manifest(
        format=FORMAT, version=__version__, created_at=clock.stamp(), database=engine.dialect.name,
        schema=migrations[-1].number, migrations=tuple(migrations), canary=canary,
        tables=tuple(spool.entry for spool in spools.values()), heads=tuple(heads),
        blobs=spools["blobs"].entry.rows, blob_bytes=sum(blob.size for blob in _spooled_blobs(spools["blobs"])),
    )  # fmt: skip
    return manifest, spools


async def _spool_table(snapshot: Snapshot, table: Table, folder: Path, inventory: "BlobInventory") -> TableSpool:
    spool, encode, blob = TableSpool(folder, table), encoder(table.columns), blob_reader(table.names)
    if table.name in wiring.TRANSIENT_TABLES:
        spool.finish()
        return spool
    async for row in snapshot.stream(select_all(table)):
        if table.name != "blobs" or await inventory.includes(blob(row), row[table.names.index("data")]):
            spool.add(encode(row))
    spool.finish()
    return spool


class BlobInventory:
    """Compares the blobs table in the snapshot with the current content of the store."""

    def __init__(self, reads: SourceReads, files: BlobStore, columns: Sequence[BlobColumn]) -> None:
        self._reads = reads
        self._files = files
        self._columns = columns
        """Without columns that the snapshot's older schema does not have."""

    async def check(self) -> None:
        for fault in (await check_listed(self._reads, self._columns)).found:
            raise OpsError(f"{fault}, which is missing in the blobs table")

    async def includes(self, blob: SavedBlob, data: bytes | None) -> bool:
        """Return whether to back up the blob. Its row is written before its file: until it is referenced, it may lack one."""
        if blob.in_row:
            if hashlib.sha256(data or b"").hexdigest() != blob.digest:
                raise OpsError(f"blob {blob.digest} is damaged")
            return True
        if await self._files.stat(blob.org_id, blob.digest) is not None:
            return True
        if await blobs.is_referenced(self._reads, self._columns, blob.org_id, blob.digest):
            raise OpsError(f"blob {blob.digest} is missing, but a row references it")
        return False


def _spooled_blobs(spool: TableSpool) -> Iterator[SavedBlob]:
    return map(blob_reader(spool.entry.columns), spool.rows())


async def _write_blob(writer: BackupWriter, files: BlobStore, blob: Blob) -> None:
    try:
        async with blobs.fetch_to_file(files, blob.org_id, blob.digest) as file:
            writer.blob(blob, file)
    except (blobs.BlobMissing, blobs.DamagedBlob) as fault:
        raise OpsError(str(fault)) from None
