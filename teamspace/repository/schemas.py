"""Structs of the repository: rows, request bodies and responses."""

from enum import StrEnum
from typing import Annotated, Literal

import msgspec

from teamspace import fulltext, references
from teamspace.core.paging import Paging
from teamspace.core.permissions import Permission
from teamspace.core.tables import DomainEvent
from teamspace.sharing import Moment, NamedPrincipal, OwnedRow, PrincipalType, Rule

MARKDOWN = "text/markdown"
MARKDOWN_ENDING = ".md"
Visibility = Literal["private", "team", "shared"]
TextState = Literal["none", "pending", "ready", "failed"]
ActorKind = Literal["human", "agent", "workflow", "s3"]
Name = Annotated[str, msgspec.Meta(max_length=1000)]
Id = Annotated[str, msgspec.Meta(max_length=100)]


class AccessLevel(StrEnum):
    """What a grant allows. Each level includes those before it."""

    VIEW = "view"
    EDIT = "edit"
    MANAGE = "manage"

    @property
    def permissions(self) -> tuple[Permission, ...]:
        return _PERMISSIONS[self]


_PERMISSIONS = {
    AccessLevel.VIEW: (Permission.FILES_READ,),
    AccessLevel.EDIT: (Permission.FILES_READ, Permission.FILES_WRITE),
    AccessLevel.MANAGE: (
        Permission.FILES_READ, Permission.FILES_WRITE, Permission.FILES_DELETE, Permission.FILES_MANAGE,
    ),
}  # fmt: skip


# Stored


class Checksum(msgspec.Struct, frozen=True):
    """A checksum that a client sent and the server verified."""

    algorithm: str
    value: str
    of_parts: bool = False
    """Whether it is a checksum of the parts' checksums, not of the bytes."""


class StoredHeaders(msgspec.Struct, frozen=True, omit_defaults=True):
    """Headers that were sent with the content and are returned with it."""

    headers: dict[str, str] = {}
    metadata: dict[str, str] = {}
    """User-defined metadata."""
    checksum: Checksum | None = None


class VersionSource(msgspec.Struct, frozen=True):
    """A version that another one is made from, and which characters of its text, if that is known."""

    object_id: str
    number: int
    start: int | None = None
    end: int | None = None


class VersionDraft(msgspec.Struct, frozen=True):
    """A version to be written: everything but its bytes. Stored as JSON while a multipart upload is under way."""

    key: str
    filename: str
    content_type: str
    title: str | None = None
    """None keeps the document's current title."""
    renames: bool = False
    """Whether the client chose the filename; otherwise an existing object keeps its own."""
    visibility: Visibility | None = None
    actor_kind: ActorKind = "human"
    run_id: str | None = None
    text: fulltext.Prepared | None = None
    """The searchable text, if the writer already has it."""
    links: tuple[references.TextLink, ...] = ()
    """What that text refers to."""
    labels: tuple[str, ...] | None = None
    """The tags of the document; None keeps them."""
    carried: StoredHeaders | None = None
    tags: dict[str, str] | None = None
    sources: tuple[VersionSource, ...] = ()
    """What it is made from; first the document that it stands beside, which limits who can see it."""
    step: str | None = None
    """The step of the run that makes it."""
    recipe: str = ""
    """A hash of how it is made from its sources."""

    def with_checksum(self, checksum: Checksum | None) -> "VersionDraft":
        """Return a copy with the checksum of the bytes."""
        carried = msgspec.structs.replace(self.carried or StoredHeaders(), checksum=checksum)
        return msgspec.structs.replace(self, carried=carried)


class ObjectRow(OwnedRow, frozen=True):
    key: str
    filename: str
    title: str | None
    content_type: str
    visibility: Visibility
    version: int
    numbered: int
    removed: bool
    size: int
    sha256: str | None
    etag: str
    text_state: TextState
    text_fault: str | None
    written_at: str
    created_at: str
    updated_at: str

    @property
    def is_bare_marker(self) -> bool:
        """Whether it is only a delete marker at a key that never had content."""
        return self.removed and not self.etag


