"""The last step of the funnel: an accepted prospect sets their password."""

from teamspace.core.db import Tx
from teamspace.onboarding import store
from teamspace.onboarding.domain import counting
from teamspace.onboarding.domain.counting import FunnelStep


async def count(tx: Tx, user_id: str) -> None:
    for team in await store.find_of_user(tx, user_id):
        await counting.count(tx, team.org_id, team.team_id, FunnelStep.ACTIVATED)
