"""From a job to a model server and back: the kinds of jobs that this worker can do."""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from teamspace import completions
from teamspace.completions import Ask, Endpoint
from teamspace.core.egress import Egress
from teamspace.worker.protocol import Job

Do = Callable[[Egress, Endpoint, Job], Awaitable[dict[str, Any]]]


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


async def chat(egress: Egress, endpoint: Endpoint, job: Job) -> dict[str, Any]:
    """One turn. What goes wrong is a `completions.Fault`."""
    wish = msgspec.convert(job.input, _Chat)
    asked = wish.prompt if isinstance(wish.prompt, str) else "\n".join(part.text for part in wish.prompt)
    said = [_Message("system", wish.system)] if wish.system else []
    messages = [{"role": one.role, "content": one.content} for one in (*said, *wish.messages, _Message("user", asked))]
    ask = Ask(messages, job.model or endpoint.model, wish.max_tokens, wish.temperature)
    done = await completions.complete(egress, endpoint, ask)
    usage = {
        "prompt_tokens": done.prompt_tokens,
        "completion_tokens": done.completion_tokens,
        "total_tokens": done.prompt_tokens + done.completion_tokens,
    }
    return {"text": done.text, "model": done.model, "finish_reason": done.finish_reason, "usage": usage}


KINDS: dict[str, Do] = {"ai.chat": chat}
