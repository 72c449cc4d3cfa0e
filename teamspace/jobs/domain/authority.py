"""The principal that a job runs as: its person's rights at that time, within the limits that its authority sets."""

from teamspace import identity, tenancy
from teamspace.core.db import Db
from teamspace.core.principal import Call, Principal
from teamspace.jobs.domain.kinds import BoundKind
from teamspace.jobs.schemas import Job, JobFault

REQUESTER_GONE = JobFault.keyed("jobs.requester_gone", "unauthenticated", retryable=False)


async def get_principal(db: Db, kind: BoundKind, job: Job) -> Principal:
    """Return the principal; raise if its person left the team, lost the permission or the feature is off."""
    call = _call(job)
    if job.user_id:
        scope = None if job.scope is None else tuple(map(identity.parse_scope, job.scope))
        who = await tenancy.act_for(db, call, job.user_id, job.team_id, scope=scope, limited_by=job.limited_by)
    else:
        who = await tenancy.act_for_team(db, call, job.team_id)
    kind.check_requester(who)
    return who


def continue_as(who: Principal, kind: BoundKind, job: Job) -> Principal:
    """Return the principal of a job that `who` has just started: the transaction that did has checked their rights."""
    kind.check_requester(who)
    return tenancy.without_credential(who, _call(job))


def _call(job: Job) -> Call:
    return Call(request_id=f"job-{job.id}", run_id=job.run_id, job_id=job.id)
