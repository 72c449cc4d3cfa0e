"""HTTP routes for presence."""

from teamspace.core.db import Db
from teamspace.core.principal import Principal
from teamspace.core.routing import BEARER, Route
from teamspace.events import ReadableSubjects
from teamspace.presence import domain
from teamspace.presence.schemas import Looking, Present

# fmt: off
ROUTES = (
    Route("PUT",    "/api/presence/:kind/:id", BEARER, None, None, "look",  "Say that the caller has a note, document, file, conversation or run open, for 45 seconds; returns who else has."),
    Route("DELETE", "/api/presence/:kind/:id", BEARER, None, None, "leave", "Say that the caller has closed it."),
)
# fmt: on


async def look(db: Db, who: Principal, readable: ReadableSubjects, kind: str, id: str, body: Looking) -> Present:
    return await domain.look(db, who, readable, kind, id, body)


async def leave(db: Db, who: Principal, readable: ReadableSubjects, kind: str, id: str) -> None:
    await domain.leave(db, who, readable, kind, id)
