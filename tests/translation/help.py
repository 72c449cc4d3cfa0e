"""A gateway whose model is a function, for tests of the engine."""

import asyncio
import json
from collections.abc import Callable
from typing import Any, NamedTuple

from teamspace.completions import JsonSchema, ModelAnswer, ModelRequest, TokenUsage, estimate_tokens, text_of
from teamspace.core.db import Db
from teamspace.core.principal import Principal

Model = Callable[[dict[str, Any]], Any]
"""Takes the prompt's JSON and returns the answer's."""


class Answered(NamedTuple):
    answer: ModelAnswer


class ScriptedGateway:
    """Answers with a function, and keeps what it was asked."""

    def __init__(self, model: Model) -> None:
        self.prompts: list[dict[str, Any]] = []
        self._model = model

    async def call(self, db: Db, who: Principal, request: ModelRequest, *, purpose: str) -> Answered:
        assert isinstance(request.response_format, JsonSchema) and request.response_format.json_schema
        assert request.response_format.json_schema.name == "translation" and who.call.claim is None
        await asyncio.sleep(0)  # a model takes its time
        prompt = json.loads(text_of(request.prompt))
        self.prompts.append(prompt)
        parsed = self._model(prompt)
        usage = TokenUsage.of(estimate_tokens(text_of(request.prompt)), 1)
        return Answered(ModelAnswer(json.dumps(parsed), usage, "scripted", parsed=parsed))

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
