"""Who may read which job. The rule is written only here.

Members of the team see a summary: that the job exists, its kind and its state. Input, result and the other fields are
for the requester and for the team's managers, since they can contain what other members must not read. A token without
the scope to create jobs does not read them as their requester.
"""

from teamspace.core.db import Clause, Fence
from teamspace.core.permissions import Permission
from teamspace.core.principal import Principal
from teamspace.events import EventSubject

TABLES = ("jobs", "job_archive")


def fence(who: Principal, table: str) -> Fence:
    return Fence(table, (Clause(f"{table}.team_id = :team_id"),), {"team_id": who.team_id})


def may_read(who: Principal, owner_id: str) -> bool:
    """Whether the caller may read a job of their team in full."""
    return who.has_permission(Permission.SETTINGS_MANAGE) or (
        owner_id == who.user_id and who.in_scope(Permission.CHAT_USE)
    )


def _read_fences(who: Principal) -> tuple[Fence, ...]:
    return tuple(fence(who, table) for table in TABLES)


SUBJECT = EventSubject("job", fences=_read_fences)
SUBJECTS = (SUBJECT,)
