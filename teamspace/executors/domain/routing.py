"""Choose a job's channel: the executor it names, executors with the model it names, or this server.

Jobs that name neither go to the executor that is preferred for chats, if it answers now. Otherwise they run on this
server if it has a handler. But if the local model is the simulated one and there is a push executor, they go there: that
is what people want. Kinds without a local handler wait for any executor, also one that is created later.
"""

from typing import Any

import msgspec

from teamspace import jobs
from teamspace.core.db import Tx
from teamspace.core.errors import BadRequest
from teamspace.core.principal import Principal
from teamspace.executors.domain import choosing
from teamspace.executors.domain.fleet import Fleet
from teamspace.executors.domain.registry import LOCAL_NAME
from teamspace.executors.schemas import Mode, ModelRole, OfferedRow
from teamspace.jobs import BoundKind, JobRoute


class ExecutorRouter:
    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet

    async def route(self, tx: Tx, who: Principal, kind: BoundKind, input: msgspec.Struct) -> JobRoute:
        request: Any = input
        name, model = getattr(request, "executor", None), getattr(request, "model", None)
        choosing.check_choice(who, name)
        if not kind.row.remote or name == LOCAL_NAME:
            return JobRoute(jobs.local_channel(kind.name), model)
        offered = await choosing.select_offered(tx, who, self._fleet, kind.name)
        answerers = choosing.to_answerers(self._fleet, offered)
        if name is not None:
            named = choosing.find_answerer(answerers, who, name)
            if named is None:
                raise BadRequest.at("/input/executor", "executors.no_such_name")
            return JobRoute(jobs.executor_channel(kind.name, named.id), model)
        if model is not None:
            return JobRoute(self._model_channel(kind, offered, model), model)
        if kind.name == choosing.KIND and (preferred := await self._preferred(tx, who, answerers)):
            return JobRoute(_channel_of(kind, preferred))
        if kind.handler is None:
            return JobRoute(jobs.any_channel(kind.name))
        use_push = self._fleet.local is None and any(row.mode is Mode.PUSH for row in offered)
        return JobRoute(jobs.push_channel(kind.name) if use_push else jobs.local_channel(kind.name))

    async def _preferred(self, tx: Tx, who: Principal, answerers: list[choosing.Answerer]) -> choosing.Answerer | None:
        """Return the executor that is preferred for chats and answers now."""
        preferences = await choosing.list_role_preferences(tx, who, self._fleet, ModelRole.CHAT, answerers)
        found = (preference.answerer for preference in preferences)
        return next((answerer for answerer in found if answerer and answerer.answers_now), None)

    def _model_channel(self, kind: BoundKind, offered: list[OfferedRow], model: str) -> str:
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


def _channel_of(kind: BoundKind, answerer: choosing.Answerer) -> str:
    return (
        jobs.local_channel(kind.name) if answerer.mode is Mode.LOCAL else jobs.executor_channel(kind.name, answerer.id)
    )
