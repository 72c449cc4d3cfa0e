"""The transport for other clients: whatever their settings, they keep the rules of the one way out."""

import asyncio
import gzip
from collections.abc import AsyncIterable, AsyncIterator

import httpx2
import pytest

from teamspace.core.egress import INSTANCE, Egress, EgressFailed, EgressFault, NetworkReach, Timeouts
from teamspace.core.egress.transport import create_client
from tests.support.addresses import spellings
from tests.support.outgoing import Resolver
from tests.support.upstream import Behaviour, Upstream, chunks, cut_off, dripping, endless, silent, status

SHORT = Timeouts(connect=1, read=0.4, total=1)


def client(
    egress: Egress, reach: NetworkReach = NetworkReach.LISTED, on_behalf_of: str = INSTANCE, max_bytes: int = 1024**2
) -> httpx2.AsyncClient:
    """Return a client with the least careful settings."""
    transport = egress.transport(reach, on_behalf_of, timeouts=SHORT, max_bytes=max_bytes)
    return httpx2.AsyncClient(transport=transport, follow_redirects=True, timeout=None, trust_env=True)


async def test_a_client_sends_requests_and_reads_responses() -> None:
    async with Upstream() as upstream, client(Egress(allow=[upstream.address])) as sender:
        answer = await sender.post(upstream.url + "/chat/completions", json={"a": 1}, headers={"mcp-session-id": "7"})
        assert (answer.status_code, answer.json()["model"]) == (200, "tiny")
        received = upstream.requests[0]
        assert (received.method, received.path, received.body) == ("POST", "/v1/chat/completions", b'{"a":1}')
        assert (received.headers["mcp-session-id"], received.headers["content-type"]) == ("7", "application/json")
        assert received.headers["accept-encoding"] == "identity"


async def test_a_client_streams_over_connections_that_outlive_it() -> None:
    async with Upstream(chunks(b"one", b"two", pause=0.05)) as upstream:
        egress = Egress(allow=[upstream.address])
        for _ in range(2):
            async with client(egress) as sender, sender.stream("GET", upstream.url) as answer:
                assert [piece async for piece in answer.aiter_raw()] == [b"one", b"two"]
        assert upstream.connections == 1
        async with client(egress, on_behalf_of="acme") as sender:
            await sender.get(upstream.url)
        assert upstream.connections == 2
        await egress.aclose()


async def test_a_filter_sees_the_pieces_first() -> None:
    async def shout(content_type: str, pieces: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
        async for piece in pieces:
            if piece == b"stop":
                raise EgressFailed(EgressFault.TOO_LARGE)
            yield piece.upper()

    async with Upstream(chunks(b"one", b"two", b"stop")) as upstream:
        egress = Egress(allow=[upstream.address])
        transport = egress.transport(NetworkReach.LISTED, INSTANCE, timeouts=SHORT, filtered=shout)
        seen = []
        async with create_client(transport, {"x-key": "7"}) as sender, sender.stream("GET", upstream.url) as answer:
            with pytest.raises(httpx2.NetworkError, match="too large"):
                async for piece in answer.aiter_raw():
                    seen.append(piece)
        assert seen == [b"ONE", b"TWO"]
        assert upstream.requests[0].headers["x-key"] == "7"
        await upstream.closed()
        await egress.aclose()


async def test_a_client_cannot_reach_other_hosts() -> None:
    async with Upstream() as canary:
        egress = Egress(resolve=Resolver(["127.0.0.1"]))
        for reach in (NetworkReach.PUBLIC, NetworkReach.LISTED):
            async with client(egress, reach) as sender:
                for url in (*spellings(canary.port), f"https://models.example:{canary.port}"):
                    with pytest.raises((httpx2.HTTPError, httpx2.InvalidURL)):
                        await sender.get(url)
        assert canary.connections == 0


async def test_a_client_follows_no_redirects_and_keeps_no_cookies() -> None:
    async with Upstream() as other, Upstream() as upstream:
        upstream.behaviour = status(307, headers=f"location: {other.url}\r\nset-cookie: a=b\r\n")
        async with client(Egress(allow=[upstream.address, other.address])) as sender:
            sender.cookies.set("mine", "1")
            for _ in range(2):
                answer = await sender.post(upstream.url)
                assert (answer.status_code, answer.history) == (307, [])
            assert (other.connections, dict(sender.cookies)) == (0, {"mine": "1"})
            assert all("cookie" not in request.headers for request in upstream.requests)


async def test_a_client_ignores_proxies_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Upstream() as proxy, Upstream() as upstream:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        async with client(Egress(allow=[upstream.address])) as sender:
            await sender.get(upstream.url)
        assert (proxy.connections, upstream.connections) == (0, 1)


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        (silent, "did not answer in time"),
        (dripping, "did not answer in time"),
        (endless, "too large"),
        (cut_off, "closed the connection"),
        (status(200, gzip.compress(b" " * 10_000_000), "content-encoding: gzip\r\n"), "compressed"),
    ],
)
async def test_a_client_reads_no_bad_response(behaviour: Behaviour, message: str) -> None:
    async with Upstream(behaviour) as upstream, client(Egress(allow=[upstream.address])) as sender:
        with pytest.raises(httpx2.NetworkError, match=message):
            await sender.get(upstream.url)


async def test_a_client_that_leaves_early_closes_the_connection() -> None:
    async with Upstream(endless) as upstream:
        async with client(Egress(allow=[upstream.address])) as sender, sender.stream("GET", upstream.url) as answer:
            await anext(answer.aiter_raw())
        await upstream.closed()


async def test_a_cancelled_client_closes_the_connection() -> None:
    async with Upstream(dripping) as upstream, client(Egress(allow=[upstream.address])) as sender:
        task = asyncio.create_task(sender.get(upstream.url))
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await upstream.closed()
