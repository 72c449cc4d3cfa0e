"""Which media type a client prefers, of those that a route can answer with."""

import pytest

from teamspace.core.accept import EVENT_STREAM, JSON, MAX_RANGES, choose

OFFERED = (JSON, EVENT_STREAM)


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("", JSON),
        ("*/*", JSON),
        ("application/*", JSON),
        ("text/html", JSON),
        ("text/event-stream", EVENT_STREAM),
        ("Text/Event-Stream; charset=utf-8", EVENT_STREAM),
        ("text/*", EVENT_STREAM),
        ("text/event-stream, */*", EVENT_STREAM),
        ("*/*, text/event-stream", EVENT_STREAM),
        ("*/*;q=0.8, text/event-stream;q=0.8", EVENT_STREAM),
        ("text/event-stream;q=0.9, application/json;q=0.1", EVENT_STREAM),
        ("application/json;q=0.1,text/event-stream;q=0.9", EVENT_STREAM),
        ("text/event-stream;q=0.1, */*;q=0.9", JSON),
        ("text/event-stream;q=0.5, application/json", JSON),
        ("text/event-stream, application/json", EVENT_STREAM),
        ("application/json, text/event-stream", JSON),
        ("text/event-stream;q=0", JSON),
        ("text/event-stream;q=0, */*", JSON),
        ("application/json;q=0, */*", EVENT_STREAM),
        ("text/html, text/event-stream;q=0.001", EVENT_STREAM),
        ("text/event-stream;level=1;q=0.2;x=y, application/json;q=0.3", JSON),
        ("text/event-stream; xq=0, application/json;q=0.5", EVENT_STREAM),
        ("*/event-stream", JSON),
        ("/", JSON),
        (",;=,;q=,*", JSON),
    ],
)
def test_the_client_gets_what_it_prefers(header: str, expected: str) -> None:
    assert choose(header, OFFERED) == expected


def test_it_reads_a_bounded_number_of_ranges() -> None:
    assert choose("a/b," * (MAX_RANGES - 1) + EVENT_STREAM, OFFERED) == EVENT_STREAM
    assert choose("a/b," * MAX_RANGES + EVENT_STREAM, OFFERED) == JSON
