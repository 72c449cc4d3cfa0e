"""The job kinds that this worker can run on a model server."""

from collections.abc import Awaitable, Callable

import msgspec

from teamspace import completions
from teamspace.completions import ModelAnswer, ModelEndpoint, ModelRequest
from teamspace.core.egress import Egress
from teamspace.worker.protocol import WorkerJob

Handler = Callable[[Egress, ModelEndpoint, WorkerJob], Awaitable[msgspec.Struct]]


async def chat(egress: Egress, endpoint: ModelEndpoint, job: WorkerJob) -> ModelAnswer:
    """Run one chat turn, or raise CompletionError."""
    return await completions.complete(egress, endpoint, msgspec.convert(job.input, ModelRequest))


KINDS: dict[str, Handler] = {"ai.chat": chat}
