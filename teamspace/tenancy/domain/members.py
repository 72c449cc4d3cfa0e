"""The members of a team: adding, changing, removing; a team never loses its last owner."""

from teamspace import identity
from teamspace.core import clock, paging
from teamspace.core.db import Db, Reads, Tx
from teamspace.core.errors import Conflict, Forbidden, NotFound, SelfRoleChange
from teamspace.core.principal import Principal
from teamspace.core.replies import Page
from teamspace.settings import Settings
from teamspace.tenancy import access, store
from teamspace.tenancy.domain import founding, owners, roles
from teamspace.tenancy.schemas import AddedMember, Member, NewMember, Role, Team, Welcome


class NameUnavailable(Conflict):
    """Says the same for a colleague of another company and for a race lost to somebody."""

    def __init__(self) -> None:
        super().__init__("This username cannot be added here.", at="/username")


async def listing(db: Db, who: Principal, query: paging.Paging) -> Page[Member]:
    rows = await store.select_members(db, access.members(who), query.before, query.size + 1)
    return paging.page(rows, query, lambda member: member.user_id)


async def add(db: Db, who: Principal, settings: Settings, wish: NewMember) -> AddedMember:
    """A colleague joins; a stranger's name gets an account and a way in; nobody is taken from elsewhere."""
    roles.check_grantable(who, wish.role)
    password_hash = await prepared(wish)
    async with db.write(who, "member.add") as tx:
        person, welcome = await admit(tx, who, settings, await _own_team(tx, who), wish, password_hash)
        tx.target, tx.detail = person.id, {"role": wish.role}
        return AddedMember(await _member(tx, who, person.id), welcome.token, welcome.activation_url)


async def admit(
    tx: Tx, who: Principal, settings: Settings, team: Team, wish: NewMember, password_hash: str | None
) -> tuple[identity.Person, Welcome]:
    """Whoever has the name, in the team now; and what lets them in if an account was made for it."""
    known = await identity.find(tx, wish.username)
    if known is not None and known.org_id != who.org_id:
        raise NameUnavailable
    person = known or await _newcomer(tx, who, wish, password_hash)
    if not await store.insert_membership(tx, team, person.id, wish.role, clock.stamp()):
        raise Conflict("They are a member of this team already.", at="/username")
    if known is not None:
        return person, Welcome()
    token = await founding.first_token(tx, person, team, given_by=who.user_id)
    url = None if password_hash else await identity.invite(tx, person, settings.address)
    return person, Welcome(token, url)


async def change_role(db: Db, who: Principal, user_id: str, role: Role) -> Member:
    if user_id == who.user_id:
        raise SelfRoleChange("Ask another owner or admin to change your role.")
    roles.check_grantable(who, role)
    async with db.write(who, "member.role", alone=("team", who.team_id)) as tx:
        before = await _reachable(tx, who, user_id)
        await store.update_role(tx, who.team_id, user_id, role)
        await owners.keep_one(tx, who.team_id)
        tx.target, tx.detail = user_id, {"from": before.role, "to": role}
        return await _member(tx, who, user_id)


async def remove(db: Db, who: Principal, user_id: str) -> None:
    """Their credentials for this team end with the membership; their account and other teams stay."""
    async with db.write(who, "member.remove", alone=("org", who.org_id)) as tx:
        await tx.lock("team", who.team_id)
        before = await _reachable(tx, who, user_id)
        await store.delete_membership(tx, who.team_id, user_id)
        await owners.keep_one(tx, who.team_id)
        await identity.revoke_in_team(tx, user_id, who.team_id)
        await owners.keep_within_reach(tx, who.org_id, user_id)
        tx.target, tx.detail = user_id, {"role": before.role}


async def is_member(db: Reads, team_id: str, user_id: str) -> bool:
    return await store.is_member(db, team_id, user_id)


async def is_colleague(db: Reads, who: Principal, user_id: str) -> bool:
    return await store.is_colleague(db, who.org_id, user_id)


async def prepared(wish: NewMember) -> str | None:
    """The hash of the password they are to have, if any."""
    if wish.password is None:
        return None
    await identity.check_strength(wish.password, hints=(wish.username, wish.display_name or ""))
    return await identity.hashed(wish.password)


async def _newcomer(tx: Tx, who: Principal, wish: NewMember, password_hash: str | None) -> identity.Person:
    try:
        return await identity.register(
            tx, org_id=who.org_id, username=wish.username, display_name=wish.display_name,
            password_hash=password_hash, password_by=who.user_id if password_hash else None,
        )  # fmt: skip
    except Conflict:
        raise NameUnavailable from None


async def _own_team(tx: Tx, who: Principal) -> Team:
    team = await store.get_team(tx, who.team_id)
    if team is None:
        raise NotFound()
    return team


async def _member(db: Reads, who: Principal, user_id: str) -> Member:
    member = await store.get_member(db, access.members(who), user_id)
    if member is None:
        raise NotFound()
    return member


async def _reachable(tx: Tx, who: Principal, user_id: str) -> Member:
    """The member, if the caller may change them: an owner is for owners and operators alone, an operator for operators."""
    member = await _member(tx, who, user_id)
    if member.role is Role.OWNER and who.role != Role.OWNER and not who.operator:
        raise Forbidden("Only an owner changes an owner.")
    await owners.check_operator(tx, who, user_id)
    return member
