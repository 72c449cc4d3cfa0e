"""The job kinds that this worker can run on a model server."""

from collections.abc import Awaitable, Callable
from functools import partial

import msgspec

from teamspace import completions
from teamspace.completions import ModelAnswer, ModelEndpoint, ModelRequest, structured
from teamspace.core.egress import Egress
from teamspace.worker.protocol import WorkerJob

Handler = Callable[[Egress, ModelEndpoint, WorkerJob], Awaitable[msgspec.Struct]]


async def chat(egress: Egress, endpoint: ModelEndpoint, job: WorkerJob) -> ModelAnswer:
    """Run one chat turn, or raise CompletionError, SchemaMismatch, or BadRequest if its response format is unusable."""
    request = msgspec.convert(job.input, ModelRequest)
    return await structured.complete(partial(completions.complete, egress, endpoint), request)


KINDS: dict[str, Handler] = {"ai.chat": chat}
