"""Checks of the blobs: references in rows, the blobs table, and the files in the store."""

from collections.abc import Sequence

from teamspace import blobs
from teamspace.blobs import Blob, BlobStore
from teamspace.core import clock
from teamspace.core.db import Reads
from teamspace.core.tables import BlobColumn
from teamspace.ops.results import MAX_FINDINGS, CheckResult

_PAGE = 200


async def check_listed(db: Reads, columns: Sequence[BlobColumn]) -> CheckResult:
    result = CheckResult("blobs.listed", "every referenced blob is in the blobs table")
    for row in columns:
        for blob in await blobs.select_unknown(db, row, MAX_FINDINGS):
            result.add(f"{row.table}.{row.column} references {_name(blob)}")
    return result


async def check_bytes(db: Reads, files: BlobStore, columns: Sequence[BlobColumn]) -> tuple[CheckResult, CheckResult]:
    damaged = CheckResult("blobs.bytes", "every referenced blob exists and matches its digest")
    unwritten = CheckResult("unwritten", "no unreferenced blob lacks its file", note=True)
    after = ("", "")
    while page := await blobs.select(db, after, _PAGE):
        for blob in page:
            try:
                await blobs.verify(db, files, blob.org_id, blob.digest)
            except blobs.DamagedBlob:
                damaged.add(f"damaged {_name(blob)}")
            except blobs.BlobMissing:
                (damaged if await _is_lost(db, files, columns, blob) else unwritten).add(f"missing {_name(blob)}")
        after = (page[-1].org_id, page[-1].digest)
    return damaged, unwritten


async def _is_lost(db: Reads, files: BlobStore, columns: Sequence[BlobColumn], blob: Blob) -> bool:
    """Return whether a row references it. If it was just being written, its bytes exist by the time a row does."""
    referenced = await blobs.is_referenced(db, columns, blob.org_id, blob.digest)
    return referenced and not await blobs.is_present(db, files, blob.org_id, blob.digest)


async def check_orphans(db: Reads, files: BlobStore) -> CheckResult:
    result = CheckResult("orphan", "no file older than a day lacks its row", note=True)
    for file in files.list_files():
        old = file.written_at < clock.now() - clock.DAY
        if old and not await blobs.is_known(db, file.org_id, file.digest):
            result.add(f"{file.org_id or 'instance'}/{file.digest}")
    return result


def check_stale(files: BlobStore) -> CheckResult:
    result = CheckResult("stale", "no unfinished file is older than an hour", note=True)
    for name in files.list_stale(clock.now() - clock.HOUR):
        result.add(name)
    return result


def _name(blob: Blob) -> str:
    return f"{blob.org_id or 'instance'}/{blob.digest}"
