"""Create companies and teams, including the first ones of an instance."""

import msgspec

from teamspace import identity, quota
from teamspace.core import clock, crypto, text
from teamspace.core.db import Db, Duplicate, Reads, SerializationFailure, Tx
from teamspace.core.errors import AlreadyBootstrapped, Conflict, Forbidden, TenantSuspended
from teamspace.core.ids import new_id
from teamspace.core.permissions import Feature
from teamspace.core.principal import Principal
from teamspace.settings import Settings
from teamspace.tenancy import store
from teamspace.tenancy.domain import naming
from teamspace.tenancy.schemas import Bootstrap, Bootstrapped, Org, OrgRole, Role, Team, to_user_view

FIRST_PLAN = quota.Plan.ENTERPRISE
FIRST_TOKEN_NAME = "Created with your account"


async def is_bootstrapped(db: Reads) -> bool:
    return await store.is_bootstrapped(db)


async def bootstrap(db: Db, who: Principal, settings: Settings, request: Bootstrap) -> Bootstrapped:
    """Create the first operator, company and team. Succeeds exactly once per instance."""
    if await store.is_bootstrapped(db):
        raise AlreadyBootstrapped("tenancy.has_operator")
    if settings.hosted and await store.get_tenant_suspended(db):
        raise TenantSuspended
    if settings.bootstrap_code:
        await _check_code(db, who, settings.bootstrap_code, request.code)
    await identity.check_strength(request.password, hints=(request.username, request.display_name or ""))
    password_hash = await identity.hash_password(request.password)
    async with db.write(who, "instance.bootstrap") as tx:
        if not await store.mark_bootstrapped(tx, clock.stamp()):
            raise AlreadyBootstrapped("tenancy.has_operator")
        org = await create_org(tx, request.org, plan=FIRST_PLAN)
        team = await add_team(tx, org.id, request.team)
        person = await identity.register(
            tx, org_id=org.id, username=request.username, display_name=request.display_name, password_hash=password_hash,
            operator=True,
        )  # fmt: skip
        await add_owner(tx, team, person)
        token = await issue_first_token(tx, person, team)
        tx.target, tx.org_id, tx.team_id = person.id, org.id, team.id
    return Bootstrapped(token, to_user_view(person), org, team)


async def _check_code(db: Db, who: Principal, expected: str, code: str | None) -> None:
    right = crypto.constant_time_equal(code or "", expected)
    await identity.count_guess(db, who, right=right)
    if not right:
        raise Forbidden("tenancy.bootstrap_code")


async def can_be_claimed(db: Reads, settings: Settings) -> bool:
    """Whether anyone who can reach the instance over the network can become its operator."""
    if settings.bootstrap_code or settings.is_local_only:
        return False
    return not await store.is_bootstrapped(db)


async def create_org(
    tx: Tx, name: str, *, plan: quota.Plan, slug: str | None = None, domain: str | None = None, field: str = "org"
) -> Org:
    """Create a company with the requested slug, or with an unused one made from its name."""
    title = text.clean_name(name, field, max_length=80)
    chosen_slug = await _choose_slug(title, slug, lambda candidate: store.has_org_slug(tx, candidate))
    org = Org(new_id(), chosen_slug, title, plan, domain, clock.stamp(), None, False)
    try:
        await store.insert_org(tx, org)
    except Duplicate as fault:
        raise naming.duplicate_error(fault, slug_requested=slug is not None) from None
    await quota.apply_plan(tx, org.id, plan)
    return org


async def add_team(tx: Tx, org_id: str, name: str, *, slug: str | None = None, field: str = "team") -> Team:
    title = text.clean_name(name, field, max_length=80)
    chosen_slug = await _choose_slug(title, slug, lambda candidate: store.has_team_slug(tx, org_id, candidate))
    team = Team(new_id(), org_id, chosen_slug, title, clock.stamp())
    try:
        await store.insert_team(tx, team, msgspec.json.encode(list(Feature)).decode())
    except Duplicate:
        if slug is not None:
            raise Conflict("tenancy.team_slug_taken", at="/slug") from None
        raise SerializationFailure("another transaction used the slug first") from None
    return team


async def add_owner(tx: Tx, team: Team, person: identity.Person) -> None:
    """Make the person owner of the team and of its company."""
    await store.insert_membership(tx, team, person.id, Role.OWNER, clock.stamp())
    await store.put_org_role(tx, team.org_id, person.id, OrgRole.OWNER, clock.stamp())


async def issue_first_token(tx: Tx, person: identity.Person, team: Team, *, given_by: str | None = None) -> str:
    issued = await identity.issue_token(
        tx, user_id=person.id, org_id=team.org_id, team_id=team.id, name=FIRST_TOKEN_NAME, scope=None,
        ttl=identity.FIRST_TOKEN_TTL, given_by=given_by,
    )  # fmt: skip
    return issued.token


async def _choose_slug(name: str, requested: str | None, is_taken: naming.IsTaken) -> str:
    """Return the requested slug, or an unused one made from the name."""
    if requested is not None:
        return naming.check_slug(requested)
    slug = naming.make_slug(name)
    for candidate in naming.slug_variants(slug):
        if not await is_taken(candidate):
            return candidate
    return naming.with_random_suffix(slug)
