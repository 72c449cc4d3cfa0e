"""The simulated model: what it answers, how it misbehaves, and that the same request has the same answer."""

import json
import time
from typing import Any

import msgspec
import pytest

from teamspace.ai.domain.simulated import Simulated
from teamspace.ai.domain.simulated.patterns import Unsupported, example
from teamspace.completions import (
    Delta,
    JsonObject,
    JsonSchema,
    Message,
    ModelAnswer,
    ModelRequest,
    NamedSchema,
    SchemaMismatch,
    Speaker,
    structured,
)
from teamspace.core.errors import ExecutorFailed

MODEL = Simulated(misbehaves=True)


async def ask(prompt: str, **more: Any) -> ModelAnswer:
    """Ask twice: the answers are the same."""
    request = msgspec.convert({"prompt": prompt, **more}, ModelRequest)
    answer = await MODEL.answer(request)
    assert await MODEL.answer(request) == answer
    return answer


async def streamed(request: ModelRequest) -> list[Delta | ModelAnswer]:
    async with MODEL.stream(request) as events:
        return [event async for event in events]


# Text


async def test_it_says_what_it_is_and_repeats_the_prompt() -> None:
    answer = await ask("Hello there")
    assert answer.text == "This is the simulated model: no real one is set up. You said: Hello there"
    assert (answer.model, answer.finish_reason, answer.usage.prompt_tokens) == ("simulated", "stop", 3)


async def test_it_streams_word_by_word() -> None:
    request = ModelRequest("Hello  there\n")
    *deltas, last = await streamed(request)
    assert last == await MODEL.answer(request)
    assert isinstance(last, ModelAnswer)
    assert "".join(delta.text for delta in deltas if isinstance(delta, Delta)) == last.text
    assert deltas[-2:] == [Delta(" Hello"), Delta("  there")]


async def test_it_honours_max_tokens() -> None:
    answer = await ask("Hello", max_tokens=3)
    assert (answer.text, answer.finish_reason, answer.usage.completion_tokens) == ("This is the ", "length", 3)


async def test_it_sees_images() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    answer = await ask("", messages=[{"role": "user", "content": [{"type": "text", "text": "What is it?"}, image]}])
    assert answer.text.endswith("You showed 1 image. You said: What is it?")


# Response formats

SCHEMAS: dict[str, dict[str, Any]] = {
    "anything": {},
    "const": {"const": {"a": [1]}},
    "enum": {"enum": ["x", 2, None]},
    "required": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "boolean"}}, "required": ["a", "b", "c"]},
    "nested": {"type": "object", "required": ["a"], "properties": {"a": {"type": "object", "required": ["b"], "properties": {"b": {"type": "array", "minItems": 3, "items": {"type": "integer"}}}}}},
    "closed": {"type": "object", "required": ["a"], "properties": {"a": {"type": "null"}}, "additionalProperties": False},
    "map": {"type": "object", "minProperties": 2, "additionalProperties": {"type": "integer"}},
    "bounds": {"type": "integer", "minimum": 5, "maximum": 9},
    "open bounds": {"type": "number", "exclusiveMinimum": 1, "exclusiveMaximum": 2},
    "negative": {"type": "integer", "maximum": -3},
    "multiple": {"type": "integer", "minimum": 10, "multipleOf": 7},
    "unique": {"type": "array", "minItems": 3, "uniqueItems": True, "items": {"type": "integer"}},
    "tuple": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "minItems": 2, "items": False},
    "contains": {"type": "array", "contains": {"const": 7}},
    "length": {"type": "string", "minLength": 100, "maxLength": 120},
    "short": {"type": "string", "maxLength": 2},
    "union": {"type": ["null", "string"]},
    "anyOf": {"anyOf": [{"type": "null"}, {"type": "integer", "minimum": 3}]},
    "oneOf": {"oneOf": [{"type": "object", "required": ["k"], "properties": {"k": {"const": "a"}}}, {"type": "string"}]},
    "allOf": {"allOf": [{"required": ["a"], "properties": {"a": {"type": "integer", "minimum": 2}}}, {"required": ["b"], "properties": {"b": {"type": "string"}}}]},
    "reference": {"$defs": {"n/o": {"type": "integer", "minimum": 1}}, "type": "object", "required": ["a"], "properties": {"a": {"$ref": "#/$defs/n~1o"}}},
    "tree": {"type": "object", "required": ["name", "children"], "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#"}}}},
    "no type": {"required": ["a"], "properties": {"a": {"items": {"type": "string"}, "minItems": 1}}},
    **{f"format {form}": {"type": "string", "format": form} for form in ("date", "time", "date-time", "email", "uri", "uuid", "ipv4", "ipv6", "hostname", "duration")},
    **{f"pattern {pattern}": {"type": "string", "pattern": pattern} for pattern in (
        "^[A-Z]{3}-\\d{4}$", "^#[0-9a-fA-F]{6}$", "^\\+?[0-9 ]{6,20}$", "^(draft|final)-v[0-9]+$", "^[^\\s@]+@[^\\s@]+\\.[a-z]{2,}$",
        "^\\w+(?:-\\w+)*$", "^.{3,5}$", "^\\d{1,3}(\\.\\d+)?%$", "^[a-z][a-z0-9-]*$", "\\$[0-9]+",
    )},
}  # fmt: skip


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
@pytest.mark.parametrize("prompt", ["", "Boats: 7, a: 3. Ada wrote it on 2026-02-28 to ada@example.org."])
async def test_it_writes_a_valid_value_for_a_schema(schema: dict[str, Any], prompt: str) -> None:
    wanted = JsonSchema(schema=schema)
    await structured.check_format(wanted)
    request = ModelRequest(prompt, response_format=wanted)
    first, second = await MODEL.answer(request), await MODEL.answer(request)
    await structured.parse(wanted, first.text)
    assert first == second


