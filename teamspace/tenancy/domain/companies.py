"""Companies and their first team: how an instance begins."""

import re

import msgspec

from teamspace import identity
from teamspace.core import clock, text
from teamspace.core.db import Db, Duplicate, Reads, Tx
from teamspace.core.errors import AlreadyBootstrapped, Conflict
from teamspace.core.ids import new_id
from teamspace.core.permissions import Feature
from teamspace.core.principal import Principal
from teamspace.tenancy import store
from teamspace.tenancy.schemas import Bootstrap, Bootstrapped, Org, OrgRole, Role, Team, user_view

FIRST_PLAN = "enterprise"
_NOT_IN_SLUG = re.compile(r"[^a-z0-9]+")


async def is_bootstrapped(db: Reads) -> bool:
    return await store.bootstrapped(db)


async def bootstrap(db: Db, who: Principal, wish: Bootstrap) -> Bootstrapped:
    """The first operator with the first company and team; there is exactly one such call in an instance's life."""
    if await store.bootstrapped(db):
        raise AlreadyBootstrapped("This instance has its operator: sign in instead.")
    await identity.check_strength(wish.password, hints=(wish.username, wish.display_name or ""))
    password_hash = await identity.hashed(wish.password)
    async with db.write(who, "instance.bootstrap") as tx:
        if not await store.mark_bootstrapped(tx, clock.stamp()):
            raise AlreadyBootstrapped("This instance has its operator: sign in instead.")
        org = await found(tx, wish.org, plan=FIRST_PLAN)
        team = await add_team(tx, org, wish.team)
        person = await identity.register(
            tx, org_id=org.id, username=wish.username, display_name=wish.display_name, password_hash=password_hash,
            operator=True,
        )  # fmt: skip
        await store.insert_membership(tx, team, person.id, Role.OWNER, clock.stamp())
        await store.insert_org_role(tx, org.id, person.id, OrgRole.OWNER, clock.stamp())
        issued = await identity.issue_token(
            tx, user_id=person.id, org_id=org.id, team_id=team.id, name="bootstrap", scope=None,
            ttl=identity.FIRST_TOKEN_TTL,
        )  # fmt: skip
        tx.target, tx.org_id, tx.team_id = person.id, org.id, team.id
    return Bootstrapped(issued.token, user_view(person), org, team)


async def found(tx: Tx, name: str, *, plan: str) -> Org:
    title = text.name(name, "org", most=80)
    org = Org(new_id(), slug_of(title), title, plan, clock.stamp(), None)
    try:
        await store.insert_org(tx, org)
    except Duplicate:
        raise Conflict("A company with this slug exists.") from None
    return org


async def add_team(tx: Tx, org: Org, name: str) -> Team:
    title = text.name(name, "team", most=80)
    team = Team(new_id(), org.id, slug_of(title), title, clock.stamp())
    try:
        await store.insert_team(tx, team, msgspec.json.encode(list(Feature)).decode())
    except Duplicate:
        raise Conflict("A team with this slug exists in the company.") from None
    return team


def slug_of(name: str) -> str:
    """A short name for addresses: lower case letters, digits and dashes."""
    slug = _NOT_IN_SLUG.sub("-", name.lower()).strip("-")[:48].strip("-")
    return slug if len(slug) > 1 else f"x-{new_id()[-8:]}"
