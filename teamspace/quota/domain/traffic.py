"""Traffic by day: what every process has counted in memory, stored every few seconds."""

from teamspace.core import clock
from teamspace.core.db import Db
from teamspace.core.principal import system
from teamspace.core.traffic import Traffic
from teamspace.quota import store

SAVE_TRAFFIC_SECONDS = 5


async def save_traffic(db: Db, traffic: Traffic) -> None:
    """Store what was counted since the last time; if that fails, the next time stores it too."""
    counted = traffic.take()
    if not counted:
        return
    try:
        async with db.maintenance(system()) as tx:
            await store.add_traffic(tx, clock.stamp()[:10], counted)
    except BaseException:
        for team in counted:
            traffic.add(team.org_id, team.team_id, team.received, team.sent)
        raise
