"""HTTP routes of favourites and recents."""

from teamspace.core.db import Db
from teamspace.core.errors import Conflict
from teamspace.core.principal import Principal
from teamspace.core.routing import BEARER, OWN, Route
from teamspace.favourites import domain
from teamspace.favourites.schemas import Shortcuts

# fmt: off
ROUTES = (
    Route("GET",    "/api/favourites",           BEARER, OWN, None, "favourites",       "List what the caller has starred in this team and can read, newest first."),
    Route("PUT",    "/api/favourites/:kind/:id", BEARER, OWN, None, "add_favourite",    "Star a note, document, file, conversation or workflow that the caller can read.",
          refuses=(Conflict,)),
    Route("DELETE", "/api/favourites/:kind/:id", BEARER, OWN, None, "remove_favourite", "Remove a star."),
    Route("GET",    "/api/recents",              BEARER, OWN, None, "recents",          "List what the caller has opened last in this team and can read, newest first."),
    Route("PUT",    "/api/recents/:kind/:id",    BEARER, OWN, None, "open_recent",      "Note that the caller has opened it; the newest 50 are kept."),
)
# fmt: on


async def favourites(db: Db, who: Principal) -> Shortcuts:
    return await domain.listing(db, who, "favourites")


async def add_favourite(db: Db, who: Principal, kind: str, id: str) -> None:
    await domain.add_favourite(db, who, kind, id)


async def remove_favourite(db: Db, who: Principal, kind: str, id: str) -> None:
    await domain.remove_favourite(db, who, kind, id)


async def recents(db: Db, who: Principal) -> Shortcuts:
    return await domain.listing(db, who, "recents")


async def open_recent(db: Db, who: Principal, kind: str, id: str) -> None:
    await domain.open_recent(db, who, kind, id)