async def test_values_that_the_prompt_names_are_used() -> None:
    schema = {
        "type": "object",
        "properties": {
            "invoice_number": {"type": "string"}, "total": {"type": "number"}, "currency": {"enum": ["USD", "EUR"]},
            "due": {"type": "string", "format": "date"}, "contact": {"type": "string", "format": "email"},
            "tags": {"type": "array", "items": {"type": "string"}}, "paid": {"type": "boolean"}, "note": {"type": "string"},
        },
        "required": ["invoice_number", "total", "currency", "due", "contact"],
    }  # fmt: skip
    prompt = "Invoice number: 2231-A. The total is 1,204.50 EUR, due 2026-03-01.\nTags: sea, wind\nPaid: no\nWrite to bob@example.org"
    answer = await structured.complete(MODEL.answer, ModelRequest(prompt, response_format=JsonSchema(schema=schema)))
    assert answer.parsed == {
        "invoice_number": "2231-A", "total": 1204.5, "currency": "EUR", "due": "2026-03-01", "contact": "bob@example.org",
        "tags": ["sea", "wind"], "paid": False,
    }  # fmt: skip


IMPOSSIBLE: list[dict[str, Any]] = [
    {"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#"}}},
    {"type": "string", "pattern": "^\\p{Lu}{2}$"},
    {"type": "object", "required": ["a"], "additionalProperties": False},
    {"type": "integer", "not": {"type": "integer"}},
]


@pytest.mark.parametrize("schema", IMPOSSIBLE)
async def test_what_it_cannot_write_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(SchemaMismatch):
        await structured.complete(MODEL.answer, ModelRequest("1", response_format=JsonSchema(schema=schema)))


async def test_any_json_object() -> None:
    answer = await structured.complete(MODEL.answer, ModelRequest("Hi", response_format=JsonObject()))
    assert answer.parsed == {"simulated": True, "prompt": "Hi"}


@pytest.mark.parametrize("pattern", ["(?=a)b", "a\\p{L}", "[", "(", "a{", "(" * 50 + ")" * 50, "(a{999}){999}", "\\"])
def test_uncommon_patterns_have_no_example(pattern: str) -> None:
    with pytest.raises(Unsupported):
        example(pattern)


# Translations

SEGMENTS = [
    {"id": "a", "text": "Hello {name}, you have 3 <b>boats</b>."},
    {"id": "b", "text": "{{count}} Boats at https://example.com/boats"},
]
GLOSSARY = [{"term": "boats", "translation": "Boote"}]
TRANSLATION = JsonSchema(
    NamedSchema(
        {
            "type": "object", "required": ["segments"], "properties": {"segments": {"type": "array", "items": {
                "type": "object", "required": ["id", "text"], "properties": {"id": {"type": "string"}, "text": {"type": "string"}},
            }}},
        },
        "translation",
    )
)  # fmt: skip


async def translated(marker: str = "") -> list[str]:
    task = json.dumps({"source": "en", "target": "de", "segments": SEGMENTS, "glossary": GLOSSARY})
    request = ModelRequest(f"Translate this: {task} {marker}", response_format=TRANSLATION)
    answer = await structured.complete(MODEL.answer, request)
    return [segment["text"] for segment in answer.parsed["segments"]]


