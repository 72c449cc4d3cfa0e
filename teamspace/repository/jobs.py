"""Background work of the repository."""

from teamspace.blobs import BlobStore
from teamspace.core.db import Db
from teamspace.core.permissions import Permission
from teamspace.core.principal import Principal
from teamspace.core.tables import Job
from teamspace.repository.domain import reading, texts
from teamspace.repository.schemas import ExtractText, Hashed, HashParts, TextFound

# fmt: off
JOBS = (
    Job(texts.EXTRACT, "extract_text", "Read the text of an object's newest version, so that it can be searched.", callable=True, permission=Permission.FILES_READ, seconds=120),
    Job(reading.HASH_PARTS, "hash_parts", "Read through what came in parts, for the digest of the whole.", seconds=7200),
)
# fmt: on


async def extract_text(db: Db, files: BlobStore, who: Principal, input: ExtractText) -> TextFound:
    return await texts.extract(db, files, who, input)


async def hash_parts(db: Db, files: BlobStore, who: Principal, input: HashParts) -> Hashed:
    return await reading.hash_parts(db, files, who, input)
