"""Brings the texts of catalog files into the tables. What people have approved or proposed here stays.

A file is read, checked and compared before anything is written: one that is broken changes nothing.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from teamspace import translation
from teamspace.core import clock, pools
from teamspace.core.db import Db, Tx
from teamspace.core.errors import BadRequest
from teamspace.core.messages import DEFAULT
from teamspace.core.principal import Principal
from teamspace.localization import store
from teamspace.localization.domain import files, syncing, words, writing
from teamspace.localization.domain.codec import FileMessage, Mark
from teamspace.localization.domain.files import FileContent
from teamspace.localization.schemas import (
    EntryRow,
    ImportResult,
    KnownText,
    LocaleImport,
    MessageOrigin,
)

_PAGE = 1000
_CHECKED_AT_ONCE = 500
"""Messages per visit to the pool, so that others get their turn."""
_WRITTEN_AT_ONCE = 200
"""Entries per transaction: other writes wait for no longer."""


class Incoming(msgspec.Struct, frozen=True):
    """A text of a file that would change an entry."""

    entry_id: str
    source: str
    source_hash: str
    """Of the source now."""
    text: str
    words: str
    mark: Mark | None
    """None if the file does not say that the text is approved."""
    origin: MessageOrigin


class _Compared(msgspec.Struct, frozen=True):
    locale: str
    incoming: list[Incoming]
    unchanged: int
    removed: int


async def import_files(db: Db, who: Principal, data: Path, given: str | None) -> ImportResult:
    """Import the file of a locale, or all files; the source language's is not imported, since it comes with the product."""
    locale = None if given is None else translation.clean_tag(given, "locale")
    if locale == DEFAULT:
        raise BadRequest.at("/locale", "localization.source_file")
    await syncing.begin(db)
    names = [locale] if locale is not None else await pools.FILES.run(files.list_locales, data)
    # All are compared before the first is written; of each only what it changes is kept in memory.
    found = [await _compare(db, data, name) for name in names if name != DEFAULT]
    compared = [each for each in found if each is not None]
    if locale is not None and not compared:
        raise BadRequest.at("/locale", "localization.no_file")
    return ImportResult([await _write(db, who, each) for each in compared])


async def _compare(db: Db, data: Path, locale: str) -> _Compared | None:
    """Read a locale's file and compare it with the tables; None if there is no file."""
    async with files.locked(data, shared=True):
        file = await pools.FILES.run(files.read, data, locale)
    if file is None:
        return None
    content = await pools.TEXT.run(files.decode, file)
    known = await _read_known(db, content.locale)
    incoming, missing = list[Incoming](), 0
    for some in writing.batches(content.messages, _CHECKED_AT_ONCE):
        incoming += await pools.TEXT.run(_find_changes, content, some, known)
        missing += sum(message.name not in known for message in some)
    return _Compared(content.locale, incoming, len(content.messages) - len(incoming) - missing, missing)


async def _read_known(db: Db, locale: str) -> dict[str, KnownText]:
    """Return the messages of the product with their texts in a locale, by name; the locale may be new."""
    known, after = dict[str, KnownText](), ("", "")
    while page := await store.select_known(db, locale, after, _PAGE):
        known |= {f"{row.namespace}.{row.key}": row for row in page}
        after = (page[-1].namespace, page[-1].key)
    return known


async def _write(db: Db, who: Principal, compared: _Compared) -> LocaleImport:
    """Write what a file changes, some entries at a time. After a crash, importing once more completes it."""
    added = changed = 0
    people = await store.select_people(
        db, sorted({each.mark.by for each in compared.incoming if each.mark and each.mark.by})
    )
    for some in [*writing.batches(compared.incoming, _WRITTEN_AT_ONCE)] or [[]]:
        async with db.write(who, "l10n.import") as tx:
            await _lock(tx, compared.locale)
            new, other = await _write_some(tx, compared.locale, some, frozenset(people))
            tx.target, tx.detail = compared.locale, {"added": new, "changed": other}
        added, changed = added + new, changed + other
    kept = len(compared.incoming) - added - changed
    return LocaleImport(compared.locale, added, changed, compared.unchanged + kept, compared.removed)


