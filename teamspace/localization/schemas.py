"""Data types of localization: catalogs, messages with their translations, and coverage."""

from enum import StrEnum
from typing import Annotated, Literal

import msgspec

from teamspace.core.messages import Messages
from teamspace.core.paging import Paging
from teamspace.translation import GlossaryTerm, SegmentProblem

MAX_MESSAGE, MAX_REVIEW_NOTE = 10_000, 1_000
"""Characters."""
MAX_LOCALE, MAX_QUERY = 35, 200

LocaleTag = Annotated[
    str, msgspec.Meta(min_length=2, max_length=MAX_LOCALE, description="A language tag, such as `de` or `pt-BR`.")
]


# Catalogs


class Catalog(msgspec.Struct, frozen=True):
    """The messages for a locale. Missing ones come from the next locale of the chain."""

    locale: str
    """The first locale of the chain that has messages; use it for numbers, dates and plurals."""
    chain: list[str]
    messages: Messages


class CatalogQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    locale: Annotated[str, msgspec.Meta(max_length=40)] | None = None


class LocalizationPolicy(msgspec.Struct, frozen=True):
    """`switching`: whether people choose their own locale. `drafts`: whether unreviewed translations are served."""

    default_locale: str
    switching: bool
    drafts: bool


class LocalizationPolicyChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    default_locale: LocaleTag
    switching: bool
    drafts: bool | None = None
    """Without it, as before."""


# Messages


class MessageStatus(StrEnum):
    """What is served for a message in a locale: an approved text, an unreviewed one, nothing, or one that was approved
    for an earlier source."""

    APPROVED = "approved"
    MACHINE = "machine"
    MISSING = "missing"
    STALE = "stale"


class MessageOrigin(StrEnum):
    HUMAN = "human"
    MACHINE = "machine"
    IMPORT = "import"


class ReviewState(StrEnum):
    """What an open proposal waits for: a reviewer, or its author."""

    SUBMITTED = "submitted"
    RETURNED = "returned"


class MessageProposal(msgspec.Struct, frozen=True):
    """A submitted translation. It is not served before it is approved."""

    text: str
    author: str
    author_name: str
    """Empty if the author is in another company."""
    submitted_at: str
    note: str | None
    """Why a reviewer returned it."""
    own: bool
    """Whether the caller has submitted this text, and so cannot approve it."""


class LocalizedMessage(msgspec.Struct, frozen=True):
    """A message in one locale."""

    id: str
    locale: str
    namespace: str
    key: str
    source: str
    status: MessageStatus
    text: str | None
    origin: MessageOrigin | None
    written_source: str | None
    """Of a stale text: the source that it was approved for."""
    review: ReviewState | None
    proposal: MessageProposal | None
    approved_by: str | None
    """Null if a file said that it is approved."""
    approved_at: str | None
    updated_at: str
    arguments: list[str]
    """The names that the source has in braces; a translation has the same."""
    plural_categories: list[str]
    """The plural forms that the locale needs, if the source has plurals."""
    warnings: list[SegmentProblem] = []
    """What is unusual about the text that was just written, and does not prevent it."""
    terms: list[GlossaryTerm] = []
    """In lists: terms of the team's glossary that the source has, the first 20."""


class MessagesQuery(Paging, frozen=True, kw_only=True):
    locale: LocaleTag
    status: MessageStatus | None = None
    ns: Annotated[str, msgspec.Meta(max_length=200)] | None = None
    """A namespace."""
    q: Annotated[str, msgspec.Meta(max_length=MAX_QUERY)] | None = None
    """Beginnings of words of the key, the source or the text, all of which must be found. A page can have fewer items than
    its limit, and still not be the last."""
    review: ReviewState | None = None
    reviewable: Annotated[int, msgspec.Meta(ge=0, le=1)] = 0
    """1: what waits for a review by the caller: proposals of others, and unreviewed texts."""
    id: Annotated[str, msgspec.Meta(max_length=100)] | None = None
    """Only this message."""
    around: Annotated[str, msgspec.Meta(max_length=100)] | None = None
    """The message with this id and its neighbours in the namespace, five on each side."""


class MessageDraft(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    text: Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_MESSAGE)]
    submitted_at: Annotated[str, msgspec.Meta(max_length=40)] | msgspec.UnsetType | None = msgspec.UNSET
    """Of the proposal that the author has read, null if there was none: a newer one is not replaced unread."""


