"""Structs of tenancy: companies, teams, members, and the responses of sign-in and whoami."""

from collections.abc import Awaitable, Callable, Sequence
from enum import StrEnum
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType

from teamspace.core.db import Reads
from teamspace.core.paging import Paging
from teamspace.core.permissions import Feature, Permission
from teamspace.core.tables import DomainEvent, OwnedTable
from teamspace.identity import Person
from teamspace.quota import Plan, Usage

Password = Annotated[str, msgspec.Meta(max_length=1024)]
Name = Annotated[str, msgspec.Meta(max_length=1000)]
FilesAs = Literal["list", "tiles"]
FilesBy = Literal["name", "size", "kind", "changed", "visibility", "owner"]


class Role(StrEnum):
    OWNER = "owner"
    ADMIN = "admin"
    MEMBER = "member"
    VIEWER = "viewer"
    GUEST = "guest"
    TRANSLATOR = "translator"
    REVIEWER = "reviewer"
    WORKER = "worker"


class OrgRole(StrEnum):
    OWNER = "org_owner"
    ADMIN = "org_admin"
    READER = "org_reader"


class Org(msgspec.Struct, frozen=True):
    """A company."""

    id: str
    slug: str
    name: str
    plan: Plan
    domain: str | None
    created_at: str
    suspended_at: str | None
    suspended: bool


class Team(msgspec.Struct, frozen=True):
    id: str
    org_id: str
    slug: str
    name: str
    created_at: str


class CredentialRow(msgspec.Struct, frozen=True):
    """A token with its person, role and company, in one row."""

    id: str
    kind: str
    org_id: str
    team_id: str
    user_id: str | None
    scope: list[str] | None
    created_at: str
    expires_at: str | None
    last_used_at: str | None
    revoked_at: str | None
    secret: str | None
    given_by: str | None
    minted: bool
    username: str | None
    locale: str | None
    operator: bool | None
    disabled_at: str | None
    role: Role | None
    org_role: OrgRole | None
    suspended_at: str | None
    tenant_suspended: bool
    features: list[Feature]
    team_slug: str


class TeamState(msgspec.Struct, frozen=True):
    """What work for a team needs to know of it."""

    org_id: str
    features: list[Feature]
    suspended: bool


class TeamBucket(msgspec.Struct, frozen=True):
    """A team's repository as an S3 bucket."""

    name: str
    created_at: str


class WriterState(msgspec.Struct, frozen=True):
    """What a write checks in its own transaction. `role` and `operator` are null unless the caller is a person."""

    suspended_at: str | None
    tenant_suspended: bool
    role: Role | None
    org_role: OrgRole | None
    operator: bool | None
    revoked: bool
    expires_at: str | None


class DirectoryEntry(msgspec.Struct, frozen=True):
    """A person or a team in the company's directory."""

    kind: Literal["user", "team"]
    id: str
    name: str
    username: str | None


class NameRow(msgspec.Struct, frozen=True):
    id: str
    name: str


class MembershipRow(msgspec.Struct, frozen=True):
    """A membership of a person, with the roles that decide their permissions in the team."""

    user_id: str
    username: str
    display_name: str
    operator: bool
    team_id: str
    role: Role
    org_role: OrgRole | None


class TeamPermissions(msgspec.Struct, frozen=True):
    """A team and the permissions a person has in it."""

    team_id: str
    permissions: frozenset[Permission]


class PersonTeams(msgspec.Struct, frozen=True):
    """A person with all their teams."""

    user_id: str
    username: str
    display_name: str
    teams: list[TeamPermissions]


class Membership(msgspec.Struct, frozen=True):
    """A team of a person, and their role in it."""

    team_id: str
    slug: str
    name: str
    role: Role


class Member(msgspec.Struct, frozen=True):
    user_id: str
    username: str
    display_name: str
    role: Role | None
    """In the caller's team; null for a colleague who is not in it."""
    org_role: OrgRole | None
    two_factor: bool
    last_seen_at: str | None
    disabled: bool
    """An operator has disabled the account: the person cannot sign in."""