class TrashedObject(OwnedRow, frozen=True):
    """An object in the trash."""

    key: str
    filename: str
    title: str | None
    content_type: str
    visibility: Visibility
    size: int
    trashed_at: str
    trashed_by: str

    @property
    def is_document(self) -> bool:
        return self.content_type == MARKDOWN


class OldVersion(msgspec.Struct, frozen=True):
    """What it takes to delete a version."""

    id: str
    number: int
    size: int
    in_parts: bool


class VersionRow(msgspec.Struct, frozen=True):
    id: str
    object_id: str
    org_id: str
    number: int
    removal: bool
    size: int
    blob: str | None
    sha256: str | None
    etag: str
    content_type: str
    filename: str
    title: str | None
    carried: StoredHeaders | None
    tags: dict[str, str] | None
    author_id: str
    actor_kind: ActorKind
    run_id: str | None
    created_at: str
    text_blob: str | None = None
    """The compressed text that was extracted; None if there is none, or if the content is the text."""
    text_length: int | None = None
    """How many characters that text has."""
    name: str | None = None
    """Given by a person."""

    @property
    def checksum(self) -> Checksum | None:
        return self.carried.checksum if self.carried else None


class ThumbnailRow(msgspec.Struct, frozen=True):
    """The thumbnails of a version, once somebody has asked for them."""

    version_id: str
    org_id: str
    blob: str | None
    fault: str | None
    """Why there can be none."""


class LabelRow(msgspec.Struct, frozen=True):
    """A tag of a document."""

    object_id: str
    tag: str
    position: int


def shown_title(row: ObjectRow | TrashedObject | VersionRow) -> str:
    """Return the title; without one the filename, of a document without its ending. `SHOWN_TITLE` is the same in SQL."""
    if row.title:
        return row.title
    return row.filename.removesuffix(MARKDOWN_ENDING) if row.content_type == MARKDOWN else row.filename


class VersionText(msgspec.Struct, frozen=True):
    """The text of a version of an object that a fence has admitted."""

    object: ObjectRow
    version: VersionRow
    text: str

    @property
    def title(self) -> str:
        return shown_title(self.version)


class PartRow(msgspec.Struct, frozen=True):
    """A part of a version, and its offset."""

    number: int
    start: int
    size: int
    blob: str
    md5: str
    checksum: str | None


class WholeBlob(msgspec.Struct, frozen=True):
    """A stored blob to be used as a whole, with its checksums."""

    size: int
    blob: str
    md5: str
    checksum: Checksum | None


class WriteResult(msgspec.Struct, frozen=True):
    row: ObjectRow
    version: VersionRow
    created: bool
    """Whether the key had no object before, or only a deleted one."""


class UploadRow(msgspec.Struct, frozen=True):
    """A multipart upload."""

    id: str
    org_id: str
    team_id: str
    owner_id: str
    key: str
    work: VersionDraft
    version_id: str | None
    created_at: str
    touched_at: str


class UploadPartRow(msgspec.Struct, frozen=True):
    number: int
    size: int
    blob: str
    md5: str
    checksum: str | None
    created_at: str


class EndedUpload(msgspec.Struct, frozen=True):
    """A multipart upload that was aborted, completed or has expired."""

    id: str
    org_id: str
    has_parts: bool


class UploadUsage(msgspec.Struct, frozen=True):
    """The bytes that parts of unfinished uploads count against a team's quota."""

    org_id: str
    team_id: str
    size: int


class VersionContent(msgspec.Struct, frozen=True):
    """The bytes of a version: one blob, or parts that are inserted separately."""

    size: int
    etag: str
    blob: str | None
    sha256: str | None


class FolderCount(msgspec.Struct, frozen=True):
    folder: str
    items: int
    updated_at: str | None


