"""The handlers of the job kinds that this worker can run on a model server."""

from functools import partial

import msgspec

from teamspace import completions
from teamspace.client import AsyncClient, AsyncWorker, Job, JobFailed
from teamspace.client.models import TokenUsage
from teamspace.completions import CompletionError, ModelAnswer, ModelEndpoint, ModelRequest, SchemaMismatch, structured
from teamspace.core.egress import Egress
from teamspace.core.errors import BadRequest, Overloaded


async def chat(egress: Egress, endpoint: ModelEndpoint, job: Job) -> ModelAnswer:
    """Run one chat turn."""
    try:
        request = msgspec.convert(job.input, ModelRequest)
        return await structured.complete(partial(completions.complete, egress, endpoint), request)
    except CompletionError as fault:
        raise JobFailed(
            str(fault), code="executor_failed", retryable=fault.retryable, usage=_reported(fault)
        ) from fault
    except SchemaMismatch as fault:
        raise JobFailed(str(fault), code="response_refused", usage=_reported(fault)) from fault
    except Overloaded as fault:
        raise JobFailed(str(fault), code=Overloaded.code, retryable=True) from fault
    except (msgspec.ValidationError, BadRequest) as fault:
        raise JobFailed(f"This worker cannot run the job: {fault}", code="unsupported") from fault


def _reported(fault: CompletionError | SchemaMismatch) -> TokenUsage | None:
    """Return what a failed request has used, as it is reported to the server."""
    return None if fault.usage is None else msgspec.convert(fault.usage, TokenUsage, from_attributes=True)


_HANDLERS = {"ai.chat": chat}


def make_worker(
    client: AsyncClient, egress: Egress, endpoint: ModelEndpoint, *, kinds: list[str], slots: int
) -> AsyncWorker:  # fmt: skip
    handlers = {kind: partial(_HANDLERS[kind], egress, endpoint) for kind in kinds}
    return AsyncWorker(client, handlers, slots=slots, models=[endpoint.model] if endpoint.model else [])
