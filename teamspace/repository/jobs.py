"""Background work of the repository."""

from teamspace.blobs import BlobStore
from teamspace.core.db import Db, Tx
from teamspace.core.permissions import Permission
from teamspace.core.principal import Principal
from teamspace.core.tables import JobSpec
from teamspace.extraction import ReaderPool
from teamspace.jobs import EndedJob, JobContext, JobTitle, Outcome
from teamspace.repository.domain import reading, texts
from teamspace.repository.schemas import ExtractText, ExtractTextResult, HashParts, HashPartsResult

# fmt: off
JOBS = (
    JobSpec(texts.EXTRACT, "extract_text", "Extract the text of an object's newest version for full-text search.", callable=True, permission=Permission.FILES_READ, seconds=120, describe="describe_text", ended="text_ended"),
    JobSpec(reading.HASH_PARTS, "hash_parts", "Compute the SHA-256 of a version that was uploaded in parts.", seconds=7200),
)
# fmt: on


async def extract_text(
    db: Db, files: BlobStore, readers: ReaderPool, who: Principal, input: ExtractText, work: JobContext
) -> ExtractTextResult:
    return await texts.extract(db, files, readers, who, input, work)


async def describe_text(tx: Tx, who: Principal, input: ExtractText) -> JobTitle:
    return await texts.describe(tx, who, input)


async def text_ended(tx: Tx, job: EndedJob, outcome: Outcome) -> None:
    await texts.ended(tx, job, outcome)


async def hash_parts(db: Db, files: BlobStore, who: Principal, input: HashParts) -> HashPartsResult:
    return await reading.hash_parts(db, files, who, input)
