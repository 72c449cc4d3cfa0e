"""People of a company: add them to its teams, and change their roles in the company.

People cannot change their own role in the company, only an owner can appoint or change an owner, and the last owner
stays.
"""

from teamspace.core import clock, paging
from teamspace.core.db import Db, Reads, Tx
from teamspace.core.errors import Conflict, Forbidden, NotFound, SelfRoleChange
from teamspace.core.permissions import Permission
from teamspace.core.principal import Principal
from teamspace.core.replies import Page
from teamspace.settings import Settings
from teamspace.tenancy import access, store
from teamspace.tenancy.domain import members, owners, roles
from teamspace.tenancy.schemas import AddedMember, Member, NewColleague, NewMember, OrgRole, Role, Team


async def list_colleagues(db: Db, who: Principal, query: paging.Paging) -> Page[Member]:
    if not who.in_scope(Permission.ORG_READ) or not (who.operator or who.has_permission(Permission.ORG_READ)):
        raise Forbidden("rights.needs_company_role", permission=Permission.ORG_READ)
    rows = await store.select_colleagues(db, access.colleagues_fence(who), who.team_id, query.before, query.size + 1)
    return paging.page(rows, query, lambda person: person.user_id)


async def add(db: Db, who: Principal, settings: Settings, request: NewColleague) -> AddedMember:
    """Add a person to a team of the company, optionally with a role in the company."""
    _check_team_role(who, request.role)
    member = NewMember(request.username, request.role, request.password, request.display_name)
    password_hash = await members.hash_password(member)
    async with db.write(who, "org.add_member", lock=("org", who.org_id)) as tx:
        team = await _get_team(tx, who, request.team_id)
        person, first_access = await members.add_to_team(tx, who, settings, team, member, password_hash)
        if await store.count_owners(tx, team.id) == 0:
            raise Conflict("tenancy.first_member", at="/role")
        if request.org_role is not None:
            await _set_role(tx, who, person.id, request.org_role)
        tx.target, tx.team_id, tx.detail = person.id, team.id, {"role": request.role, "org_role": request.org_role}
        added = await _get_colleague(tx, who, team.id, person.id)
    return AddedMember(added, first_access.token, first_access.activation_url)


async def change_role(db: Db, who: Principal, user_id: str, role: OrgRole | None) -> Member:
    async with db.write(who, "org.set_role", lock=("org", who.org_id)) as tx:
        before = await _get_colleague(tx, who, who.team_id, user_id)
        if user_id == who.user_id:
            raise SelfRoleChange("tenancy.own_company_role")
        if role is not None and not await store.is_colleague(tx, who.org_id, user_id):
            raise Conflict("tenancy.no_teams")
        await _set_role(tx, who, user_id, role)
        tx.target, tx.detail = user_id, {"from": before.org_role, "to": role}
        return await _get_colleague(tx, who, who.team_id, user_id)


async def _set_role(tx: Tx, who: Principal, user_id: str, role: OrgRole | None) -> None:
    if user_id == who.user_id:
        raise SelfRoleChange("tenancy.own_company_role")
    await owners.check_operator(tx, who, user_id)
    before = await store.get_org_role(tx, who.org_id, user_id)
    await _check_can_set_role(tx, who, before, role)
    if role is not None:
        roles.check_scope(who, role, roles.BY_ORG_ROLE[role])
    if role is None:
        await store.delete_org_role(tx, who.org_id, user_id)
    else:
        await store.put_org_role(tx, who.org_id, user_id, role, clock.stamp())
    if before == OrgRole.OWNER:
        await owners.check_company_owner(tx, who.org_id)


async def _check_can_set_role(tx: Tx, who: Principal, before: str | None, after: OrgRole | None) -> None:
    """Check the caller's role under the company's lock: if two people remove each other's role, only one succeeds."""
    if who.operator:
        return
    own_role = await store.get_org_role(tx, who.org_id, who.user_id)
    if own_role not in (OrgRole.OWNER, OrgRole.ADMIN):
        raise Forbidden("rights.needs_company_role", permission=Permission.ORG_MANAGE)
    if OrgRole.OWNER in (before, after) and own_role != OrgRole.OWNER:
        raise Forbidden("tenancy.company_owner_only")


def _check_team_role(who: Principal, role: Role) -> None:
    """Managers of the company can give any role in its teams, except roles with permissions beyond the company."""
    if role in (Role.WORKER, Role.TRANSLATOR, Role.REVIEWER):
        roles.check_grantable(who, role)
    roles.check_scope(who, role, roles.BY_ROLE[role])


async def _get_team(tx: Tx, who: Principal, team_id: str) -> Team:
    team = await store.get_team_fenced(tx, access.teams_fence(who.org_id), team_id)
    if team is None:
        raise NotFound("tenancy.no_team")
    return team


async def _get_colleague(db: Reads, who: Principal, team_id: str, user_id: str) -> Member:
    person = await store.get_colleague(db, access.colleagues_fence(who), team_id, user_id)
    if person is None:
        raise NotFound()
    return person
