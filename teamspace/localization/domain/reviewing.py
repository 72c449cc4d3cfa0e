"""Translations by people: what they propose, and what others decide about it. Nothing is served before it is approved."""

import re
import unicodedata

import msgspec

from teamspace import translation
from teamspace.core import clock, pools
from teamspace.core.db import Db, Tx
from teamspace.core.errors import BadRequest, Conflict, FieldError, NotFound, SelfReview
from teamspace.core.messages import DEFAULT
from teamspace.core.principal import Principal
from teamspace.localization import store
from teamspace.localization.domain import listing, words, writing
from teamspace.localization.schemas import (
    EntryRow,
    LocalizedMessage,
    MessageDraft,
    MessageOrigin,
    MessageReview,
    MessageRow,
    MessageStatus,
    ReviewState,
)
from teamspace.translation import MessageChecks, SegmentProblem

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]")
"""Line breaks and tabs are allowed, and the signs that some scripts need for the direction of text."""


class _Approval(msgspec.Struct, frozen=True):
    """A text that is about to be approved, as it was checked."""

    entry: EntryRow
    message: MessageRow
    text: str
    words: str
    warnings: list[SegmentProblem]


async def submit(db: Db, who: Principal, entry_id: str, draft: MessageDraft) -> LocalizedMessage:
    """Propose a text for a message. It replaces an open proposal, if the author has read it or does not care."""
    text = _clean(draft.text, "text")
    entry, message = await _get(db, entry_id)
    if entry.locale == DEFAULT:
        raise Conflict("localization.source_locale")
    warnings = _refuse_errors(await pools.TEXT.run(translation.check_message, message.source, text, entry.locale))
    async with db.write(who, "l10n.submit", lock=("l10n", entry.locale)) as tx:
        entry, current = await _get(tx, entry_id)
        if current.source_hash != message.source_hash:
            raise Conflict("localization.source_changed")
        if draft.submitted_at not in (msgspec.UNSET, entry.submitted_at):
            raise Conflict("localization.changed")
        _describe(tx, entry)
        await writing.write(tx, entry.locale, [(entry, _with_proposal(entry, text, who.user_id))])
        rows = await store.select_sourced(tx, who.org_id, [entry_id])
    return (await listing.show(rows, who, warnings))[0]


def _with_proposal(entry: EntryRow, text: str, author_id: str) -> EntryRow:
    """Return the entry with a proposal. Whoever proposes the text of another shares its authorship."""
    same = entry.contributors or [] if entry.proposal == text else []
    now = clock.stamp()
    return msgspec.structs.replace(
        writing.without_proposal(entry), review=ReviewState.SUBMITTED, proposal=text,
        proposal_source_hash=entry.current_hash, author_id=author_id, contributors=sorted({*same, author_id}),
        submitted_at=now, updated_at=now,
    )  # fmt: skip


async def review(db: Db, who: Principal, entry_id: str, decision: MessageReview) -> LocalizedMessage:
    if decision.decision == "return":
        return await _return(db, who, entry_id, decision)
    return await _approve(db, who, entry_id, decision)


async def _approve(db: Db, who: Principal, entry_id: str, decision: MessageReview) -> LocalizedMessage:
    """Approve the open proposal; without one the draft, or a stale text for its new source. It is served at once."""
    checked = await _check(await _get(db, entry_id), who, decision)
    async with db.write(who, "l10n.approve", lock=("l10n", checked.entry.locale)) as tx:
        entry, message = await _get(tx, entry_id)
        text = _find_text(entry, message, who, decision)
        if text != checked.text or message.source_hash != checked.message.source_hash:
            raise Conflict("localization.changed")
        _describe(tx, entry)
        await writing.write(tx, entry.locale, [(entry, _approved(entry, checked, who.user_id))])
        rows = await store.select_sourced(tx, who.org_id, [entry_id])
    return (await listing.show(rows, who, checked.warnings))[0]


