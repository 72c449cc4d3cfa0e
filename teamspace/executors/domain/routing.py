"""Choose a job's channel: the executor it names, executors with the model it names, or this server.

Jobs that name neither run on this server if it has a handler. But if the local model is the simulated one and there is
a push executor, they go there: that is what people want. Kinds without a local handler wait for any executor, also one
that is created later.
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
from teamspace.executors.domain.offers import accepted_kinds
from teamspace.executors.domain.registry import LOCAL_NAME
from teamspace.executors.schemas import ExecutorStatusRow, Mode
from teamspace.jobs import BoundKind, JobRoute


class ExecutorRouter:
    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet

    async def route(self, tx: Tx, who: Principal, kind: BoundKind, input: msgspec.Struct) -> JobRoute:
        request: Any = input
        name, model = getattr(request, "executor", None), getattr(request, "model", None)
        if name is not None and not who.has_permission(Permission.INSTANCE_MANAGE):
            raise Forbidden("executors.choice", permission=Permission.INSTANCE_MANAGE)
        if not kind.row.remote or name == LOCAL_NAME:
            return JobRoute(jobs.local_channel(kind.name), model)
        rows = await self._fleet.select(tx, access.fence(who))
        offered = [row for row in rows if kind.name in accepted_kinds(row, self._fleet.queue.kinds)]
        if name is not None:
            return JobRoute(jobs.executor_channel(kind.name, _find_by_name(offered, name, who).id), model)
        if model is not None:
            return JobRoute(self._model_channel(kind, offered, model), model)
        if kind.handler is None:
            return JobRoute(jobs.any_channel(kind.name))
        use_push = self._fleet.local is None and any(row.mode is Mode.PUSH for row in offered)
        return JobRoute(jobs.push_channel(kind.name) if use_push else jobs.local_channel(kind.name))

    def _model_channel(self, kind: BoundKind, offered: list[ExecutorStatusRow], model: str) -> str:
        """Return the channel of executors with the model, or else of executors without a fixed model."""
        local = self._fleet.local
        if kind.handler and local and local.model == model:
            return jobs.local_channel(kind.name)
        if any(row.model == model for row in offered):
            return jobs.model_channel(kind.name, model)
        if any(row.model is None for row in offered) or not kind.handler:
            return jobs.any_channel(kind.name)
        if (local is None and offered) or (local and local.model):
            raise BadRequest.at("/input/model", "executors.no_such_model")
        return jobs.local_channel(kind.name)


def _find_by_name(offered: list[ExecutorStatusRow], name: str, who: Principal) -> ExecutorStatusRow:
    """Find an executor by name; the company's own executors take precedence over shared ones."""
    found = [row for row in offered if row.name.casefold() == name.casefold()]
    if not found:
        raise BadRequest.at("/input/executor", "executors.no_such_name")
    return max(found, key=lambda row: row.org_id == who.org_id)
