"""Connections of outgoing requests: when one is used again, when it is closed, and how a body is streamed."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from teamspace.core.egress import Egress, EgressFailed, NetworkReach, Timeouts
from teamspace.core.egress import client as egress_client
from teamspace.core.egress import connections as egress_connections
from teamspace.core.egress import sending as egress_sending
from tests.support.outgoing import Resolver, get, outgoing
from tests.support.tls import tls_contexts
from tests.support.upstream import (
    Behaviour,
    ReceivedRequest,
    Upstream,
    chunks,
    completion,
    cut_off,
    dripping,
    endless,
    status,
)

SHORT = Timeouts(connect=1, read=0.4, total=1)


@pytest.fixture
async def upstream() -> AsyncIterator[Upstream]:
    async with Upstream() as upstream:
        yield upstream


def answers(*behaviours: Behaviour) -> Behaviour:
    """Behave differently for each request, then always like the last."""
    waiting = list(behaviours)

    async def behave(request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
        await (waiting.pop(0) if len(waiting) > 1 else waiting[0])(request, writer)

    return behave


async def hang_up(request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
    writer.close()


# Used again


async def test_a_connection_is_used_again(upstream: Upstream) -> None:
    egress = Egress(allow=[upstream.address])
    for _ in range(5):
        assert (await get(egress, upstream.url)).status == 200
    assert (upstream.connections, len(upstream.requests)) == (1, 5)


async def test_a_tls_connection_is_used_again_for_the_same_name_only(tmp_path: Path) -> None:
    server, trust = tls_contexts(tmp_path, "models.example")
    async with Upstream(tls=server) as upstream:
        allow = [(name, upstream.port) for name in ("models.example", "other.example")]
        egress = Egress(allow=allow, resolve=Resolver(["127.0.0.1"]), trust=trust)
        for _ in range(3):
            await get(egress, f"https://models.example:{upstream.port}")
        with pytest.raises(EgressFailed):
            await get(egress, f"https://other.example:{upstream.port}")
        assert (upstream.connections, len(upstream.requests)) == (1, 3)


async def test_requests_at_the_same_time_have_connections_of_their_own(upstream: Upstream) -> None:
    egress = Egress(allow=[upstream.address])
    for _ in range(2):
        await asyncio.gather(*(get(egress, upstream.url) for _ in range(4)))
    assert (upstream.connections, len(upstream.requests)) == (4, 8)


async def test_companies_never_share_a_connection(upstream: Upstream) -> None:
    egress = Egress(allow=[upstream.address])
    for _ in range(2):
        for company in ("acme", "globex", "instance"):
            await get(egress, upstream.url, on_behalf_of=company)
    assert (upstream.connections, len(upstream.requests)) == (3, 6)


async def test_a_connection_the_server_wants_closed_is_not_kept() -> None:
    async with Upstream(status(200, b"x", "connection: close\r\n")) as upstream:
        egress = Egress(allow=[upstream.address])
        await get(egress, upstream.url)
        await upstream.closed()
        await get(egress, upstream.url)
        assert upstream.connections == 2


# The address is checked each time


async def test_an_idle_connection_is_not_used_when_the_name_now_has_a_forbidden_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(egress_client, "is_public", lambda address: str(address) == "127.0.0.1")
    monkeypatch.setattr(egress_client, "_is_local", lambda address: False)
    server, trust = tls_contexts(tmp_path, "models.example")
    async with Upstream(tls=server) as upstream:
        resolve = Resolver(["127.0.0.1"], ["10.0.0.1"], ["127.0.0.1", "10.0.0.1"], [], ["127.0.0.1"])
        egress, url = Egress(resolve=resolve, trust=trust), f"https://models.example:{upstream.port}"
        await get(egress, url, NetworkReach.PUBLIC)
        for _ in range(3):
            with pytest.raises(EgressFailed, match=r"^cannot be reached$"):
                await get(egress, url, NetworkReach.PUBLIC)
        assert len(upstream.requests) == 1
        await get(egress, url, NetworkReach.PUBLIC)
        assert (upstream.connections, len(resolve.asked)) == (1, 5)


async def test_a_new_address_means_a_new_connection(upstream: Upstream) -> None:
    resolve = Resolver(["127.0.0.1"], ["127.0.0.9"], ["127.0.0.9", "127.0.0.1"])
    egress = Egress(allow=[("models.example", upstream.port)], resolve=resolve)
    url = f"http://models.example:{upstream.port}"
    await get(egress, url)
    with pytest.raises(EgressFailed):
        await get(egress, url)
    assert len(upstream.requests) == 1
    await get(egress, url)
    assert upstream.connections == 1, "of several addresses, one with an idle connection is preferred"


# Connections that end


async def test_a_connection_closed_by_the_server_is_replaced_before_anything_is_sent() -> None:
    async with Upstream(idle=0.05) as upstream:
        egress = Egress(allow=[upstream.address])
        for _ in range(3):
            assert (await egress.call(outgoing(upstream.url, "POST", body=b"{}"))).status == 200
            await upstream.closed()
        assert (upstream.connections, len(upstream.requests)) == (3, 3)


async def test_an_idempotent_request_is_sent_once_more_if_an_idle_connection_ends_under_it() -> None:
    async with Upstream(answers(completion(), hang_up, completion())) as upstream:
        egress = Egress(allow=[upstream.address])
        for _ in range(2):
            assert (await get(egress, upstream.url)).status == 200
        assert (upstream.connections, len(upstream.requests)) == (2, 3)


async def test_a_request_that_may_have_been_carried_out_is_not_sent_again() -> None:
    async with Upstream(answers(completion(), hang_up)) as upstream:
        egress = Egress(allow=[upstream.address])
        await egress.call(outgoing(upstream.url, "POST"))
        with pytest.raises(EgressFailed, match="closed the connection"):
            await egress.call(outgoing(upstream.url, "POST"))
        assert len(upstream.requests) == 2


async def test_a_request_on_a_new_connection_is_not_repeated() -> None:
    async with Upstream(hang_up) as upstream:
        with pytest.raises(EgressFailed, match="closed the connection"):
            await get(Egress(allow=[upstream.address]), upstream.url)
        assert len(upstream.requests) == 1


@pytest.mark.parametrize("tls", [False, True])
@pytest.mark.parametrize("pause", [0.05, 0])
@pytest.mark.parametrize("packets", [1, 2])
async def test_a_connection_with_an_unrequested_response_is_not_used_again(
    tmp_path: Path, packets: int, pause: float, tls: bool
) -> None:
    sent = asyncio.Event()
    server, trust = tls_contexts(tmp_path, "models.example")

    async def twice(request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
        both = [b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n" + body for body in (b"first", b"extra")]
        for packet in both if packets == 2 else [b"".join(both)]:
            writer.write(packet)
            if pause:
                await asyncio.sleep(pause)
        sent.set()

    async with Upstream(answers(twice, status(200, b"second")), tls=server if tls else None) as upstream:
        egress = Egress(resolve=Resolver(["127.0.0.1"]), trust=trust)
        url = f"{'https' if tls else 'http'}://models.example:{upstream.port}"
        assert (await get(egress, url, NetworkReach.ANY)).body == b"first"
        await sent.wait()
        assert (await get(egress, url, NetworkReach.ANY)).body == b"second"
        assert upstream.connections == 2


# Bounds


async def test_the_number_of_idle_connections_is_limited(upstream: Upstream, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(egress_connections, "MAX_IDLE", 3)
    egress = Egress(allow=[upstream.address])
    await asyncio.gather(*(get(egress, upstream.url, on_behalf_of=f"company {n}") for n in range(8)))
    async with asyncio.timeout(5):
        await asyncio.wait(upstream.open, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.sleep(0.1)
    assert (upstream.connections, len(upstream.open)) == (8, 3)


async def test_an_idle_connection_is_closed_after_a_while(upstream: Upstream, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(egress_connections, "IDLE_SECONDS", 0.1)
    egress = Egress(allow=[upstream.address])
    for count in (1, 2):
        await asyncio.gather(*(get(egress, upstream.url) for _ in range(3)))
        assert len(upstream.open) == 3
        await upstream.closed()
        assert upstream.connections == 3 * count


async def test_closing_ends_idle_connections_at_once_and_others_after_their_response() -> None:
    async with Upstream(chunks(b"one", b"two")) as upstream:
        egress = Egress(allow=[upstream.address])
        await asyncio.gather(*(get(egress, upstream.url) for _ in range(3)))
        async with egress.stream(outgoing(upstream.url)) as response:
            await anext(response)
            await egress.aclose()
            assert b"".join([piece async for piece in response]) == b"two"
        await upstream.closed()
        assert upstream.connections == 3


# Streams


async def test_pieces_arrive_as_they_are_sent_and_the_connection_is_used_again() -> None:
    async with Upstream(chunks(b"one", b"two", b"three", pause=0.1)) as upstream:
        egress = Egress(allow=[upstream.address])
        for _ in range(2):
            began, seen = time.monotonic(), []
            async with egress.stream(outgoing(upstream.url)) as response:
                assert (response.status, response.headers["content-type"]) == (200, "text/event-stream")
                async for piece in response:
                    seen.append((piece, time.monotonic() - began))
            assert [piece for piece, _ in seen] == [b"one", b"two", b"three"]
            assert seen[0][1] < seen[-1][1] - 0.15
        assert upstream.connections == 1


async def test_a_server_that_is_faster_than_its_reader_must_wait() -> None:
    sent = 0

    async def fast(request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        while True:
            writer.write(b"10000\r\n" + b" " * 65536 + b"\r\n")
            sent += 65536
            await writer.drain()

    async with Upstream(fast) as upstream:
        async with Egress(allow=[upstream.address]).stream(outgoing(upstream.url)) as response:
            await anext(response)
            await asyncio.sleep(0.3)
            before = sent
            await asyncio.sleep(0.3)
            assert sent == before
        await upstream.closed()


async def test_the_total_time_also_ends_a_response_that_never_pauses() -> None:
    timeouts = Timeouts(connect=1, read=1, total=0.3)
    async with Upstream(endless) as upstream:
        egress = Egress(allow=[upstream.address])
        with pytest.raises(EgressFailed, match="did not answer in time"):
            await get(egress, upstream.url, timeouts=timeouts, max_bytes=10**12)


async def test_the_read_timeout_applies_to_each_piece() -> None:
    timeouts = Timeouts(connect=1, read=0.4, total=10)
    async with Upstream(chunks(*[b"x"] * 6, pause=0.15)) as upstream:
        egress = Egress(allow=[upstream.address])
        assert (await get(egress, upstream.url, timeouts=timeouts)).body == b"x" * 6
        upstream.behaviour = chunks(b"x", b"late", pause=2)
        with pytest.raises(EgressFailed, match="did not answer in time"):
            await get(egress, upstream.url, timeouts=timeouts)


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [(dripping, "did not answer in time"), (endless, "too large"), (cut_off, "closed the connection")],
)
async def test_a_bad_stream_is_abandoned_and_its_connection_closed(behaviour: Behaviour, message: str) -> None:
    async with Upstream(behaviour) as upstream:
        egress, received = Egress(allow=[upstream.address]), 0
        with pytest.raises(EgressFailed, match=message):
            async with egress.stream(outgoing(upstream.url, timeouts=SHORT, max_bytes=1024**2)) as response:
                async for piece in response:
                    received += len(piece)
        assert 0 < received <= 1024**2
        await upstream.closed()


async def test_cancelling_closes_the_connection() -> None:
    started = asyncio.Event()

    async def read(egress: Egress, url: str) -> None:
        async with egress.stream(outgoing(url)) as response:
            async for _ in response:
                started.set()

    async with Upstream(dripping) as upstream:
        task = asyncio.create_task(read(Egress(allow=[upstream.address]), upstream.url))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await upstream.closed()


async def test_a_reader_that_stops_early_loses_the_connection_only_if_much_is_left() -> None:
    async with Upstream(chunks(b"one", b"two")) as upstream:
        egress = Egress(allow=[upstream.address])
        for behaviour, connections in ((chunks(b"one", b"two"), 1), (endless, 1), (chunks(b"one"), 2)):
            upstream.behaviour = behaviour
            async with egress.stream(outgoing(upstream.url)) as response:
                await anext(response)
            assert upstream.connections == connections


async def test_a_response_in_tiny_pieces_does_not_block_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(egress_sending, "_MAX_PIECES", 20_000)
    longest, stopped = 0.0, False

    async def watch() -> None:
        nonlocal longest
        while not stopped:
            began = time.thread_time()
            await asyncio.sleep(0)
            longest = max(longest, time.thread_time() - began)

    async def tiny(request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        while True:
            writer.write(b"1\r\nx\r\n" * 5_000)
            await writer.drain()

    async with Upstream(tiny) as upstream:
        watching = asyncio.create_task(watch())
        with pytest.raises(EgressFailed, match="too many pieces"):
            await get(Egress(allow=[upstream.address]), upstream.url)
        stopped = True
        await watching
    assert longest < 0.1
