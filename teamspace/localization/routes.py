"""Localization over HTTP: the words of the console."""

from teamspace.core.replies import Reply
from teamspace.core.routing import PUBLIC, Route
from teamspace.localization import domain
from teamspace.localization.schemas import Catalog, CatalogQuery

# fmt: off
ROUTES = (
    Route("GET", "/api/i18n/catalog", PUBLIC, None, None, "catalog", "The console's messages in a locale, filled up through its fallback chain.", unlimited=True),
)
# fmt: on

_FOR_A_MINUTE = {"cache-control": "public, max-age=60"}


async def catalog(query: CatalogQuery) -> Reply[Catalog]:
    return Reply(domain.catalog(query.locale), headers=_FOR_A_MINUTE)