class MessageReview(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    decision: Literal["approve", "return"]
    note: Annotated[str, msgspec.Meta(max_length=MAX_REVIEW_NOTE)] | None = None
    """To the author of a returned proposal."""
    submitted_at: Annotated[str, msgspec.Meta(max_length=40)] | None = None
    """Of the proposal that the reviewer has read: a newer one is not approved unread."""
    updated_at: Annotated[str, msgspec.Meta(max_length=40)] | None = None
    """Of the message that the reviewer has read, also if it had no proposal."""


# Coverage


class StatusCounts(msgspec.Struct, frozen=True):
    """total = approved + machine + missing + stale. `submitted`: proposals that wait for a reviewer."""

    total: int
    approved: int
    machine: int
    missing: int
    stale: int
    submitted: int


class LocaleCoverage(StatusCounts, frozen=True):
    locale: str
    revision: int
    """Grows with every change of what is served in the locale."""


class NamespaceCoverage(StatusCounts, frozen=True):
    namespace: str


class Coverage(msgspec.Struct, frozen=True, omit_defaults=True):
    source: str
    """The locale of the product's own texts."""
    items: list[LocaleCoverage]
    namespaces: list[NamespaceCoverage] | None = None
    """Of the locale that the request names."""


class CoverageQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    locale: LocaleTag | None = None
    """Return the namespaces of this locale too."""


# Whole locales


class LocaleChoice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    locale: LocaleTag


class ImportChoice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    locale: LocaleTag | None = None
    """Without it, every file."""


class LocaleImport(msgspec.Struct, frozen=True):
    """What a file changed. `removed`: messages of the file that the product does not have."""

    locale: str
    added: int
    changed: int
    unchanged: int
    removed: int


class ImportResult(msgspec.Struct, frozen=True):
    items: list[LocaleImport]


class LocaleExport(msgspec.Struct, frozen=True):
    locale: str
    messages: int
    path: str
    """Of the file, in the data folder."""


class DiscardedDrafts(msgspec.Struct, frozen=True):
    locale: str
    discarded: int


class DraftJob(msgspec.Struct, frozen=True):
    id: str
    state: str


class DraftInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Messages to draft in a locale."""

    locale: str
    entry_ids: list[str]


class DraftedMessages(msgspec.Struct, frozen=True):
    """How many messages have a draft now, and how many are left, since the model's answer could not be used."""

    locale: str
    drafted: int
    left: int


class QueuedDrafts(msgspec.Struct, frozen=True):
    """The jobs that draft translations. `queued` and `remaining`: how many messages they have, and how many have none."""

    jobs: list[DraftJob]
    queued: int
    remaining: int


# Rows


class ServedLocale(msgspec.Struct, frozen=True):
    """The policy, with a locale and how many texts are served in it; without one before the first synchronisation."""

    default_locale: str
    switching: bool
    drafts: bool
    locale: str | None
    revision: int | None
    texts: int | None


class KnownText(msgspec.Struct, frozen=True):
    """A message of the product, and its text in a locale."""

    entry_id: str
    namespace: str
    key: str
    source: str
    source_hash: str
    text: str | None
    approved_at: str | None


class ApprovedText(msgspec.Struct, frozen=True):
    namespace: str
    key: str
    text: str
    source_hash: str
    """Of the source that it was approved for."""
    origin: MessageOrigin
    approved_by: str | None
    approved_at: str


class EntrySource(msgspec.Struct, frozen=True):
    entry_id: str
    source: str
    source_hash: str


class MessageText(msgspec.Struct, frozen=True):
    namespace: str
    key: str
    text: str


class MessageRow(msgspec.Struct, frozen=True):
    """A source text; `words` are the sorted words of its key and text, with a space around each."""

    id: str
    namespace: str
    key: str
    source: str
    source_hash: str
    words: str


class EntryRow(msgspec.Struct, frozen=True):
    """A message in a locale, as it is stored; see the migration."""

    id: str
    locale: str
    message_id: str
    namespace: str
    key: str
    current_hash: str
    text: str | None
    words: str
    origin: MessageOrigin | None
    source_hash: str | None
    written_source: str | None
    translated_by: str | None
    approved_by: str | None
    approved_at: str | None
    updated_at: str
    review: ReviewState | None
    proposal: str | None
    proposal_source_hash: str | None
    author_id: str | None
    contributors: list[str] | None
    submitted_at: str | None
    note: str | None
    reviewer_id: str | None
    status: MessageStatus
    """Computed by the database."""


class SourcedEntry(msgspec.Struct, frozen=True):
    """What the API shows of an entry, before its source is parsed."""

    id: str
    locale: str
    namespace: str
    key: str
    source: str
    status: MessageStatus
    text: str | None
    origin: MessageOrigin | None
    written_source: str | None
    review: ReviewState | None
    proposal: str | None
    author_id: str | None
    author_name: str | None
    contributors: list[str] | None
    submitted_at: str | None
    note: str | None
    approved_by: str | None
    approved_at: str | None
    updated_at: str


class EntryPosition(msgspec.Struct, frozen=True):
    """Where an entry is in a list, and whether the list's filters admit it."""

    id: str
    word: str
    namespace: str
    key: str
    fits: bool


class EntryStatus(msgspec.Struct, frozen=True):
    id: str
    status: MessageStatus


class NewEntry(msgspec.Struct, frozen=True):
    """A message in a new locale, or a new message in a locale; without a text it is missing."""

    message_id: str
    text: str | None
    words: str


class RetiredEntry(msgspec.Struct, frozen=True):
    """What people have written or approved for a message that the product no longer has."""

    locale: str
    namespace: str
    key: str
    text: str | None
    origin: MessageOrigin | None
    source_hash: str | None
    written_source: str | None
    translated_by: str | None
    approved_by: str | None
    approved_at: str | None
    review: ReviewState | None
    proposal: str | None
    proposal_source_hash: str | None
    author_id: str | None
    contributors: list[str] | None
    submitted_at: str | None
    note: str | None
    reviewer_id: str | None


class MessageWord(msgspec.Struct, frozen=True):
    word: str
    namespace: str
    key: str


class EntryFilters(msgspec.Struct, frozen=True):
    """Which entries of a locale a list has. `reviewer`: only what waits for a review by this person."""

    locale: str
    status: MessageStatus | None = None
    namespace: str | None = None
    review: ReviewState | None = None
    reviewer: str | None = None


class ListPosition(msgspec.Struct, frozen=True, array_like=True):
    """The last row that a page has read."""

    word: str = ""
    namespace: str = ""
    key: str = ""