async def test_translations_keep_placeholders_and_use_the_glossary() -> None:
    assert await translated() == [
        "[de] Hello {name}, you have 3 <b>Boote</b>.", "[de] {{count}} Boote at https://example.com/boats",
    ]  # fmt: skip


async def test_translations_can_be_bad() -> None:
    assert (await translated("[simulate:lose-placeholder]"))[0] == "[de] Hello , you have 3 <b>Boote</b>."
    assert (await translated("[simulate:bad-json:1]"))[0] == "[de] Hello {name}, you have 3 <b>Boote</b>.", "repaired"
    with pytest.raises(SchemaMismatch):
        await translated("[simulate:bad-json]")


async def test_a_corrected_translation_keeps_its_placeholders() -> None:
    first = {"id": 1, "text": "Hello ⟦1⟧ [simulate:lose-placeholder:1]"}
    for segment, text in ((first, "[de] Hello  ["), (first | {"problems": ["⟦1⟧ is lost"]}, "[de] Hello ⟦1⟧ [")):
        glossary = [{"term": "hello", "translation": ""}]
        task = {"source": "auto", "target": "de", "segments": [segment], "glossary": glossary}
        answer = await MODEL.answer(ModelRequest(json.dumps(task), response_format=TRANSLATION))
        assert json.loads(answer.text)["segments"][0]["text"].startswith(text)


# Tools


