"""Who may read which workflow and which run. The rules are written only here.

Members of the team who may read workflows see every run as an outline: that it exists, and its state. Its owner, the
team's admins, and those who may read every document that it names see it in full. A run that names no document, or too
many to list, or whose tools may have read something else of the owner's, is only for the owner and the admins.
"""

from teamspace import repository
from teamspace.core.db import Clause, Fence, all_admitted, no_rows
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.events import EventSubject
from teamspace.workflows.schemas import MAX_OBJECTS, RunRow

_ORDERED = "runs.id || ''"
"""The order of lists, for which there are indexes: see the table `runs`."""
_TEAM = Clause("runs.team_id = :team_id AND runs.org_id = :org_id", key=_ORDERED)
_OWN = Clause("runs.owner_id = :user_id AND runs.team_id = :team_id AND runs.org_id = :org_id")
_DEFINITIONS = Clause("workflows.team_id = :team_id AND workflows.org_id = :org_id")


def definitions_fence(who: Principal) -> Fence:
    """Return the workflows of the caller's team."""
    if not who.in_scope(P.WORKFLOWS_READ) and not who.in_scope(P.WORKFLOWS_RUN):
        return no_rows("workflows")
    return Fence("workflows", (_DEFINITIONS,), {"team_id": who.team_id, "org_id": who.org_id})


def read_fence(who: Principal) -> Fence:
    """Return the workflows that the caller may read."""
    return definitions_fence(who) if who.has_permission(P.WORKFLOWS_READ) else no_rows("workflows")


def team_fence(who: Principal) -> Fence:
    """Return the runs of the caller's team, at least as an outline."""
    return Fence("runs", (_TEAM,), {"team_id": who.team_id, "org_id": who.org_id})


def full_fence(who: Principal) -> Fence:
    """Return the runs that the caller may read in full."""
    if not who.has_permission(P.WORKFLOWS_READ):
        return no_rows("runs")
    if who.has_permission(P.SETTINGS_MANAGE):
        return team_fence(who)
    documents = repository.read_fence(who, across_org=True)
    return Fence("runs", (_OWN, _by_documents(documents)), _params(who) | documents.params)


def may_cancel(who: Principal, run: RunRow) -> bool:
    return run.owner_id == who.user_id or who.has_permission(P.SETTINGS_MANAGE)


def _by_documents(documents: Fence) -> Clause:
    readable = all_admitted("run_objects", "run_objects.run_id = runs.id", "object_id", documents)
    return Clause(f"{_TEAM.where} AND NOT runs.private AND runs.objects BETWEEN 1 AND {MAX_OBJECTS} AND {readable}")


def _params(who: Principal) -> dict[str, str]:
    return {"user_id": who.user_id, "team_id": who.team_id, "org_id": who.org_id}


def _full_fences(who: Principal) -> tuple[Fence, ...]:
    return (full_fence(who),)


RUN = EventSubject("run", P.WORKFLOWS_READ, _full_fences)
WORKFLOW = EventSubject("workflow")
"""A team's workflows: they have no row that someone could lose, and everyone in the team is told."""
SUBJECTS = (RUN, WORKFLOW)
