"""HTTP routes for localization: the console's messages, their translations, and the review of these."""

from teamspace.core.db import Db
from teamspace.core.errors import Conflict, NotFound, SelfReview
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Page, Reply
from teamspace.core.routing import BEARER, PUBLIC, Route
from teamspace.localization.domain import catalogs, discarding, listing, reviewing
from teamspace.localization.schemas import (
    Catalog,
    CatalogQuery,
    Coverage,
    CoverageQuery,
    DiscardedDrafts,
    LocaleChoice,
    LocalizedMessage,
    MessageDraft,
    MessageReview,
    MessagesQuery,
)

# fmt: off
ROUTES = (
    Route("GET",  "/api/i18n/catalog",      PUBLIC, None,                     None, "catalog",  "Return the console's messages for a locale, with fallbacks for missing ones.", unlimited=True),
    Route("GET",  "/api/l10n/coverage",     BEARER, P.LOCALIZATION_READ,      None, "coverage", "Count the messages of every locale by status; ?locale= also by namespace."),
    Route("GET",  "/api/l10n/messages",     BEARER, P.LOCALIZATION_READ,      None, "messages", "List the messages of a locale by namespace and key; ?q= searches key, source and text.",
          refuses=(NotFound,)),
    Route("PUT",  "/api/l10n/messages/:id", BEARER, P.LOCALIZATION_TRANSLATE, None, "submit",   "Propose a translation; it is served once somebody else has approved it.",
          refuses=(Conflict,)),
    Route("POST", "/api/l10n/review/:id",   BEARER, P.LOCALIZATION_REVIEW,    None, "review",   "Approve a proposal, a draft, or a text whose source has changed; or return a proposal to its author.",
          refuses=(Conflict, SelfReview)),
    Route("POST", "/api/l10n/discard",      BEARER, P.LOCALIZATION_MANAGE,    None, "discard",  "Discard a locale's drafts that nobody has approved.",
          refuses=(NotFound,)),
)
# fmt: on

_CACHE_ONE_MINUTE = {"cache-control": "public, max-age=60"}


async def catalog(query: CatalogQuery) -> Reply[Catalog]:
    return Reply(catalogs.catalog(query.locale), headers=_CACHE_ONE_MINUTE)


async def coverage(db: Db, query: CoverageQuery) -> Coverage:
    return await listing.get_coverage(db, query.locale)


async def messages(db: Db, who: Principal, query: MessagesQuery) -> Page[LocalizedMessage]:
    return await listing.list_messages(db, who, query)


async def submit(db: Db, who: Principal, id: str, body: MessageDraft) -> LocalizedMessage:
    return await reviewing.submit(db, who, id, body)


async def review(db: Db, who: Principal, id: str, body: MessageReview) -> LocalizedMessage:
    return await reviewing.review(db, who, id, body)


async def discard(db: Db, who: Principal, body: LocaleChoice) -> DiscardedDrafts:
    return await discarding.discard(db, who, body.locale)
