"""From an executor that this server works for to its model."""

from functools import partial

from teamspace import jobs
from teamspace.ai.domain.models import Model
from teamspace.ai.domain.openai import OpenAI
from teamspace.ai.domain.simulated import Simulated
from teamspace.core.db import Db
from teamspace.executors import Fleet


class Registry:
    def __init__(self, fleet: Fleet, *, simulate: bool) -> None:
        """`simulate` lets a prompt tell the simulated model to hang, fail or be slow."""
        self._fleet, self._simulate = fleet, simulate

    def of(self, db: Db, executor_id: str, *, attempt: int) -> Model:
        if executor_id == jobs.LOCAL and self._fleet.local is None:
            return Simulated(attempt, misbehaves=self._simulate)
        return OpenAI(self._fleet.egress, partial(self._fleet.calling, db, executor_id))
