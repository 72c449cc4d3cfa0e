"""Answers as bytes: however they are divided, and however hostile they are."""

import asyncio
import itertools
import json
import time
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from teamspace.completions import CompletionError, Delta, ModelAnswer, ModelRequest, TokenUsage
from teamspace.completions.client import MAX_ANSWER_BYTES, MAX_PROBE_BYTES
from teamspace.completions.errors import refusal
from teamspace.completions.wire import MAX_LINE, from_wire, from_wire_stream, models_from_wire, to_wire
from tests.support.upstream import DONE, delta, event

# Requests

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}}
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA", "detail": "low"}}
TOOL = {"type": "function", "function": {"name": "search", "description": "Find.", "parameters": SCHEMA}}
CALL = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"n":1}'}}


def sent(**fields: Any) -> dict[str, Any]:
    return json.loads(to_wire(msgspec.convert(fields, ModelRequest), "tiny"))


def test_a_request_is_sent_with_everything_it_has() -> None:
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "What is it?"}, IMAGE], "name": "ada"},
        {"role": "assistant", "tool_calls": [CALL]},
        {"role": "tool", "content": "1 found", "tool_call_id": "c1"},
    ]
    choice = {"type": "function", "function": {"name": "search"}}
    request = sent(messages=messages, system="Be brief.", tools=[TOOL], tool_choice=choice)
    assert request == {
        "model": "tiny", "tools": [TOOL], "tool_choice": choice,
        "messages": [{"role": "system", "content": "Be brief."}, *messages],
    }  # fmt: skip
    assert sent(prompt=[IMAGE], tool_choice="required")["messages"] == [{"role": "user", "content": [IMAGE]}]


@pytest.mark.parametrize(
    ("wanted", "wire"),
    [
        ({"type": "text"}, None),
        ({"type": "json_object"}, {"type": "json_object"}),
        ({"type": "json_schema", "schema": SCHEMA}, {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA}}),
        (
            {"type": "json_schema", "json_schema": {"name": "my form", "schema": SCHEMA, "strict": True}},
            {"type": "json_schema", "json_schema": {"name": "my_form", "schema": SCHEMA, "strict": True}},
        ),
    ],
)  # fmt: skip
def test_a_response_format_is_sent_in_one_spelling(wanted: Any, wire: Any) -> None:
    assert sent(prompt="Hi", response_format=wanted).get("response_format") == wire


# Tool calls


def called(*fragments: Any, finish_reason: str | None = None) -> bytes:
    return event({"choices": [{"delta": {"tool_calls": list(fragments)}, "finish_reason": finish_reason}]})


def fragment(arguments: Any = "", *, name: str | None = None, **more: Any) -> dict[str, Any]:
    return {**more, "function": {"arguments": arguments, **({"name": name} if name else {})}}


def read_stream(stream: bytes) -> ModelAnswer:
    async def pieces() -> AsyncIterator[bytes]:
        yield stream

    async def read() -> list[Any]:
        return [one async for one in from_wire_stream(ModelRequest("Hi"), pieces())]

    answer = asyncio.run(read())[-1]
    assert isinstance(answer, ModelAnswer)
    return answer


TWO = [("a", "search", '{"q":1}'), ("b", "read", '{"id":2}')]
END = delta(finish_reason="tool_calls") + DONE
STREAMED_CALLS = {
    "in fragments": called(fragment(name="search", index=0, id="a"))
    + called(fragment('{"q"', index=0)) + called(fragment(":1}", index=0))
    + called(fragment(name="read", index=1, id="b")) + called(fragment('{"id":2}', index=1)) + END,
    "interleaved": called(fragment(name="search", index=0, id="a"), fragment(name="read", index=1, id="b"))
    + called(fragment('{"id":', index=1), fragment('{"q":', index=0))
    + called(fragment("2}", index=1), fragment("1}", index=0)) + END,
    "whole": called(fragment('{"q":1}', name="search", index=0, id="a"), fragment('{"id":2}', name="read", index=1, id="b")) + END,
    "without an index": called(fragment('{"q":1', name="search", id="a")) + called(fragment("}"))
    + called(fragment('{"id":2}', name="read", id="b")) + END,
    "always the first index": called(fragment('{"q":1}', name="search", index=0, id="a"))
    + called(fragment('{"id":2}', name="read", index=0, id="b")) + END,
    "id and name repeated": called(fragment('{"q"', name="search", index=0, id="a")) + called(fragment(":1}", name="search", index=0, id="a"))
    + called(fragment('{"id":2}', name="read", index=1, id="b")) + END,
    "arguments as objects, and another reason": called(fragment({"q": 1}, name="search", index=0, id="a"))
    + called(fragment({"id": 2}, name="read", index=1, id="b"), finish_reason="stop"),
}  # fmt: skip


@pytest.mark.parametrize("stream", STREAMED_CALLS.values(), ids=STREAMED_CALLS)
def test_streamed_tool_calls_are_put_together(stream: bytes) -> None:
    answer = read_stream(stream)
    calls = [(call.id, call.function.name, call.function.arguments.replace(" ", "")) for call in answer.tool_calls]
    assert (calls, answer.finish_reason, answer.text) == (TWO, "tool_calls", "")


def test_calls_without_ids_get_some() -> None:
    stream = (
        called(fragment("{}", name="a")) + called(fragment("", name="a")) + called(fragment(name="b", id="x")) + END
    )
    assert [(call.id, call.function.arguments) for call in read_stream(stream).tool_calls] == [
        ("call_1", "{}"), ("call_2", "{}"), ("x", "{}"),
    ]  # fmt: skip


