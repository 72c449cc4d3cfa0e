"""Who may see which job. The only place this rule is written.

A job is seen by whoever asked for it and by those who run the team; what it was given and what came of
it may hold what the rest of the team must not read.
"""

from teamspace.core.db import Fence, Way
from teamspace.core.permissions import Permission
from teamspace.core.principal import Principal

TABLES = ("jobs", "job_archive")


def fence(who: Principal, table: str) -> Fence:
    by_role = who.holds(Permission.SETTINGS_MANAGE)
    own = Way(f"{table}.user_id = :user_id AND {table}.team_id = :team_id")
    team = Way(f"{table}.team_id = :team_id")
    return Fence(table, (team,) if by_role else (own,), {"user_id": who.user_id, "team_id": who.team_id})
