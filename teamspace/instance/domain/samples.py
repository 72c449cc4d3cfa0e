"""Sample content, so that a new team has something to look at and to try things on."""

from teamspace import notes
from teamspace.core.db import Db
from teamspace.core.errors import Forbidden
from teamspace.core.permissions import Permission
from teamspace.core.principal import Principal
from teamspace.instance.domain.texts import NOTES, Sample
from teamspace.instance.schemas import Seeded

TAG = "sample"


async def seed(db: Db, who: Principal) -> Seeded:
    """Add what is missing; whoever runs it twice has it once."""
    if not who.holds(Permission.NOTES_WRITE):
        raise Forbidden(f"This needs {Permission.NOTES_WRITE}.")
    return Seeded(notes=await add_notes(db, who, NOTES))


async def add_notes(db: Db, who: Principal, samples: tuple[Sample, ...]) -> int:
    """The notes that the caller's team does not have yet; how many that were."""
    found = await notes.listing(db, who, notes.NoteQuery(limit=200, tag=TAG))
    there = {note.title for note in found.items if note.team_id == who.team_id}
    missing = [sample for sample in samples if sample.title not in there]
    for sample in missing:
        draft = notes.NewNote(sample.title, sample.body, sample.visibility, [TAG, *sample.tags])
        await notes.create(db, who, draft)
    return len(missing)
