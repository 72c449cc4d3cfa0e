"""Move jobs whose executor no longer exists to this server, if it can run them."""

from collections.abc import Iterable, Sized
from functools import partial

from teamspace import jobs
from teamspace.core.db import Db, Tx, in_batches
from teamspace.executors import store
from teamspace.executors.domain.fleet import Fleet
from teamspace.executors.domain.offers import accepted_kinds
from teamspace.executors.domain.presence import channels_of
from teamspace.executors.schemas import ExecutorRow


async def reroute_retired(db: Db, fleet: Fleet, executor: ExecutorRow) -> None:
    """Move the jobs that wait for an executor that was just retired."""
    models = [executor.model] if executor.model else []
    await _reroute(db, fleet, channels_of(executor, accepted_kinds(executor, fleet.queue.kinds), models))


async def reroute_unserved(db: Db, fleet: Fleet) -> None:
    """Move jobs of unserved channels; runs now and then, since executors can be removed from the settings."""
    await _reroute(db, fleet, await store.select_unserved_channels(db))


async def _reroute(db: Db, fleet: Fleet, channels: Iterable[str]) -> None:
    for channel in channels:
        target = _target(fleet, channel)
        if target != channel and not fleet.configured_serve(channel):
            await in_batches(db, partial(_move, fleet, channel, target))


async def _move(fleet: Fleet, channel: str, target: str, tx: Tx, limit: int) -> Sized:
    served = await store.select_served(tx, jobs.kind_of(channel), *jobs.served_by(channel))
    return [] if "" in served else await fleet.queue.move(tx, limit, channel, target, except_orgs=served)


def _target(fleet: Fleet, channel: str) -> str:
    """Return the local channel, unless this server has no handler for the kind or another model than requested."""
    kind = fleet.queue.kinds.get(jobs.kind_of(channel))
    how, model = jobs.served_by(channel)
    if kind is None or (how == "model" and fleet.local and fleet.local.model not in (None, model)):
        return channel
    return jobs.local_channel(kind.name) if kind.handler else jobs.any_channel(kind.name)
