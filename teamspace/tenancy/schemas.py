"""The shapes of tenancy: companies, teams, members, and the caller as whoami shows them."""

from enum import StrEnum
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType

from teamspace.core.paging import Paging
from teamspace.core.permissions import Feature, Permission
from teamspace.core.tables import Owned
from teamspace.identity import Person
from teamspace.quota import Plan, Usage

Password = Annotated[str, msgspec.Meta(max_length=1024)]
Name = Annotated[str, msgspec.Meta(max_length=1000)]


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


class Credential(msgspec.Struct, frozen=True):
    """All that is known of a token's bearer, in one row."""

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
    operator: bool | None
    disabled_at: str | None
    role: Role | None
    org_role: OrgRole | None
    suspended_at: str | None
    tenant_suspended: bool
    features: list[Feature]
    team_slug: str


class Bucket(msgspec.Struct, frozen=True):
    """A team's repository, as S3 clients know it."""

    name: str
    created_at: str


class Standing(msgspec.Struct, frozen=True):
    """What a write depends on, for as long as it takes. Of whoever is no person role and flag are null."""

    suspended_at: str | None
    tenant_suspended: bool
    role: Role | None
    org_role: OrgRole | None
    operator: bool | None
    revoked: bool
    expires_at: str | None


class Acquaintance(msgspec.Struct, frozen=True):
    """Somebody, or a team, as others of the company know them."""

    kind: Literal["user", "team"]
    id: str
    name: str
    username: str | None


class Named(msgspec.Struct, frozen=True):
    id: str
    name: str


class SeatRow(msgspec.Struct, frozen=True):
    """One seat of one person, with what decides over their rights there."""

    user_id: str
    username: str
    display_name: str
    operator: bool
    team_id: str
    role: Role
    org_role: OrgRole | None


class Standpoint(msgspec.Struct, frozen=True):
    """A team from which somebody acts, and what they may do there."""

    team_id: str
    permissions: frozenset[Permission]


class Occupant(msgspec.Struct, frozen=True):
    """Somebody with all the teams they are in."""

    user_id: str
    username: str
    display_name: str
    seats: list[Standpoint]


class Seat(msgspec.Struct, frozen=True):
    """A team somebody is in, and as what."""

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


class MemberQuery(Paging, frozen=True):
    """`scope=org` lists everybody in the company, for those with a role in it."""

    scope: Literal["org"] | None = None


class UserView(msgspec.Struct, frozen=True):
    """A person as they see themselves."""

    id: str
    username: str
    display_name: str
    email: str | None
    locale: str | None
    operator: bool
    created_at: str


class Bootstrap(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`code` is asked for where the instance has a bootstrap code."""

    username: Name
    password: Password
    display_name: Name | None = None
    org: Name = "Workspace"
    team: Name = "General"
    code: Annotated[str, msgspec.Meta(max_length=1000)] | None = None


class Bootstrapped(msgspec.Struct, frozen=True):
    """The first operator; `token` is shown this once."""

    token: str
    user: UserView
    org: Org
    team: Team


class Login(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`totp` takes the code of the authenticator app, or a recovery code; `team` an id or a slug."""

    username: Annotated[str, msgspec.Meta(max_length=256)]
    password: Password
    totp: Annotated[str, msgspec.Meta(max_length=100)] | None = None
    team: Annotated[str, msgspec.Meta(max_length=100)] | None = None


class SignedIn(msgspec.Struct, frozen=True):
    token: str
    token_type: str
    expires_at: str
    user: UserView
    team: Team
    org: Org


class Whoami(msgspec.Struct, frozen=True):
    """The caller: who, where, and what they may do with this credential."""

    user: UserView
    team: Team
    role: Role
    teams: list[Seat]
    org: Org
    org_role: OrgRole | None
    operator: bool
    two_factor: bool
    locale: str | None
    permissions: list[Permission]
    features: list[Feature]
    credential: str
    scope: list[str] | None


class Locales(msgspec.Struct, frozen=True):
    """What people may choose from; given at the start, since the words themselves are on a storey above."""

    available: tuple[str, ...]


class Estate(msgspec.Struct, frozen=True):
    """The tables whose rows can be passed on; given at the start, since they are of capabilities above."""

    tables: tuple[Owned, ...]


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is absent stays; a null `locale` leaves the choice to the instance again."""

    display_name: Name | None = None
    locale: Annotated[str, msgspec.Meta(max_length=40)] | UnsetType | None = UNSET
    team_id: Annotated[str, msgspec.Meta(max_length=100)] | None = None


class NewMember(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    username: Name
    role: Role
    password: Password | None = None
    display_name: Name | None = None


class Welcome(msgspec.Struct, frozen=True):
    """What lets a new account in; empty for an older one: nobody obtains another person's credential."""

    token: str | None = None
    activation_url: str | None = None


class AddedMember(msgspec.Struct, frozen=True, omit_defaults=True):
    """The member, and for a new account alone their first token, and without a password a link to set one. Shown once."""

    member: Member
    token: str | None = None
    activation_url: str | None = None


class Transfer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The id of the member who is to own it."""

    to: Annotated[str, msgspec.Meta(max_length=100)]


class Transferred(msgspec.Struct, frozen=True):
    """How much was passed on, by what it is: `{"notes": 3, "objects": 12}`."""

    to: str
    moved: dict[str, int]


class RoleChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    role: Role


class Activation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The token of an activation link, and the password it is to set."""

    token: Annotated[str, msgspec.Meta(max_length=200)]
    password: Password


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
    """The company with its first team and owner: their token, or without a password a link to set one. Shown once."""

    org: Org
    team: Team
    owner: UserView
    token: str | None = None
    activation_url: str | None = None


class CompanyChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is absent stays; a null `domain` clears it. Another plan brings its own caps."""

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
    """Null takes the role away."""

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
    """The tenant's owner, and the link that lets them set a password; it is shown this once."""

    owner: UserView
    activation_url: str


class Tenant(msgspec.Struct, frozen=True):
    """Whether the tenant may write, and since when not."""

    suspended: bool
    suspended_at: str | None


def user_view(person: Person) -> UserView:
    return UserView(
        person.id, person.username, person.display_name, person.email, person.locale, person.operator, person.created_at
    )


class PlanChanged(msgspec.Struct, frozen=True):
    """An event: the company's caps are another plan's."""

    org_id: str
    plan: Plan


class CompanySuspended(msgspec.Struct, frozen=True):
    """An event: from this commit on the company can be read, not changed."""

    org_id: str


class CompanyResumed(msgspec.Struct, frozen=True):
    """An event: from this commit on the company can be changed again."""

    org_id: str
    """Empty where the whole tenant is."""
