"""How companies and teams come to be: the first of all, and every one after it."""

import msgspec

from teamspace import identity, quota
from teamspace.core import clock, crypto, text
from teamspace.core.db import Collision, Db, Duplicate, Reads, Tx
from teamspace.core.errors import AlreadyBootstrapped, Conflict, Forbidden, TenantSuspended
from teamspace.core.ids import new_id
from teamspace.core.permissions import Feature
from teamspace.core.principal import Principal
from teamspace.settings import Settings
from teamspace.tenancy import store
from teamspace.tenancy.domain import naming
from teamspace.tenancy.schemas import Bootstrap, Bootstrapped, Org, OrgRole, Role, Team, user_view

FIRST_PLAN = quota.Plan.ENTERPRISE


async def is_bootstrapped(db: Reads) -> bool:
    return await store.bootstrapped(db)


async def bootstrap(db: Db, who: Principal, settings: Settings, wish: Bootstrap) -> Bootstrapped:
    """The first operator with the first company and team; there is exactly one such call in an instance's life."""
    if await store.bootstrapped(db):
        raise AlreadyBootstrapped("This instance has its operator: sign in instead.")
    if settings.hosted and await store.get_tenant_suspended(db):
        raise TenantSuspended
    if settings.bootstrap_code:
        await _check_code(db, who, settings.bootstrap_code, wish.code)
    await identity.check_strength(wish.password, hints=(wish.username, wish.display_name or ""))
    password_hash = await identity.hashed(wish.password)
    async with db.write(who, "instance.bootstrap") as tx:
        if not await store.mark_bootstrapped(tx, clock.stamp()):
            raise AlreadyBootstrapped("This instance has its operator: sign in instead.")
        org = await found(tx, wish.org, plan=FIRST_PLAN)
        team = await add_team(tx, org.id, wish.team)
        person = await identity.register(
            tx, org_id=org.id, username=wish.username, display_name=wish.display_name, password_hash=password_hash,
            operator=True,
        )  # fmt: skip
        await seat_owner(tx, team, person)
        token = await first_token(tx, person, team, name="bootstrap")
        tx.target, tx.org_id, tx.team_id = person.id, org.id, team.id
    return Bootstrapped(token, user_view(person), org, team)


async def _check_code(db: Db, who: Principal, expected: str, given: str | None) -> None:
    right = crypto.same(given or "", expected)
    await identity.guess(db, who, right=right)
    if not right:
        raise Forbidden("The first run takes the bootstrap code that this instance was set up with: send it as code.")


async def is_open_to_anybody(db: Reads, settings: Settings) -> bool:
    """Whether whoever reaches it first from elsewhere becomes its operator."""
    if settings.bootstrap_code or settings.for_this_machine_alone:
        return False
    return not await store.bootstrapped(db)


async def found(
    tx: Tx, name: str, *, plan: quota.Plan, slug: str | None = None, domain: str | None = None, field: str = "org"
) -> Org:
    """A company under the slug that was asked for, or under a free one made of its name."""
    title = text.name(name, field, most=80)
    chosen = await _slug(title, slug, lambda each: store.has_org_slug(tx, each))
    org = Org(new_id(), chosen, title, plan, domain, clock.stamp(), None, False)
    try:
        await store.insert_org(tx, org)
    except Duplicate as fault:
        raise naming.taken(fault, asked_for_slug=slug is not None) from None
    await quota.apply_plan(tx, org.id, plan)
    return org


async def add_team(tx: Tx, org_id: str, name: str, *, slug: str | None = None, field: str = "team") -> Team:
    title = text.name(name, field, most=80)
    chosen = await _slug(title, slug, lambda each: store.has_team_slug(tx, org_id, each))
    team = Team(new_id(), org_id, chosen, title, clock.stamp())
    try:
        await store.insert_team(tx, team, msgspec.json.encode(list(Feature)).decode())
    except Duplicate:
        if slug is not None:
            raise Conflict("Another team of the company has this slug.", at="/slug") from None
        raise Collision("somebody took the slug first") from None
    return team


async def seat_owner(tx: Tx, team: Team, person: identity.Person) -> None:
    """A company's first person owns it, and its first team."""
    await store.insert_membership(tx, team, person.id, Role.OWNER, clock.stamp())
    await store.put_org_role(tx, team.org_id, person.id, OrgRole.OWNER, clock.stamp())


async def first_token(
    tx: Tx, person: identity.Person, team: Team, *, name: str = "first token", given_by: str | None = None
) -> str:
    issued = await identity.issue_token(
        tx, user_id=person.id, org_id=team.org_id, team_id=team.id, name=name, scope=None,
        ttl=identity.FIRST_TOKEN_TTL, given_by=given_by,
    )  # fmt: skip
    return issued.token


async def _slug(name: str, asked_for: str | None, is_taken: naming.IsTaken) -> str:
    """The one that was asked for, or a free one made of the name."""
    if asked_for is not None:
        return naming.check_slug(asked_for)
    slug = naming.slug_of(name)
    for candidate in naming.variants(slug):
        if not await is_taken(candidate):
            return candidate
    return naming.unlike_any(slug)
