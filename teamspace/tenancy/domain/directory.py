"""Who there is in a company, for those who share things with each other."""

from collections.abc import Collection

from teamspace.core.db import Reads
from teamspace.core.principal import Principal
from teamspace.tenancy import store
from teamspace.tenancy.domain import roles
from teamspace.tenancy.schemas import Acquaintance, Occupant, Standpoint

_MOST_FOUND = 50


async def is_team(db: Reads, who: Principal, team_id: str) -> bool:
    """Whether it is a team of the caller's company."""
    team = await store.get_team(db, team_id)
    return team is not None and team.org_id == who.org_id


async def acquaintances(db: Reads, who: Principal, text: str) -> list[Acquaintance]:
    """The people of the caller's team and the teams of the company whose name holds `text`."""
    like = "%" + "".join(f"\\{sign}" if sign in "%_\\" else sign for sign in text.strip().lower()) + "%"
    people = await store.select_people_like(db, who.team_id, like, _MOST_FOUND)
    return people + await store.select_teams_like(db, who.org_id, like, _MOST_FOUND)


async def names(db: Reads, org_id: str, ids: Collection[str]) -> dict[str, str]:
    """Of people and teams of a company, by id; those who are gone have none."""
    return {one.id: one.name for one in await store.select_names(db, org_id, sorted(ids))} if ids else {}


async def occupants(
    db: Reads, org_id: str, *, user_ids: Collection[str], team_ids: Collection[str], officers: bool, after: str, limit: int
) -> list[Occupant]:  # fmt: skip
    """Those people and the members of those teams, and all who have a role in the company if `officers`; by id.

    Each with every seat they have, and what they may do from it.
    """
    rows = await store.select_seats_of(
        db, org_id, user_ids=sorted(user_ids), team_ids=sorted(team_ids), officers=officers, after=after, limit=limit
    )
    people: dict[str, Occupant] = {}
    for row in rows:
        person = people.setdefault(row.user_id, Occupant(row.user_id, row.username, row.display_name, []))
        held = roles.permissions(row.role, row.org_role, operator=row.operator)
        person.seats.append(Standpoint(row.team_id, held))
    return list(people.values())
