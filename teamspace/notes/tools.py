"""Tools for notes."""

from typing import Annotated

import msgspec

from teamspace.core.db import Db
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.tables import Tool
from teamspace.notes import domain
from teamspace.notes.schemas import Note

TOOLS = (Tool("read_note", "read_note", "Return a note with its text, tags and dates.", P.NOTES_READ),)

NoteId = Annotated[str, msgspec.Meta(max_length=100, description="The id of the note, such as from a search.")]


async def read_note(db: Db, who: Principal, id: NoteId) -> Note:
    return await domain.find(db, who, id)
