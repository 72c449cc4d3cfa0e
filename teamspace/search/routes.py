"""Search over HTTP."""

from teamspace.core.db import Db
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Page
from teamspace.core.routing import BEARER, Route
from teamspace.search import domain
from teamspace.search.schemas import Found, SearchQuery

# fmt: off
ROUTES = (
    Route("GET", "/api/search", BEARER, P.SEARCH, None, "index", "What the caller can read and `q` matches, best first, with snippets of safe HTML; ?scope=org spans the company."),
)
# fmt: on


async def index(db: Db, who: Principal, query: SearchQuery) -> Page[Found]:
    return await domain.search(db, who, query)
