"""The shapes of the repository."""

from enum import StrEnum
from typing import Annotated, Literal

import msgspec

from teamspace import fulltext
from teamspace.core.paging import Paging
from teamspace.core.permissions import Permission

MARKDOWN = "text/markdown"
Visibility = Literal["private", "team", "shared"]
TextState = Literal["none", "pending", "ready", "failed"]
ActorKind = Literal["human", "agent", "workflow", "s3"]
PrincipalType = Literal["user", "team"]
Name = Annotated[str, msgspec.Meta(max_length=1000)]
Id = Annotated[str, msgspec.Meta(max_length=100)]


class Capability(StrEnum):
    """What a grant is for; each holds those before it."""

    VIEW = "view"
    EDIT = "edit"
    MANAGE = "manage"

    @property
    def permissions(self) -> tuple[Permission, ...]:
        return _HELD[self]


_HELD = {
    Capability.VIEW: (Permission.FILES_READ,),
    Capability.EDIT: (Permission.FILES_READ, Permission.FILES_WRITE),
    Capability.MANAGE: (
        Permission.FILES_READ, Permission.FILES_WRITE, Permission.FILES_DELETE, Permission.FILES_MANAGE,
    ),
}  # fmt: skip


# Stored


class Checksum(msgspec.Struct, frozen=True):
    """What a client said the bytes add up to, and they did."""

    algorithm: str
    value: str
    of_parts: bool = False
    """It is a sum over the sums of parts, and not over the bytes."""


class Carried(msgspec.Struct, frozen=True, omit_defaults=True):
    """What came with the bytes and goes out with them."""

    headers: dict[str, str] = {}
    metadata: dict[str, str] = {}
    """A client's own names and values."""
    checksum: Checksum | None = None


class Work(msgspec.Struct, frozen=True):
    """What is to be written, and by what."""

    key: str
    filename: str
    content_type: str
    title: str | None = None
    """None leaves a document the one that it has."""
    renames: bool = False
    """Whether somebody chose the file's name; otherwise what is there keeps its own."""
    visibility: Visibility | None = None
    actor_kind: ActorKind = "human"
    run_id: str | None = None
    text: fulltext.Prepared | None = None
    """What can be searched for in it, where the writer knows already."""
    carried: Carried | None = None
    tags: dict[str, str] | None = None

    def summed(self, checksum: Checksum | None) -> "Work":
        """The same with the sum of its bytes, once that is known."""
        carried = msgspec.structs.replace(self.carried or Carried(), checksum=checksum)
        return msgspec.structs.replace(self, carried=carried)


class ObjectRow(msgspec.Struct, frozen=True):
    """An object as it is stored."""

    id: str
    org_id: str
    team_id: str
    owner_id: str
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
    def bare(self) -> bool:
        """There is a mark of removal, and there never was anything beneath it."""
        return self.removed and not self.etag


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
    carried: Carried | None
    tags: dict[str, str] | None
    author_id: str
    actor_kind: ActorKind
    run_id: str | None
    created_at: str

    @property
    def checksum(self) -> Checksum | None:
        return self.carried.checksum if self.carried else None


class PartRow(msgspec.Struct, frozen=True):
    """A part of a version, and where it begins."""

    number: int
    start: int
    size: int
    blob: str
    md5: str
    checksum: str | None


class Whole(msgspec.Struct, frozen=True):
    """All bytes of a blob, and what is known of them."""

    size: int
    blob: str
    md5: str
    checksum: Checksum | None


class Written(msgspec.Struct, frozen=True):
    """What has become of a write."""

    row: ObjectRow
    version: VersionRow
    created: bool
    """There was nothing at the key before."""


class UploadRow(msgspec.Struct, frozen=True):
    """An upload in parts."""

    id: str
    org_id: str
    team_id: str
    owner_id: str
    key: str
    work: Work
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
    """An upload in parts that nobody goes on with."""

    id: str
    org_id: str


class Held(msgspec.Struct, frozen=True):
    """What the parts of uploads under way take up of a team's room."""

    org_id: str
    team_id: str
    size: int


class Substance(msgspec.Struct, frozen=True):
    """The bytes of a version: one blob, or the parts that are given to it."""

    size: int
    etag: str
    blob: str | None
    sha256: str | None


class GrantRow(msgspec.Struct, frozen=True):
    principal_type: PrincipalType
    principal_id: str
    capability: Capability
    granted_by: str
    expires_at: str | None
    created_at: str
    expired: bool


class DerivationRow(msgspec.Struct, frozen=True):
    """One step from a source to what was made of it."""

    object_id: str
    number: int
    source_id: str
    source_number: int
    run_id: str | None
    step: str | None
    created_at: str


class Condition(msgspec.Struct, frozen=True):
    """What must be so for a write to happen."""

    version: int | None = None
    exists: bool | None = None
    etag: str | None = None
    """`*` for any: what is asked for by its tag and is not there at all is not found."""
    not_etag: str | None = None
    size: int | None = None
    modified: int | None = None
    """Seconds since the epoch. This and the size are asked of what is to be deleted."""

    def accepts(self, etag: str) -> bool:
        return self.etag in (None, "*", etag) and self.not_etag != etag


class HashParts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    object_id: Id
    version_id: Id


