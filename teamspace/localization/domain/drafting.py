"""Drafts what is missing in a locale, with the team's model, glossary, memory and quota.

Jobs translate some messages each. A draft is stored where its message is still missing and its source still the same, so
that repeating a job changes nothing that has been done.
"""

from collections.abc import Sequence

import msgspec

from teamspace import quota, translation
from teamspace.ai import Gateway
from teamspace.core import clock, pools
from teamspace.core.db import Db, Tx
from teamspace.core.errors import BadRequest, FeatureDisabled
from teamspace.core.messages import DEFAULT
from teamspace.core.permissions import Feature
from teamspace.core.principal import Principal
from teamspace.executors import ModelRole
from teamspace.jobs import Authority, Queue
from teamspace.localization import store
from teamspace.localization.domain import syncing, words, writing
from teamspace.localization.schemas import (
    MAX_MESSAGE,
    DraftedMessages,
    DraftInput,
    DraftJob,
    EntryRow,
    EntrySource,
    MessageOrigin,
    QueuedDrafts,
)

KIND = "l10n.draft"
MAX_JOBS, MAX_MESSAGES = 20, 25
"""Jobs per call, and messages per job."""
_UNANSWERED = "missing"
"""The check that a text fails for which the model gave no translation."""


class _Draft(msgspec.Struct, frozen=True):
    text: str
    words: str
    source: EntrySource


async def queue_drafts(db: Db, who: Principal, queue: Queue, given: str) -> QueuedDrafts:
    """Queue jobs for what is missing in a locale, which is added if it is new; leave out what is being drafted."""
    if Feature.TRANSLATE not in who.features:
        raise FeatureDisabled("rights.feature_off", feature=Feature.TRANSLATE)
    locale = translation.clean_tag(given, "locale")
    if locale == DEFAULT:
        raise BadRequest.at("/locale", "localization.source_file")
    await syncing.begin(db)
    async with db.write(who, "l10n.draft", lock=("l10n", writing.ALL_LOCALES)) as tx:
        await tx.lock("l10n", locale)
        await writing.add_locale(tx, locale)
        await store.forget_ended_drafts(tx, locale)
        missing = await store.select_undrafted(tx, locale, MAX_JOBS * MAX_MESSAGES)
        if missing:
            await _check_quota(tx, who)
        jobs = [await _enqueue(tx, who, queue, locale, some) for some in writing.batches(missing, MAX_MESSAGES)]
        remaining = await store.count_undrafted(tx, locale)
        tx.target, tx.detail = locale, {"messages": len(missing), "jobs": len(jobs)}
    return QueuedDrafts(jobs, len(missing), remaining)


async def draft(db: Db, who: Principal, gateway: Gateway, request: DraftInput) -> DraftedMessages:
    """Translate those of the messages that are missing, and store what can be used."""
    sources = await store.select_missing_sources(db, request.entry_ids)
    if not sources:
        return DraftedMessages(request.locale, 0, 0)
    texts = {each.entry_id: each.source for each in sources}
    done = await translation.translate(
        gateway, db, who, texts, target=request.locale, source=DEFAULT, role=ModelRole.UTILITY
    )
    usable = await pools.TEXT.run(_find_usable, sources, done)
    async with db.write(who, "l10n.store_drafts") as tx:
        await tx.lock("l10n", request.locale)
        await translation.remember(tx, who, done)
        stored = await _store(tx, request.locale, usable)
        tx.target, tx.detail = request.locale, {"drafted": stored}
    return DraftedMessages(request.locale, stored, len(sources) - stored)


async def _check_quota(tx: Tx, who: Principal) -> None:
    """Refuse what no job could begin with. What the quota does not admit later waits for it."""
    if exhausted := await quota.find_exhausted(tx, quota.QuotaAccount.of(who), quota.Spend(1, 1), slot=False):
        raise quota.refusal(exhausted)


async def _enqueue(tx: Tx, who: Principal, queue: Queue, locale: str, entry_ids: Sequence[str]) -> DraftJob:
    job_id = await queue.enqueue(tx, Authority.of(who), KIND, DraftInput(locale, list(entry_ids)))
    await store.insert_drafting(tx, locale, job_id, entry_ids)
    return DraftJob(job_id, "queued")


async def _store(tx: Tx, locale: str, usable: dict[str, _Draft]) -> int:
    """Store drafts where nothing has changed since they were made; return how many."""
    now = clock.stamp()
    changes = [
        (entry, _with_draft(entry, usable[entry.id], now))
        for entry in await store.select_entries(tx, sorted(usable))
        if entry.text is None and entry.current_hash == usable[entry.id].source.source_hash
    ]
    await writing.write(tx, locale, changes)
    return len(changes)


def _with_draft(entry: EntryRow, made: _Draft, now: str) -> EntryRow:
    return msgspec.structs.replace(
        entry,
        text=made.text,
        words=made.words,
        origin=MessageOrigin.MACHINE,
        source_hash=made.source.source_hash,
        written_source=made.source.source,
        updated_at=now,
    )


def _find_usable(sources: Sequence[EntrySource], done: translation.Translated) -> dict[str, _Draft]:
    """Return the translations without errors, by entry. In a thread."""
    unanswered = {failed.key for failed in done.checks if failed.check == _UNANSWERED}
    usable = dict[str, _Draft]()
    for each in sources:
        text = done.texts[each.entry_id]
        is_usable = each.entry_id not in unanswered and len(text) <= MAX_MESSAGE and "\0" not in text
        if is_usable and not translation.check_message(each.source, text, done.target).errors:
            usable[each.entry_id] = _Draft(text, words.find_words(text), each)
    return usable
