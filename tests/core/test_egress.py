"""Egress: no request reaches an internal address, and no response can block or overload the server."""

import ipaddress
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from teamspace.core.addresses import is_public
from teamspace.core.egress import (
    MAX_BYTES,
    Egress,
    EgressFailed,
    EgressRefused,
    NetworkReach,
    Timeouts,
    parse,
    parse_host_port,
    sending,
)
from teamspace.core.egress.connections import ConnectionKey
from teamspace.core.egress.requests import NoConnection
from tests.support.addresses import spellings
from tests.support.outgoing import Resolver, get
from tests.support.tls import tls_contexts
from tests.support.upstream import (
    Upstream,
    cut_off,
    dripping,
    endless,
    endless_head,
    no_http,
    silent,
    status,
)

SHORT = Timeouts(connect=1, read=0.4, total=1)
PUBLIC_ADDRESS = "93.184.216.34"


# Addresses


async def test_no_spelling_of_an_internal_address_is_allowed() -> None:
    async with Upstream() as canary:
        assert len(spellings(canary.port)) >= 60
        for egress in (Egress(), Egress(allow=[("models.example", 443)])):
            for url in spellings(canary.port):
                for reach in (NetworkReach.PUBLIC, NetworkReach.LISTED):
                    with pytest.raises(EgressRefused):
                        await egress.verify(url, reach)
                    with pytest.raises(EgressFailed):
                        await get(egress, url, reach, timeouts=SHORT)
        assert canary.connections == 0


@pytest.mark.parametrize(
    ("url", "authority"),
    [
        ("https://models.example.com/v1", "models.example.com"),
        ("HTTPS://Models.Example.COM:443/V1", "models.example.com"),
        ("https://models.example.com:8443", "models.example.com:8443"),
        ("http://my_llm:80/x%20y", "my_llm"),
        ("https://93.184.216.34", "93.184.216.34"),
        ("https://[2606:4700::1111]:8443/v1", "[2606:4700::1111]:8443"),
        ("https://xn--bcher-kva.example", "xn--bcher-kva.example"),
    ],
)
def test_an_ordinary_url_is_parsed(url: str, authority: str) -> None:
    assert parse(url).authority == authority


@given(st.text(max_size=60))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    for url in (text, f"https://{text}", f"https://a.example/{text}"):
        try:
            target = parse(url)
        except EgressRefused:
            continue
        assert target.host.isascii() and not set(target.host) & set("@\\/?# ")


@pytest.mark.parametrize(("text", "expected"), [("127.0.0.1:11434", ("127.0.0.1", 11434)), ("[::1]:80", ("::1", 80))])
def test_an_allow_list_entry_has_host_and_port(text: str, expected: tuple[str, int]) -> None:
    assert parse_host_port(text) == expected


@pytest.mark.parametrize("text", ["127.0.0.1", "x:", ":80", "x:80/y", "a@b:80", "http://x:80"])
def test_a_malformed_allow_list_entry_is_refused(text: str) -> None:
    with pytest.raises(EgressRefused):
        parse_host_port(text)


@given(st.ip_addresses(v=4))
def test_an_embedded_ipv4_address_decides_whether_an_ipv6_address_is_public(inner: ipaddress.IPv4Address) -> None:
    for wrapped in (f"::ffff:{inner}", f"64:ff9b::{inner}"):
        assert is_public(ipaddress.IPv6Address(wrapped)) == is_public(inner)
    assert is_public(ipaddress.IPv6Address((0x2002 << 112) | (int(inner) << 80) | 1)) == is_public(inner)
    assert not is_public(ipaddress.IPv6Address(int(inner)))


# Names


async def test_every_address_of_a_name_must_be_public() -> None:
    async with Upstream() as canary:
        for inside in ("127.0.0.1", "10.0.0.1", "::1", "100.64.0.1", "64:ff9b::a9fe:a9fe"):
            egress = Egress(resolve=Resolver([PUBLIC_ADDRESS, inside]))
            with pytest.raises(EgressRefused):
                await egress.verify(f"https://models.example:{canary.port}", NetworkReach.PUBLIC)
            with pytest.raises(EgressFailed):
                await get(egress, f"https://models.example:{canary.port}", NetworkReach.PUBLIC)
        assert canary.connections == 0


async def test_dns_rebinding_is_refused() -> None:
    async with Upstream() as canary:
        resolve = Resolver([PUBLIC_ADDRESS], ["127.0.0.1"])
        egress, url = Egress(resolve=resolve), f"https://models.example:{canary.port}"
        await egress.verify(url, NetworkReach.PUBLIC)
        with pytest.raises(EgressFailed):
            await get(egress, url, NetworkReach.PUBLIC)
        assert (canary.connections, len(resolve.asked)) == (0, 2)


async def test_the_checked_address_is_the_one_that_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[str] = []

    async def send(request: Any, target: Any, key: ConnectionKey, *_: Any) -> None:
        called.append(str(key.address))
        raise NoConnection

    monkeypatch.setattr(sending, "send", send)
    resolve = Resolver([PUBLIC_ADDRESS], ["127.0.0.1"])
    with pytest.raises(EgressFailed):
        await get(Egress(resolve=resolve), "https://models.example", NetworkReach.PUBLIC)
    assert (called, len(resolve.asked)) == ([PUBLIC_ADDRESS], 1)


