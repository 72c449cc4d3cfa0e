"""The requester of a job with their current rights: checked again when the job runs."""

from teamspace import tenancy
from teamspace.core.db import Db
from teamspace.core.errors import FeatureDisabled, Forbidden, Unauthenticated
from teamspace.core.principal import Call, Principal
from teamspace.jobs.domain.kinds import BoundKind
from teamspace.jobs.schemas import ClaimedJob, JobFault

REQUESTER_GONE = JobFault.keyed("jobs.requester_gone", "unauthenticated", retryable=False)


async def current_requester(db: Db, kind: BoundKind, job: ClaimedJob) -> Principal:
    """Return the job's requester; raise if they left the team, lost the permission or the feature is off."""
    who = await tenancy.act_for(db, Call(request_id=f"job-{job.id}"), job.user_id, job.team_id)
    kind.check_requester(who)
    return who


async def find_refusal(db: Db, kind: BoundKind, job: ClaimedJob) -> JobFault | None:
    """Return why the job must not run for its requester, or None."""
    try:
        await current_requester(db, kind, job)
    except Unauthenticated:
        return REQUESTER_GONE
    except (FeatureDisabled, Forbidden) as refusal:
        return JobFault.of(refusal, refusal.code, retryable=False)
    return None
