"""HTTP routes for localization: the console's messages, their translations, the review of these, files and drafts."""

from teamspace.core.db import Db
from teamspace.core.errors import (
    Conflict,
    FeatureDisabled,
    NotFound,
    NothingApproved,
    QuotaExceeded,
    SelfReview,
    StorageFull,
)
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Accepted, Page, Reply
from teamspace.core.routing import BEARER, PUBLIC, Route
from teamspace.jobs import Queue
from teamspace.localization.domain import discarding, drafting, exporting, importing, listing, policy, reviewing
from teamspace.localization.domain.catalogs import CatalogCache
from teamspace.localization.schemas import (
    Catalog,
    CatalogQuery,
    Coverage,
    CoverageQuery,
    DiscardedDrafts,
    ImportChoice,
    ImportResult,
    LocaleChoice,
    LocaleExport,
    LocalizationPolicy,
    LocalizationPolicyChange,
    LocalizedMessage,
    MessageDraft,
    MessageReview,
    MessagesQuery,
    QueuedDrafts,
)
from teamspace.settings import Settings

# fmt: off
ROUTES = (
    Route("GET",  "/api/i18n/catalog",      PUBLIC, None,                     None, "catalog",  "Return the console's messages for a locale, with fallbacks for missing ones.", unlimited=True),
    Route("PUT",  "/api/i18n",              BEARER, P.INSTANCE_MANAGE,        None, "set_policy", "Set the default locale, whether people choose their own, and whether unreviewed translations are served."),
    Route("GET",  "/api/l10n/coverage",     BEARER, P.LOCALIZATION_READ,      None, "coverage", "Count the messages of every locale by status; ?locale= also by namespace."),
    Route("GET",  "/api/l10n/messages",     BEARER, P.LOCALIZATION_READ,      None, "messages", "List the messages of a locale by namespace and key; ?q= searches key, source and text.",
          refuses=(NotFound,)),
    Route("PUT",  "/api/l10n/messages/:id", BEARER, P.LOCALIZATION_TRANSLATE, None, "submit",   "Propose a translation; it is served once somebody else has approved it.",
          refuses=(Conflict,)),
    Route("POST", "/api/l10n/review/:id",   BEARER, P.LOCALIZATION_REVIEW,    None, "review",   "Approve a proposal, a draft, or a text whose source has changed; or return a proposal to its author.",
          refuses=(Conflict, SelfReview)),
    Route("POST", "/api/l10n/discard",      BEARER, P.LOCALIZATION_MANAGE,    None, "discard",  "Discard a locale's drafts that nobody has approved.",
          refuses=(NotFound,)),
    Route("POST", "/api/l10n/import",       BEARER, P.LOCALIZATION_MANAGE,    None, "import_files", "Read a locale's catalog file, or all, into the tables; approved texts and proposals stay.",
          refuses=(Conflict,)),
    Route("POST", "/api/l10n/export",       BEARER, P.LOCALIZATION_MANAGE,    None, "export",   "Write a locale's approved texts to its catalog file.",
          refuses=(Conflict, NothingApproved, StorageFull)),
    Route("POST", "/api/l10n/draft",        BEARER, P.LOCALIZATION_MANAGE,    None, "draft",    "Queue up to 20 jobs that draft what is missing in a locale, and say how much remains.",
          refuses=(FeatureDisabled, QuotaExceeded)),
)
# fmt: on

_REVALIDATED = {"cache-control": "public, no-cache"}


async def catalog(db: Db, catalogs: CatalogCache, query: CatalogQuery) -> Reply[Catalog]:
    found, chain = await catalogs.find(db, query.locale)
    return Reply(found.to_catalog(chain), version=found.version(chain), headers=_REVALIDATED)


async def set_policy(db: Db, who: Principal, body: LocalizationPolicyChange) -> LocalizationPolicy:
    return await policy.change(db, who, body)


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


async def import_files(db: Db, who: Principal, settings: Settings, body: ImportChoice) -> ImportResult:
    return await importing.import_files(db, who, settings.data, body.locale)


async def export(db: Db, who: Principal, settings: Settings, body: LocaleChoice) -> LocaleExport:
    return await exporting.export(db, who, settings.data, body.locale)


async def draft(db: Db, who: Principal, queue: Queue, body: LocaleChoice) -> Accepted[QueuedDrafts]:
    return Accepted(await drafting.queue_drafts(db, who, queue, body.locale))
