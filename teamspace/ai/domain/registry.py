"""From an executor that this server works for to its model."""

from teamspace.ai.domain.models import Model
from teamspace.ai.domain.simulated import Simulated


class Registry:
    async def of(self, executor_id: str, *, attempt: int) -> Model:
        return Simulated(attempt)