class Contact(msgspec.Struct, frozen=True):
    """A person who can give access."""

    user_id: str
    username: str
    display_name: str


class Contacts(msgspec.Struct, frozen=True):
    """Up to three managers each of the caller's team and company."""

    team: list[Contact]
    org: list[Contact]


class MemberQuery(Paging, frozen=True):
    """`scope=org` lists everyone in the company; needs a role in it."""

    scope: Literal["org"] | None = None


class UserView(msgspec.Struct, frozen=True):
    """A person's own account."""

    id: str
    username: str
    display_name: str
    email: str | None
    locale: str | None
    time_zone: str | None
    operator: bool
    created_at: str


class Bootstrap(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`code` is required if the instance has a bootstrap code."""

    username: Name
    password: Password
    display_name: Name | None = None
    org: Name = "Workspace"
    team: Name = "General"
    code: Annotated[str, msgspec.Meta(max_length=1000)] | None = None


class Bootstrapped(msgspec.Struct, frozen=True):
    """The first operator. `token` is only shown once."""

    token: str
    user: UserView
    org: Org
    team: Team


class Login(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`totp` is a code of the authenticator app or a recovery code; `team` is an id or a slug. `stay`: the browser keeps
    the person signed in, by a cookie, unless the instance does not allow that."""

    username: Annotated[str, msgspec.Meta(max_length=256)]
    password: Password
    totp: Annotated[str, msgspec.Meta(max_length=100)] | None = None
    team: Annotated[str, msgspec.Meta(max_length=100)] | None = None
    stay: bool = False


class SignedIn(msgspec.Struct, frozen=True):
    token: str
    token_type: str
    expires_at: str
    user: UserView
    team: Team
    org: Org


class Opened(msgspec.Struct, frozen=True):
    """A new session, and the headers with the cookie of a browser that keeps the person signed in."""

    session: SignedIn
    headers: dict[str, str] = {}


class Preferences(msgspec.Struct, frozen=True):
    """How the caller has set up the console, in every browser."""

    files_as: FilesAs
    files_by: FilesBy
    files_descending: bool
    editor_source: bool
    """Whether texts are edited as Markdown, not formatted."""
    checklist_dismissed: bool
    """Whether the caller needs no list of what is left to set up in this team."""


class PreferenceChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Absent fields stay. `checklist_dismissed` is about the team of the credential."""

    files_as: FilesAs | UnsetType = UNSET
    files_by: FilesBy | UnsetType = UNSET
    files_descending: bool | UnsetType = UNSET
    editor_source: bool | UnsetType = UNSET
    checklist_dismissed: bool | UnsetType = UNSET


class Whoami(msgspec.Struct, frozen=True):
    """The caller, their teams and company, and their permissions with this credential."""

    user: UserView
    team: Team
    role: Role
    teams: list[Membership]
    org: Org
    org_role: OrgRole | None
    operator: bool
    two_factor: bool
    locale: str | None
    time_zone: str | None
    permissions: list[Permission]
    features: list[Feature]
    credential: str
    scope: list[str] | None
    preferences: Preferences


class Locales(msgspec.Struct, frozen=True):
    """Finds the locales that people can choose. Passed in at startup, since the localization package is above this one."""

    find: Callable[[Reads], Awaitable[Sequence[str]]]


class OwnedTables(msgspec.Struct, frozen=True):
    """The tables whose rows have owners. Passed in at startup, since they belong to packages above this one."""

    tables: tuple[OwnedTable, ...]


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Absent fields stay. A null `locale` resets to the instance's default, a null `time_zone` to the browser's.

    `time_zone` is a name of the IANA database, such as `Europe/Berlin`.
    """

    display_name: Name | None = None
    locale: Annotated[str, msgspec.Meta(max_length=40)] | UnsetType | None = UNSET
    time_zone: Annotated[str, msgspec.Meta(max_length=64)] | UnsetType | None = UNSET
    team_id: Annotated[str, msgspec.Meta(max_length=100)] | None = None
    preferences: PreferenceChange | None = None


class NewMember(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    username: Name
    role: Role
    password: Password | None = None
    display_name: Name | None = None


class Newcomer(msgspec.Struct, frozen=True):
    """Someone whom a team admits without choosing a password for them."""

    username: str
    email: str
    display_name: str | None


class FirstAccess(msgspec.Struct, frozen=True):
    """The first credentials of a new account. Empty for an existing one, whose credentials only its person may have."""

    token: str | None = None
    activation_url: str | None = None


class AddedMember(msgspec.Struct, frozen=True, omit_defaults=True):
    """The member; for a new account also its token and, without a password, a link to set one. Only shown once."""

    member: Member
    token: str | None = None
    activation_url: str | None = None


class Transfer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`to` is the id of the member who becomes the owner."""

    to: Annotated[str, msgspec.Meta(max_length=100)]


class Transferred(msgspec.Struct, frozen=True):
    """The number of transferred rows by kind: `{"notes": 3, "conversations": 0, "objects": 12}`."""

    to: str
    moved: dict[str, int]


class RoleChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    role: Role


class Activation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The token of an activation link, and the new password. `stay` as for signing in."""

    token: Annotated[str, msgspec.Meta(max_length=200)]
    password: Password
    stay: bool = False


# Companies


class OwnerDraft(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    username: Name
    password: Password | None = None
    display_name: Name | None = None


class CompanyDraft(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Name
    owner: OwnerDraft
    slug: Name | None = None
    plan: Plan = Plan.FREE
    domain: Name | None = None
    team: Name = "General"


class CompanyCreated(msgspec.Struct, frozen=True, omit_defaults=True):
    """The company, its first team and owner: their token or, without a password, a link to set one. Only shown once."""

    org: Org
    team: Team
    owner: UserView
    token: str | None = None
    activation_url: str | None = None


class CompanyChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Absent fields stay; a null `domain` clears it. A new plan sets its own limits."""

    name: Name | UnsetType = UNSET
    plan: Plan | UnsetType = UNSET
    domain: Name | UnsetType | None = UNSET


class Company(Org, frozen=True):
    """A company with its teams (the newest 200) and its quotas."""

    teams: list[Team]
    quotas: list[Usage]


class TeamDraft(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Name
    slug: Name | None = None


class NewColleague(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    username: Name
    team_id: Annotated[str, msgspec.Meta(max_length=100)]
    role: Role = Role.MEMBER
    org_role: OrgRole | None = None
    password: Password | None = None
    display_name: Name | None = None


class OrgRoleChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Null removes the role."""

    org_role: OrgRole | None


# Features


class Flag(msgspec.Struct, frozen=True):
    name: Feature
    enabled: bool


class FlagChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    enabled: bool


# Hosted mode


class Provision(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    username: Name
    email: Annotated[str, msgspec.Meta(max_length=254)] | None = None
    org: Name = "Workspace"
    team: Name = "General"
    plan: Plan | None = None


class Provisioned(msgspec.Struct, frozen=True):
    """The tenant's owner, and the link to set their password, which is only shown once."""

    owner: UserView
    activation_url: str


class Tenant(msgspec.Struct, frozen=True):
    """Whether the tenant is suspended, and since when."""

    suspended: bool
    suspended_at: str | None


def to_user_view(person: Person) -> UserView:
    return UserView(
        id=person.id, username=person.username, display_name=person.display_name, email=person.email,
        locale=person.locale, time_zone=person.time_zone, operator=person.operator, created_at=person.created_at,
    )  # fmt: skip


class PlanChanged(DomainEvent, frozen=True):
    """Event: the company has a new plan with other limits."""

    org_id: str
    plan: Plan


class PersonActivated(DomainEvent, frozen=True):
    """Event: a person has set their first password."""

    user_id: str


class CompanySuspended(DomainEvent, frozen=True):
    """Event: from this commit on the company is read-only."""

    org_id: str


class CompanyResumed(DomainEvent, frozen=True):
    """Event: from this commit on the company can be changed again."""

    org_id: str
    """Empty if the whole tenant was resumed."""
