"""The job kinds that this worker can run on a model server."""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from teamspace import completions
from teamspace.completions import CompletionRequest, ModelEndpoint
from teamspace.core.egress import Egress
from teamspace.worker.protocol import WorkerJob

Handler = Callable[[Egress, ModelEndpoint, WorkerJob], Awaitable[dict[str, Any]]]


class _Part(msgspec.Struct, frozen=True):
    text: str


class _Message(msgspec.Struct, frozen=True):
    role: str
    content: str


class _Chat(msgspec.Struct, frozen=True):
    prompt: str | list[_Part]
    system: str | None = None
    messages: list[_Message] = []
    max_tokens: int | None = None
    temperature: float | None = None


async def chat(egress: Egress, endpoint: ModelEndpoint, job: WorkerJob) -> dict[str, Any]:
    """Run one chat turn, or raise CompletionError."""
    request = msgspec.convert(job.input, _Chat)
    prompt = request.prompt if isinstance(request.prompt, str) else "\n".join(part.text for part in request.prompt)
    system = [_Message("system", request.system)] if request.system else []
    messages = [
        {"role": one.role, "content": one.content} for one in (*system, *request.messages, _Message("user", prompt))
    ]
    completion = CompletionRequest(messages, job.model or endpoint.model, request.max_tokens, request.temperature)
    done = await completions.complete(egress, endpoint, completion)
    usage = {
        "prompt_tokens": done.prompt_tokens,
        "completion_tokens": done.completion_tokens,
        "total_tokens": done.prompt_tokens + done.completion_tokens,
    }
    return {"text": done.text, "model": done.model, "finish_reason": done.finish_reason, "usage": usage}


KINDS: dict[str, Handler] = {"ai.chat": chat}