def whole(calls: Any, **more: Any) -> bytes:
    message = {"content": None, "tool_calls": calls}
    return json.dumps({"choices": [{"message": message, "finish_reason": "stop"}], **more}).encode()


def test_a_whole_answer_has_its_tool_calls() -> None:
    answer = from_wire(ModelRequest("Hi"), whole([CALL, fragment({"q": 1}, name="read")]))
    assert [(call.id, call.function.name) for call in answer.tool_calls] == [("c1", "search"), ("call_2", "read")]
    assert (answer.text, answer.finish_reason) == ("", "tool_calls")
    assert answer.usage.completion_tokens > 0, "estimated from the calls"
    assert from_wire(ModelRequest("Hi"), whole(None)).tool_calls == []


USAGE = {"prompt_tokens": 5, "completion_tokens": 2}
BAD_CALLS = {
    "too many": [CALL] * 65,
    "too long": [fragment("x" * 300_000, name="search")],
    "without a name": [fragment("{}", id="a")],
    "not a list": {"a": 1},
    "a long name": [fragment(name="n" * 300)],
    "a long id": [fragment(name="n", id="i" * 300)],
}


@pytest.mark.parametrize("calls", BAD_CALLS.values(), ids=BAD_CALLS)
def test_bad_tool_calls_are_refused_and_have_cost_what_is_reported(calls: Any) -> None:
    with pytest.raises(CompletionError) as failed:
        from_wire(ModelRequest("Hi"), whole(calls, usage=USAGE))
    assert failed.value.usage == TokenUsage(5, 2, 7)
    with pytest.raises(CompletionError):
        read_stream(event({"choices": [{"delta": {"tool_calls": calls}}]}) + END)


def test_the_calls_of_a_stream_are_bounded() -> None:
    for stream in (
        b"".join(called(fragment(name="n", index=number)) for number in range(65)),
        b"".join(called(fragment("x" * 100_000, name="n", index=0, id="a")) for _ in range(3)),
    ):
        with pytest.raises(CompletionError, match="more than 64 tool calls"):
            read_stream(stream + END)


# Answers as bytes

STREAM = (
    b": hello\r\n\r\n"
    + delta("Grüße, ")
    + delta("世界 🌍")
    + delta(finish_reason="stop")
    + event({"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 6}})
    + DONE
)


@given(st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_the_division_into_pieces_does_not_matter(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(STREAM)]

    async def pieces() -> AsyncIterator[bytes]:
        for begin, end in itertools.pairwise(places):
            yield STREAM[begin:end]

    async def read() -> list[object]:
        return [one async for one in from_wire_stream(ModelRequest("Hi"), pieces())]

    *deltas, answer = asyncio.run(read())
    assert isinstance(answer, ModelAnswer)
    assert (answer.text, answer.usage.total_tokens) == ("Grüße, 世界 🌍", 7)
    assert "".join(delta.text for delta in deltas if isinstance(delta, Delta)) == answer.text


def filled(begin: bytes, item: bytes, size: int, end: bytes = b"]}") -> bytes:
    """A JSON object of this size, with a list that repeats the item."""
    return begin + b",".join([item] * ((size - len(begin) - len(end)) // (len(item) + 1))) + end


HOSTILE = [
    (b'{"choices": [', b'{"message":{}}', b"]}"),
    (b'{"choices": [', b'{"message":{}}', b'], "model": 7}'),
    (b'{"x": [', b"[]", b'], "choices": []}'),
    (b'{"x": [', b"1", b'], "choices": [], "usage": {}}'),
    (b'{"error": [', b"[]", b"]}"),
    (b'{"choices": [{"message": {"tool_calls": [', b"{}", b"]}}]}"),
    (b'{"choices": [{"message": {"tool_calls": [', b'{"function":{"arguments":[[]]}}', b"]}}]}"),
]


@pytest.mark.parametrize(("begin", "item", "end"), HOSTILE)
def test_a_hostile_answer_does_not_block_the_event_loop(begin: bytes, item: bytes, end: bytes) -> None:
    body = filled(begin, item, MAX_ANSWER_BYTES, end)
    began = time.thread_time()
    with pytest.raises(CompletionError):
        from_wire(ModelRequest("Hi"), body)
    read = time.thread_time()
    refusal(400, body)
    assert max(read - began, time.thread_time() - read) < 0.1


def test_a_hostile_list_of_models_does_not_block_the_event_loop() -> None:
    body = filled(b'{"data": [', b'{"id":"a"}', MAX_PROBE_BYTES)
    began = time.thread_time()
    assert models_from_wire(body)
    assert time.thread_time() - began < 0.1


HOSTILE_LINES = [
    filled(b'{"choices": [', b"{}", MAX_LINE),
    filled(b'{"choices": [{"delta": {"tool_calls": [', b"{}", MAX_LINE, b"]}}]}"),
    filled(b'{"choices": [{"delta": {"tool_calls": [', b"{}", 250_000, b"]}}]}"),
]


@pytest.mark.parametrize("line", HOSTILE_LINES, ids=["choices", "many calls", "less than the limit"])
def test_a_hostile_line_of_a_stream_does_not_block_the_event_loop(line: bytes) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        yield b"data: " + line + b"\n\n"

    async def read() -> float:
        began = time.thread_time()
        with pytest.raises(CompletionError):
            [one async for one in from_wire_stream(ModelRequest("Hi"), pieces())]
        return time.thread_time() - began

    assert asyncio.run(read()) < 0.1
