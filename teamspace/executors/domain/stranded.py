"""Jobs whose executor is gone: they are done here, if they can be, instead of waiting for nobody."""

from collections.abc import Iterable

from teamspace import jobs
from teamspace.core.db import Db, Tx
from teamspace.core.principal import system
from teamspace.executors import store
from teamspace.executors.domain.fleet import Fleet
from teamspace.executors.domain.offers import taken_by
from teamspace.executors.domain.presence import places
from teamspace.executors.schemas import ExecutorRow


async def leave(tx: Tx, fleet: Fleet, gone: ExecutorRow) -> None:
    """Whatever waits for an executor that has just been retired."""
    models = [gone.model] if gone.model else []
    await _move(tx, fleet, places(gone, taken_by(gone, fleet.queue.kinds), models))


async def place_again(db: Db, fleet: Fleet) -> None:
    """Now and then: an executor of the settings may have been taken out of them."""
    known = await store.select_stranded_places(db)
    if known:
        async with db.upkeep(system()) as tx:
            await _move(tx, fleet, known)


async def _move(tx: Tx, fleet: Fleet, stranded: Iterable[str]) -> None:
    for place in stranded:
        target = _target(fleet, place)
        if target == place or fleet.names_serve(place):
            continue
        served = await store.select_served(tx, jobs.kind_of(place), *jobs.served_by(place))
        if "" not in served:
            await fleet.queue.move(tx, place, target, but_of=served)


def _target(fleet: Fleet, place: str) -> str:
    """Here, unless this server has no handler for the kind, or a model that is not the one that was asked for."""
    kind = fleet.queue.kinds.get(jobs.kind_of(place))
    how, model = jobs.served_by(place)
    if kind is None or (how == "model" and fleet.local and fleet.local.model not in (None, model)):
        return place
    return jobs.local_place(kind.name) if kind.handler else jobs.any_place(kind.name)
