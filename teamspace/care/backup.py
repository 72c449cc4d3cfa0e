"""A backup beside a running server: all rows of one moment, then every blob they name."""

import hashlib
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from teamspace import __version__, blobs, wiring
from teamspace.blobs import Blob, BlobStore
from teamspace.care.archive import Spool, Writer
from teamspace.care.draft import draft
from teamspace.care.errors import CareError
from teamspace.care.keys import key_of
from teamspace.care.manifest import FORMAT, Manifest
from teamspace.care.rows import blob_of, encoder, every_row
from teamspace.care.stock import unlisted
from teamspace.care.view import View
from teamspace.core import clock
from teamspace.core.db import Engine, audit, catalog, connect
from teamspace.core.db.canary import planted
from teamspace.core.db.catalog import Table
from teamspace.core.db.engine import Snapshot
from teamspace.core.db.migrate import applied
from teamspace.core.tables import Kept
from teamspace.settings import Settings


async def backup(settings: Settings, target: Path, *, force: bool = False) -> str:
    """Write everything but the secret key to `target`; a line about what that was."""
    began = time.monotonic()
    files = blobs.opened(settings)
    async with _reached(settings) as engine:
        with draft(target, force=force) as out, files.held():
            writer = Writer(out)
            # The manifest stands first and describes the tables: they lie in nameless files until it is written.
            manifest, spools = await _rows(engine, files, target.parent)
            writer.manifest(manifest, key_of(manifest, settings))
            for name, spool in spools.items():
                writer.table(name, spool.file)
            for blob in _named(spools["blobs"]):
                if not blob.in_row:
                    await _write(writer, files, blob)
            size = writer.finish()
    return (
        f"backed up to {target}: {manifest.rows} rows of {len(spools)} tables, {manifest.blobs} blobs,"
        f" {size:,} bytes, {time.monotonic() - began:.1f} s"
    )


@asynccontextmanager
async def _reached(settings: Settings) -> AsyncIterator[Engine]:
    """The database as it is; nothing is made or migrated."""
    _check_present(settings)
    engine = await connect(settings.database, pool=1)
    try:
        yield engine
    finally:
        await engine.close()


def _check_present(settings: Settings) -> None:
    if settings.on_sqlite and not Path(settings.database.removeprefix("sqlite:")).exists():
        raise CareError(f"there is no database in {settings.data}")


async def _rows(engine: Engine, files: BlobStore, folder: Path) -> tuple[Manifest, dict[str, Spool]]:
    async with engine.snapshot() as snapshot:
        migrations = await applied(snapshot)
        canary = await planted(snapshot) if migrations else None
        if canary is None:
            raise CareError("no server has started on this database yet")
        tables = await catalog.tables(snapshot, engine.dialect)
        view = View(snapshot, engine.dialect)
        present = {(table.name, column) for table in tables for column in table.names}
        listing = Listing(view, files, [row for row in wiring.KEPT if (row.table, row.column) in present])
        await listing.check()
        spools = {table.name: await _spooled(snapshot, table, folder, listing) for table in tables}
        heads = [head async for head in audit.heads(view)]
    manifest = Manifest(
        format=FORMAT, version=__version__, created_at=clock.stamp(), database=engine.dialect.name,
        schema=migrations[-1].number, migrations=tuple(migrations), canary=canary,
        tables=tuple(spool.entry for spool in spools.values()), heads=tuple(heads),
        blobs=spools["blobs"].entry.rows, blob_bytes=sum(blob.size for blob in _named(spools["blobs"])),
    )  # fmt: skip
    return manifest, spools


async def _spooled(snapshot: Snapshot, table: Table, folder: Path, listing: "Listing") -> Spool:
    spool, encode, blob = Spool(folder, table), encoder(table.columns), blob_of(table.names)
    async for row in snapshot.stream(every_row(table)):
        if table.name != "blobs" or await listing.keeps(blob(row), row[table.names.index("data")]):
            spool.add(encode(row))
    spool.finish()
    return spool


class Listing:
    """The table of blobs as the snapshot has it, beside the store as it is."""

    def __init__(self, view: View, files: BlobStore, kept: Sequence[Kept]) -> None:
        self._view = view
        self._files = files
        self._kept = kept
        """Without the columns that an older schema does not have yet."""

    async def check(self) -> None:
        for fault in (await unlisted(self._view, self._kept)).found:
            raise CareError(f"{fault}, which is not in the table of blobs")

    async def keeps(self, blob: Blob, data: bytes | None) -> bool:
        """A blob has its row before its file is written: until another row names it, it is nobody's loss."""
        if blob.in_row:
            if hashlib.sha256(data or b"").hexdigest() != blob.digest:
                raise CareError(f"blob {blob.digest} is damaged")
            return True
        if await self._files.stat(blob.org_id, blob.digest) is not None:
            return True
        if await blobs.is_named(self._view, self._kept, blob.org_id, blob.digest):
            raise CareError(f"blob {blob.digest} is missing, and a row names it")
        return False


def _named(spool: Spool) -> Iterator[Blob]:
    return map(blob_of(spool.entry.columns), spool.rows())


async def _write(writer: Writer, files: BlobStore, blob: Blob) -> None:
    try:
        async with blobs.fetched(files, blob.org_id, blob.digest) as file:
            writer.blob(blob, file)
    except (blobs.BlobMissing, blobs.DamagedBlob) as fault:
        raise CareError(str(fault)) from None
