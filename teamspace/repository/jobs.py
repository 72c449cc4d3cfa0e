"""Background work of the repository."""

from teamspace.blobs import BlobStore
from teamspace.core.db import Db, Tx
from teamspace.core.permissions import Permission
from teamspace.core.principal import Principal
from teamspace.core.tables import Job
from teamspace.extraction import Readers
from teamspace.jobs import Work
from teamspace.repository.domain import reading, texts
from teamspace.repository.schemas import ExtractText, Hashed, HashParts, TextFound

# fmt: off
JOBS = (
    Job(texts.EXTRACT, "extract_text", "Read the text of an object's newest version, so that it can be searched.", callable=True, permission=Permission.FILES_READ, seconds=120, on_failure="text_not_read"),
    Job(reading.HASH_PARTS, "hash_parts", "Read through what came in parts, for the digest of the whole.", seconds=7200),
)
# fmt: on


async def extract_text(
    db: Db, files: BlobStore, readers: Readers, who: Principal, input: ExtractText, work: Work
) -> TextFound:
    return await texts.extract(db, files, readers, who, input, work)


async def text_not_read(tx: Tx, asked_by: str, input: ExtractText, reason: str) -> None:
    await texts.give_up(tx, asked_by, input, reason)


async def hash_parts(db: Db, files: BlobStore, who: Principal, input: HashParts) -> Hashed:
    return await reading.hash_parts(db, files, who, input)
