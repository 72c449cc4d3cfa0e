"""What is refused of a JSON body before it is decoded, and what finding that out costs."""

import contextlib
import gc
import time

import pytest

from teamspace.core.errors import BadRequest
from teamspace.core.json_body import check, repeated_key
from teamspace.core.routing import JSON_LIMIT
from tests.support.world import World

# fmt: off
REPEATED = [
    (b'{"a": 1, "a": 2}',                       "/a"),
    (b'{"a": 1, "\\u0061": 2}',                 "/a"),
    (b'{"a": {"b": 1, "b": 1}}',                "/a/b"),
    (b'{"x": [0, {"y": {}, "y": []}]}',         "/x/1/y"),
    (b'[[{"": 1, "": 1}]]',                     "/0/0/"),
    (b'{"a": {"a": {"a": 1}}, "b": [{"a": 1}]}', None),
    (b'{"a": "\\"a\\": 1, \\"a\\": 2"}',        None),
    (b'{"a": 1' + b"0" * 5000 + b"}",           None),
]
# fmt: on


@pytest.mark.parametrize(("body", "place"), REPEATED, ids=[body.decode()[:40] for body, _ in REPEATED])
def test_a_key_that_is_given_twice_is_found_at_any_depth(body: bytes, place: str | None) -> None:
    assert repeated_key(body) == place


async def test_a_body_with_a_duplicate_key_is_refused_and_the_key_named(world: World) -> None:
    ann = await world.bootstrap()
    headers = {"authorization": f"Bearer {ann.token}", "content-type": "application/json"}
    twice = b'{"title": "One", "title": "Two"}'
    answer = await world.client.post("/api/notes", content=twice, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
    assert answer.json()["errors"] == [{"pointer": "/title", "message": "the key must not be repeated"}]
    assert (await ann.get("/api/notes")).json()["items"] == []


def filled(repeat: bytes, size: int, *, begin: bytes = b"", end: bytes = b"") -> bytes:
    return begin + repeat * ((size - len(begin) - len(end)) // len(repeat)) + end


# fmt: off
WORST = {
    "an unterminated string of escaped quotes": lambda size: filled(b'\\"', size, begin=b'{"a": "'),
    "escaped backslashes":                      lambda size: filled(b"\\\\", size, begin=b'{"a": "', end=b'"}'),
    "escaped NULs of which none is one":        lambda size: filled(b"\\\\u0000", size, begin=b'{"a": "', end=b'"}'),
    "a nest":                                   lambda size: filled(b"[", size),
    "a nest of objects":                        lambda size: filled(b'{"":', size),
    "brackets that do not match":               lambda size: filled(b"[{]}", size),
    "many lists":                               lambda size: filled(b"[],", size, begin=b"[", end=b"1]"),
    "many objects":                             lambda size: filled(b"{},", size, begin=b"[", end=b"1]"),
    "many strings":                             lambda size: filled(b'"",', size, begin=b"[", end=b"1]"),
    "many numbers":                             lambda size: filled(b"1,", size, begin=b"[", end=b"1]"),
    "a number of many digits":                  lambda size: filled(b"1", size, begin=b'{"a":', end=b"}"),
    "many equal keys":                          lambda size: filled(b'"a":1,', size, begin=b"{", end=b'"a":1}'),
    "many keys":                                lambda size: b"{" + b",".join(b'"%d":1' % n for n in range(size // 11)) + b"}",
}
# fmt: on


async def cost(body: bytes) -> float:
    """Without looks through all that the test process holds, which may fall into anybody's time."""
    gc.collect()
    gc.freeze()
    began = time.thread_time()
    try:
        with contextlib.suppress(BadRequest):
            await check(body)
        return time.thread_time() - began
    finally:
        gc.unfreeze()


@pytest.mark.parametrize("shape", WORST)
async def test_checking_a_body_costs_the_loop_next_to_nothing(shape: str) -> None:
    """30 KB of escaped quotes took 15 seconds. Below 32 KiB the check is made on the loop, above it in a thread."""
    for size in (32 * 1024, JSON_LIMIT, 2 * 1024 * 1024):
        assert await cost(WORST[shape](size)) < 0.05
