"""Members of a team: add, change, remove. A team always keeps an owner."""

from teamspace import events, identity
from teamspace.core import clock, paging
from teamspace.core.db import Db, Reads, Tx
from teamspace.core.errors import Conflict, Forbidden, NotFound, SelfRoleChange
from teamspace.core.principal import Principal
from teamspace.core.replies import Page
from teamspace.events import Change
from teamspace.settings import Settings
from teamspace.tenancy import access, store
from teamspace.tenancy.domain import founding, owners, roles
from teamspace.tenancy.schemas import AddedMember, FirstAccess, Member, Newcomer, NewMember, Role, Team

MEMBER = events.EventSubject("member")
"""Everyone in a team can list its members, and is told when they change."""


class NameUnavailable(Conflict):
    """The username cannot be used. The same error for a person of another company and for a lost race."""

    key = "tenancy.username_unavailable"

    def __init__(self) -> None:
        super().__init__(at="/username")


async def list_members(db: Db, who: Principal, query: paging.Paging) -> Page[Member]:
    rows = await store.select_members(db, access.members_fence(who), query.before, query.size + 1)
    return paging.page(rows, query, lambda member: member.user_id)


async def add(db: Db, who: Principal, settings: Settings, request: NewMember) -> AddedMember:
    """Add a colleague, or register a new person. People of other companies cannot be added."""
    roles.check_grantable(who, request.role)
    password_hash = await hash_password(request)
    async with db.write(who, "member.add") as tx:
        person, first_access = await add_to_team(tx, who, settings, await _own_team(tx, who), request, password_hash)
        tx.target, tx.detail = person.id, {"role": request.role}
        return AddedMember(await _get_member(tx, who, person.id), first_access.token, first_access.activation_url)


async def add_to_team(
    tx: Tx, who: Principal, settings: Settings, team: Team, request: NewMember, password_hash: str | None
) -> tuple[identity.Person, FirstAccess]:
    """Add the person with this username to the team; returns first credentials if the account is new."""
    existing = await identity.find_person(tx, request.username)
    if existing is not None and existing.org_id != who.org_id:
        raise NameUnavailable
    person = existing or await _register(tx, who, request, password_hash)
    if not await store.insert_membership(tx, team, person.id, request.role, clock.stamp()):
        raise Conflict("tenancy.already_member", at="/username")
    await _record(tx, team.id, person.id, Change.CREATED)
    if existing is not None:
        return person, FirstAccess()
    token = await founding.issue_first_token(tx, person, team, given_by=who.user_id)
    url = None if password_hash else await identity.create_activation_link(tx, person, settings.address)
    return person, FirstAccess(token, url)


async def admit(tx: Tx, who: Principal, settings: Settings, newcomer: Newcomer) -> tuple[str, str | None]:
    """Make someone a member of the caller's team; return their id and, for a new account, the link to set a password.

    Raises NameUnavailable for a person of another company.
    """
    team, person = await _own_team(tx, who), await identity.find_person(tx, newcomer.username)
    if person is not None and person.org_id != who.org_id:
        raise NameUnavailable
    url = None
    if person is None:
        person = await _register_newcomer(tx, who, newcomer)
        url = await identity.create_activation_link(tx, person, settings.address)
    if await store.insert_membership(tx, team, person.id, Role.MEMBER, clock.stamp()):
        await _record(tx, team.id, person.id, Change.CREATED)
    return person.id, url


async def _register_newcomer(tx: Tx, who: Principal, newcomer: Newcomer) -> identity.Person:
    try:
        return await identity.register(
            tx, org_id=who.org_id, username=newcomer.username, display_name=newcomer.display_name, password_hash=None,
            email=newcomer.email,
        )  # fmt: skip
    except Conflict:
        raise NameUnavailable from None


async def change_role(db: Db, who: Principal, user_id: str, role: Role) -> Member:
    if user_id == who.user_id:
        raise SelfRoleChange("tenancy.own_role")
    roles.check_grantable(who, role)
    async with db.write(who, "member.set_role", lock=("team", who.team_id)) as tx:
        before = await _get_changeable(tx, who, user_id)
        await store.update_role(tx, who.team_id, user_id, role)
        await _record(tx, who.team_id, user_id, Change.UPDATED)
        await owners.check_team_owner(tx, who.team_id)
        tx.target, tx.detail = user_id, {"from": before.role, "to": role}
        return await _get_member(tx, who, user_id)


async def remove(db: Db, who: Principal, user_id: str) -> None:
    """Remove a member and revoke their credentials for this team; their account and other teams stay."""
    async with db.write(who, "member.remove", lock=("org", who.org_id)) as tx:
        await tx.lock("team", who.team_id)
        before = await _get_changeable(tx, who, user_id)
        await store.delete_membership(tx, who.team_id, user_id)
        await _record(tx, who.team_id, user_id, Change.DELETED)
        await owners.check_team_owner(tx, who.team_id)
        await identity.revoke_in_team(tx, user_id, who.team_id)
        await owners.check_role_has_team(tx, who.org_id, user_id)
        tx.target, tx.detail = user_id, {"role": before.role}


async def _record(tx: Tx, team_id: str, user_id: str, change: Change) -> None:
    await events.record(tx, MEMBER.kind, user_id, change=change, org_id=tx.org_id, team_id=team_id)


async def is_member(db: Reads, team_id: str, user_id: str) -> bool:
    return await store.is_member(db, team_id, user_id)


async def is_colleague(db: Reads, who: Principal, user_id: str) -> bool:
    return await store.is_colleague(db, who.org_id, user_id)


async def hash_password(request: NewMember) -> str | None:
    """Check and hash the password of a new account, if there is one."""
    if request.password is None:
        return None
    await identity.check_strength(request.password, hints=(request.username, request.display_name or ""))
    return await identity.hash_password(request.password)


async def _register(tx: Tx, who: Principal, request: NewMember, password_hash: str | None) -> identity.Person:
    try:
        return await identity.register(
            tx, org_id=who.org_id, username=request.username, display_name=request.display_name,
            password_hash=password_hash, password_by=who.user_id if password_hash else None,
        )  # fmt: skip
    except Conflict:
        raise NameUnavailable from None


async def _own_team(tx: Tx, who: Principal) -> Team:
    team = await store.get_team(tx, who.team_id)
    if team is None:
        raise NotFound()
    return team


async def _get_member(db: Reads, who: Principal, user_id: str) -> Member:
    member = await store.get_member(db, access.members_fence(who), user_id)
    if member is None:
        raise NotFound()
    return member


async def _get_changeable(tx: Tx, who: Principal, user_id: str) -> Member:
    """Return the member if the caller may change them: owners only if owner or operator, operators only if operator."""
    member = await _get_member(tx, who, user_id)
    if member.role is Role.OWNER and who.role != Role.OWNER and not who.operator:
        raise Forbidden("tenancy.owner_only")
    await owners.check_operator(tx, who, user_id)
    return member
