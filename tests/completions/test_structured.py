"""Structured output: schemas that are refused, answers that fit or not, one repair, and what it costs."""

import asyncio
import contextlib
import json
import time
from typing import Any
from unittest.mock import ANY

import msgspec
import pytest

from teamspace.completions import (
    CompletionError,
    JsonObject,
    JsonSchema,
    ModelAnswer,
    ModelRequest,
    NamedSchema,
    ResponseFormat,
    SchemaMismatch,
    Speaker,
    TokenUsage,
    ToolCall,
    structured,
)
from teamspace.completions.schemas import AnyText, FunctionCall
from teamspace.core.errors import BadRequest, ExecutorFailed

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "tags": {"type": "array", "items": {"enum": ["a", "b"]}}},
    "required": ["name"],
}


def doubled(levels: int) -> dict[str, Any]:
    """A small schema whose check takes two to the power of `levels` steps."""
    twice = [{"allOf": [{"$ref": f"#/$defs/{n + 1}"}, {"$ref": f"#/$defs/{n + 1}"}]} for n in range(levels)]
    return {"$defs": {str(n): rule for n, rule in enumerate([*twice, {"type": "string"}])}, "$ref": "#/$defs/0"}


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(levels):
        schema = {"items": schema}
    return schema


BAD_SCHEMAS: list[tuple[Any, str, str]] = [
    ({"type": "strin"}, "/type", "not a valid JSON schema"),
    ({"properties": {"a": {"minimum": "x"}}}, "/properties/a/minimum", "not a valid JSON schema"),
    ({"properties": {"a": {"$ref": "https://example.com/s"}}}, "/properties/a/$ref", "another document"),
    ({"properties": {"a": {"$ref": "file:///etc/passwd"}}}, "/properties/a/$ref", "another document"),
    ({"items": [{"$ref": "other.json"}]}, "/items/0/$ref", "another document"),
    ({"$ref": "#/$defs/none"}, "", "not a valid JSON schema"),
    ({"$schema": "https://example.com/s"}, "", "not a valid JSON schema"),
    ({"properties": {"a/b": {"$id": "x"}}}, "/properties/a~1b/$id", "not supported"),
    ({"$dynamicRef": "#x"}, "/$dynamicRef", "not supported"),
    ({"pattern": "(?=a)b"}, "/pattern", "not a valid JSON schema"),
    ({"pattern": "(a{1000}){1000}"}, "/pattern", "not a valid JSON schema"),
    ({"$schema": "http://json-schema.org/draft-04/schema#", "items": {"id": "x"}}, "/items/id", "not supported"),
    ({"enum": ["x" * 70_000]}, "", "larger than 65536 bytes"),
    (nested(60), "", "deeper than 50 levels"),
    (nested(3000), "", "larger than 65536 bytes"),
    (doubled(40), "", "takes too long"),
    ({"$ref": "#"}, "", "takes too long"),
    ({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}, "", "takes too long"),
]


@pytest.mark.parametrize(("schema", "place", "reason"), BAD_SCHEMAS)
async def test_a_bad_schema_is_refused_with_its_place(schema: Any, place: str, reason: str) -> None:
    for wanted, at in (
        (JsonSchema(schema=schema), "/response_format/schema"),
        (JsonSchema(NamedSchema(schema)), "/response_format/json_schema/schema"),
    ):
        with pytest.raises(BadRequest, match=reason) as refused:
            await structured.check_format(wanted)
        assert refused.value.extra["errors"][0].pointer == at + place


@pytest.mark.parametrize(
    "wanted", [JsonSchema(), JsonSchema(NamedSchema({}), {}), JsonSchema(NamedSchema({}, "n" * 65))]
)
async def test_a_format_has_one_schema_and_a_short_name(wanted: JsonSchema) -> None:
    with pytest.raises(BadRequest):
        await structured.check_format(wanted)


@pytest.mark.parametrize(
    "wanted",
    [
        None, AnyText(), JsonObject(), JsonSchema(schema={}), JsonSchema(NamedSchema(PERSON)), JsonSchema(schema=doubled(8)),
        JsonSchema(schema={"type": "object", "properties": {"$ref": {"type": "string"}, "children": {"items": {"$ref": "#"}}}}),
        JsonSchema(schema={"const": {"$ref": "https://example.com"}}),
    ],
)  # fmt: skip
async def test_usable_formats(wanted: ResponseFormat | None) -> None:
    await structured.check_format(wanted)