def tool(name: str, required: list[str], **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": required}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


TEXT = {"type": "string"}
TOOLS = [
    tool("search", ["query"], query=TEXT, limit={"type": "integer"}),
    tool("create_note", ["title", "body"], title=TEXT, body=TEXT, visibility={"enum": ["private", "team"]}),
    tool("read_note", ["note_id"], note_id=TEXT),
]
COMMANDS = [
    ("Use search: budget 2026", "search", {"query": "budget 2026"}),
    ("Search for the budget of 2026.", "search", {"query": "budget of 2026"}),
    ("Please search for boats, limit: 5", "search", {"query": "boats", "limit": 5}),
    ('Call search with {"query": "a b", "limit": 2}', "search", {"query": "a b", "limit": 2}),
    ("Create a note titled Budget saying We have none.", "create_note", {"title": "Budget", "body": "We have none."}),
    ("Can you create a new note called Plan with the text buy milk", "create_note", {"title": "Plan", "body": "buy milk"}),
    ("Read note n_0193ab please", "read_note", {"note_id": "n_0193ab"}),
    ("Search for boats [simulate:slow:0]", "search", {"query": "boats"}),
    ('Hello [simulate:tool:zap {"a": {"b": 1}}]', "zap", {"a": {"b": 1}}),
    ("Hello [simulate:tool:zap]", "zap", {}),
]  # fmt: skip


@pytest.mark.parametrize(("prompt", "name", "arguments"), COMMANDS)
async def test_a_prompt_can_ask_for_a_tool(prompt: str, name: str, arguments: dict[str, Any]) -> None:
    answer = await ask(prompt, tools=TOOLS)
    assert [(call.function.name, json.loads(call.function.arguments)) for call in answer.tool_calls] == [
        (name, arguments)
    ]
    assert (answer.text, answer.finish_reason) == ("", "tool_calls")
    assert answer.usage.completion_tokens > 0


@pytest.mark.parametrize("prompt", ["I did a search yesterday.", "What is a note?", "The research for boats"])
async def test_other_prompts_call_no_tool(prompt: str) -> None:
    assert (await ask(prompt, tools=TOOLS)).tool_calls == []


async def test_the_tool_choice_is_honoured() -> None:
    assert (await ask("Search for boats", tools=TOOLS, tool_choice="none")).tool_calls == []
    assert (await ask("Boats", tools=TOOLS, tool_choice="required")).tool_calls[0].function.name == "search"
    chosen = {"type": "function", "function": {"name": "read_note"}}
    call = (await ask("Search for n17", tools=TOOLS, tool_choice=chosen)).tool_calls[0].function
    assert (call.name, call.arguments) == ("read_note", '{"note_id": "n17"}')


async def test_several_tools_are_called_one_after_the_other_and_their_results_are_told() -> None:
    messages = [Message(Speaker.USER, "Search for boats, then create a note titled Boats saying Three.")]
    names = []
    for result in ("3 boats found", "note n1 created"):
        answer = await MODEL.answer(
            msgspec.convert({"messages": msgspec.to_builtins(messages), "tools": TOOLS}, ModelRequest)
        )
        names.append(answer.tool_calls[0].function.name)
        messages += [
            Message(Speaker.ASSISTANT, None, answer.tool_calls),
            Message(Speaker.TOOL, result, tool_call_id=answer.tool_calls[0].id),
        ]
    last = await MODEL.answer(
        msgspec.convert({"messages": msgspec.to_builtins(messages), "tools": TOOLS}, ModelRequest)
    )
    assert names == ["search", "create_note"]
    assert last.tool_calls == []
    assert last.text.endswith("Tool result 1: 3 boats found Tool result 2: note n1 created")


# Sources

SOURCES = '<source id="1" title="Sea">Boats float. The harbour costs 5 EUR per day!\nNo more.</source> <source id="2">Wind blows.</source>'


async def test_answers_from_sources_are_cited() -> None:
    answer = await ask(f"What does the harbour cost per day? {SOURCES}")
    assert answer.text.endswith('up. The harbour costs 5 EUR per day! [^1: "The harbour costs 5 EUR per day!"]')
    assert '[^2: "Wind blows."]' in (await ask(f"{SOURCES} When does the wind blow?")).text
    assert (await ask(f"Who is Ada? {SOURCES}")).text.endswith("The sources do not mention it.")


async def test_tool_results_are_sources_too() -> None:
    messages = [
        {"role": "user", "content": "Search for the harbour"},
        {
            "role": "assistant",
            "tool_calls": [{"id": "c", "type": "function", "function": {"name": "search", "arguments": "{}"}}],
        },
        {"role": "tool", "content": SOURCES, "tool_call_id": "c"},
    ]
    assert '[^1: "The harbour costs 5 EUR per day!"]' in (await ask("", messages=messages, tools=TOOLS)).text


async def test_a_quote_can_be_false() -> None:
    text = (await ask(f"The harbour? [simulate:false-quote] {SOURCES}")).text
    assert text.endswith('[^1: "these words are in no source"]')


async def test_quotes_have_no_quotation_marks_and_an_end() -> None:
    long = "harbour " * 100
    assert (
        '[^1: "is the harbour she asked."]'
        in (await ask('Harbour? <source id="1">"Where" is the harbour she asked.</source>')).text
    )
    assert len((await ask(f'Harbour? <source id="1">{long}</source>')).text.split("[^1: ")[1]) < 210


# Markers


async def test_it_misbehaves_only_if_it_may() -> None:
    for prompt in ("[simulate:fail]", "[simulate:hang]", "[simulate:tool:zap {}]", "[simulate:stop]"):
        answer = await Simulated().answer(ModelRequest(prompt))
        assert answer.text.endswith(prompt)
        assert answer.tool_calls == []


async def test_it_fails_in_the_first_attempts() -> None:
    request = ModelRequest("Hi [simulate:fail:2]")
    for attempt in (1, 2):
        with pytest.raises(ExecutorFailed):
            await Simulated(attempt, misbehaves=True).answer(request)
    assert (await Simulated(3, misbehaves=True).answer(request)).finish_reason == "stop"
    with pytest.raises(ExecutorFailed):
        await streamed(request)


async def test_it_is_slow_and_stops_early() -> None:
    began = time.monotonic()
    events = await streamed(ModelRequest("Hi [simulate:slow:1] [simulate:stop]"))
    assert time.monotonic() - began > 0.9
    assert isinstance(events[-1], ModelAnswer)
    assert events[-1].text == "This is the simulated model: no real one is set u"


# Bounds

HOSTILE = [
    "<source id=\"1\">" * 60_000,
    "search " * 100_000,
    "please use search " * 50_000,
    "create a note titled " * 40_000,
    "[simulate:tool:a {" * 50_000,
    "total: " * 100_000,
    "a@" * 300_000,
    "{" * 900_000,
    "%(" * 300_000,
    '"' * 900_000,
]  # fmt: skip


@pytest.mark.parametrize("prompt", HOSTILE, ids=[prompt[:12] for prompt in HOSTILE])
async def test_a_long_prompt_takes_bounded_time(prompt: str) -> None:
    schema = {"type": "object", "properties": {"total": {"type": "string", "format": "email"}}, "required": ["total"]}
    for more in (
        {"tools": TOOLS},
        {"response_format": TRANSLATION},
        {"response_format": JsonSchema(schema=schema)},
        {},
    ):
        request = msgspec.convert(msgspec.to_builtins({"prompt": prompt, **more}), ModelRequest)
        began = time.thread_time()
        await MODEL.answer(request)
        assert time.thread_time() - began < 0.2, "on the event loop"
