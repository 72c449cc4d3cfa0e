"""Brings the product's texts into the database: when somebody first uses the manager, and after an upgrade.

Until then the catalogs are served as they ship, and an instance that nobody translates has no rows and no cost.
Texts that people have approved or proposed stay, whatever the product does: with another source they are stale, and
without their message they are kept until it is back.
"""

import asyncio
import hashlib
import logging
from collections.abc import Mapping, Sequence

import msgspec

from teamspace import fulltext
from teamspace.core import clock, pools
from teamspace.core.db import Db, Tx
from teamspace.core.errors import Overloaded
from teamspace.core.ids import new_id
from teamspace.core.messages import DEFAULT, Messages
from teamspace.core.messages import catalogs as bundled
from teamspace.core.principal import system
from teamspace.localization import store
from teamspace.localization.domain import words, writing
from teamspace.localization.schemas import (
    EntryRow,
    MessageOrigin,
    MessageRow,
    MessageStatus,
    NewEntry,
    RetiredEntry,
)

log = logging.getLogger("teamspace.localization")

_FORMAT = 1
"""Increase it when other rows are made of the same catalogs."""
_ATTEMPTS, _PAUSE = 30, 1.0
_EVERY = 1_000_000_000


class _Shipped(msgspec.Struct, frozen=True):
    """The catalogs that ship."""

    catalogs: Mapping[str, Messages]
    digest: str
    words: dict[str, str]
    """The words of each text; a source's with those of its name."""


class _Plan(msgspec.Struct, frozen=True):
    """What the product's sources change."""

    added: list[MessageRow]
    changed: list[tuple[MessageRow, MessageRow]]
    """Before and after."""
    removed: list[MessageRow]


async def begin(db: Db) -> None:
    """Synchronise before the first use of the manager."""
    if await store.get_digest(db) is None:
        await synchronise(db)


async def catch_up(db: Db) -> None:
    """Synchronise at a start, perhaps after an upgrade, if the manager is in use."""
    if await store.get_digest(db) is not None:
        await synchronise(db)


async def synchronise(db: Db, catalogs: Mapping[str, Messages] | None = None) -> bool:
    """Make the tables agree with the catalogs that ship; return whether this call changed anything.

    Several servers can do it at once: one does, the others wait, and then have nothing to do.
    """
    catalogs = bundled() if catalogs is None else catalogs
    digest = await pools.TEXT.run(_digest, catalogs)
    if await store.get_digest(db) == digest:
        return False
    shipped = _Shipped(catalogs, digest, await pools.TEXT.run(_find_words, catalogs))
    for attempt in range(_ATTEMPTS):
        try:
            return await _synchronise(db, shipped)
        except Overloaded:  # another server is at it
            if attempt == _ATTEMPTS - 1:
                raise
            await asyncio.sleep(_PAUSE)
    raise AssertionError("unreachable")


async def _synchronise(db: Db, shipped: _Shipped) -> bool:
    async with db.maintenance(system()) as tx:
        await tx.lock("l10n", writing.ALL_LOCALES)
        if await store.get_digest(tx) == shipped.digest:
            return False
        locales = sorted({*await store.select_locales(tx), *shipped.catalogs})
        await tx.lock("l10n", *locales)
        plan = _compare(await store.select_messages(tx), shipped)
        await _remove(tx, plan.removed)
        await _change(tx, plan.changed)
        await _add(tx, plan.added, locales, shipped)
        for locale in locales:
            await _fill(tx, locale, shipped)
            await writing.recount(tx, locale)
        await store.put_digest(tx, shipped.digest)
    log.info(
        "the texts of the product: %d added, %d changed, %d removed",
        len(plan.added), len(plan.changed), len(plan.removed),
    )  # fmt: skip
    return True


def _digest(catalogs: Mapping[str, Messages]) -> str:
    content = msgspec.json.encode([_FORMAT, fulltext.TOKENIZER_VERSION, catalogs], order="sorted")
    return hashlib.sha256(content).hexdigest()


def _find_words(catalogs: Mapping[str, Messages]) -> dict[str, str]:
    texts = {
        _named(namespace, key, text) if locale == DEFAULT else text
        for locale, messages in catalogs.items()
        for namespace, by_key in messages.items()
        for key, text in by_key.items()
    }
    return {text: words.find_words(text) for text in texts}


def _named(namespace: str, key: str, source: str) -> str:
    """Return a source with its name, by which it is found too."""
    return f"{namespace} {key} {source}"


def _compare(stored: Sequence[MessageRow], shipped: _Shipped) -> _Plan:
    plan, before = _Plan([], [], []), {(row.namespace, row.key): row for row in stored}
    for namespace, texts in shipped.catalogs[DEFAULT].items():
        for key, source in texts.items():
            old = before.pop((namespace, key), None)
            found = shipped.words[_named(namespace, key, source)]
            new = MessageRow(old.id if old else new_id(), namespace, key, source, words.hash_text(source), found)
            if old is None:
                plan.added.append(new)
            elif old != new:
                plan.changed.append((old, new))
    plan.removed.extend(before.values())
    return plan


