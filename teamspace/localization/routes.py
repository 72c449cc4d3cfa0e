"""Routes of localization: the console's messages."""

from teamspace.core.replies import Reply
from teamspace.core.routing import PUBLIC, Route
from teamspace.localization.domain import catalogs
from teamspace.localization.schemas import Catalog, CatalogQuery

# fmt: off
ROUTES = (
    Route("GET", "/api/i18n/catalog", PUBLIC, None, None, "catalog", "Return the console's messages for a locale, with fallbacks for missing ones.", unlimited=True),
)
# fmt: on

_CACHE_ONE_MINUTE = {"cache-control": "public, max-age=60"}


async def catalog(query: CatalogQuery) -> Reply[Catalog]:
    return Reply(catalogs.catalog(query.locale), headers=_CACHE_ONE_MINUTE)
