"""The directory of a company: people and teams to share with."""

from collections.abc import Collection

from teamspace.core.db import Reads
from teamspace.core.principal import Principal
from teamspace.tenancy import access, store
from teamspace.tenancy.domain import roles
from teamspace.tenancy.schemas import Contacts, DirectoryEntry, PersonTeams, TeamPermissions

_MAX_FOUND = 50
_MAX_CONTACTS = 3


async def is_team(db: Reads, who: Principal, team_id: str) -> bool:
    """Return whether it is a team of the caller's company."""
    team = await store.get_team(db, team_id)
    return team is not None and team.org_id == who.org_id


async def find_share_targets(db: Reads, who: Principal, text: str) -> list[DirectoryEntry]:
    """Return people of the caller's team and teams of the company whose name contains `text`."""
    like = "%" + "".join(f"\\{sign}" if sign in "%_\\" else sign for sign in text.strip().lower()) + "%"
    people = await store.select_people_like(db, who.team_id, like, _MAX_FOUND)
    return people + await store.select_teams_like(db, who.org_id, like, _MAX_FOUND)


async def contacts(db: Reads, who: Principal) -> Contacts:
    """Return people who can give the caller access: managers of the team and of the company."""
    return Contacts(
        await store.select_managers(db, access.members_fence(who), who.user_id, _MAX_CONTACTS),
        await store.select_org_managers(db, access.company_roles_fence(who), who.user_id, _MAX_CONTACTS),
    )


async def get_names(db: Reads, org_id: str, ids: Collection[str]) -> dict[str, str]:
    """Return the names of people and teams of a company, by id; deleted ones are missing."""
    return {row.id: row.name for row in await store.select_names(db, org_id, sorted(ids))} if ids else {}


async def list_people_with_teams(
    db: Reads, org_id: str, *, user_ids: Collection[str], team_ids: Collection[str], with_org_roles: bool, after: str,
    limit: int,
) -> list[PersonTeams]:  # fmt: skip
    """Return those people, the members of those teams and, if `with_org_roles`, everyone with a role in the company.

    Ordered by id, each with all their teams and their permissions there.
    """
    rows = await store.select_memberships_of(
        db,
        org_id,
        user_ids=sorted(user_ids),
        team_ids=sorted(team_ids),
        with_org_roles=with_org_roles,
        after=after,
        limit=limit,
    )
    people: dict[str, PersonTeams] = {}
    for row in rows:
        person = people.setdefault(row.user_id, PersonTeams(row.user_id, row.username, row.display_name, []))
        permissions = roles.get_permissions(row.role, row.org_role, operator=row.operator)
        person.teams.append(TeamPermissions(row.team_id, permissions))
    return list(people.values())
