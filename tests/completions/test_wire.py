"""A streamed answer is the same, however its bytes are divided."""

import asyncio
import itertools
from collections.abc import AsyncIterator

from hypothesis import given
from hypothesis import strategies as st

from teamspace.completions import ModelAnswer, ModelRequest
from teamspace.completions.wire import from_wire_stream
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
