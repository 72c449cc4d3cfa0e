"""Whoever asked for a job, as they are when it is done: what they may not do any more is not done for them."""

from teamspace import tenancy
from teamspace.core.db import Db
from teamspace.core.errors import FeatureDisabled, Forbidden, Unauthenticated
from teamspace.core.principal import Call, Principal
from teamspace.jobs.domain.kinds import Kind
from teamspace.jobs.schemas import Claimed, Fault

GONE = Fault("Whoever asked for it is no longer in the team.", "unauthenticated", retryable=False)


async def standing(db: Db, kind: Kind, job: Claimed) -> Principal:
    """Refused when they have left, lost the right, or their team has switched it off."""
    who = await tenancy.stand_in(db, Call(request_id=f"job-{job.id}"), job.user_id, job.team_id)
    kind.check_asker(who)
    return who


async def refused(db: Db, kind: Kind, job: Claimed) -> Fault | None:
    """Why a job is not to be handed to anybody, if so."""
    try:
        await standing(db, kind, job)
    except Unauthenticated:
        return GONE
    except (FeatureDisabled, Forbidden) as refusal:
        return Fault(refusal.detail, refusal.code, retryable=False)
    return None
