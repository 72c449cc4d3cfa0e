"""The people of a company: adding them to its teams, and their roles in it as a whole.

Nobody changes their own role in the company, only an owner names or changes an owner, and the last
owner stays.
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


async def listing(db: Db, who: Principal, query: paging.Paging) -> Page[Member]:
    if not who.in_scope(Permission.ORG_READ) or not (who.operator or who.holds(Permission.ORG_READ)):
        raise Forbidden(f"This needs {Permission.ORG_READ}, by a role in the company.")
    rows = await store.select_colleagues(db, access.colleagues(who), who.team_id, query.before, query.size + 1)
    return paging.page(rows, query, lambda person: person.user_id)


async def add(db: Db, who: Principal, settings: Settings, wish: NewColleague) -> AddedMember:
    """Somebody joins a team of the company, and may get a role in the company with it."""
    _check_team_role(who, wish.role)
    newcomer = NewMember(wish.username, wish.role, wish.password, wish.display_name)
    password_hash = await members.prepared(newcomer)
    async with db.write(who, "org.member.add", alone=("org", who.org_id)) as tx:
        team = await _team(tx, who, wish.team_id)
        person, welcome = await members.admit(tx, who, settings, team, newcomer, password_hash)
        if await store.count_owners(tx, team.id) == 0:
            raise Conflict("A team's first member is its owner: give them the role owner.", at="/role")
        if wish.org_role is not None:
            await _give(tx, who, person.id, wish.org_role)
        tx.target, tx.team_id, tx.detail = person.id, team.id, {"role": wish.role, "org_role": wish.org_role}
        added = await _colleague(tx, who, team.id, person.id)
    return AddedMember(added, welcome.token, welcome.activation_url)


async def change_role(db: Db, who: Principal, user_id: str, role: OrgRole | None) -> Member:
    async with db.write(who, "org.member.role", alone=("org", who.org_id)) as tx:
        before = await _colleague(tx, who, who.team_id, user_id)
        if user_id == who.user_id:
            raise SelfRoleChange("Ask another owner of the company to change your role in it.")
        if role is not None and not await store.is_colleague(tx, who.org_id, user_id):
            raise Conflict("They are in no team any more: add them to one first.")
        await _give(tx, who, user_id, role)
        tx.target, tx.detail = user_id, {"from": before.org_role, "to": role}
        return await _colleague(tx, who, who.team_id, user_id)


async def _give(tx: Tx, who: Principal, user_id: str, role: OrgRole | None) -> None:
    if user_id == who.user_id:
        raise SelfRoleChange("Ask another owner of the company to change your role in it.")
    await owners.check_operator(tx, who, user_id)
    before = await store.get_org_role(tx, who.org_id, user_id)
    await _check_right(tx, who, before, role)
    if role is not None:
        roles.check_scope(who, role, roles.BY_ORG_ROLE[role])
    if role is None:
        await store.delete_org_role(tx, who.org_id, user_id)
    else:
        await store.put_org_role(tx, who.org_id, user_id, role, clock.stamp())
    if before == OrgRole.OWNER:
        await owners.keep_one_in_company(tx, who.org_id)


async def _check_right(tx: Tx, who: Principal, before: str | None, after: OrgRole | None) -> None:
    """Asked under the company's lock: of two who take each other's role away, the second has none left to use."""
    if who.operator:
        return
    held = await store.get_org_role(tx, who.org_id, who.user_id)
    if held not in (OrgRole.OWNER, OrgRole.ADMIN):
        raise Forbidden(f"This needs {Permission.ORG_MANAGE}, by a role in the company.")
    if OrgRole.OWNER in (before, after) and held != OrgRole.OWNER:
        raise Forbidden("Only an owner of the company names or changes an owner.")


def _check_team_role(who: Principal, role: Role) -> None:
    """Whoever manages the company gives any role in its teams; those that reach beyond it, only who holds them."""
    if role in (Role.WORKER, Role.TRANSLATOR, Role.REVIEWER):
        roles.check_grantable(who, role)
    roles.check_scope(who, role, roles.BY_ROLE[role])


async def _team(tx: Tx, who: Principal, team_id: str) -> Team:
    team = await store.get_team_of(tx, access.teams(who.org_id), team_id)
    if team is None:
        raise NotFound("There is no such team in the company.")
    return team


async def _colleague(db: Reads, who: Principal, team_id: str, user_id: str) -> Member:
    person = await store.get_colleague(db, access.colleagues(who), team_id, user_id)
    if person is None:
        raise NotFound()
    return person
