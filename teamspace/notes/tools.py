"""Tools for notes."""

from typing import Annotated

import msgspec

from teamspace import tools
from teamspace.core.db import Db
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.routing import row
from teamspace.core.tables import Tool
from teamspace.notes import domain
from teamspace.notes.schemas import NewNote, Note, NotePassage, Visibility
from teamspace.tools import Artifact, Find, Length, Start, ToolContext

# fmt: off
TOOLS = (
    Tool("read_note",   "read_note",   "Return a note with its title, tags and text; of a long text the passage at `start`, or with the words in `find`.", row(P.NOTES_READ)),
    Tool("create_note", "create_note", "Create a note in Markdown.", P.NOTES_WRITE, artifacts=("text",)),
)
# fmt: on

NoteId = Annotated[str, msgspec.Meta(max_length=100, description="The id of the note, such as from a search.")]
Title = Annotated[str, msgspec.Meta(max_length=1000, description="The title, up to 200 characters.")]
Body = Annotated[str, msgspec.Meta(max_length=500_000, description="The text, in Markdown.")]
Tags = Annotated[list[Annotated[str, msgspec.Meta(max_length=200)]], msgspec.Meta(max_length=50)]
Audience = Annotated[Visibility, msgspec.Meta(description="Who can read it; `private`: only its owner.")]


async def read_note(
    db: Db, who: Principal, id: NoteId, start: Start = 0, length: Length = tools.MAX_LENGTH, find: Find = ""
) -> NotePassage:
    note = await domain.find(db, who, id)
    passage = await tools.cut(note.body, start, length, find)
    return NotePassage(
        id=note.id, version=note.version, title=note.title, tags=note.tags, updated_at=note.updated_at,
        start=passage.start, end=passage.end, total=passage.total, body=passage.text,
    )  # fmt: skip


async def create_note(
    db: Db, who: Principal, context: ToolContext, title: Title, body: Body = "", visibility: Audience = "private",
    tags: Tags = [],  # noqa: B006
) -> Artifact:  # fmt: skip
    draft = NewNote(title, body, visibility, tags)

    async def create(writer: Principal) -> Note:
        return await domain.create(db, writer, draft)

    async def find(note_id: str) -> Note:
        return await domain.find(db, who, note_id)

    note = await tools.create_once(db, who, context, create, find)
    return Artifact(
        kind="text", title=note.title, summary=f"note {note.id}", content_type="text/markdown",
        extra={"note_id": note.id, "version": 1},
    )  # fmt: skip
