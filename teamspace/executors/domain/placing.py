"""Where a job is done: with the executor it names, with one that has the model it names, or wherever it is offered.

What names neither is done here when the local executor has a real model. When it has only the simulated one, and
executors are set up for the company, those are what people meant to use: the job rather waits for one of them than
be answered by a model that is none.
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
from teamspace.executors.domain.roster import LOCAL_NAME
from teamspace.executors.schemas import SeenRow
from teamspace.jobs import Kind, Placed


class Placing:
    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet

    async def place(self, tx: Tx, who: Principal, kind: Kind, input: msgspec.Struct) -> Placed:
        wish: Any = input
        name, model = getattr(wish, "executor", None), getattr(wish, "model", None)
        if name is not None and not who.holds(Permission.INSTANCE_MANAGE):
            raise Forbidden(f"Choosing an executor needs {Permission.INSTANCE_MANAGE}.")
        if not kind.row.remote or name == LOCAL_NAME or (name is None and self._local_does(model)):
            return Placed(jobs.local_place(kind.name), model)
        rows = await self._fleet.select(tx, access.fence(who))
        offered = [row for row in rows if kind.name in row.capabilities]
        if name is not None:
            return Placed(jobs.executor_place(kind.name, _named(offered, name, who).id), model)
        if model is not None and (offered or self._fleet.local):
            return self._by_model(kind, offered, model)
        return Placed(jobs.any_place(kind.name) if offered else jobs.local_place(kind.name), model)

    def _local_does(self, model: str | None) -> bool:
        """Without a question: it has a real model, which is the one that is wanted."""
        local = self._fleet.local
        return local is not None and model in (None, local.model)

    def _by_model(self, kind: Kind, offered: list[SeenRow], model: str) -> Placed:
        """An executor that names no model takes any; here as well, if nobody else does."""
        if any(row.model in (None, model) for row in offered):
            return Placed(jobs.model_place(kind.name, model), model)
        if self._fleet.local and self._fleet.local.model is None:
            return Placed(jobs.local_place(kind.name), model)
        raise BadRequest.at("/input/model", "is not the model of any executor")


def _named(offered: list[SeenRow], name: str, who: Principal) -> SeenRow:
    """The company's own before one of the same name that works for all."""
    found = [row for row in offered if row.name.casefold() == name.casefold()]
    if not found:
        raise BadRequest.at("/input/executor", "is not the name of an executor that takes this kind of job")
    return max(found, key=lambda row: row.org_id == who.org_id)