FITTING: list[tuple[ResponseFormat, str, Any]] = [
    (JsonObject(), ' {"a": 1}\n', {"a": 1}),
    (JsonSchema(schema=PERSON), '{"name": "Ada", "tags": ["a"]}', {"name": "Ada", "tags": ["a"]}),
    (JsonSchema(schema=PERSON), '```json\n{"name": "Ada"}\n```', {"name": "Ada"}),
    (JsonSchema(schema=PERSON), '```\n{"name": "Ada"}```\n', {"name": "Ada"}),
    (JsonSchema(schema={"type": "integer"}), "7", 7),
    (JsonSchema(schema={"format": "date"}), '"2026-02-28"', "2026-02-28"),
]


@pytest.mark.parametrize(("wanted", "text", "parsed"), FITTING)
async def test_an_answer_that_fits_is_parsed(wanted: ResponseFormat, text: str, parsed: Any) -> None:
    assert await structured.parse(wanted, text) == parsed


UNFITTING: list[tuple[ResponseFormat, str, str, str]] = [
    (JsonObject(), "[1]", "", "not a JSON object"),
    (JsonObject(), "Hello", "", "not valid JSON"),
    (JsonObject(), '{"a": 1', "", "not valid JSON"),
    (JsonObject(), 'Here it is: {"a": 1}', "", "not valid JSON"),
    (JsonObject(), 'Here it is:\n```json\n{"a": 1}\n```', "", "not valid JSON"),
    (JsonObject(), "```python\n{}\n```", "", "not valid JSON"),
    (JsonObject(), '{"a":' + "[" * 100_000, "", "deeper than 64"),
    (JsonSchema(schema=PERSON), "{}", "", "at its top level: \"name\" is a required property"),
    (JsonSchema(schema=PERSON), '{"name": "Ada", "tags": ["a", "c"]}', "/tags/1", "at /tags/1: the value is not one of"),
    (JsonSchema(schema={"format": "date"}), '"2026-02-30"', "", "is not a \"date\""),
    (JsonSchema(schema={"type": "string"}), json.dumps([["x" * 100_000]]), "", "not of type \"string\""),
]  # fmt: skip


@pytest.mark.parametrize(("wanted", "text", "path", "reason"), UNFITTING)
async def test_an_answer_that_does_not_fit_is_a_mismatch(
    wanted: ResponseFormat, text: str, path: str, reason: str
) -> None:
    with pytest.raises(SchemaMismatch, match=reason.replace("[", r"\[")) as failed:
        await structured.parse(wanted, text)
    assert (failed.value.path, failed.value.raw) == (path, text[:2048])
    assert len(failed.value.message) < 500


TREE = {"properties": {"a": {"allOf": [{"$ref": "#"}, {"$ref": "#"}, {"type": "object"}]}}}
HOSTILE: list[tuple[dict[str, Any], Any]] = [
    (TREE, json.loads('{"a":' * 60 + "1" + "}" * 60)),
    ({"items": {"enum": [[n] for n in range(8000)]}}, [[7999]] * 10_000),
    ({"items": {"required": [str(n) for n in range(5000)]}}, [{str(n): 1 for n in range(50)}] * 500),
    ({"pattern": "(a+)+$"}, "a" * 100_000 + "b"),
    ({"pattern": "[ab]*a[ab]{200}x"}, "ab" * 12_000),
    ({"patternProperties": {f"[ab]*a[ab]{{{n}}}x": True for n in range(20, 80)}}, {"ab" * 10_000: 1}),
    ({"anyOf": [{"type": "string", "minLength": n} for n in range(1500)]}, [{"a": "x" * 20} for _ in range(20_000)]),
    ({"patternProperties": {f"a{n}": True for n in range(60)}}, {str(n): 1 for n in range(50_000)}),
    ({"uniqueItems": True}, [{"a": n} for n in range(50_000)]),
    ({"allOf": [{"uniqueItems": True}] * 2500}, list(range(100_000))),
    ({"unevaluatedProperties": False, "anyOf": [{"properties": {"b": {}}}] * 1400}, {str(n): 1 for n in range(50_000)}),
    ({"items": {}}, [[]] * 340_000),
]


@pytest.mark.parametrize(("schema", "value"), HOSTILE)
async def test_a_hostile_schema_or_answer_does_not_block_the_event_loop(schema: dict[str, Any], value: Any) -> None:
    wanted, text = JsonSchema(schema=schema), json.dumps(value)
    longest, ended = 0.0, False  # in processor time, which other work on the machine does not change

    async def beat() -> None:
        nonlocal longest
        while not ended:
            before = time.process_time()
            await asyncio.sleep(0.001)
            longest = max(longest, time.process_time() - before)

    beating = asyncio.create_task(beat())
    began = time.monotonic()
    with contextlib.suppress(SchemaMismatch):
        await structured.check_format(wanted)
        await structured.parse(wanted, text)
    ended = True
    await beating
    assert time.monotonic() - began < 10
    assert longest < 0.1


