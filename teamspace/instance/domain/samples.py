"""Sample content, so that a new team has something to look at and to try things on."""

from teamspace import documents, notes
from teamspace.blobs import BlobStore
from teamspace.core.db import Db
from teamspace.core.errors import Forbidden
from teamspace.core.permissions import Permission
from teamspace.core.principal import Principal
from teamspace.instance.domain.texts import DOCUMENTS, NOTES, Sample
from teamspace.instance.schemas import Seeded
from teamspace.jobs import Queue

TAG = "sample"


async def seed(db: Db, files: BlobStore, queue: Queue, who: Principal) -> Seeded:
    """Add what is missing; whoever runs it twice has it once."""
    for permission in (Permission.NOTES_WRITE, Permission.FILES_WRITE):
        if not who.holds(permission):
            raise Forbidden(f"This needs {permission}.")
    return Seeded(await add_notes(db, who, NOTES), await add_documents(db, files, queue, who, DOCUMENTS))


async def add_documents(db: Db, files: BlobStore, queue: Queue, who: Principal, samples: tuple[Sample, ...]) -> int:
    """The documents that the caller's team does not have yet; how many that were."""
    missing = [sample for sample in samples if not await documents.has(db, who, sample.title)]
    for sample in missing:
        await documents.create(
            db, files, queue, who, documents.NewDocument(sample.title, sample.body, sample.visibility)
        )
    return len(missing)


async def add_notes(db: Db, who: Principal, samples: tuple[Sample, ...]) -> int:
    """The notes that the caller's team does not have yet; how many that were."""
    found = await notes.listing(db, who, notes.NoteQuery(limit=200, tag=TAG))
    there = {note.title for note in found.items if note.team_id == who.team_id}
    missing = [sample for sample in samples if sample.title not in there]
    for sample in missing:
        draft = notes.NewNote(sample.title, sample.body, sample.visibility, [TAG, *sample.tags])
        await notes.create(db, who, draft)
    return len(missing)
