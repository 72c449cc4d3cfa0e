"""Where a job is done: with the executor it names, with one that has the model it names, or wherever it is offered.

What names neither is done here, unless executors are set up for the company: then they are what people meant to
use, and a job rather waits for one of their workers than be answered by the simulated model.
"""

from typing import Any

import msgspec

from teamspace import jobs
from teamspace.core.db import Tx
from teamspace.core.errors import BadRequest, Forbidden
from teamspace.core.permissions import Permission
from teamspace.core.principal import Principal
from teamspace.executors import access, store
from teamspace.executors.domain.roster import LOCAL_NAME
from teamspace.executors.schemas import SeenRow
from teamspace.jobs import Kind, Placed


class Placing:
    async def place(self, tx: Tx, who: Principal, kind: Kind, input: msgspec.Struct) -> Placed:
        wish: Any = input
        name, model = getattr(wish, "executor", None), getattr(wish, "model", None)
        if name is not None and not who.holds(Permission.INSTANCE_MANAGE):
            raise Forbidden(f"Choosing an executor needs {Permission.INSTANCE_MANAGE}.")
        if not kind.row.remote or name == LOCAL_NAME:
            return Placed(jobs.local_place(kind.name), model)
        offered = [row for row in await store.select(tx, access.fence(who)) if kind.name in row.capabilities]
        if name is not None:
            return Placed(jobs.executor_place(kind.name, _named(offered, name, who).id), model)
        if model is not None and offered:
            return Placed(jobs.model_place(kind.name, _known(offered, model)), model)
        return Placed(jobs.any_place(kind.name) if offered else jobs.local_place(kind.name), model)


def _named(offered: list[SeenRow], name: str, who: Principal) -> SeenRow:
    """The company's own before one of the same name that works for all."""
    found = [row for row in offered if row.name.casefold() == name.casefold()]
    if not found:
        raise BadRequest.at("/input/executor", "is not the name of an executor that takes this kind of job")
    return max(found, key=lambda row: row.org_id == who.org_id)


def _known(offered: list[SeenRow], model: str) -> str:
    """An executor that names no model takes any."""
    if not any(row.model in (None, model) for row in offered):
        raise BadRequest.at("/input/model", "is not the model of any executor")
    return model