async def _remove(tx: Tx, messages: Sequence[MessageRow]) -> None:
    async for some in writing.in_turns(messages):
        ids = [message.id for message in some]
        entries = await store.select_entries_of(tx, ids)
        for locale in sorted({entry.locale for entry in entries}):
            mine = (entry for entry in entries if entry.locale == locale)
            await writing.delete_words(tx, locale, (word for row in mine for word in words.rows_of(row, row.words)))
        await writing.delete_words(tx, "", (word for row in some for word in words.rows_of(row, row.words)))
        await store.retire_entries(tx, ids)
        await store.delete_messages(tx, ids)


async def _change(tx: Tx, changes: Sequence[tuple[MessageRow, MessageRow]]) -> None:
    """Change sources. Approved texts become stale by it, drafts of the old source are dropped, proposals stay."""
    now = clock.stamp()
    async for some in writing.in_turns(changes):
        await writing.delete_words(tx, "", (word for old, _ in some for word in words.rows_of(old, old.words)))
        await store.put_messages(tx, [new for _, new in some])
        await writing.insert_words(tx, "", (word for _, new in some for word in words.rows_of(new, new.words)))
        by_id = {new.id: new for _, new in some}
        entries = await store.select_entries_of(tx, list(by_id))
        for locale in sorted({entry.locale for entry in entries}):
            mine = [entry for entry in entries if entry.locale == locale]
            await writing.write(
                tx, locale, [(entry, _with_source(entry, by_id[entry.message_id], now)) for entry in mine]
            )


def _with_source(entry: EntryRow, message: MessageRow, now: str) -> EntryRow:
    if entry.current_hash == message.source_hash:
        return entry
    changed = msgspec.structs.replace(entry, current_hash=message.source_hash, updated_at=now)
    if entry.locale == DEFAULT:
        return msgspec.structs.replace(
            changed,
            text=message.source,
            source_hash=message.source_hash,
            written_source=message.source,
            approved_at=now,
        )
    return changed if entry.approved_at else writing.without_text(changed)


async def _add(tx: Tx, messages: Sequence[MessageRow], locales: Sequence[str], shipped: _Shipped) -> None:
    """Add sources, with an entry in every locale."""
    async for some in writing.in_turns(messages):
        await store.put_messages(tx, some)
        await writing.insert_words(tx, "", (word for row in some for word in words.rows_of(row, row.words)))
    for locale in locales:
        is_new = await store.insert_locale(tx, locale)
        every = await store.select_messages(tx) if is_new else messages
        async for some in writing.in_turns(every):
            await _add_entries(tx, locale, some, shipped)
    await _restore(tx, messages)


async def _add_entries(tx: Tx, locale: str, messages: Sequence[MessageRow], shipped: _Shipped) -> None:
    """Add entries: approved with the source itself, or as a draft with the text that ships, or missing."""
    now = clock.stamp()
    if locale == DEFAULT:  # the words of a source are those of its message
        rows = [NewEntry(message.id, message.source, " ") for message in messages]
        return await store.insert_entries(tx, locale, rows, MessageOrigin.HUMAN, now, now)
    texts = shipped.catalogs.get(locale, {})
    rows = [_new_entry(message, _find(texts, message), shipped) for message in messages]
    await store.insert_entries(tx, locale, rows, MessageOrigin.MACHINE, None, now)
    found = zip(messages, rows, strict=True)
    await writing.insert_words(tx, locale, (word for row, new in found for word in words.rows_of(row, new.words)))


def _new_entry(message: MessageRow, text: str | None, shipped: _Shipped) -> NewEntry:
    return NewEntry(message.id, text, " " if text is None else shipped.words[text])


def _find(texts: Messages, message: MessageRow | EntryRow) -> str | None:
    return texts.get(message.namespace, {}).get(message.key) or None


async def _restore(tx: Tx, messages: Sequence[MessageRow]) -> None:
    """Give messages that are back what people had written for them."""
    if not await store.has_retired(tx):
        return
    for message in messages:
        retired = {row.locale: row for row in await store.take_retired(tx, message.namespace, message.key)}
        for entry in await store.select_entries_of(tx, [message.id]) if retired else ():
            if row := retired.get(entry.locale):
                await writing.write(tx, entry.locale, [(entry, _with_work(entry, row))])


def _with_work(entry: EntryRow, retired: RetiredEntry) -> EntryRow:
    work = {name: getattr(retired, name) for name in retired.__struct_fields__}
    if retired.approved_at is None:  # only a proposal: the text was a draft
        work = {name: value for name, value in work.items() if name in writing.PROPOSAL}
    elif retired.text is not None:
        work["words"] = words.find_words(retired.text)
    return msgspec.structs.replace(entry, **work, updated_at=clock.stamp())


async def _fill(tx: Tx, locale: str, shipped: _Shipped) -> None:
    """Give what is missing in a locale the text that ships."""
    texts = shipped.catalogs.get(locale, {})
    if not texts or locale == DEFAULT:
        return
    missing = await store.select_of_status(tx, locale, MessageStatus.MISSING, _EVERY)
    now = clock.stamp()
    await writing.write(
        tx,
        locale,
        [(entry, _with_draft(entry, text, shipped, now)) for entry in missing if (text := _find(texts, entry))],
    )


def _with_draft(entry: EntryRow, text: str, shipped: _Shipped, now: str) -> EntryRow:
    return msgspec.structs.replace(
        entry, text=text, words=shipped.words[text], origin=MessageOrigin.MACHINE, source_hash=entry.current_hash,
        updated_at=now,
    )  # fmt: skip
