"""The checks of a JSON body before it is decoded, and what they cost."""

import contextlib
import gc
import time

import pytest

from teamspace.core.errors import BadRequest
from teamspace.core.json_body import MAX_CONTAINERS, MAX_VALUES, check, repeated_key
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


@pytest.mark.parametrize(("body", "pointer"), REPEATED, ids=[body.decode()[:40] for body, _ in REPEATED])
def test_a_repeated_key_is_found_at_any_depth(body: bytes, pointer: str | None) -> None:
    assert repeated_key(body) == pointer


async def test_a_body_with_a_repeated_key_is_refused_and_the_key_named(world: World) -> None:
    ann = await world.bootstrap()
    headers = {"authorization": f"Bearer {ann.token}", "content-type": "application/json"}
    twice = b'{"title": "One", "title": "Two"}'
    answer = await world.client.post("/api/notes", content=twice, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
    assert answer.json()["errors"] == [
        {"pointer": "/title", "message": "the key must not be repeated", "key": "body.repeated_key", "params": {}}
    ]
    assert (await ann.get("/api/notes")).json()["items"] == []


@pytest.mark.parametrize(
    ("body", "refused"),
    [
        (b"[" + b"{}," * MAX_CONTAINERS + b"1]", True),
        (b'{"text": "' + b"[{" * MAX_CONTAINERS + b'"}', False),
        (b'{"text": "' + b'\\"' * 2 * MAX_VALUES + b'"}', False),
        (b"[" + b'"",' * 2 * MAX_VALUES + b'""]', True),
        (b"[" + b"1," * 2 * MAX_VALUES + b"1]", True),
        (b'"' * 5 * MAX_VALUES + b"," * 2 * MAX_VALUES, True),
        (b"[" + b"1," * MAX_VALUES + b"1]", False),
    ],
    ids=["objects", "brackets in a text", "quotes in a text", "texts", "numbers", "quotes", "as many as allowed"],
)
async def test_a_body_with_too_many_values_is_refused(body: bytes, refused: bool) -> None:
    """Decoding them would hold the event loop."""
    with pytest.raises(BadRequest, match="50000 objects") if refused else contextlib.nullcontext():
        await check(body)


def fill(repeat: bytes, size: int, *, begin: bytes = b"", end: bytes = b"") -> bytes:
    return begin + repeat * ((size - len(begin) - len(end)) // len(repeat)) + end


# fmt: off
WORST = {
    "an unterminated string of escaped quotes": lambda size: fill(b'\\"', size, begin=b'{"a": "'),
    "escaped backslashes":                      lambda size: fill(b"\\\\", size, begin=b'{"a": "', end=b'"}'),
    "escaped NULs of which none is one":        lambda size: fill(b"\\\\u0000", size, begin=b'{"a": "', end=b'"}'),
    "a nest":                                   lambda size: fill(b"[", size),
    "a nest of objects":                        lambda size: fill(b'{"":', size),
    "brackets that do not match":               lambda size: fill(b"[{]}", size),
    "many lists":                               lambda size: fill(b"[],", size, begin=b"[", end=b"1]"),
    "many objects":                             lambda size: fill(b"{},", size, begin=b"[", end=b"1]"),
    "many strings":                             lambda size: fill(b'"",', size, begin=b"[", end=b"1]"),
    "many numbers":                             lambda size: fill(b"1,", size, begin=b"[", end=b"1]"),
    "a number of many digits":                  lambda size: fill(b"1", size, begin=b'{"a":', end=b"}"),
    "many equal keys":                          lambda size: fill(b'"a":1,', size, begin=b"{", end=b'"a":1}'),
    "many keys":                                lambda size: b"{" + b",".join(b'"%d":1' % n for n in range(size // 11)) + b"}",
}
# fmt: on


async def cost(body: bytes) -> float:
    """CPU seconds, without a garbage collection of the whole test process."""
    gc.collect()
    gc.freeze()  # for good: to unfreeze means that every later collection walks all modules and tests
    began = time.thread_time()
    with contextlib.suppress(BadRequest):
        await check(body)
    return time.thread_time() - began


@pytest.mark.sampled(3)
@pytest.mark.parametrize("shape", WORST)
async def test_checking_a_body_takes_the_event_loop_under_50_ms(shape: str) -> None:
    """30 KB of escaped quotes once took 15 seconds. Bodies up to 32 KiB are checked on the loop, larger ones in a thread."""
    for size in (32 * 1024, JSON_LIMIT, 2 * 1024 * 1024):
        assert await cost(WORST[shape](size)) < 0.05
