"""Answers as bytes: however they are divided, and however hostile they are."""

import asyncio
import itertools
import time
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from teamspace.completions import CompletionError, ModelAnswer, ModelRequest
from teamspace.completions.client import MAX_ANSWER_BYTES, MAX_PROBE_BYTES
from teamspace.completions.errors import refusal
from teamspace.completions.wire import MAX_LINE, from_wire, from_wire_stream, models_from_wire
from tests.support.upstream import DONE, delta, event

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
    assert (len(deltas), answer.text, answer.usage.total_tokens) == (2, "Grüße, 世界 🌍", 7)


def filled(begin: bytes, item: bytes, size: int, end: bytes = b"]}") -> bytes:
    """A JSON object of this size, with a list that repeats the item."""
    return begin + b",".join([item] * ((size - len(begin) - len(end)) // (len(item) + 1))) + end


HOSTILE = [
    (b'{"choices": [', b'{"message":{}}', b"]}"),
    (b'{"choices": [', b'{"message":{}}', b'], "model": 7}'),
    (b'{"x": [', b"[]", b'], "choices": []}'),
    (b'{"x": [', b"1", b'], "choices": [], "usage": {}}'),
    (b'{"error": [', b"[]", b"]}"),
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


def test_a_hostile_line_of_a_stream_does_not_block_the_event_loop() -> None:
    async def pieces() -> AsyncIterator[bytes]:
        yield b"data: " + filled(b'{"choices": [', b"{}", MAX_LINE) + b"\n\n"

    async def read() -> float:
        began = time.thread_time()
        with pytest.raises(CompletionError):
            [one async for one in from_wire_stream(ModelRequest("Hi"), pieces())]
        return time.thread_time() - began

    assert asyncio.run(read()) < 0.1
