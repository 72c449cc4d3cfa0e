"""HTTP routes for translations and glossaries."""

from teamspace.ai import DryRun, Gateway
from teamspace.core.db import Db
from teamspace.core.disconnect import DisconnectWatch
from teamspace.core.errors import Conflict, ExecutorFailed, NoExecutor, QuotaExceeded, ResponseRefused
from teamspace.core.paging import Paging
from teamspace.core.permissions import Feature as F
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Page
from teamspace.core.routing import BEARER, Route
from teamspace.translation.domain import glossary, history, requests
from teamspace.translation.schemas import (
    CatalogTranslation,
    GlossaryQuery,
    GlossaryTerm,
    NewCatalogTranslation,
    NewTranslation,
    TermDraft,
    Translation,
    TranslationRecord,
)

# fmt: off
ROUTES = (
    Route("POST", "/api/translate/catalog", BEARER, P.CHAT_USE, F.TRANSLATE, "translate_catalog", "Translate a catalog: every key gets a text, and failed checks are listed by key; `dry_run` only says what it would cost.",
          refuses=(QuotaExceeded, ExecutorFailed, NoExecutor, ResponseRefused), dry_run=True),
    Route("POST", "/api/translate", BEARER, P.CHAT_USE,        F.TRANSLATE, "translate", "Translate a text with the team's glossary; failed checks are listed; `dry_run` only says what it would cost.",
          refuses=(QuotaExceeded, ExecutorFailed, NoExecutor, ResponseRefused), dry_run=True),
    Route("GET",  "/api/translate", BEARER, P.CHAT_USE,        None, "index",    "List the caller's own translations in the team, newest first."),
    Route("POST", "/api/glossary",  BEARER, P.SETTINGS_MANAGE, None, "put_term", "Add or update a term of the team's glossary for a target language; with a null translation, delete it.",
          refuses=(Conflict,)),
    Route("GET",  "/api/glossary",  BEARER, P.CHAT_USE,        None, "terms",    "List the team's glossary by language and term; ?target= lists one language."),
)
# fmt: on


async def translate_catalog(
    db: Db, who: Principal, body: NewCatalogTranslation, gateway: Gateway, disconnect: DisconnectWatch
) -> CatalogTranslation | DryRun:
    return await requests.translate_catalog(gateway, db, who, body, disconnect)


async def translate(
    db: Db, who: Principal, body: NewTranslation, gateway: Gateway, disconnect: DisconnectWatch
) -> Translation | DryRun:
    return await requests.translate_text(gateway, db, who, body, disconnect)


async def index(db: Db, who: Principal, query: Paging) -> Page[TranslationRecord]:
    return await history.listing(db, who, query)


async def put_term(db: Db, who: Principal, body: TermDraft) -> GlossaryTerm:
    return await glossary.put(db, who, body)


async def terms(db: Db, who: Principal, query: GlossaryQuery) -> Page[GlossaryTerm]:
    return await glossary.listing(db, who, query)
