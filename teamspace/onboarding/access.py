"""Who may see and change a team's funnel: its members with `settings:manage`."""

from teamspace import events
from teamspace.core.db import Clause, Fence, no_rows
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal


def fence(who: Principal, permission: P, table: str = "experiences") -> Fence:
    if not who.has_permission(permission):
        return no_rows(table)
    return Fence(table, (Clause(f"{table}.team_id = :team_id"),), {"team_id": who.team_id})


def prospects(who: Principal) -> Fence:
    return fence(who, P.SETTINGS_MANAGE, "prospects")


def of_team(who: Principal, table: str = "prospects") -> Fence:
    """For the server's own work in the name of a team."""
    return Fence(table, (Clause(f"{table}.team_id = :team_id"),), {"team_id": who.team_id})


def _read_fences(who: Principal) -> tuple[Fence, ...]:
    return (prospects(who),)


PROSPECT = events.EventSubject("prospect", P.SETTINGS_MANAGE, _read_fences)
SUBJECTS = (PROSPECT,)
