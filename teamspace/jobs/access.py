"""Who may see which job. The only place this rule is written.

The team sees that there is a job, of which kind and how far it is. The rest is for whoever asked for it and for those
who run the team: what it was given and what came of it may hold what the others must not read. A token that may not
ask for jobs does not read them as their owner.
"""

from teamspace.core.db import Fence, Way
from teamspace.core.permissions import Permission
from teamspace.core.principal import Principal

TABLES = ("jobs", "job_archive")


def fence(who: Principal, table: str) -> Fence:
    return Fence(table, (Way(f"{table}.team_id = :team_id"),), {"team_id": who.team_id})


def may_read(who: Principal, owner_id: str) -> bool:
    """Whether a job of the team is more than an outline to them."""
    return who.holds(Permission.SETTINGS_MANAGE) or (owner_id == who.user_id and who.in_scope(Permission.CHAT_USE))
