"""Who may read which job. The rule is written only here.

Members of the team see a summary: that the job exists, its kind and its state. The other fields can contain what only
some may read. If the job has a subject, such as a file, they are for those who can read it now; otherwise for the
requester. A token without the scope to create jobs does not read them as their requester.
"""

from collections.abc import Collection

from teamspace.core.db import Clause, Fence
from teamspace.core.permissions import Permission
from teamspace.core.principal import Principal
from teamspace.events import EventSubject
from teamspace.jobs.schemas import JobRow, JobSubject

TABLES = ("jobs", "job_archive")


def fence(who: Principal, table: str) -> Fence:
    return Fence(table, (Clause(f"{table}.team_id = :team_id"),), {"team_id": who.team_id})


def may_read(who: Principal, row: JobRow, readable: Collection[JobSubject]) -> bool:
    """Whether the caller may read a job of their team in full; `readable` are the subjects that they can read."""
    return is_requester(who, row) if row.subject is None else row.subject in readable


def may_cancel(who: Principal, row: JobRow) -> bool:
    return is_requester(who, row) or who.has_permission(Permission.SETTINGS_MANAGE)


def is_requester(who: Principal, row: JobRow) -> bool:
    return row.user_id == who.user_id and who.in_scope(Permission.CHAT_USE)


def _read_fences(who: Principal) -> tuple[Fence, ...]:
    return tuple(fence(who, table) for table in TABLES)


SUBJECT = EventSubject("job", fences=_read_fences)
SUBJECTS = (SUBJECT,)
