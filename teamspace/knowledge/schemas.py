"""Data types of the knowledge graph: rows, request bodies and responses."""

from typing import Annotated, Literal, get_args

import msgspec

from teamspace.ai import DryRun
from teamspace.core.db import Fence
from teamspace.core.paging import Paging

EntityType = Literal["person", "organisation", "place", "product", "event", "concept", "document", "other"]
ENTITY_TYPES: tuple[EntityType, ...] = get_args(EntityType)
MAX_NAME = 200
"""Characters of a name."""
MAX_QUOTE = 500
"""Characters of a quote."""
MAX_PREDICATE = 100
Id = Annotated[str, msgspec.Meta(max_length=100)]


class GraphReach(msgspec.Struct, frozen=True):
    """What a caller sees of the graph."""

    objects: Fence
    audiences: dict[str, str]
    """By the name of their parameter; none if the caller can read nothing."""

    @property
    def params(self) -> dict[str, str]:
        return self.objects.params | self.audiences

    @property
    def is_empty(self) -> bool:
        return not self.audiences


# Stored


class EntityName(msgspec.Struct, frozen=True):
    """A name that documents of a company have for something: the unit that merges join and splits part."""

    id: str
    type: EntityType
    name: str
    """Normalized: names that differ in case, accents, width or white space are one."""
    part: str
    """Of a name that a person split: what tells this meaning from the others; otherwise empty."""
    label: str
    """The name that this person gave it; otherwise empty."""

    @property
    def place(self) -> tuple[str, str]:
        """Where it is in a list."""
        return self.name, self.id


class NamedDocument(msgspec.Struct, frozen=True):
    """A document that the caller can read, and how it mentions a name."""

    name_id: str
    object_id: str
    at: str
    """When the version that was read was written."""
    number: int
    """The number of that version."""
    current: int
    """The number of the newest version."""
    key: str
    filename: str
    title: str
    content_type: str
    mentions: int
    written: str
    """The name as the document writes it first."""


class MentionRow(msgspec.Struct, frozen=True):
    id: str
    object_id: str
    name_id: str
    number: int
    span_start: int
    span_end: int
    written: str
    quote: str


class RelationRow(msgspec.Struct, frozen=True):
    id: str
    object_id: str
    subject_id: str
    target_id: str
    predicate: str
    span_start: int
    span_end: int
    quote: str


class NewDocumentName(msgspec.Struct, frozen=True):
    """A name that a document has; `base_id` is the name before a split."""

    name_id: str
    base_id: str
    written: str
    mentions: int


class NewMention(msgspec.Struct, frozen=True):
    id: str
    name_id: str
    number: int
    span_start: int
    span_end: int
    written: str
    quote: str


class NewRelation(msgspec.Struct, frozen=True):
    id: str
    subject_id: str
    target_id: str
    predicate: str
    span_start: int
    span_end: int
    quote: str


class ExtractedDocument(msgspec.Struct, frozen=True):
    """What was found in a version of a document."""

    version: int
    entities: int
    mentions: int
    relations: int
    dropped: int
    """What the model named although the text does not have it."""
    unread: int
    """Characters of the text beyond those that were read."""


class MergeRow(msgspec.Struct, frozen=True):
    """A name that a team takes for the same as another."""

    name_id: str
    root_id: str


# Requests


class EntityQuery(Paging, frozen=True, forbid_unknown_fields=True, kw_only=True):
    q: Annotated[str, msgspec.Meta(max_length=256)] = ""
    """Words of the name; every one must match, the last one also as a prefix."""
    type: EntityType | None = None
    scope: Literal["org"] | None = None
    """`org` also counts what the teams of the whole company share with all their members; needs org:read."""


class EntityPageQuery(Paging, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A page is of documents, newest first: 20 at most."""

    scope: Literal["org"] | None = None
    """`org` also counts what the teams of the whole company share with all their members; needs org:read."""


class MergeEntity(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    into: Id
    """The entity with which this one is the same; it keeps its name."""


class SplitEntity(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    mentions: Annotated[list[Id], msgspec.Meta(min_length=1, max_length=200)]
    """Mentions of something else; all mentions of a name in one document go together."""
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_NAME)]
    """What the other thing is called; a name that was merged gets its own name back instead."""


class ExtractKnowledge(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    dry_run: bool = False
    """Only return what it would cost."""


# Responses


class EntityItem(msgspec.Struct, frozen=True):
    """An entity in a list. Everything in it comes from documents that the caller can read."""

    id: str
    type: EntityType
    name: str
    mentions: int
    documents: int
    """How many documents mention it; the newest 50 are counted."""
    more: bool
    """Whether there are more documents than were counted."""
    updated_at: str
    """When the newest version that mentions it was written."""


class EntityLink(msgspec.Struct, frozen=True):
    """The other entity of a relation."""

    id: str
    type: EntityType
    name: str


class EntityDocument(msgspec.Struct, frozen=True):
    """A document on the timeline of an entity."""

    object_id: str
    key: str
    filename: str
    title: str
    content_type: str
    version: int
    outdated: bool
    """Whether a newer version is not extracted yet; mentions and relations are those of `version`."""
    mentions: int
    at: str
    """When this version was written."""


class EntityMention(msgspec.Struct, frozen=True):
    id: str
    object_id: str
    version: int
    start: int
    """The first character of the quote in the text of this version."""
    end: int
    written: str
    """The name as it is written here."""
    quote: str


class EntityRelation(msgspec.Struct, frozen=True):
    direction: Literal["out", "in"]
    """`out`: the entity is the subject of the sentence; `in`: its object."""
    predicate: str
    entity: EntityLink
    object_id: str
    version: int
    start: int
    end: int
    quote: str


class Entity(msgspec.Struct, frozen=True):
    """An entity with the page of documents, newest first, that mention it, and what these say about it."""

    id: str
    type: EntityType
    name: str
    names: list[str]
    """All names that were merged, as far as the caller can read them."""
    documents: int
    more: bool
    """Whether there are more documents than the 50 that were counted."""
    updated_at: str
    timeline: list[EntityDocument]
    mentions: list[EntityMention]
    """In the order of `timeline`, and of the text."""
    relations: list[EntityRelation]
    next_cursor: str | None


class KnowledgePreview(DryRun, frozen=True, kw_only=True):
    """What extracting the next documents would cost."""

    documents: int
    """How many documents the run would read: at most 40."""


# The result of `kg_find`


class KnownRelation(msgspec.Struct, frozen=True):
    subject: str
    predicate: str
    object: str
    object_id: str
    """The document that says so."""
    version: int
    start: int
    end: int


class KnownEntity(msgspec.Struct, frozen=True):
    id: str
    type: EntityType
    name: str
    names: list[str]
    documents: int
    more: bool
    """Whether there are more documents than were counted."""
    relations: list[KnownRelation]


class GraphPassage(msgspec.Struct, frozen=True):
    """What a document says about an entity, as it is in the text of the version."""

    object_id: str
    version: int
    version_id: str
    key: str
    title: str
    start: int
    end: int
    total: int
    """Characters of the whole text."""
    quote: str
    outdated: bool
    """Whether the document has a newer version that is not extracted yet."""


class GraphAnswer(msgspec.Struct, frozen=True):
    """Entities that were found by name, and the passages that say so."""

    entities: list[KnownEntity]
    passages: list[GraphPassage]
