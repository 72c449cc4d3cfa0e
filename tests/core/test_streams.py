"""What flows: raw uploads, streamed downloads, server-sent events and long polls, over real sockets."""

import asyncio
import hashlib
from collections.abc import AsyncIterator

import httpx2
import pytest

from teamspace.core import sending
from tests.core.conftest import Lab
from tests.core.lab import MOST


async def test_a_raw_body_flows_through_in_pieces(bench: Lab) -> None:
    payload = b"0123456789abcdef" * (MOST // 16)
    async with bench.served() as url, httpx2.AsyncClient(base_url=url) as client:
        answer = await client.put("/lab/files/a%20b/c", content=payload)
    assert answer.json() | {"largest_chunk": 0} == {
        "key": "a b/c", "size": MOST, "sha256": hashlib.sha256(payload).hexdigest(), "largest_chunk": 0,
    }  # fmt: skip
    assert answer.json()["largest_chunk"] < MOST / 4


async def test_a_raw_body_beyond_the_limit_is_refused(bench: Lab) -> None:
    async def more_than_allowed() -> AsyncIterator[bytes]:
        for _ in range(MOST // 65536 + 1):
            yield b"x" * 65536

    async with bench.served() as url, httpx2.AsyncClient(base_url=url) as client:
        told = await client.put("/lab/files/x", content=b"x" * (MOST + 1))
        untold = await client.put("/lab/files/x", content=more_than_allowed())
    assert (told.status_code, untold.status_code) == (413, 413)


async def test_a_download_streams(bench: Lab) -> None:
    async with (
        bench.served() as url,
        httpx2.AsyncClient(base_url=url) as client,
        client.stream("GET", "/lab/bytes/5000000") as answer,
    ):
        sizes = [len(chunk) async for chunk in answer.aiter_raw()]
    assert answer.headers["content-length"] == "5000000"
    assert sum(sizes) == 5_000_000
    assert len(sizes) > 10


async def test_events_arrive_with_their_ids(bench: Lab) -> None:
    async with bench.served() as url, httpx2.AsyncClient(base_url=url) as client:
        answer = await client.get("/lab/events")
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.text == "".join(
        f'id: {number}\nevent: count\ndata: {{"number":{number}}}\n\n' for number in (1, 2, 3)
    )


async def test_a_silent_stream_is_kept_alive_and_ends_when_the_server_stops(
    bench: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "HEARTBEAT_SECONDS", 0.05)
    async with (
        bench.served() as url,
        httpx2.AsyncClient(base_url=url) as client,
        client.stream("GET", "/lab/endless") as answer,
    ):
        lines = answer.aiter_lines()
        seen = [await anext(lines) for _ in range(6)]
        bench.stopping.begin()
        rest = [line async for line in lines]
    assert seen[0] == "event: begin"
    assert ": still here" in seen
    assert not any(line.startswith("event:") for line in rest)


async def test_a_long_poll_sleeps_until_there_is_news(bench: Lab) -> None:
    async with bench.served() as url, httpx2.AsyncClient(base_url=url) as client:
        waiting = asyncio.create_task(client.get("/lab/wait/letters"))
        await asyncio.sleep(0.1)
        assert not waiting.done()
        await client.post("/lab/tell/other")
        await client.post("/lab/tell/letters")
        assert (await waiting).json() == {"news": True}


async def test_a_long_poll_returns_empty_when_the_server_stops(bench: Lab) -> None:
    async with bench.served() as url, httpx2.AsyncClient(base_url=url) as client:
        waiting = asyncio.create_task(client.get("/lab/wait/letters"))
        await asyncio.sleep(0.1)
        bench.stopping.begin()
        assert (await waiting).json() == {"news": False}


async def test_a_stop_finishes_what_was_accepted(bench: Lab) -> None:
    async with httpx2.AsyncClient() as client:
        async with bench.served() as url:
            began = asyncio.create_task(client.get(f"{url}/lab/slow"))
            await asyncio.sleep(0.2)
            assert bench.gate.underway == 1
        assert (await began).json() == {"finished": True}
    assert bench.gate.idle.is_set()
