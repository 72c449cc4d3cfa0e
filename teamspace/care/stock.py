"""Taking stock of the blobs: what rows name, what the table of blobs lists, and what the store holds."""

from collections.abc import Sequence

from teamspace import blobs, wiring
from teamspace.blobs import Blob, BlobStore
from teamspace.care.verdict import SHOWN, Verdict
from teamspace.core import clock
from teamspace.core.db import Reads
from teamspace.core.tables import Kept

_PAGE = 200


async def unlisted(db: Reads, kept: Sequence[Kept] = wiring.KEPT) -> Verdict:
    verdict = Verdict("blobs.listed", "every blob that a row names is in the table of blobs")
    for row in kept:
        for blob in await blobs.select_unknown(db, row, SHOWN):
            verdict.add(f"{row.table}.{row.column} names {_name(blob)}")
    return verdict


async def damage(db: Reads, files: BlobStore) -> tuple[Verdict, Verdict]:
    faults = Verdict("blobs.bytes", "every blob in use has its bytes, as they were written")
    unwritten = Verdict("unwritten", "no blob waits for its bytes", note=True)
    after = ("", "")
    while page := await blobs.select(db, after, _PAGE):
        for blob in page:
            try:
                await blobs.prove(db, files, blob.org_id, blob.digest)
            except blobs.DamagedBlob:
                faults.add(f"damaged {_name(blob)}")
            except blobs.BlobMissing:
                (faults if await _is_missed(db, files, blob) else unwritten).add(f"missing {_name(blob)}")
        after = (page[-1].org_id, page[-1].digest)
    return faults, unwritten


async def _is_missed(db: Reads, files: BlobStore, blob: Blob) -> bool:
    """Whether a row names it. If it was being written, it may be there by the time that a row does."""
    named = await blobs.is_named(db, wiring.KEPT, blob.org_id, blob.digest)
    return named and not blob.in_row and await files.stat(blob.org_id, blob.digest) is None


async def orphans(db: Reads, files: BlobStore) -> Verdict:
    verdict = Verdict("orphan", "no file of more than a day is without its row", note=True)
    for file in files.stored():
        old = file.written_at < clock.now() - clock.DAY
        if old and not await blobs.is_known(db, file.org_id, file.digest):
            verdict.add(f"{file.org_id or 'instance'}/{file.digest}")
    return verdict


def stale(files: BlobStore) -> Verdict:
    verdict = Verdict("stale", "no file was begun more than an hour ago and not finished", note=True)
    for name in files.stale(clock.now() - clock.HOUR):
        verdict.add(name)
    return verdict


def _name(blob: Blob) -> str:
    return f"{blob.org_id or 'instance'}/{blob.digest}"