async def test_schemas_are_checked_after_one_that_took_too_long() -> None:
    fits = '{"name": "Ada"}'
    assert await asyncio.gather(
        *(structured.parse(JsonSchema(schema=PERSON), fits) for _ in range(3)),
        structured.parse(JsonSchema(schema=doubled(40)), "1"),
        *(structured.parse(JsonSchema(schema=PERSON), fits) for _ in range(3)),
        return_exceptions=True,
    ) == [*[{"name": "Ada"}] * 3, ANY, *[{"name": "Ada"}] * 3]


# Repair

FIRST, SECOND = TokenUsage.of(10, 3), TokenUsage.of(20, 4)
REQUEST = ModelRequest("Who is it?", system="Be brief.", response_format=JsonSchema(schema=PERSON))


def test_usages_that_are_added_can_be_read_again() -> None:
    most = TokenUsage.of(500_000_000, 500_000_000)
    assert msgspec.convert(msgspec.to_builtins(most + most), TokenUsage) == most + most
    total = FIRST + SECOND
    assert total == TokenUsage(30, 7, 37)


class Scripted:
    """A model that gives these answers, or raises these errors."""

    def __init__(self, *answers: ModelAnswer | Exception) -> None:
        self.answers, self.requests = list(answers), list[ModelRequest]()

    async def __call__(self, request: ModelRequest) -> ModelAnswer:
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


async def test_an_answer_that_fits_takes_one_call() -> None:
    call = Scripted(ModelAnswer('{"name": "Ada"}', FIRST))
    assert (await structured.complete(call, REQUEST)).parsed == {"name": "Ada"}
    assert call.requests == [REQUEST]


async def test_a_bad_answer_is_repaired_once_and_both_calls_are_paid() -> None:
    call = Scripted(ModelAnswer("It is Ada.", FIRST), ModelAnswer('{"name": "Ada"}', SECOND))
    answer = await structured.complete(call, REQUEST)
    assert (answer.text, answer.parsed, answer.usage) == ('{"name": "Ada"}', {"name": "Ada"}, TokenUsage.of(30, 7))
    system, asked, answered, reason = call.requests[1].conversation
    assert (system.role, asked.content, answered.content) == (Speaker.SYSTEM, "Who is it?", "It is Ada.")
    assert str(reason.content).startswith("The model's answer is not valid JSON")
    assert call.requests[1].response_format == REQUEST.response_format


async def test_two_bad_answers_are_refused_and_both_calls_are_paid() -> None:
    call = Scripted(ModelAnswer("It is Ada.", FIRST), ModelAnswer('{"name": 7}', SECOND))
    with pytest.raises(SchemaMismatch) as failed:
        await structured.complete(call, REQUEST)
    assert (failed.value.path, failed.value.raw, failed.value.usage) == ("/name", '{"name": 7}', TokenUsage.of(30, 7))


async def test_an_answer_that_was_cut_off_is_said_to_be() -> None:
    cut = ModelAnswer('{"name": "Ad', FIRST, finish_reason="length")
    with pytest.raises(SchemaMismatch, match="reached the limit of tokens") as failed:
        await structured.complete(Scripted(cut, cut), REQUEST)
    assert (failed.value.raw, failed.value.usage) == ('{"name": "Ad', FIRST + FIRST)


async def test_a_failed_repair_costs_the_first_call_too() -> None:
    bad = ModelAnswer("It is Ada.", FIRST)
    for spent, total in ((None, FIRST), (SECOND, FIRST + SECOND)):
        with pytest.raises(CompletionError) as failed:
            await structured.complete(Scripted(bad, CompletionError("model.timed_out", usage=spent)), REQUEST)
        assert failed.value.usage == total
    with pytest.raises(ExecutorFailed) as broken:
        await structured.complete(Scripted(bad, ExecutorFailed("ai.simulated_failure", tokens=5)), REQUEST)
    assert broken.value.tokens == 18


async def test_tool_calls_and_plain_answers_are_not_judged() -> None:
    calls = ModelAnswer("", FIRST, tool_calls=[ToolCall("a", FunctionCall("search", "{}"))])
    assert await structured.complete(Scripted(calls), REQUEST) == calls
    plain = ModelAnswer("Ada.", FIRST)
    assert (await structured.complete(Scripted(plain), ModelRequest("Who?"))).parsed is msgspec.UNSET


async def test_an_unusable_format_costs_nothing() -> None:
    call = Scripted()
    with pytest.raises(BadRequest, match="another document"):
        await structured.complete(call, ModelRequest("Who?", response_format=JsonSchema(schema={"$ref": "x"})))
    assert call.requests == []
