"""Notes over HTTP. The table is the contract; a handler only turns wire shapes into domain words."""

from teamspace.core.db import Db
from teamspace.core.errors import VersionMismatch
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Created, Page, Reply
from teamspace.core.request import Match
from teamspace.core.routing import BEARER, Route, row
from teamspace.notes import domain
from teamspace.notes.schemas import NewNote, Note, NoteChange, NoteItem, NoteQuery, Share, Shares

# fmt: off
ROUTES = (
    Route("POST",   "/api/notes",           BEARER, P.NOTES_WRITE,       None, "create", "Create a note with a visibility."),
    Route("GET",    "/api/notes",           BEARER, row(P.NOTES_READ),   None, "index",  "The notes the caller can read, newest first; ?scope=org spans the company."),
    Route("GET",    "/api/notes/:id",       BEARER, row(P.NOTES_READ),   None, "show",   "One note, with its ETag."),
    Route("PUT",    "/api/notes/:id",       BEARER, row(P.NOTES_WRITE),  None, "update", "Replace what is given; with If-Match only if nobody wrote in between.",
          refuses=(VersionMismatch,)),
    Route("DELETE", "/api/notes/:id",       BEARER, row(P.NOTES_DELETE), None, "delete", "Delete a note and its shares.",
          refuses=(VersionMismatch,)),
    Route("POST",   "/api/notes/:id/share", BEARER, row(P.NOTES_MANAGE), None, "share",  "Share a note with a colleague, or take it back; the note's shares."),
)
# fmt: on


async def create(db: Db, who: Principal, body: NewNote) -> Created[Note]:
    note = await domain.create(db, who, body)
    return Created(note, version=note.version)


async def index(db: Db, who: Principal, query: NoteQuery) -> Page[NoteItem]:
    return await domain.listing(db, who, query)


async def show(db: Db, who: Principal, id: str) -> Reply[Note]:
    note = await domain.find(db, who, id)
    return Reply(note, version=note.version)


async def update(db: Db, who: Principal, id: str, body: NoteChange, match: Match) -> Reply[Note]:
    note = await domain.update(db, who, id, body, match.version)
    return Reply(note, version=note.version)


async def delete(db: Db, who: Principal, id: str, match: Match) -> None:
    await domain.delete(db, who, id, match.version)


async def share(db: Db, who: Principal, id: str, body: Share) -> Shares:
    return Shares(await domain.share(db, who, id, body))