class Hashed(msgspec.Struct, frozen=True):
    sha256: str


class ExtractText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    object_id: Id


class TextFound(msgspec.Struct, frozen=True):
    """What came of looking for text."""

    text_state: TextState
    characters: int = 0
    reason: str | None = None


class ObjectWritten(msgspec.Struct, frozen=True):
    """A version has come into the repository; listeners run in the same transaction."""

    object_id: str
    number: int
    key: str
    content_type: str
    actor_kind: ActorKind
    run_id: str | None


# Shown


class Version(msgspec.Struct, frozen=True):
    id: str
    number: int
    size: int
    sha256: str | None
    """Null for a moment after an upload in parts."""
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


class Rights(msgspec.Struct, frozen=True):
    """What somebody may do with an object."""

    read: bool
    write: bool
    delete: bool
    manage: bool

    @property
    def permissions(self) -> list[Permission]:
        held = zip(_HELD[Capability.MANAGE], msgspec.structs.astuple(self), strict=True)
        return [permission for permission, is_held in held if is_held]


class Object(ObjectItem, frozen=True):
    permissions: list[Permission]
    """What the caller may do with it."""
    text_fault: str | None
    """Why no text could be found in it."""
    versions: list[Version]
    """Newest first."""
    next_cursor: str | None
    """Of the versions, when there are more."""


class Listing(msgspec.Struct, frozen=True):
    items: list[ObjectItem]
    folders: list[str]
    """What begins alike up to the next delimiter, once each."""
    next_cursor: str | None


class Grant(msgspec.Struct, frozen=True):
    """What somebody was given, by whom, and until when."""

    principal_type: PrincipalType
    principal_id: str
    name: str
    capability: Capability
    permissions: list[Permission]
    granted_by: str
    expires_at: str | None
    expired: bool
    created_at: str


class Reason(msgspec.Struct, frozen=True):
    """A rule that admits somebody. `via` is the team by which it does, where it is a team."""

    rule: Literal["owner", "team_role", "grant", "team_grant", "company_role"]
    capability: Capability
    via: str | None = None
    expires_at: str | None = None


class Reader(msgspec.Struct, frozen=True):
    """Somebody who can see the object, and why."""

    user_id: str
    username: str
    display_name: str
    reasons: list[Reason]


class Grants(msgspec.Struct, frozen=True):
    items: list[Grant]
    effective: list[Reader] | None = None
    """Everybody who can see it, when that was asked for."""
    next_cursor: str | None = None
    """Of those, when there are more."""


class Target(msgspec.Struct, frozen=True):
    """Somebody, or a team, with whom things can be shared."""

    principal_type: PrincipalType
    principal_id: str
    name: str
    username: str | None


class Targets(msgspec.Struct, frozen=True):
    items: list[Target]


class Relative(msgspec.Struct, frozen=True):
    """A source, or something derived, as far as the caller may see it."""

    id: str
    key: str
    filename: str
    version: int
    source_version: int
    run_id: str | None
    step: str | None
    created_at: str


class Derivations(msgspec.Struct, frozen=True):
    sources: list[Relative]
    derived: list[Relative]


class Processing(msgspec.Struct, frozen=True):
    """What has become of a document since it came."""

    text_state: TextState
    text_fault: str | None
    sources: list[Relative]
    derived: list[Relative]
    runs: list[str]


# Asked


class PutQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    filename: Name | None = None
    visibility: Visibility | None = None


class Reach(msgspec.Struct, frozen=True):
    """A part of the order of keys: those that begin with `prefix`, which are all below `beyond`, if there is such."""

    prefix: str
    beyond: str | None
    only_team: str | None = None


class ObjectQuery(Paging, frozen=True, forbid_unknown_fields=True):
    """Without a prefix newest first; with one, even an empty one, in the order of keys."""

    prefix: Annotated[str, msgspec.Meta(max_length=1024)] | None = None
    delimiter: Literal["/"] | None = None
    """Folds what lies deeper into `folders`."""
    shared: Literal["1"] | None = None
    """`1` lists only what others shared with the caller."""
    scope: Literal["org"] | None = None
    """`org` spans the company, for whoever holds org:read."""


class VersionQuery(Paging, frozen=True, forbid_unknown_fields=True):
    """Pages of the versions."""


class ContentQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: Annotated[int, msgspec.Meta(ge=1, lt=2**53)] | None = None
    """A version's number; the newest one otherwise."""
    download: Literal["1"] | None = None
    """`1` asks for an attachment, whatever the type."""


class GrantsQuery(Paging, frozen=True, forbid_unknown_fields=True):
    effective: Literal["1"] | None = None
    """`1` tells everybody who can see it, and why."""


class TargetsQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    q: Annotated[str, msgspec.Meta(max_length=100)] = ""
    """Only whose name or username holds this."""


class Share(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A grant; `{user_id}` alone is one to view."""

    principal_type: PrincipalType | None = None
    principal_id: Id | None = None
    capability: Capability | None = None
    expires_at: Annotated[str, msgspec.Meta(max_length=40)] | None = None
    user_id: Id | None = None


class Unshare(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    principal_type: PrincipalType | None = None
    principal_id: Id | None = None
    user_id: Id | None = None


class NewVisibility(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    visibility: Visibility
