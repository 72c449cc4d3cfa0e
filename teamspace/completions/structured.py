"""Structured output: an answer is judged against its response format, and repaired once."""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from msgspec.structs import replace

from teamspace.completions import json_schemas
from teamspace.completions.errors import MALFORMED, CompletionError
from teamspace.completions.schemas import (
    AnyText,
    JsonObject,
    JsonSchema,
    Message,
    ModelAnswer,
    ModelRequest,
    ResponseFormat,
    Speaker,
    TokenUsage,
)
from teamspace.core import json_body, pools
from teamspace.core.errors import BadRequest, ExecutorFailed, KeyedError
from teamspace.core.messages import Param

MAX_RAW = 2048
MAX_NAME = 64
_MAX_REPEATED = 16 * 1024
"""Characters of a bad answer that are sent back for its repair."""
_FENCE = "```"

Call = Callable[[ModelRequest], Awaitable[ModelAnswer]]


class SchemaMismatch(KeyedError):
    """An answer is not what its response format asks for; the message may be shown to the requester."""

    def __init__(self, key: str, /, path: str = "", **params: Param) -> None:
        super().__init__(key, **params)
        self.message: str = self.args[0]
        self.path = path
        """A JSON pointer into the answer."""
        self.raw = ""
        """The beginning of the answer."""
        self.usage: TokenUsage | None = None
        """What the model has spent."""


def wants_json(wanted: ResponseFormat | None) -> bool:
    return wanted is not None and not isinstance(wanted, AnyText)


async def check_format(wanted: ResponseFormat | None, at: str = "/response_format") -> None:
    """Raise BadRequest, with the place below the pointer `at`, if a response format cannot be used."""
    if not isinstance(wanted, JsonSchema):
        return
    if (wanted.json_schema is None) == (wanted.schema is None):
        raise BadRequest.at(at, "schema.missing")
    if len(wanted.named.name) > MAX_NAME:
        raise BadRequest.at(f"{at}/json_schema/name", "schema.long_name", limit=MAX_NAME)
    await check_schema(
        wanted.named.schema, f"{at}/schema" if wanted.json_schema is None else f"{at}/json_schema/schema"
    )


async def check_schema(schema: dict[str, Any], at: str) -> None:
    """Raise BadRequest, with the place below the pointer `at`, if a JSON schema cannot be used."""
    await pools.SCHEMAS.run(json_schemas.check, schema, at)


async def parse(wanted: ResponseFormat, text: str) -> Any:
    """Return an answer as JSON that fits its format, which was checked before; raise SchemaMismatch if it does not.

    The JSON may be in a fenced code block, which models like to write; anything else around it is a mismatch.
    """
    try:
        body, value = await pools.TEXT.run(_parse, wanted, text)
        if isinstance(wanted, JsonSchema):
            await pools.SCHEMAS.run(_validate, wanted.named.schema, body)
        return value
    except SchemaMismatch as fault:
        fault.raw = text[:MAX_RAW]
        raise


async def complete(call: Call, request: ModelRequest) -> ModelAnswer:
    """Call a model and judge its answer; if it is bad, call once more with the reason, then raise SchemaMismatch.

    The usage of both calls is added up in the answer, or in the error. Tool calls are no answers yet. Raises BadRequest,
    before any call, if the response format cannot be used.
    """
    await check_format(request.response_format)
    answer = await call(request)
    try:
        return await judge(request, answer)
    except SchemaMismatch as fault:
        return await _repair(call, request, answer, fault)


async def judge(request: ModelRequest, answer: ModelAnswer) -> ModelAnswer:
    """Return the answer with its text as JSON, if the request's format is JSON; raise SchemaMismatch if it is bad."""
    wanted = request.response_format
    if wanted is None or isinstance(wanted, AnyText) or answer.tool_calls:
        return answer
    try:
        return replace(answer, parsed=await parse(wanted, answer.text))
    except SchemaMismatch as mismatch:
        is_cut_off = mismatch.key == "model.not_json" and answer.finish_reason == "length"
        fault = SchemaMismatch("model.cut_off") if is_cut_off else mismatch
        fault.raw, fault.usage = mismatch.raw, answer.usage
        raise fault from None


async def _repair(call: Call, request: ModelRequest, answer: ModelAnswer, bad: SchemaMismatch) -> ModelAnswer:
    try:
        second = await call(_repair_request(request, answer, bad))
        return await judge(request, replace(second, usage=answer.usage + second.usage))
    except CompletionError as fault:
        fault.usage = answer.usage + fault.usage if fault.usage else answer.usage
        raise
    except ExecutorFailed as fault:
        fault.tokens = answer.usage.total_tokens + (fault.tokens or 0)
        raise


def _repair_request(request: ModelRequest, answer: ModelAnswer, bad: SchemaMismatch) -> ModelRequest:
    asked = request.conversation[1:] if request.system else request.conversation
    answered = Message(Speaker.ASSISTANT, answer.text[:_MAX_REPEATED])
    return replace(
        request, messages=[*asked, answered], prompt=f"{bad.message} Answer again, with the corrected JSON only.",
        tool_choice="none" if request.tools else None,
    )  # fmt: skip


def _parse(wanted: ResponseFormat, text: str) -> tuple[msgspec.Raw, Any]:
    """Return the JSON of an answer, and its value."""
    body = _unfenced(text).encode(errors="replace")
    if json_body.is_too_deep(body):
        raise SchemaMismatch("model.too_deep", limit=json_body.MAX_DEPTH)
    if json_body.has_too_many_values(body):
        raise SchemaMismatch("model.too_many_values", containers=json_body.MAX_CONTAINERS, values=json_body.MAX_VALUES)
    try:
        value = msgspec.json.decode(body)
    except MALFORMED as fault:
        raise SchemaMismatch("model.not_json", reason=str(fault)) from None
    if isinstance(wanted, JsonObject) and not isinstance(value, dict):
        raise SchemaMismatch("model.not_an_object")
    return msgspec.Raw(body), value


def _validate(schema: dict[str, Any], body: msgspec.Raw) -> None:
    try:
        json_schemas.validate(schema, body)
    except json_schemas.InvalidValue as fault:
        place = fault.path or "its top level"
        raise SchemaMismatch("model.mismatch", fault.path, place=place, reason=fault.reason) from None


def _unfenced(text: str) -> str:
    text = text.strip()
    if not (text.startswith(_FENCE) and text.endswith(_FENCE)):
        return text
    language, newline, rest = text[len(_FENCE) : -len(_FENCE)].partition("\n")
    return rest if newline and language.strip().lower() in ("", "json") else text
