"""Who may see triggers: the members of their team, by role."""

from teamspace import events
from teamspace.core.db import Clause, Fence, no_rows
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal

_TEAM = (Clause("doc_triggers.team_id = :team_id"),)


def fence(who: Principal, permission: P) -> Fence:
    if not who.has_permission(permission):
        return no_rows("doc_triggers")
    return Fence("doc_triggers", _TEAM, {"team_id": who.team_id})


def _read_fences(who: Principal) -> tuple[Fence, ...]:
    return (fence(who, P.WORKFLOWS_READ),)


TRIGGER = events.EventSubject("trigger", P.WORKFLOWS_READ, _read_fences)
SUBJECTS = (TRIGGER,)
