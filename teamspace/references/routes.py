"""HTTP routes for backlinks and mentions."""

from teamspace.core.db import Db
from teamspace.core.errors import NotFound
from teamspace.core.principal import Principal
from teamspace.core.replies import Page
from teamspace.core.routing import BEARER, Route
from teamspace.events import ReadableSubjects
from teamspace.references.domain import listing
from teamspace.references.schemas import MentionsQuery, ReferencesQuery, TextReference

# fmt: off
ROUTES = (
    Route("GET", "/api/references", BEARER, None, None, "index",    "List the notes and documents that link to `to` and that the caller can read, newest link first; a page can have fewer items than its limit.",
          refuses=(NotFound,)),
    Route("GET", "/api/mentions",   BEARER, None, None, "mentions", "List the notes and documents that mention the caller and that they can read, newest mention first; a page can have fewer items than its limit."),
)
# fmt: on


async def index(db: Db, who: Principal, readable: ReadableSubjects, query: ReferencesQuery) -> Page[TextReference]:
    return await listing.list_references(db, who, readable, query)


async def mentions(db: Db, who: Principal, readable: ReadableSubjects, query: MentionsQuery) -> Page[TextReference]:
    return await listing.list_mentions(db, who, readable, query)
