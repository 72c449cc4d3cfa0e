"""Routes of localization: the console's messages, and the instance's languages."""

from teamspace.core.db import Db
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Reply
from teamspace.core.routing import BEARER, PUBLIC, Route
from teamspace.localization.domain import policy
from teamspace.localization.domain.catalogs import CatalogCache
from teamspace.localization.schemas import Catalog, CatalogQuery, LocalizationPolicy, LocalizationPolicyChange

# fmt: off
ROUTES = (
    Route("GET", "/api/i18n/catalog", PUBLIC, None,              None, "catalog",    "Return the console's messages for a locale, with fallbacks for missing ones.", unlimited=True),
    Route("PUT", "/api/i18n",         BEARER, P.INSTANCE_MANAGE, None, "set_policy", "Set the default locale, whether people choose their own, and whether unreviewed translations are served."),
)
# fmt: on

_REVALIDATED = {"cache-control": "public, no-cache"}


async def catalog(db: Db, catalogs: CatalogCache, query: CatalogQuery) -> Reply[Catalog]:
    found, chain = await catalogs.find(db, query.locale)
    return Reply(found.to_catalog(chain), version=found.version(chain), headers=_REVALIDATED)


async def set_policy(db: Db, who: Principal, body: LocalizationPolicyChange) -> LocalizationPolicy:
    return await policy.change(db, who, body)
