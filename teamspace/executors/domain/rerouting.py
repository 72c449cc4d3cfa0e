"""Move jobs whose executor no longer exists to this server, if it can run them."""

from collections.abc import Iterable

from teamspace import jobs
from teamspace.core.db import Db, Tx
from teamspace.core.principal import system
from teamspace.executors import store
from teamspace.executors.domain.fleet import Fleet
from teamspace.executors.domain.offers import accepted_kinds
from teamspace.executors.domain.presence import channels_of
from teamspace.executors.schemas import ExecutorRow


async def reroute_retired(tx: Tx, fleet: Fleet, executor: ExecutorRow) -> None:
    """Move the jobs that wait for an executor that was just retired."""
    models = [executor.model] if executor.model else []
    await _move(tx, fleet, channels_of(executor, accepted_kinds(executor, fleet.queue.kinds), models))


async def reroute_unserved(db: Db, fleet: Fleet) -> None:
    """Move jobs of unserved channels; runs now and then, since executors can be removed from the settings."""
    unserved = await store.select_unserved_channels(db)
    if unserved:
        async with db.maintenance(system()) as tx:
            await _move(tx, fleet, unserved)


async def _move(tx: Tx, fleet: Fleet, channels: Iterable[str]) -> None:
    for channel in channels:
        target = _target(fleet, channel)
        if target == channel or fleet.configured_serve(channel):
            continue
        served = await store.select_served(tx, jobs.kind_of(channel), *jobs.served_by(channel))
        if "" not in served:
            await fleet.queue.move(tx, channel, target, except_orgs=served)


def _target(fleet: Fleet, channel: str) -> str:
    """Return the local channel, unless this server has no handler for the kind or another model than requested."""
    kind = fleet.queue.kinds.get(jobs.kind_of(channel))
    how, model = jobs.served_by(channel)
    if kind is None or (how == "model" and fleet.local and fleet.local.model not in (None, model)):
        return channel
    return jobs.local_channel(kind.name) if kind.handler else jobs.any_channel(kind.name)
