"""Writes entries with all that depends on them: their words, the counts of the locale, and the revision of what is served.

The caller holds the lock of the locale (`lock`), so that nobody else changes its entries meanwhile.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

import msgspec

from teamspace.core import clock
from teamspace.core.db import Tx
from teamspace.localization import store
from teamspace.localization.domain import words
from teamspace.localization.schemas import EntryRow, MessageStatus, MessageWord, NewEntry, ReviewState, StatusCounts

LOCK = "l10n"
ALL_LOCALES = "*"
"""Locked to change the set of messages or of locales, before any locale."""
BATCH = 200
_WORDS_AT_ONCE = 2_000

PROPOSAL = (
    "review", "proposal", "proposal_source_hash", "author_id", "contributors", "submitted_at", "note", "reviewer_id",
)  # fmt: skip
"""The fields of an open proposal."""

T = TypeVar("T")
Change = tuple[EntryRow, EntryRow]
"""An entry before and after."""


async def write(tx: Tx, locale: str, changes: Sequence[Change]) -> None:
    """Write changed entries of one locale; their status is computed by the database."""
    async for some in in_turns(changes):
        written = {row.id: row.status for row in await store.update_entries(tx, [after for _, after in some])}
        await _write_words(tx, locale, some)
        deltas = _count(some, written)
        is_served = any(before.text != after.text or before.status != written[after.id] for before, after in some)
        total = Counter[str]()
        for delta in deltas.values():
            total.update(delta)
        await store.shift_locale(tx, locale, _to_counts(total), served=is_served)
        await store.shift_namespaces(tx, locale, {name: _to_counts(delta) for name, delta in deltas.items()})


async def add_locale(tx: Tx, locale: str) -> None:
    """Add a locale in which all messages are missing; the caller holds the lock of all locales. One that exists stays."""
    if not await store.insert_locale(tx, locale):
        return
    now = clock.stamp()
    after = ("", "")
    while page := await store.select_message_page(tx, after, BATCH):
        rows = [NewEntry(message.id, None, " ") for message in page]
        await store.insert_entries(tx, locale, rows, None, None, now)
        await asyncio.sleep(0)
        after = (page[-1].namespace, page[-1].key)
    await recount(tx, locale)


async def recount(tx: Tx, locale: str) -> None:
    """Count all entries of a locale, after changes that `write` did not make."""
    await store.delete_namespace_counts(tx, locale)
    await store.count_namespaces(tx, locale)
    await store.count_locale(tx, locale)


async def insert_words(tx: Tx, locale: str, found: Iterable[MessageWord]) -> None:
    async for some in in_turns(found, _WORDS_AT_ONCE):
        await store.insert_words(tx, locale, some)


async def delete_words(tx: Tx, locale: str, found: Iterable[MessageWord]) -> None:
    async for some in in_turns(found, _WORDS_AT_ONCE):
        await store.delete_words(tx, locale, some)


def without_text(entry: EntryRow) -> EntryRow:
    """Return an entry that is missing; its proposal stays."""
    return msgspec.structs.replace(
        entry, text=None, words=" ", origin=None, source_hash=None, written_source=None, translated_by=None,
        approved_by=None, approved_at=None,
    )  # fmt: skip


def without_proposal(entry: EntryRow) -> EntryRow:
    return msgspec.structs.replace(entry, **dict.fromkeys(PROPOSAL))


async def in_turns(items: Iterable[T], size: int = BATCH) -> AsyncIterator[list[T]]:
    """Yield batches, with a turn for requests after each: SQLite has none of its own."""
    for some in batches(items, size):
        yield some
        await asyncio.sleep(0)


def batches(items: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some


async def _write_words(tx: Tx, locale: str, changes: Iterable[Change]) -> None:
    changed = [change for change in changes if change[0].words != change[1].words]
    await delete_words(tx, locale, (word for before, _ in changed for word in words.rows_of(before, before.words)))
    await insert_words(tx, locale, (word for _, after in changed for word in words.rows_of(after, after.words)))


def _count(changes: Iterable[Change], written: dict[str, MessageStatus]) -> dict[str, Counter[str]]:
    """Return by namespace how the counts change."""
    deltas = dict[str, Counter[str]]()
    for before, after in changes:
        delta = deltas.setdefault(after.namespace, Counter())
        delta.subtract(_counted(before.status, before.review))
        delta.update(_counted(written[after.id], after.review))
    return deltas


def _counted(status: MessageStatus, review: ReviewState | None) -> Counter[str]:
    return Counter([status.value, *(["submitted"] if review is ReviewState.SUBMITTED else [])])


def _to_counts(delta: Counter[str]) -> StatusCounts:
    return StatusCounts(**{field.name: delta[field.name] for field in msgspec.structs.fields(StatusCounts)})
