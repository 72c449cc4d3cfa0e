"""HTTP routes of tenancy: setup, hosted mode, sign-in, members, companies and teams."""

from collections.abc import Mapping

from teamspace.core.db import Db
from teamspace.core.errors import (
    AlreadyBootstrapped,
    Conflict,
    Forbidden,
    InvalidCredentials,
    SelfRoleChange,
    SingleTenant,
    TenantSuspended,
    TokenExpired,
    TooManyAttempts,
    TotpInvalid,
    TotpRequired,
    Unauthenticated,
    UnsupportedType,
)
from teamspace.core.paging import Paging
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.refusals import Refusals
from teamspace.core.replies import Created, Page, Reply
from teamspace.core.routing import BEARER, ORGADMIN, OWN, PROVISION, PUBLIC, SMALL_LIMIT, SUPERADMIN, Route
from teamspace.core.sender import Sender
from teamspace.quota import QuotaDraft, Usage
from teamspace.settings import Settings
from teamspace.tenancy.domain import (
    colleagues,
    companies,
    directory,
    founding,
    hosting,
    members,
    people,
    staying,
    teams,
    transfers,
)
from teamspace.tenancy.schemas import (
    Activation,
    AddedMember,
    Bootstrap,
    Bootstrapped,
    Company,
    CompanyChange,
    CompanyCreated,
    CompanyDraft,
    Contacts,
    Flag,
    FlagChange,
    Locales,
    Login,
    Member,
    MemberQuery,
    NewColleague,
    NewMember,
    Opened,
    Org,
    OrgRoleChange,
    OwnedTables,
    Profile,
    Provision,
    Provisioned,
    RoleChange,
    SignedIn,
    Team,
    TeamDraft,
    Tenant,
    Transfer,
    Transferred,
    UserView,
    Whoami,
)

