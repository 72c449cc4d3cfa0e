"""Raw uploads, streamed downloads, server-sent events and long polls, over real sockets."""

import asyncio
import hashlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import httpx2
import pytest

from teamspace.core import sending
from teamspace.core.limits import KeyedConcurrencyLimit
from teamspace.core.wire import WireLimits
from tests.core import lab
from tests.core.conftest import Lab
from tests.core.lab import MAX_COUNT
from tests.support.world import Caller, World


async def test_a_raw_body_is_streamed(bench: Lab) -> None:
    payload = b"0123456789abcdef" * (MAX_COUNT // 16)
    async with bench.served() as url, httpx2.AsyncClient(base_url=url) as client:
        answer = await client.put("/lab/files/a%20b/c", content=payload)
    assert answer.json() | {"largest_chunk": 0} == {
        "key": "a b/c", "size": MAX_COUNT, "sha256": hashlib.sha256(payload).hexdigest(), "largest_chunk": 0,
    }  # fmt: skip
    assert answer.json()["largest_chunk"] < MAX_COUNT / 4


async def test_a_raw_body_beyond_the_limit_is_refused(bench: Lab) -> None:
    async def more_than_allowed() -> AsyncGenerator[bytes, None]:
        for _ in range(MAX_COUNT // 65536 + 1):
            yield b"x" * 65536

    async with bench.served() as url, httpx2.AsyncClient(base_url=url) as client:
        declared = await client.put("/lab/files/x", content=b"x" * (MAX_COUNT + 1))
        undeclared = await client.put("/lab/files/x", content=more_than_allowed())
    assert (declared.status_code, undeclared.status_code) == (413, 413)


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


async def test_events_have_their_ids(bench: Lab) -> None:
    async with bench.served() as url, httpx2.AsyncClient(base_url=url) as client:
        answer = await client.get("/lab/events")
    assert answer.headers["content-type"] == "text/event-stream"
    assert answer.headers["cache-control"] == "private, no-store"
    assert answer.headers["x-accel-buffering"] == "no"
    assert answer.text == "".join(
        f'id: {number}\nevent: count\ndata: {{"number":{number}}}\n\n' for number in (1, 2, 3)
    )


async def test_an_idle_stream_is_kept_alive_and_ends_when_the_server_stops(
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
    assert ": ping" in seen
    assert not any(line.startswith("event:") for line in rest)


async def test_a_long_poll_waits_for_a_notification(bench: Lab) -> None:
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


async def test_a_stop_finishes_accepted_requests(bench: Lab) -> None:
    async with httpx2.AsyncClient() as client:
        async with bench.served() as url:
            began = asyncio.create_task(client.get(f"{url}/lab/slow"))
            await asyncio.sleep(0.2)
            assert bench.gate.active == 1
        assert (await began).json() == {"finished": True}
    assert not bench.gate.active


async def test_a_download_ends_when_its_client_disconnects(bench: Lab) -> None:
    async with bench.served() as url, connected(url) as (reader, writer):
        writer.write(b"GET /lab/counted HTTP/1.1\r\nhost: lab\r\n\r\n")
        await reader.readexactly(100_000)
        writer.close()
        await until(lambda: not bench.gate.active)
    assert 0 < bench.counted.read < lab.COUNTED, "it was not read to the end"
    assert bench.counted.closed


async def test_an_event_stream_ends_when_its_client_disconnects(bench: Lab) -> None:
    async with bench.served() as url, connected(url) as (reader, writer):
        writer.write(b"GET /lab/endless HTTP/1.1\r\nhost: lab\r\n\r\n")
        await reader.readuntil(b"event: begin")
        writer.close()
        await until(lambda: not bench.gate.active)


async def test_events_are_read_at_the_speed_of_the_client(bench: Lab) -> None:
    async with bench.served(WireLimits(write_stall=0.5, sweep=0.05)) as url, connected(url) as (_, writer):
        writer.write(b"GET /lab/flood HTTP/1.1\r\nhost: lab\r\n\r\n")
        await until(lambda: bench.counted.read > 0)
        await until(lambda: not bench.gate.active)
    assert 0 < bench.counted.read < lab.COUNTED / 2, "a client that reads nothing is disconnected"
    assert bench.counted.closed


async def test_a_long_poll_ends_when_its_client_disconnects(bench: Lab) -> None:
    async with bench.served() as url, connected(url) as (_, writer):
        writer.write(b"POST /lab/patience HTTP/1.1\r\nhost: lab\r\ncontent-length: 0\r\n\r\n")
        await until(lambda: bench.gate.active == 1)
        writer.close()
        await until(lambda: not bench.gate.active)


async def test_an_undelivered_reply_is_taken_back(bench: Lab) -> None:
    async with bench.served() as url:
        async with connected(url) as (_, writer):
            writer.write(b"POST /lab/gift HTTP/1.1\r\nhost: lab\r\ncontent-length: 0\r\n\r\n")
            await until(lambda: bench.gate.active == 1)
            writer.close()
            await until(lambda: not bench.gate.active)
        assert bench.gifts == lab.Gifts(handed_out=1, returned=1)
        async with httpx2.AsyncClient(base_url=url) as client:
            assert (await client.post("/lab/gift")).json() == {"gift": 2}
    assert bench.gifts == lab.Gifts(handed_out=2, returned=1)


async def test_a_stalled_reader_is_disconnected(bench: Lab) -> None:
    async with bench.served(WireLimits(write_stall=0.2, sweep=0.05)) as url, connected(url) as (_, writer):
        writer.write(b"GET /lab/bytes/100000000 HTTP/1.1\r\nhost: lab\r\n\r\n")
        await until(lambda: bench.gate.active == 1)
        await until(lambda: not bench.gate.active)


async def test_concurrent_downloads_are_limited_per_token_and_address(
    bench: Lab, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team)
    monkeypatch.setattr(bench.gate, "_downloads", KeyedConcurrencyLimit("busy.downloads_by", token=1, address=3))

    async def open_stream(client: httpx2.AsyncClient, who: Caller | None) -> httpx2.Response:
        headers = {"authorization": f"Bearer {who.token}"} if who else {}
        path = "/lab/mine" if who else "/lab/held"
        return await client.send(client.build_request("GET", path, headers=headers), stream=True)

    async with bench.served() as url, httpx2.AsyncClient(base_url=url) as client:
        first = await open_stream(client, ann)
        refused = await open_stream(client, ann)
        assert refused.status_code == 429
        assert (await refused.aread()) and refused.json()["code"] == "rate_limited"
        assert refused.headers["retry-after"]
        others = [await open_stream(client, bob), await open_stream(client, None)]
        assert [answer.status_code for answer in (first, *others)] == [200, 200, 200]
        assert (await open_stream(client, None)).status_code == 429, "the limit of the address"
        await first.aclose()
        await until(lambda: bench.gate.active == 2)
        others.append(await open_stream(client, ann))
        assert others[-1].status_code == 200
        for answer in others:
            await answer.aclose()


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A raw connection that can be closed at any moment."""
    address = urlsplit(url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    try:
        yield reader, writer
    finally:
        writer.close()


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(15):
        while True:
            if condition():
                return
            await asyncio.sleep(0.01)