class DerivationRow(msgspec.Struct, frozen=True):
    """A link from a source version to a version made from it."""

    object_id: str
    number: int
    source_id: str
    source_number: int
    checked_number: int
    recipe: str
    run_id: str | None
    step: str | None
    span_start: int | None
    span_end: int | None
    latest: bool
    created_at: str


class LineageRow(msgspec.Struct, frozen=True):
    """A source of an object's newest derived version: which of its versions was used, and which is the newest."""

    object_id: str
    source_id: str
    key: str
    used: int
    current: int


class DerivedPair(msgspec.Struct, frozen=True):
    """A derived object and the source beside which it is."""

    derived_id: str
    source_id: str


class WriteCondition(msgspec.Struct, frozen=True):
    """The precondition of a write."""

    version: int | None = None
    exists: bool | None = None
    etag: str | None = None
    """`*` matches any content. NotFound if the key has none."""
    not_etag: str | None = None
    size: int | None = None
    modified: int | None = None
    """Seconds since the epoch. This and `size` are only used for deletions."""

    def accepts(self, etag: str) -> bool:
        return self.etag in (None, "*", etag) and self.not_etag != etag


class HashParts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    object_id: Id
    version_id: Id


class HashPartsResult(msgspec.Struct, frozen=True):
    sha256: str


class ExtractText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    object_id: Id


class ExtractTextResult(msgspec.Struct, frozen=True):
    text_state: TextState
    characters: int = 0
    reason: str | None = None


class VersionWritten(DomainEvent, frozen=True):
    """Event: a version is complete, with its parts and its sources. Listeners run in the same transaction."""

    object_id: str
    version_id: str
    number: int
    key: str
    team_id: str
    content_type: str
    actor_kind: ActorKind
    run_id: str | None
    derived_from: tuple[str, ...]
    """The objects it was made from."""


# Responses


class Version(msgspec.Struct, frozen=True):
    id: str
    number: int
    name: str | None
    """Given by a person, so that the version is found again."""
    size: int
    sha256: str | None
    """Null until it has been computed after a multipart upload."""
    content_type: str
    author: str
    actor_kind: ActorKind
    run_id: str | None
    created_at: str


class ObjectItem(msgspec.Struct, frozen=True):
    """An object in a list."""

    id: str
    key: str
    filename: str
    title: str
    """Of a document its title, of other files the filename."""
    content_type: str
    size: int
    sha256: str | None
    visibility: Visibility
    owner: str
    team_id: str
    version: int
    text_state: TextState
    created_at: str
    updated_at: str
    has_public_link: bool
    """Whether it has a public link that has not expired."""


class ObjectRights(msgspec.Struct, frozen=True):
    """What a caller may do with an object."""

    read: bool
    write: bool
    delete: bool
    manage: bool

    @property
    def permissions(self) -> list[Permission]:
        flags = zip(_PERMISSIONS[AccessLevel.MANAGE], msgspec.structs.astuple(self), strict=True)
        return [permission for permission, is_allowed in flags if is_allowed]


class RepositoryObject(ObjectItem, frozen=True):
    permissions: list[Permission]
    """What the caller may do with it."""
    text_fault: str | None
    """Why text extraction failed."""
    versions: list[Version]
    """Newest first."""
    next_cursor: str | None
    """The cursor of the next page of versions."""


class FolderFacts(msgspec.Struct, frozen=True):
    """What is in a folder and its subfolders, as far as the caller can read it."""

    folder: str
    items: int
    """At most 100."""
    is_complete: bool
    """Whether there are no more items than these."""
    updated_at: str | None
    """The last change in it; null if there are more items."""


class ObjectListing(msgspec.Struct, frozen=True):
    items: list[ObjectItem]
    folders: list[str]
    """Common prefixes up to the next delimiter, once each."""
    next_cursor: str | None
    folder_facts: list[FolderFacts] | None = None
    """With `?facts=1`: for each of the folders, unless the caller's token can read only a part of it."""


class ObjectGrant(msgspec.Struct, frozen=True):
    """Access of a person or team, who granted it, and until when."""

    principal_type: PrincipalType
    principal_id: str
    name: str
    capability: AccessLevel
    permissions: list[Permission]
    granted_by: str
    expires_at: str | None
    expired: bool
    created_at: str


