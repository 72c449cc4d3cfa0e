"""What people request: the translation of a text or of a catalog, recorded in their history."""

from teamspace.ai import DryRun, Gateway
from teamspace.core.db import Db
from teamspace.core.disconnect import DisconnectWatch
from teamspace.core.errors import BadRequest
from teamspace.core.principal import Principal
from teamspace.translation.domain import engine, history, languages
from teamspace.translation.schemas import (
    MAX_CATALOG,
    CatalogTranslation,
    NewCatalogTranslation,
    NewTranslation,
    Translation,
    TranslationKind,
)

_TEXT = ""
"""The key of a text that is alone."""


async def translate_text(
    gateway: Gateway, db: Db, who: Principal, request: NewTranslation, disconnect: DisconnectWatch | None = None
) -> Translation | DryRun:
    source, target = _languages(request.source, request.target)
    texts = {_TEXT: request.text}
    if request.dry_run:
        return await engine.preview(gateway, db, who, texts, target=target, source=source)
    done = await engine.translate(gateway, db, who, texts, target=target, source=source, disconnect=disconnect)
    await history.record(db, who, TranslationKind.TEXT, texts, done)
    return Translation(
        done.texts[_TEXT], done.source, target, done.checks, done.glossary_hits, done.memory_hits, done.usage
    )


async def translate_catalog(
    gateway: Gateway, db: Db, who: Principal, request: NewCatalogTranslation, disconnect: DisconnectWatch
) -> CatalogTranslation | DryRun:
    source, target = _languages(request.source, request.target)
    if sum(len(key) + len(text) for key, text in request.catalog.items()) > MAX_CATALOG:
        raise BadRequest.at("/catalog", "translation.catalog", limit=MAX_CATALOG)
    if request.dry_run:
        return await engine.preview(gateway, db, who, request.catalog, target=target, source=source)
    done = await engine.translate(
        gateway, db, who, request.catalog, target=target, source=source, disconnect=disconnect
    )  # fmt: skip
    await history.record(db, who, TranslationKind.CATALOG, request.catalog, done)
    return CatalogTranslation(
        done.texts, done.source, target, done.checks, done.glossary_hits, done.memory_hits, done.usage
    )


def _languages(source: str | None, target: str) -> tuple[str | None, str]:
    cleaned = languages.clean_tag(target, "target")
    given = None if source is None else languages.clean_tag(source, "source")
    if given == cleaned:
        raise BadRequest.at("/target", "translation.same_language")
    return given, cleaned