# fmt: off
ROUTES = (
    Route("POST",   "/api/bootstrap",         PUBLIC,     None,              None, "bootstrap",       "First run only: create the operator, the first company and team; the token is only shown once. Needs the bootstrap code if one is set.",
          refuses=(AlreadyBootstrapped, TenantSuspended, Forbidden, TooManyAttempts), limit=SMALL_LIMIT),
    Route("POST",   "/api/provision",         PROVISION,  None,              None, "provision",       "Hosted mode: create the tenant's owner, and the link to set their password.",
          refuses=(Conflict, SingleTenant), limit=SMALL_LIMIT),
    Route("POST",   "/api/activate",          PUBLIC,     None,              None, "activate",        "Redeem an activation link: set the password and sign in.",
          refuses=(InvalidCredentials, TokenExpired, TotpInvalid, Forbidden), while_suspended=True, limit=SMALL_LIMIT),
    Route("POST",   "/api/instance/suspend",  PROVISION,  None,              None, "suspend_tenant",  "Hosted mode: make the tenant read-only.",
          while_suspended=True),
    Route("POST",   "/api/instance/resume",   PROVISION,  None,              None, "resume_tenant",   "Hosted mode: end the suspension.",
          while_suspended=True),
    Route("POST",   "/api/instance/quota",    PROVISION,  None,              None, "limit_tenant",    "Hosted mode: set a limit for the tenant as a whole.",
          while_suspended=True),
    Route("POST",   "/api/login",             PUBLIC,     None,              None, "sign_in",         "Sign in with username and password, and the second factor if it is on; returns a session token.",
          refuses=(InvalidCredentials, TotpRequired, TotpInvalid, TooManyAttempts, Forbidden), while_suspended=True, limit=SMALL_LIMIT),
    Route("POST",   "/api/login/resume",      PUBLIC,     None,              None, "resume",          "Exchange the cookie of a browser that keeps a person signed in for a new session, and for the next cookie. Only for the console's own pages: needs `X-Requested-By: console` and their origin.",
          refuses=(Unauthenticated, TooManyAttempts, Forbidden, UnsupportedType), while_suspended=True, limit=SMALL_LIMIT),
    Route("GET",    "/api/whoami",            BEARER,     None,              None, "whoami",          "Get the caller: person, team, company and permissions."),
    Route("POST",   "/api/profile",           BEARER,     OWN,               None, "update_profile",  "Change your own name, locale, time zone or preferences, or the team of this session."),
    Route("POST",   "/api/members",           BEARER,     P.MEMBERS_MANAGE,  None, "add_member",      "Add a person to the team; a new person's first token and, without a password, the link to set one are only shown once.",
          refuses=(Conflict,)),
    Route("GET",    "/api/members",           BEARER,     None,              None, "list_members",    "List the team's members and their roles; with `scope=org` everyone in the company."),

    Route("POST",   "/api/orgs",              SUPERADMIN, P.INSTANCE_MANAGE, None, "create_company",  "Create a company with its first team and owner; an explicit slug must be unused.",
          refuses=(Conflict, SingleTenant)),
    Route("GET",    "/api/orgs",              SUPERADMIN, P.INSTANCE_MANAGE, None, "list_companies",  "List all companies of the instance."),
    Route("POST",   "/api/orgs/:ref/suspend", SUPERADMIN, P.INSTANCE_MANAGE, None, "suspend_company", "Make every team of a company read-only; `ref` is its id or slug."),
    Route("POST",   "/api/orgs/:ref/resume",  SUPERADMIN, P.INSTANCE_MANAGE, None, "resume_company",  "End a company's suspension."),
    Route("POST",   "/api/orgs/:ref/quota",   SUPERADMIN, P.INSTANCE_MANAGE, None, "limit_company",   "Set a limit for a company, which includes all its teams."),
    Route("GET",    "/api/orgs/:ref",         SUPERADMIN, P.INSTANCE_MANAGE, None, "find_company",    "Get a company with its teams and quotas."),
    Route("PATCH",  "/api/orgs/:ref",         SUPERADMIN, P.INSTANCE_MANAGE, None, "change_company",  "Rename a company, change its plan, set or clear its hostname.",
          refuses=(Conflict,)),

    Route("GET",    "/api/org",               ORGADMIN,   P.ORG_READ,        None, "own_company",     "Get the caller's company with its teams and quotas."),
    Route("GET",    "/api/org/teams",         ORGADMIN,   P.ORG_READ,        None, "list_teams",      "List the teams of the caller's company."),
    Route("POST",   "/api/org/teams",         ORGADMIN,   P.ORG_MANAGE,      None, "create_team",     "Create a team; the caller becomes its owner.",
          refuses=(Conflict,)),
    Route("POST",   "/api/org/members",       ORGADMIN,   P.ORG_MANAGE,      None, "add_colleague",   "Add a person to a team of the company, optionally with a role in the company; new people get credentials as in /api/members.",
          refuses=(Conflict, SelfRoleChange)),
    Route("PATCH",  "/api/org/members/:id",   ORGADMIN,   P.ORG_MANAGE,      None, "change_org_role", "Set or clear a person's role in the company; never your own.",
          refuses=(Conflict, SelfRoleChange)),

    Route("GET",    "/api/features",          BEARER,     None,              None, "list_features",   "List the team's feature flags."),
    Route("POST",   "/api/features/:name",    BEARER,     P.SETTINGS_MANAGE, None, "switch_feature",  "Turn a feature on or off for the team."),

    Route("PATCH",  "/api/members/:id",       BEARER,     P.MEMBERS_MANAGE,  None, "change_role",     "Change a member's role; never your own.",
          refuses=(Conflict, SelfRoleChange)),
    Route("DELETE", "/api/members/:id",       BEARER,     P.MEMBERS_MANAGE,  None, "remove_member",   "Remove a member; their credentials for the team are revoked, and what they own stays in the team.",
          refuses=(Conflict,)),
    Route("POST",   "/api/members/:id/transfer", BEARER,  P.MEMBERS_MANAGE,  None, "transfer",        "Transfer all notes, conversations and objects that a current or former member owns in the team to a member."),
    Route("GET",    "/api/contacts",          BEARER,     None,              None, "contacts",        "List people to ask for access: managers of the caller's team and company."),
)
# fmt: on


async def bootstrap(db: Db, who: Principal, settings: Settings, body: Bootstrap) -> Created[Bootstrapped]:
    return Created(await founding.bootstrap(db, who, settings, body))


# Hosted mode


async def provision(db: Db, who: Principal, settings: Settings, body: Provision) -> Created[Provisioned]:
    return Created(await hosting.provision(db, who, settings, body))