class ObjectAccessReason(msgspec.Struct, frozen=True):
    """A rule that gives a person access. `via` is the team, for rules about a team."""

    rule: Rule
    capability: AccessLevel
    via: str | None = None
    expires_at: str | None = None


class ObjectReader(msgspec.Struct, frozen=True):
    """A person who can see the object, and why."""

    user_id: str
    username: str
    display_name: str
    reasons: list[ObjectAccessReason]


class ObjectGrantListing(msgspec.Struct, frozen=True):
    items: list[ObjectGrant]
    effective: list[ObjectReader] | None = None
    """Everyone who can see it, with `?effective=1`."""
    next_cursor: str | None = None
    """The cursor of the next page of `effective`."""


class ShareTarget(msgspec.Struct, frozen=True):
    """A person or team an object can be shared with."""

    principal_type: PrincipalType
    principal_id: str
    name: str
    username: str | None


class ShareTargets(msgspec.Struct, frozen=True):
    items: list[ShareTarget]


class ChangedSource(msgspec.Struct, frozen=True):
    """A source with a newer version than the one that was used, directly or by another source."""

    id: str
    key: str
    source_version: int
    current_source_version: int


class RelatedObject(msgspec.Struct, frozen=True):
    """A source or derived object that the caller can see."""

    id: str
    key: str
    filename: str
    version: int
    """The derived version."""
    source_version: int
    """The version of the source that it was made from."""
    current_source_version: int
    stale: bool
    """Whether a source has changed since: of a derived object any of its sources, or what these are made from."""
    changed_sources: list[ChangedSource]
    """What has changed, the one first from which the others are made: the order in which to refresh."""
    wider_than_source: bool | None
    """Whether people can see the derived object who cannot see the source beside which it is; null for other sources,
    and for callers who can manage neither."""
    edited: bool
    """Whether the derived document was changed by hand since."""
    start: int | None
    end: int | None
    """Which characters of the source's text were used, if that is known."""
    run_id: str | None
    step: str | None
    created_at: str


class ChangedPassage(msgspec.Struct, frozen=True):
    """Lines of a text before and after a change, perhaps cut."""

    line: int
    """The number of the first line in the newer text, counted from 1."""
    before: str
    after: str


class TextChanges(msgspec.Struct, frozen=True):
    """How the text of a source has changed since something was derived from it."""

    added: int
    removed: int
    """Lines; a changed line counts as both."""
    passages: list[ChangedPassage]
    """The first few."""
    complete: bool
    """Whether the whole text was compared."""


class ProcessedObject(RelatedObject, frozen=True):
    changes: TextChanges | None = None
    """What has changed in the first of `changed_sources`, if both versions have a text; null beyond the first few."""


class Derivations(msgspec.Struct, frozen=True):
    sources: list[RelatedObject]
    derived: list[RelatedObject]


class Processing(msgspec.Struct, frozen=True):
    """Text extraction, sources, derived objects and runs of a document."""

    text_state: TextState
    text_fault: str | None
    sources: list[ProcessedObject]
    derived: list[ProcessedObject]
    runs: list[str]


# Requests


class PutQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    filename: Name | None = None
    visibility: Visibility | None = None


