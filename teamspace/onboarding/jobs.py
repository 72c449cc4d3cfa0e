"""The job kind of the judge."""

from teamspace.ai import Gateway
from teamspace.core.db import Db
from teamspace.core.permissions import Feature
from teamspace.core.principal import Principal
from teamspace.core.tables import JobSpec
from teamspace.jobs import JobContext
from teamspace.onboarding.domain import judging
from teamspace.onboarding.domain.funnel import Funnel
from teamspace.onboarding.domain.signing_up import JUDGE
from teamspace.onboarding.schemas.prospects import JudgeInput, JudgeResult

JOBS = (
    JobSpec(JUDGE, "judge", "A model judges someone who signed up, by the criteria of the team.", feature=Feature.CHAT),
)  # fmt: skip


async def judge(
    db: Db, who: Principal, input: JudgeInput, work: JobContext, gateway: Gateway, funnel: Funnel
) -> JudgeResult:
    return await judging.run(db, who, gateway, funnel, input, work)
