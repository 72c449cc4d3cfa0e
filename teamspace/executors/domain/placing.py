"""Where a job is done: with the executor it names, with one that has the model it names, or here.

What names neither is done here, if it can be. Only where the local model is the simulated one, and a model server is
set up for this one to call, that is what people meant to use. A kind that has no handler here waits for whichever
executor comes first, also for one that is set up later.
"""

from typing import Any

import msgspec

from teamspace import jobs
from teamspace.core.db import Tx
from teamspace.core.errors import BadRequest, Forbidden
from teamspace.core.permissions import Permission
from teamspace.core.principal import Principal
from teamspace.executors import access
from teamspace.executors.domain.fleet import Fleet
from teamspace.executors.domain.offers import taken_by
from teamspace.executors.domain.roster import LOCAL_NAME
from teamspace.executors.schemas import Mode, SeenRow
from teamspace.jobs import Kind, Placed


class Placing:
    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet

    async def place(self, tx: Tx, who: Principal, kind: Kind, input: msgspec.Struct) -> Placed:
        wish: Any = input
        name, model = getattr(wish, "executor", None), getattr(wish, "model", None)
        if name is not None and not who.holds(Permission.INSTANCE_MANAGE):
            raise Forbidden(f"Choosing an executor needs {Permission.INSTANCE_MANAGE}.")
        if not kind.row.remote or name == LOCAL_NAME:
            return Placed(jobs.local_place(kind.name), model)
        rows = await self._fleet.select(tx, access.fence(who))
        offered = [row for row in rows if kind.name in taken_by(row, self._fleet.queue.kinds)]
        if name is not None:
            return Placed(jobs.executor_place(kind.name, _named(offered, name, who).id), model)
        if model is not None:
            return Placed(self._place_of_model(kind, offered, model), model)
        if kind.handler is None:
            return Placed(jobs.any_place(kind.name))
        called = self._fleet.local is None and any(row.mode is Mode.PUSH for row in offered)
        return Placed(jobs.push_place(kind.name) if called else jobs.local_place(kind.name))

    def _place_of_model(self, kind: Kind, offered: list[SeenRow], model: str) -> str:
        """Of those that have it, or else of one that names no model: it takes any."""
        local = self._fleet.local
        if kind.handler and local and local.model == model:
            return jobs.local_place(kind.name)
        if any(row.model == model for row in offered):
            return jobs.model_place(kind.name, model)
        if any(row.model is None for row in offered) or not kind.handler:
            return jobs.any_place(kind.name)
        if (local is None and offered) or (local and local.model):
            raise BadRequest.at("/input/model", "is not the model of any executor")
        return jobs.local_place(kind.name)


def _named(offered: list[SeenRow], name: str, who: Principal) -> SeenRow:
    """The company's own before one of the same name that works for all."""
    found = [row for row in offered if row.name.casefold() == name.casefold()]
    if not found:
        raise BadRequest.at("/input/executor", "is not the name of an executor that takes this kind of job")
    return max(found, key=lambda row: row.org_id == who.org_id)
