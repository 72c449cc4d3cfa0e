"""Lists messages of a locale. A page costs the same however many messages there are.

A list is read by the index of one filter. The others are checked for each row, of `_SCANNED` rows and two pages: a page can
have fewer items than its limit, and its cursor continues after the last row that was read.
"""

from collections.abc import Sequence

import msgspec

from teamspace import fulltext, translation
from teamspace.core import pools
from teamspace.core.db import Db
from teamspace.core.errors import BadRequest, NotFound
from teamspace.core.messages import DEFAULT
from teamspace.core.paging import decode_cursor, encode_cursor
from teamspace.core.principal import Principal
from teamspace.core.replies import Page
from teamspace.localization import store
from teamspace.localization.domain import syncing
from teamspace.localization.schemas import (
    Coverage,
    EntryFilters,
    EntryPosition,
    ListPosition,
    LocalizedMessage,
    MessageProposal,
    MessagesQuery,
    MessageStatus,
    SourcedEntry,
)
from teamspace.translation import SegmentProblem

_SCANNED = 500
_AROUND = 5
_MAX_TERMS = 8
"""Words of a query; further ones are ignored."""


async def get_coverage(db: Db, locale: str | None) -> Coverage:
    chosen = None if locale is None else translation.clean_tag(locale, "locale")
    await syncing.begin(db)
    namespaces = None if chosen is None else await store.select_namespaces(db, chosen)
    return Coverage(DEFAULT, await store.select_coverage(db), namespaces)


async def list_messages(db: Db, who: Principal, query: MessagesQuery) -> Page[LocalizedMessage]:
    locale = translation.clean_tag(query.locale, "locale")
    await syncing.begin(db)
    if query.id is not None or query.around is not None:
        ids = await _find_ids(db, locale, query)
        return Page(await _load(db, who, locale, ids), None)
    filters = EntryFilters(
        locale, query.status, query.ns, query.review, who.user_id if query.reviewable else None,
    )  # fmt: skip
    terms = fulltext.distinct_words(query.q or "", _MAX_TERMS)
    if query.q and query.q.strip() and not terms:
        return Page([], None)
    found, is_last = await _scan(db, filters, terms, _read_cursor(query.cursor), query.size)
    chosen, cursor = _choose(found, query.size, is_last)
    return Page(await _load(db, who, locale, [position.id for position in chosen]), cursor)


async def _scan(
    db: Db, filters: EntryFilters, terms: Sequence[str], after: ListPosition, size: int
) -> tuple[list[EntryPosition], bool]:
    """Read on until the page is full, in two steps at most; return the rows, and whether they are the last."""
    found = list[EntryPosition]()
    for limit in (size + 1,) if not terms and _is_by_index(filters) else (2 * size + 1, _SCANNED):
        if terms:
            first = max(terms, key=len)
            others = [term for term in terms if term != first]
            some = await store.scan_words(db, filters, first, others, after, limit)
        else:
            some = await store.scan(db, filters, after, limit)
        found += some
        if len(some) < limit:
            return found, True
        if sum(position.fits for position in found) > size:
            break
        after = _position(some[-1])
    return found, False


def _is_by_index(filters: EntryFilters) -> bool:
    """Whether every row of the index fits."""
    return filters.reviewer is None and (filters.status is None or filters.review is None)


def _choose(found: Sequence[EntryPosition], size: int, is_last: bool) -> tuple[list[EntryPosition], str | None]:
    """Return the rows of the page, and the cursor after the last row that it has read."""
    fitting = [position for position in found if position.fits]
    if len(fitting) > size:
        return fitting[:size], _to_cursor(fitting[size - 1])
    return fitting, None if is_last else _to_cursor(found[-1])


def _position(row: EntryPosition) -> ListPosition:
    return ListPosition(row.word, row.namespace, row.key)


def _to_cursor(row: EntryPosition) -> str:
    return encode_cursor(msgspec.json.encode(_position(row)).decode())


def _read_cursor(cursor: str | None) -> ListPosition:
    if cursor is None:
        return ListPosition()
    try:
        return msgspec.json.decode(decode_cursor(cursor), type=ListPosition)
    except msgspec.MsgspecError:
        raise BadRequest.at("cursor", "value.cursor") from None


async def _find_ids(db: Db, locale: str, query: MessagesQuery) -> list[str]:
    entry = await store.get_entry(db, query.around or query.id or "")
    if entry is None or entry.locale != locale:
        raise NotFound()
    if query.around is None:
        return [entry.id]
    return await store.select_neighbours(db, locale, entry.namespace, entry.key, _AROUND)


async def _load(db: Db, who: Principal, locale: str, ids: Sequence[str]) -> list[LocalizedMessage]:
    """Return messages in this order, with the terms of the caller's glossary."""
    by_id = {row.id: row for row in await store.select_sourced(db, who.org_id, ids)}
    shown = await show([by_id[id] for id in ids if id in by_id], who)
    terms = await translation.find_terms(db, who, locale, [message.source for message in shown])
    return [
        msgspec.structs.replace(message, terms=found) if found else message
        for message, found in zip(shown, terms, strict=True)
    ]


async def show(
    rows: Sequence[SourcedEntry], who: Principal, warnings: Sequence[SegmentProblem] = ()
) -> list[LocalizedMessage]:
    """Return what the caller sees of entries; their sources are parsed in a thread."""
    return await pools.TEXT.run(lambda: [_show(row, who, warnings) for row in rows]) if rows else []


def _show(row: SourcedEntry, who: Principal, warnings: Sequence[SegmentProblem]) -> LocalizedMessage:
    shape = translation.describe_message(row.source, row.locale)
    return LocalizedMessage(
        id=row.id, locale=row.locale, namespace=row.namespace, key=row.key, source=row.source, status=row.status,
        text=row.text, origin=row.origin,
        written_source=row.written_source if row.status is MessageStatus.STALE else None,
        review=row.review, proposal=_show_proposal(row, who), approved_by=row.approved_by, approved_at=row.approved_at,
        updated_at=row.updated_at, arguments=shape.arguments, plural_categories=shape.plural_categories,
        warnings=list(warnings),
    )  # fmt: skip


def _show_proposal(row: SourcedEntry, who: Principal) -> MessageProposal | None:
    if row.proposal is None or row.author_id is None:
        return None
    return MessageProposal(
        text=row.proposal, author=row.author_id, author_name=row.author_name or "", submitted_at=row.submitted_at or "",
        note=row.note, own=who.user_id in (row.contributors or ()),
    )  # fmt: skip
