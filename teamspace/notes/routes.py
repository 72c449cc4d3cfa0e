"""HTTP routes for notes."""

from teamspace.core.db import Db
from teamspace.core.errors import VersionMismatch
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Created, Page, Reply
from teamspace.core.request import Match
from teamspace.core.routing import BEARER, Route, row
from teamspace.notes import domain
from teamspace.notes.schemas import NewNote, Note, NoteChange, NoteItem, NoteQuery
from teamspace.settings import Settings
from teamspace.sharing import GrantListing, Grants, GrantsQuery, ShareRequest

# fmt: off
ROUTES = (
    Route("POST",   "/api/notes",           BEARER, P.NOTES_WRITE,       None, "create", "Create a note."),
    Route("GET",    "/api/notes",           BEARER, row(P.NOTES_READ),   None, "index",  "List the notes the caller can read, newest first; ?scope=org lists the whole company's."),
    Route("GET",    "/api/notes/:id",       BEARER, row(P.NOTES_READ),   None, "show",   "Return a note with its ETag."),
    Route("PUT",    "/api/notes/:id",       BEARER, row(P.NOTES_WRITE),  None, "update", "Change the given fields of a note; with If-Match only if its version still matches.",
          refuses=(VersionMismatch,)),
    Route("DELETE", "/api/notes/:id",       BEARER, row(P.NOTES_DELETE), None, "delete", "Put a note in the trash, with its shares: it is gone, and can be restored for a while.",
          refuses=(VersionMismatch,)),
    Route("POST",   "/api/notes/:id/share", BEARER, row(P.NOTES_MANAGE), None, "share",  "Share a note with a colleague or a team, with any of `notes:*`, optionally until a time, or remove their access; returns the note's shares."),
    Route("GET",    "/api/notes/:id/grants", BEARER, row(P.NOTES_MANAGE), None, "grants", "List the shares of a note, also expired ones; ?effective=1 also lists everyone who can see it, and why."),
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


async def delete(db: Db, settings: Settings, who: Principal, id: str, match: Match) -> None:
    await domain.delete(db, who, id, match.version, keep=settings.keeps_trash)


async def share(db: Db, who: Principal, id: str, body: ShareRequest) -> Grants:
    return Grants(await domain.share(db, who, id, body))


async def grants(db: Db, who: Principal, id: str, query: GrantsQuery) -> GrantListing:
    return await domain.list_grants(db, who, id, query)
