"""Traffic by day: what every process has counted in memory, stored every few seconds."""

from collections.abc import Iterable

from teamspace.core import clock
from teamspace.core.db import Db
from teamspace.core.principal import system
from teamspace.core.traffic import TeamTraffic, Traffic
from teamspace.quota import store
from teamspace.quota.domain.shards import shard_of
from teamspace.quota.schemas import TrafficAmount

SAVE_TRAFFIC_SECONDS = 5


async def save_traffic(db: Db, traffic: Traffic) -> None:
    """Store what was counted since the last time; if that fails, the next time stores it too."""
    counted = traffic.take()
    if not counted:
        return
    try:
        async with db.maintenance(system()) as tx:
            await store.add_traffic(tx, clock.stamp()[:10], _sum(counted))
    except BaseException:
        for team in counted:
            traffic.add(team.org_id, team.team_id, team.received, team.sent)
        raise


def _sum(counted: Iterable[TeamTraffic]) -> list[TrafficAmount]:
    """Return what teams add to each counter, in a fixed order to avoid deadlocks between processes."""
    sums: dict[tuple[str, str, str], tuple[int, int]] = {}
    for team in counted:
        for counter in (
            ("tenant", shard_of(team.org_id), ""),
            ("org", team.org_id, team.org_id),
            ("team", team.team_id, team.org_id),
        ):
            received, sent = sums.get(counter, (0, 0))
            sums[counter] = received + team.received, sent + team.sent
    return [TrafficAmount(*counter, *amounts) for counter, amounts in sorted(sums.items())]