class NewPartUpload(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the parts will be stored as one version."""

    key: Annotated[str, msgspec.Meta(max_length=1024)]
    content_type: Name = ""
    """Guessed from the filename if it is missing."""
    filename: Name | None = None
    visibility: Visibility | None = None


class PartUpload(msgspec.Struct, frozen=True):
    id: str
    key: str
    min_part: int
    """The smallest part in bytes, except the last."""
    max_parts: int
    created_at: str


class UploadedPart(msgspec.Struct, frozen=True):
    number: int
    size: int
    md5: str


class PartQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    number: Annotated[int, msgspec.Meta(ge=1, le=10_000)]
    """The part's place in the file."""


class PartsQuery(Paging, frozen=True, forbid_unknown_fields=True):
    """Paging of an upload's parts."""


class CompletedUpload(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the client has sent: the parts must be 1 to n, and have this many bytes."""

    size: Annotated[int, msgspec.Meta(ge=0, lt=2**53)]


class KeyRange(msgspec.Struct, frozen=True):
    """The keys that begin with `prefix`: all of them are less than `end`, which is None if there is no such key."""

    prefix: str
    end: str | None
    only_team: str | None = None


class ObjectQuery(Paging, frozen=True, forbid_unknown_fields=True):
    """Newest first; with a prefix, even an empty one, in key order."""

    prefix: Annotated[str, msgspec.Meta(max_length=1024)] | None = None
    delimiter: Literal["/"] | None = None
    """Groups deeper keys into `folders`."""
    facts: Literal["1"] | None = None
    """`1` adds how many items each folder has, and its last change."""
    shared: Literal["1"] | None = None
    """`1` lists only objects that others shared with the caller."""
    scope: Literal["org"] | None = None
    """`org` lists objects of the whole company; needs org:read."""


class VersionQuery(Paging, frozen=True, forbid_unknown_fields=True):
    """Paging of an object's versions."""


class ContentQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: Annotated[int, msgspec.Meta(ge=1, lt=2**53)] | None = None
    """A version number; the newest version by default."""
    download: Literal["1"] | None = None
    """`1` sends an attachment, whatever the type."""
    as_: Literal["text"] | None = msgspec.field(default=None, name="as")
    """`text` sends the version's text, which was extracted from its content, instead of the content."""


class TargetsQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    q: Annotated[str, msgspec.Meta(max_length=100)] = ""
    """Only people and teams whose name or username contains this."""


class ObjectShareRequest(NamedPrincipal, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A grant. `{user_id}` alone grants view."""

    capability: AccessLevel | None = None
    expires_at: Moment | None = None


class VersionChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Name | None
    """Null removes the name."""


class NewVisibility(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    visibility: Visibility


class NewKey(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    key: Annotated[str, msgspec.Meta(max_length=1024)]
    replace: bool = False
    """Whether an object at the key gets the content as its next version, instead of 409."""


class ZipRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    ids: Annotated[list[Id], msgspec.Meta(max_length=10_000)] = []
    prefixes: Annotated[list[Annotated[str, msgspec.Meta(max_length=1024)]], msgspec.Meta(max_length=100)] = []
    """All objects of the caller's team whose keys begin with one of these; they keep their folders."""
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=255)] = "files.zip"


class ZipList(msgspec.Struct, frozen=True):
    """What a zip has, for a page that has a browser save it."""

    list: str
    """The field of the form. Whoever knows it can read what it names, until it expires."""
    expires_at: str


class ThumbnailQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    size: Literal["small", "large"] = "small"
    """`small` has up to 96 pixels at its longer side, `large` up to 480."""
    version: Annotated[int, msgspec.Meta(ge=1, lt=2**53)] | None = None
    """A version number; the newest version by default."""


class AddressQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: Annotated[int, msgspec.Meta(ge=1, lt=2**53)] | None = None
    """A version number; the newest version by default."""


class ContentAddress(msgspec.Struct, frozen=True):
    """An address that a page can show, play or save without a credential."""

    address: str
    """A path on this server. Whoever knows it can read what it names, until it expires."""
    expires_at: str


class AddressedQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    download: Literal["1"] | None = None
    """`1` sends an attachment, whatever the type."""


class ContentClaim(msgspec.Struct, frozen=True, array_like=True):
    """What an address of a version says, signed."""

    token_id: str
    """The credential that it was made with, and that it ends with."""
    until: int
    """Seconds since the epoch."""
    object_id: str
    version: int


class ZipClaim(msgspec.Struct, frozen=True, array_like=True):
    """What the list of a zip says, signed."""

    token_id: str
    until: int
    request: ZipRequest