async def suspend_tenant(db: Db, who: Principal) -> Tenant:
    return await hosting.suspend(db, who)


async def resume_tenant(db: Db, who: Principal) -> Tenant:
    return await hosting.resume(db, who)


async def limit_tenant(db: Db, who: Principal, body: QuotaDraft) -> Usage:
    return await hosting.set_limit(db, who, body)


# The caller


async def activate(db: Db, who: Principal, settings: Settings, body: Activation) -> Reply[SignedIn]:
    return _signed_in(await people.activate(db, who, settings, body))


async def sign_in(db: Db, who: Principal, settings: Settings, refusals: Refusals, body: Login) -> Reply[SignedIn]:
    return _signed_in(await people.sign_in(db, who, settings, refusals, body))


async def resume(
    db: Db, who: Principal, settings: Settings, sender: Sender, cookies: Mapping[str, str]
) -> Reply[SignedIn]:
    return _signed_in(await staying.resume(db, who, settings, sender, cookies))


def _signed_in(opened: Opened) -> Reply[SignedIn]:
    return Reply(opened.session, headers=opened.headers)


async def whoami(db: Db, who: Principal) -> Whoami:
    return await people.whoami(db, who)


async def update_profile(db: Db, who: Principal, locales: Locales, body: Profile) -> UserView:
    return await people.update_profile(db, who, locales, body)


# The team


async def add_member(db: Db, who: Principal, settings: Settings, body: NewMember) -> Created[AddedMember]:
    return Created(await members.add(db, who, settings, body))


async def list_members(db: Db, who: Principal, query: MemberQuery) -> Page[Member]:
    if query.scope:
        return await colleagues.list_colleagues(db, who, query)
    return await members.list_members(db, who, query)


async def contacts(db: Db, who: Principal) -> Contacts:
    return await directory.contacts(db, who)


async def change_role(db: Db, who: Principal, id: str, body: RoleChange) -> Member:
    return await members.change_role(db, who, id, body.role)


async def remove_member(db: Db, who: Principal, id: str) -> None:
    await members.remove(db, who, id)


async def transfer(db: Db, who: Principal, owned_tables: OwnedTables, id: str, body: Transfer) -> Transferred:
    return await transfers.transfer(db, who, owned_tables, id, body.to)


async def list_features(who: Principal) -> Page[Flag]:
    return Page(teams.list_features(who), None)


async def switch_feature(db: Db, who: Principal, name: str, body: FlagChange) -> Flag:
    return await teams.set_feature(db, who, name, enabled=body.enabled)


# Companies, for operators


async def create_company(db: Db, who: Principal, settings: Settings, body: CompanyDraft) -> Created[CompanyCreated]:
    return Created(await companies.create(db, who, settings, body))


async def list_companies(db: Db, query: Paging) -> Page[Org]:
    return await companies.list_companies(db, query)


async def suspend_company(db: Db, who: Principal, ref: str) -> Org:
    return await companies.suspend(db, who, ref)


async def resume_company(db: Db, who: Principal, ref: str) -> Org:
    return await companies.resume(db, who, ref)


async def limit_company(db: Db, who: Principal, ref: str, body: QuotaDraft) -> Usage:
    return await companies.set_limit(db, who, ref, body)


async def find_company(db: Db, ref: str) -> Company:
    return await companies.find(db, ref)


async def change_company(db: Db, who: Principal, settings: Settings, ref: str, body: CompanyChange) -> Company:
    return await companies.update(db, who, settings, ref, body)


# The caller's company


async def own_company(db: Db, who: Principal) -> Company:
    return await companies.get_own(db, who)


async def list_teams(db: Db, who: Principal, query: Paging) -> Page[Team]:
    return await teams.list_teams(db, who, query)


async def create_team(db: Db, who: Principal, body: TeamDraft) -> Created[Team]:
    return Created(await teams.create(db, who, body))


async def add_colleague(db: Db, who: Principal, settings: Settings, body: NewColleague) -> Created[AddedMember]:
    return Created(await colleagues.add(db, who, settings, body))


async def change_org_role(db: Db, who: Principal, id: str, body: OrgRoleChange) -> Member:
    return await colleagues.change_role(db, who, id, body.org_role)
