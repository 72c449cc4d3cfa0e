"""Adds sample content for a new team to look at and to try."""

from teamspace import documents, notes
from teamspace.blobs import BlobStore
from teamspace.core.db import Db
from teamspace.core.errors import Forbidden
from teamspace.core.permissions import Permission
from teamspace.core.principal import Principal
from teamspace.instance.domain.texts import DOCUMENTS, NOTES, SampleText
from teamspace.instance.schemas import Seeded
from teamspace.jobs import Queue

TAG = "sample"


async def seed(db: Db, files: BlobStore, queue: Queue, who: Principal) -> Seeded:
    """Add the missing samples; idempotent."""
    for permission in (Permission.NOTES_WRITE, Permission.FILES_WRITE):
        if not who.has_permission(permission):
            raise Forbidden("rights.needs", permission=permission)
    return Seeded(await add_notes(db, who, NOTES), await add_documents(db, files, queue, who, DOCUMENTS))


async def add_documents(db: Db, files: BlobStore, queue: Queue, who: Principal, samples: tuple[SampleText, ...]) -> int:
    """Add the documents that the caller's team does not have yet; return how many."""
    missing = [sample for sample in samples if not await documents.exists(db, who, sample.title)]
    for sample in missing:
        await documents.create(
            db, files, queue, who, documents.NewDocument(sample.title, sample.body, sample.visibility)
        )
    return len(missing)


async def add_notes(db: Db, who: Principal, samples: tuple[SampleText, ...]) -> int:
    """Add the notes that the caller's team does not have yet; return how many."""
    found = await notes.listing(db, who, notes.NoteQuery(limit=200, tag=TAG))
    existing = {note.title for note in found.items if note.team_id == who.team_id}
    missing = [sample for sample in samples if sample.title not in existing]
    for sample in missing:
        draft = notes.NewNote(sample.title, sample.body, sample.visibility, [TAG, *sample.tags])
        await notes.create(db, who, draft)
    return len(missing)
