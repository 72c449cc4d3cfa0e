"""The history of translations. A row is read by its author alone; the audit log says that there was one, not what."""

from collections.abc import Mapping

from teamspace.core import clock, paging
from teamspace.core.db import Db
from teamspace.core.ids import new_id
from teamspace.core.paging import Paging
from teamspace.core.principal import Principal
from teamspace.core.replies import Page
from teamspace.translation import access, store
from teamspace.translation.domain import engine
from teamspace.translation.domain.engine import Translated
from teamspace.translation.schemas import TranslatedText, TranslationKind, TranslationRecord

KEPT = 200
"""Translations per author and team."""
MAX_CHARACTERS = 4_000
"""Per text that is kept, and for a catalog's translations in all."""
MAX_CHECKS, MAX_HITS = 50, 50


async def record(
    db: Db, who: Principal, kind: TranslationKind, sources: Mapping[str, str], translated: Translated
) -> None:
    """Store a translation and what can be reused of it, in one commit."""
    texts, is_complete = _excerpts(sources, translated.texts)
    row = TranslationRecord(
        id=new_id(), kind=kind, source=translated.source, target=translated.target, texts=texts, truncated=not is_complete,
        checks=translated.checks[:MAX_CHECKS], glossary_hits=translated.glossary_hits[:MAX_HITS],
        memory_hits=translated.memory_hits, model=translated.model, usage=translated.usage, created_at=clock.stamp(),
    )  # fmt: skip
    async with db.write(who, "translation.create") as tx:
        tx.target = row.id
        tx.detail = {"kind": kind, "target": row.target, "texts": len(sources), "tokens": row.usage.total_tokens}
        await store.insert(tx, who.org_id, who.team_id, who.user_id, row)
        await store.delete_old(tx, access.own(who), KEPT)
        await engine.remember(tx, who, translated)


async def listing(db: Db, who: Principal, query: Paging) -> Page[TranslationRecord]:
    rows = await store.select(db, access.own(who), query.before, query.size + 1)
    return paging.page(rows, query, lambda row: row.id)


def _excerpts(sources: Mapping[str, str], translations: Mapping[str, str]) -> tuple[list[TranslatedText], bool]:
    """Return the first texts, each perhaps cut, and whether that is all."""
    found, room = list[TranslatedText](), MAX_CHARACTERS
    for key, text in sources.items():
        if room <= 0:
            break
        found.append(TranslatedText(text[:room], translations[key][:MAX_CHARACTERS], key or None))
        room -= max(len(text), len(translations[key]))
    return found, room >= 0 and len(found) == len(sources)
