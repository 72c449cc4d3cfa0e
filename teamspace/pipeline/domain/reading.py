"""The text of documents: of one version, and of those whose text was not extracted yet."""

from teamspace import repository
from teamspace.blobs import BlobStore
from teamspace.core.db import Db
from teamspace.core.principal import Principal
from teamspace.extraction import ReaderPool
from teamspace.pipeline.schemas import TextIndexed
from teamspace.tools import Artifact

MAX_LISTED = 40


async def read(
    db: Db, files: BlobStore, readers: ReaderPool, who: Principal, name: str, version: int | None
) -> Artifact:
    """Return the text of a version, by default the newest; it is extracted if that was not done yet."""
    row = await repository.get_by_id_or_key(db, who, name)
    found = await repository.require_version_text(db, files, readers, who, row.id, version)
    return Artifact(
        kind="text", title=found.title, summary=f"{len(found.text)} characters of version {found.version.number}",
        content_type="text/plain", object_id=row.id, version_id=found.version.id,
        extra={"key": row.key, "version": found.version.number, "text": found.text},
    )  # fmt: skip


async def list_unread(db: Db, who: Principal) -> list[str]:
    return await repository.list_unread(db, who, MAX_LISTED)


async def index(db: Db, files: BlobStore, readers: ReaderPool, who: Principal, object_id: str) -> TextIndexed:
    """Extract and index the text of a document; what cannot be read is a result, not a failure."""
    row, result = await repository.extract_now(db, files, readers, who, object_id)
    return TextIndexed(row.id, row.version, result.text_state, result.characters, result.reason)
