"""Who may see and change a team's funnel: its members with `settings:manage`."""

from teamspace.core.db import Clause, Fence, no_rows
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal


def fence(who: Principal, permission: P, table: str = "experiences") -> Fence:
    if not who.has_permission(permission):
        return no_rows(table)
    return Fence(table, (Clause(f"{table}.team_id = :team_id"),), {"team_id": who.team_id})