async def test_unknown_and_internal_names_give_the_same_error() -> None:
    refusals = []
    for answer in ([], ["10.0.0.1"]):
        with pytest.raises(EgressRefused) as fault:
            await Egress(resolve=Resolver(answer)).verify("https://db.internal", NetworkReach.PUBLIC)
        refusals.append(str(fault.value))
    assert refusals[0] == refusals[1]


# The allow list


async def test_the_allow_list_applies_only_to_operators() -> None:
    async with Upstream() as upstream:
        egress = Egress(allow=[upstream.address])
        assert (await get(egress, upstream.url + "/models", NetworkReach.LISTED)).status == 200
        with pytest.raises(EgressFailed):
            await get(egress, upstream.url, NetworkReach.PUBLIC)
        with pytest.raises(EgressFailed):
            await get(egress, f"http://127.0.0.2:{upstream.port}", NetworkReach.LISTED)
        assert upstream.connections == 1


async def test_the_server_does_not_call_itself() -> None:
    async with Upstream() as own:
        for host in ("127.0.0.1", "localhost", "0.0.0.0"):
            egress = Egress(allow=[(host, own.port)], own=[("0.0.0.0", own.port)])
            with pytest.raises(EgressRefused, match="this server itself"):
                await egress.verify(f"http://{host}:{own.port}", NetworkReach.LISTED)
        named = Egress(own=[("work.example", 443)], resolve=Resolver([PUBLIC_ADDRESS]))
        with pytest.raises(EgressRefused):
            await named.verify("https://work.example/v1", NetworkReach.PUBLIC)
        assert own.connections == 0


async def test_proxies_from_the_environment_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Upstream() as proxy, Upstream() as upstream:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        await get(Egress(allow=[upstream.address]), upstream.url, NetworkReach.LISTED)
        assert (proxy.connections, upstream.connections) == (0, 1)


async def test_redirects_are_not_followed() -> None:
    async with Upstream() as canary:
        chain = status(302, headers=f"location: {canary.url}\r\nset-cookie: a=b\r\n")
        async with Upstream(chain) as upstream:
            egress = Egress(allow=[upstream.address, canary.address])
            for _ in range(2):
                assert (await get(egress, upstream.url, NetworkReach.LISTED)).status == 302
            assert canary.connections == 0
            assert all("cookie" not in asked.headers for asked in upstream.requests)


async def test_the_next_address_is_tried_when_the_first_is_unreachable() -> None:
    async with Upstream() as upstream:
        egress = Egress(allow=[("both.example", upstream.port)], resolve=Resolver(["127.0.0.9", "127.0.0.1"]))
        assert (await get(egress, f"http://both.example:{upstream.port}", NetworkReach.LISTED)).status == 200
        assert upstream.requests[0].headers["host"] == f"both.example:{upstream.port}"


# Certificates


async def test_the_certificate_must_match_the_name(tmp_path: Path) -> None:
    server, trust = tls_contexts(tmp_path, "models.example")
    names: list[str | None] = []
    server.sni_callback = lambda _, name, __: names.append(name)
    async with Upstream(tls=server) as upstream:
        allow = [("models.example", upstream.port), ("other.example", upstream.port)]
        egress = Egress(allow=allow, resolve=Resolver(["127.0.0.1"]), trust=trust)
        answer = await get(egress, f"https://models.example:{upstream.port}/v1/models", NetworkReach.LISTED)
        assert (answer.status, upstream.requests[0].headers["host"]) == (200, f"models.example:{upstream.port}")
        with pytest.raises(EgressFailed, match="cannot be reached"):
            await get(egress, f"https://other.example:{upstream.port}", NetworkReach.LISTED)
        untrusting = Egress(allow=allow, resolve=Resolver(["127.0.0.1"]))
        with pytest.raises(EgressFailed, match="cannot be reached"):
            await get(untrusting, f"https://models.example:{upstream.port}", NetworkReach.LISTED)
        assert names == ["models.example", "other.example", "models.example"]
        assert len(upstream.requests) == 1


# Responses


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        (silent, "did not answer in time"),
        (dripping, "did not answer in time"),
        (endless, "too large"),
        (endless_head, "did not speak HTTP"),
        (cut_off, "closed the connection"),
        (no_http, "did not speak HTTP"),
        (status(200, b"x" * (MAX_BYTES + 1)), "too large"),
        (status(200, b"x", "content-encoding: gzip\r\n"), "compressed"),
    ],
)
async def test_a_bad_response_is_abandoned(behaviour: Any, message: str) -> None:
    async with Upstream(behaviour) as upstream:
        began = time.monotonic()
        with pytest.raises(EgressFailed, match=message):
            await get(Egress(allow=[upstream.address]), upstream.url, NetworkReach.LISTED, timeouts=SHORT)
        assert time.monotonic() - began < 5


async def test_a_response_of_the_maximum_size_is_accepted() -> None:
    async with Upstream(status(200, b"x" * MAX_BYTES)) as upstream:
        answer = await get(Egress(allow=[upstream.address]), upstream.url, NetworkReach.LISTED)
        assert len(answer.body) == MAX_BYTES


async def test_a_refused_connection_is_reported_as_unreachable() -> None:
    async with Upstream() as gone:
        pass
    with pytest.raises(EgressFailed, match=r"^cannot be reached$"):
        await get(Egress(allow=[gone.address]), gone.url, NetworkReach.LISTED, timeouts=SHORT)
