"""Tenancy over HTTP: the first run, signing in, oneself, and the members of one's team."""

from teamspace.core.db import Db
from teamspace.core.errors import (
    AlreadyBootstrapped,
    Conflict,
    InvalidCredentials,
    SelfRoleChange,
    TooManyAttempts,
    TotpInvalid,
    TotpRequired,
)
from teamspace.core.paging import Paging
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Created, Page
from teamspace.core.routing import BEARER, OWN, PUBLIC, SMALL_LIMIT, Route
from teamspace.tenancy.domain import companies, members, people
from teamspace.tenancy.schemas import (
    AddedMember,
    Bootstrap,
    Bootstrapped,
    Login,
    Member,
    NewMember,
    Profile,
    RoleChange,
    SignedIn,
    UserView,
    Whoami,
)

# fmt: off
ROUTES = (
    Route("POST",   "/api/bootstrap",   PUBLIC, None,             None, "bootstrap",     "First run only: the operator, the first company and team; the token is shown this once.",
          refuses=(AlreadyBootstrapped,), limit=SMALL_LIMIT),
    Route("POST",   "/api/login",       PUBLIC, None,             None, "sign_in",       "Username and password, and the second factor where it is on; a session's token.",
          refuses=(InvalidCredentials, TotpRequired, TotpInvalid, TooManyAttempts), while_suspended=True, limit=SMALL_LIMIT),
    Route("GET",    "/api/whoami",      BEARER, None,             None, "whoami",        "The caller: person, team, company, and what they may do."),
    Route("POST",   "/api/profile",     BEARER, OWN,              None, "update_profile", "Change one's name or locale, or the team this session acts in."),
    Route("POST",   "/api/members",     BEARER, P.MEMBERS_MANAGE, None, "add_member",    "Add somebody to the team; a new person's first token is shown this once.",
          refuses=(Conflict,)),
    Route("GET",    "/api/members",     BEARER, None,             None, "list_members",  "The team's members and their roles."),
    Route("PATCH",  "/api/members/:id", BEARER, P.MEMBERS_MANAGE, None, "change_role",   "Change a member's role; never one's own.",
          refuses=(Conflict, SelfRoleChange)),
    Route("DELETE", "/api/members/:id", BEARER, P.MEMBERS_MANAGE, None, "remove_member", "Remove a member; their credentials for the team end.",
          refuses=(Conflict,)),
)
# fmt: on


async def bootstrap(db: Db, who: Principal, body: Bootstrap) -> Created[Bootstrapped]:
    return Created(await companies.bootstrap(db, who, body))


async def sign_in(db: Db, who: Principal, body: Login) -> SignedIn:
    return await people.sign_in(db, who, body)


async def whoami(db: Db, who: Principal) -> Whoami:
    return await people.whoami(db, who)


async def update_profile(db: Db, who: Principal, body: Profile) -> UserView:
    return await people.update_profile(db, who, body)


async def add_member(db: Db, who: Principal, body: NewMember) -> Created[AddedMember]:
    return Created(await members.add(db, who, body))


async def list_members(db: Db, who: Principal, query: Paging) -> Page[Member]:
    return await members.listing(db, who, query)


async def change_role(db: Db, who: Principal, id: str, body: RoleChange) -> Member:
    return await members.change_role(db, who, id, body.role)


async def remove_member(db: Db, who: Principal, id: str) -> None:
    await members.remove(db, who, id)
