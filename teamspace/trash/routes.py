"""HTTP routes of the trash."""

from teamspace.core.db import Db
from teamspace.core.errors import Conflict
from teamspace.core.principal import Principal
from teamspace.core.replies import Page
from teamspace.core.routing import BEARER, Route
from teamspace.jobs import Queue
from teamspace.settings import Settings
from teamspace.trash import domain
from teamspace.trash.schemas import Emptied, Restore, Restored, TrashItem, TrashQuery

# fmt: off
ROUTES = (
    Route("GET",    "/api/trash",             BEARER, None, None, "index",   "List the deleted notes, documents and files that the caller can restore, the newest first."),
    Route("POST",   "/api/trash/:id/restore", BEARER, None, None, "restore", "Restore a note, document or file as it was, with its shares and versions; a document or file also under another key.",
          refuses=(Conflict,)),
    Route("DELETE", "/api/trash/:id",         BEARER, None, None, "purge",   "Delete a note, document or file in the trash for good."),
    Route("DELETE", "/api/trash",             BEARER, None, None, "empty",   "Delete for good what is in the trash and the caller can restore, up to 100 things; says how many are left."),
)
# fmt: on


async def index(db: Db, settings: Settings, who: Principal, query: TrashQuery) -> Page[TrashItem]:
    return await domain.listing(db, settings, who, query)


async def restore(db: Db, queue: Queue, who: Principal, id: str, body: Restore) -> Restored:
    return await domain.restore(db, queue, who, id, body.key)


async def purge(db: Db, who: Principal, id: str) -> None:
    await domain.purge(db, who, id)


async def empty(db: Db, who: Principal) -> Emptied:
    return await domain.empty(db, who)
