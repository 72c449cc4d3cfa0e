"""Find the model of an executor that this server works for."""

from functools import partial

from teamspace import jobs
from teamspace.ai.domain.models import Model
from teamspace.ai.domain.openai import OpenAI
from teamspace.ai.domain.simulated import Simulated
from teamspace.core.db import Db
from teamspace.executors import Fleet


class Registry:
    def __init__(self, fleet: Fleet, *, simulate: bool) -> None:
        """With `simulate`, prompts can make the simulated model hang, fail or be slow."""
        self._fleet, self._simulate = fleet, simulate

    def of(self, db: Db, executor_id: str, *, attempt: int, org_id: str) -> Model:
        if executor_id == jobs.LOCAL and self._fleet.local is None:
            return Simulated(attempt, misbehaves=self._simulate)
        endpoint_for_call = partial(self._fleet.endpoint_for_call, db, executor_id, on_behalf_of=org_id)
        return OpenAI(self._fleet.egress, endpoint_for_call)