async def _lock(tx: Tx, locale: str) -> None:
    """Lock a locale, and add it if it is new."""
    if not await store.has_locale(tx, locale):
        await tx.lock("l10n", writing.ALL_LOCALES)
        await tx.lock("l10n", locale)
        await writing.add_locale(tx, locale)
    else:
        await tx.lock("l10n", locale)


async def _write_some(tx: Tx, locale: str, some: Sequence[Incoming], people: frozenset[str]) -> tuple[int, int]:
    """Write what still applies; return how many texts are new, and how many others have changed."""
    entries = {entry.id: entry for entry in await store.select_entries(tx, [each.entry_id for each in some])}
    now = clock.stamp()
    changes = [
        (entry, _with_text(entry, each, people, now))
        for each in some
        if (entry := entries.get(each.entry_id)) and _applies(each, entry)
    ]
    await writing.write(tx, locale, changes)
    new = sum(before.text is None for before, _ in changes)
    return new, len(changes) - new


def _applies(incoming: Incoming, entry: EntryRow) -> bool:
    """Tell whether a text still changes an entry, which others may have changed since they were compared."""
    if entry.current_hash != incoming.source_hash:
        return False
    if incoming.mark is None:
        return entry.approved_at is None and entry.text != incoming.text
    return entry.approved_at is None or (incoming.mark.at or "") > entry.approved_at


def _with_text(entry: EntryRow, incoming: Incoming, people: frozenset[str], now: str) -> EntryRow:
    mark = incoming.mark
    is_current = mark is None or mark.h == incoming.source_hash
    return msgspec.structs.replace(
        entry,
        text=incoming.text,
        words=incoming.words,
        origin=incoming.origin,
        source_hash=incoming.source_hash if mark is None else mark.h,
        written_source=incoming.source if is_current else None,
        translated_by=None,
        approved_by=mark.by if mark and mark.by in people else None,
        approved_at=mark.at if mark else None,
        updated_at=now,
    )


# In a thread


def _find_changes(
    content: FileContent, messages: Sequence[FileMessage], known: Mapping[str, KnownText]
) -> list[Incoming]:
    """Return the texts that change something, or raise BadRequest for the first that cannot be used."""
    found = list[Incoming]()
    for message in messages:
        row = known.get(message.name)
        if row is not None and (incoming := _to_incoming(message, content.marks.get(message.name), row)):
            _check(content, message, incoming)
            found.append(incoming)
    return found


def _to_incoming(message: FileMessage, mark: Mark | None, row: KnownText) -> Incoming | None:
    """Return what a message of a file changes; None if it changes nothing, or if people's work here stays."""
    approved = mark if mark and mark.at and mark.t in (None, words.hash_text(message.text)) else None
    if approved:
        if row.approved_at is not None and (approved.at or "") <= row.approved_at:
            return None
    elif row.approved_at is not None or row.text == message.text or (mark and mark.h != row.source_hash):
        return None  # a draft of another source is of no use
    origin = MessageOrigin(mark.o) if mark else MessageOrigin.IMPORT
    if origin is MessageOrigin.HUMAN and not approved:
        origin = MessageOrigin.IMPORT
    return Incoming(
        row.entry_id, row.source, row.source_hash, message.text, words.find_words(message.text), approved, origin
    )


def _check(content: FileContent, message: FileMessage, incoming: Incoming) -> None:
    """Raise BadRequest unless the text fits its source. The source of an older approval is not known: compare it with itself."""
    is_current = incoming.mark is None or incoming.mark.h == incoming.source_hash
    source = incoming.source if is_current else message.text
    if errors := translation.check_message(source, message.text, content.locale).errors:
        raise BadRequest(
            "localization.file_message",
            file=content.file,
            line=message.line,
            name=message.name,
            problem=errors[0].message,
        )
