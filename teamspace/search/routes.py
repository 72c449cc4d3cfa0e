"""HTTP routes for search."""

from teamspace.core.db import Db
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Page
from teamspace.core.routing import BEARER, Route
from teamspace.search import domain
from teamspace.search.schemas import SearchQuery, SearchResult

# fmt: off
ROUTES = (
    Route("GET", "/api/search", BEARER, P.SEARCH, None, "index", "Search what the caller can read, best match first, with snippets as safe HTML; ?scope=org searches the whole company."),
)
# fmt: on


async def index(db: Db, who: Principal, query: SearchQuery) -> Page[SearchResult]:
    return await domain.search(db, who, query)
