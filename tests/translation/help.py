"""Models for tests: a function behind the gateway, or behind a model server."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

from teamspace.ai import DryRun, Gateway, GatewayAnswer
from teamspace.ai.schemas import Estimate
from teamspace.completions import JsonSchema, ModelAnswer, ModelRequest, TokenUsage, estimate_tokens, text_of
from teamspace.core.db import Db
from teamspace.core.principal import Principal
from tests.support.upstream import Behaviour, ReceivedRequest, reply

Model = Callable[[dict[str, Any]], Any]
"""Takes the prompt's JSON and returns the answer's."""


class ScriptedGateway(Gateway):
    """Answers with a function, unmetered, and keeps what it was asked."""

    def __init__(self, model: Model) -> None:
        self.prompts: list[dict[str, Any]] = []
        self._model = model

    async def call(self, db: Db, who: Principal, request: ModelRequest, **options: Any) -> GatewayAnswer:
        assert isinstance(request.response_format, JsonSchema) and request.response_format.json_schema
        assert request.response_format.json_schema.name == "translation"
        await asyncio.sleep(0)  # a model takes its time
        prompt = json.loads(text_of(request.prompt))
        self.prompts.append(prompt)
        parsed = self._model(prompt)
        usage = TokenUsage.of(estimate_tokens(text_of(request.prompt)), 1)
        return GatewayAnswer(ModelAnswer(json.dumps(parsed), usage, "scripted", parsed=parsed), "local", True)

    async def preview(self, db: Db, who: Principal, request: ModelRequest, **options: Any) -> DryRun:
        return DryRun(executor="local", model=None, estimate=Estimate(0, 0), admitted=True, blocked_by=None)

    @property
    def sent(self) -> list[str]:
        """The texts that the model was asked to translate."""
        return [segment["text"] for prompt in self.prompts for segment in prompt["segments"]]


def each(translate: Callable[[dict[str, Any]], str]) -> Model:
    """A model that translates segment by segment."""
    return lambda prompt: {
        "segments": [{"id": segment["id"], "text": translate(segment)} for segment in prompt["segments"]]
    }


def upper(segment: dict[str, Any]) -> str:
    """A translation that keeps everything that must stay."""
    return str(segment["text"]).upper()


def by_table(table: dict[str, str]) -> Model:
    return each(lambda segment: table[segment["text"]])


def serving(model: Model, *, tokens: int = 7) -> Behaviour:
    """A step of a model server that answers with a function, and reports this usage."""

    async def behave(request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
        prompt = json.loads(request.body)["messages"][-1]["content"]
        message = {"role": "assistant", "content": json.dumps(model(json.loads(prompt)))}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": tokens - 2, "completion_tokens": 2}
        await reply(writer, 200, {"model": "tiny", "choices": [choice], "usage": usage})

    return behave