async def _check(found: tuple[EntryRow, MessageRow], who: Principal, decision: MessageReview) -> _Approval:
    entry, message = found
    text = _find_text(entry, message, who, decision)
    checks, indexed = await pools.TEXT.run(_check_text, message.source, text, entry.locale)
    return _Approval(entry, message, text, indexed, _refuse_errors(checks))


def _check_text(source: str, text: str, locale: str) -> tuple[MessageChecks, str]:
    return translation.check_message(source, text, locale), words.find_words(text)


def _find_text(entry: EntryRow, message: MessageRow, who: Principal, decision: MessageReview) -> str:
    """Return the text that the caller can approve."""
    if entry.proposal is not None:
        if who.user_id in (entry.contributors or ()):
            raise SelfReview("localization.own_proposal")
        _check_read(entry, decision)
        if entry.proposal_source_hash != message.source_hash:
            raise Conflict("localization.source_changed")
        return entry.proposal
    if decision.submitted_at is not None or entry.text is None or entry.status is MessageStatus.APPROVED:
        raise Conflict("localization.nothing_to_review")
    if entry.translated_by == who.user_id:
        raise SelfReview("localization.own_proposal")
    _check_read(entry, decision)
    return entry.text


def _check_read(entry: EntryRow, decision: MessageReview) -> None:
    if decision.submitted_at not in (None, entry.submitted_at) or decision.updated_at not in (None, entry.updated_at):
        raise Conflict("localization.changed")


def _approved(entry: EntryRow, checked: _Approval, reviewer_id: str) -> EntryRow:
    now, is_proposal = clock.stamp(), entry.proposal is not None
    return msgspec.structs.replace(
        writing.without_proposal(entry), text=checked.text, words=checked.words,
        origin=MessageOrigin.HUMAN if is_proposal else entry.origin,
        translated_by=entry.author_id if is_proposal else entry.translated_by,
        source_hash=checked.message.source_hash, written_source=checked.message.source, approved_by=reviewer_id,
        approved_at=now, updated_at=now,
    )  # fmt: skip


async def _return(db: Db, who: Principal, entry_id: str, decision: MessageReview) -> LocalizedMessage:
    """Give a proposal back to its author, with a note."""
    note = _clean(decision.note, "note").strip() or None if decision.note else None
    entry, _ = await _get(db, entry_id)
    async with db.write(who, "l10n.return", lock=("l10n", entry.locale)) as tx:
        entry, _ = await _get(tx, entry_id)
        if entry.review is not ReviewState.SUBMITTED:
            raise Conflict("localization.nothing_to_review")
        _check_read(entry, decision)
        _describe(tx, entry)
        returned = msgspec.structs.replace(
            entry, review=ReviewState.RETURNED, note=note, reviewer_id=who.user_id, updated_at=clock.stamp()
        )
        await writing.write(tx, entry.locale, [(entry, returned)])
        rows = await store.select_sourced(tx, who.org_id, [entry_id])
    return (await listing.show(rows, who))[0]


async def _get(db: Db | Tx, entry_id: str) -> tuple[EntryRow, MessageRow]:
    entry = await store.get_entry(db, entry_id)
    if entry is None or (message := await store.get_message(db, entry.message_id)) is None:
        raise NotFound()
    return entry, message


def _describe(tx: Tx, entry: EntryRow) -> None:
    tx.target = entry.id
    tx.detail = {"locale": entry.locale, "namespace": entry.namespace, "key": entry.key}


def _clean(text: str, field: str) -> str:
    if _CONTROL.search(text):
        raise BadRequest.at(f"/{field}", "value.control")
    return unicodedata.normalize("NFC", text)


def _refuse_errors(checks: MessageChecks) -> list[SegmentProblem]:
    """Return the warnings, if there are no errors."""
    if checks.errors:
        errors = tuple(
            FieldError("/text", problem.message, f"translation.check_{problem.check.value}", problem.params)
            for problem in checks.errors
        )
        told = " ".join(problem.message for problem in checks.errors)
        raise BadRequest("localization.checks", problems=told).with_fields(errors=errors)
    return checks.warnings
