"""Who may see which job. The only place this rule is written.

A job is seen by whoever asked for it and by those who run the team; what it was given and what came of
it may hold what the rest of the team must not read. A token that may not ask for jobs sees none as their owner.
"""

from teamspace.core.db import Fence, Way, nothing
from teamspace.core.permissions import Permission
from teamspace.core.principal import Principal

TABLES = ("jobs", "job_archive")


def fence(who: Principal, table: str) -> Fence:
    params = {"user_id": who.user_id, "team_id": who.team_id}
    if who.holds(Permission.SETTINGS_MANAGE):
        return Fence(table, (Way(f"{table}.team_id = :team_id"),), params)
    if who.in_scope(Permission.CHAT_USE):
        return Fence(table, (Way(f"{table}.user_id = :user_id AND {table}.team_id = :team_id"),), params)
    return nothing(table)
