"""Where a request came from and whom it asked for: by its own headers, or by those of a proxy that is trusted."""

import ipaddress
from typing import Any

import httpx2
import pytest

from teamspace import tenancy
from teamspace.core.addresses import Network, rate_limit_key
from teamspace.core.http import Gate
from teamspace.core.limits import Rate, Stopping
from teamspace.core.principal import Principal
from teamspace.core.routing import BEARER, PUBLIC, Endpoint, Route
from tests.support.world import Caller, World

PROXY, STRANGER = "10.0.0.7", "203.0.113.9"
TRUSTED: tuple[Network, ...] = (ipaddress.ip_network("10.0.0.0/8"), ipaddress.ip_network("fd00::/8"))


async def _show(who: Principal) -> dict[str, str]:
    return {"kind": who.kind, "username": who.username, "host": who.call.host, "address": who.call.address}


def _endpoint(path: str, **options: Any) -> Endpoint:
    route = Route("GET", path, options.pop("auth", PUBLIC), None, None, "show", "Tells what it sees.", **options)
    return Endpoint(route, _show, (), frozenset({"who"}), {}, None, None, None)


ENDPOINTS = [
    _endpoint("/recognises", optional_credential=True),
    _endpoint("/public"),
    _endpoint("/private", auth=BEARER),
]


async def seen(
    world: World, path: str = "/recognises", *, peer: str = STRANGER, who: Caller | None = None,
    trusted: tuple[Network, ...] = TRUSTED, rate: int = 0, times: int = 1, **headers: str | bytes,
) -> Any:  # fmt: skip
    """What the handler sees of a request, or the statuses of several."""
    gate = Gate(
        ENDPOINTS, world.db, tenancy.CallerCache(world.app.last_use).identify, stopping=Stopping(), trusted=trusted,
        token_rate=Rate(0, 0), anonymous_rate=Rate(rate, rate),
    )  # fmt: skip
    if who is not None:
        headers["authorization"] = f"Bearer {who.token}"
    given = [
        (name.replace("_", "-").encode(), value if isinstance(value, bytes) else value.encode())
        for name, value in headers.items()
    ]
    transport = httpx2.ASGITransport(app=gate, client=(peer, 50000))
    async with httpx2.AsyncClient(transport=transport, base_url="http://teamspace.test") as client:
        answers = [await client.get(path, headers=given) for _ in range(times)]
    if rate:
        return [answer.status_code for answer in answers]
    assert answers[0].status_code == 200, answers[0].text
    return answers[0].json()


# Hosts

HOSTS: tuple[tuple[str | bytes, str], ...] = (
    ("work.example.com", "work.example.com"),
    ("Work.EXAMPLE.com", "work.example.com"),
    ("work.example.com:8443", "work.example.com"),
    ("work.example.com.", "work.example.com"),
    ("work.example.com.:80", "work.example.com"),
    ("localhost:8080", "localhost"),
    ("xn--bcher-kva.example", "xn--bcher-kva.example"),
    ("127.0.0.1:8080", "127.0.0.1"),
    ("[::1]:8080", "[::1]"),
    ("", ""),
    ("work example", ""),
    ("work.example.com/path", ""),
    ("user@work.example.com", ""),
    ("work.example.com:port", ""),
    ("work.example.com, evil.example", ""),
    ("<script>", ""),
    ("x" * 254, ""),
    ("bücher.example".encode(), ""),
)


async def test_a_hostname_is_read_in_lower_case_and_without_its_port(world: World) -> None:
    for trusted in ((), TRUSTED):
        read = [(host, (await seen(world, host=host, trusted=trusted))["host"]) for host, _ in HOSTS]
        assert read == list(HOSTS)


async def test_a_proxy_that_is_trusted_tells_the_hostname(world: World) -> None:
    told = [(host, (await seen(world, peer=PROXY, host="inside", x_forwarded_host=host))["host"]) for host, _ in HOSTS]
    listed = {"work.example.com, evil.example": "work.example.com"}
    assert told == [(host, listed.get(str(host), name) or "inside") for host, name in HOSTS]
    assert (await seen(world, peer="fd00::7", x_forwarded_host="work.example.com"))["host"] == "work.example.com"


async def test_nobody_else_does(world: World) -> None:
    for peer in (STRANGER, "127.0.0.1", "11.0.0.7", "fe80::1", "::ffff:11.0.0.7", ""):
        told = await seen(world, peer=peer, host="here.example", x_forwarded_host="evil.example")
        assert told["host"] == "here.example", peer
    untrusting = await seen(world, peer=PROXY, trusted=(), host="here.example", x_forwarded_host="evil.example")
    assert untrusting["host"] == "here.example"
    by_forwarding = await seen(world, host="here.example", x_forwarded_for=PROXY, x_forwarded_host="evil.example")
    assert by_forwarding["host"] == "here.example", "who was forwarded for is no proxy"


@pytest.mark.parametrize("inner", ["team_space:8080", "_", ""])
async def test_a_proxy_may_call_the_server_what_it_likes(world: World, inner: str) -> None:
    """Container names hold underscores, and proxies send them as Host unless told otherwise."""
    told = await seen(world, peer=PROXY, host=inner, x_forwarded_host="work.example.com")
    assert told["host"] == "work.example.com"


async def test_every_public_route_sees_the_hostname_and_no_other(world: World) -> None:
    ann = await world.bootstrap()
    assert (await seen(world, "/public", host="work.example.com"))["host"] == "work.example.com"
    assert (await seen(world, "/private", who=ann, host="work.example.com"))["host"] == ""


# Addresses


async def test_the_address_is_the_peers_or_what_trusted_proxies_say(world: World) -> None:
    ann = await world.bootstrap()
    for peer, forwarded, expected in (
        (STRANGER, "198.51.100.1", STRANGER),
        (PROXY, "198.51.100.1", "198.51.100.1"),
        (PROXY, "1.2.3.4, 198.51.100.1", "198.51.100.1"),
        (PROXY, "198.51.100.1, 10.1.1.1", "198.51.100.1"),
        (PROXY, "10.2.2.2, 10.1.1.1", "10.2.2.2"),
        (PROXY, "2001:db8::1", "2001:db8::1"),
        (PROXY, "nobody", PROXY),
        (PROXY, "", PROXY),
        ("fd00::7", "198.51.100.1", "198.51.100.1"),
    ):
        for path, who in (("/recognises", None), ("/recognises", ann), ("/public", None), ("/private", ann)):
            told = await seen(world, path, peer=peer, who=who, x_forwarded_for=forwarded)
            assert told["address"] == expected, (peer, forwarded, path)
    assert (await seen(world, peer=PROXY, trusted=(), x_forwarded_for="198.51.100.1"))["address"] == PROXY


async def test_an_ipv4_address_is_one_on_a_socket_for_both_families_too(world: World) -> None:
    """A server on `::` sees 10.0.0.7 as ::ffff:10.0.0.7."""
    told = await seen(world, peer=f"::ffff:{PROXY}", x_forwarded_for="198.51.100.1", x_forwarded_host="work.example")
    assert (told["address"], told["host"]) == ("198.51.100.1", "work.example")
    assert rate_limit_key(f"::ffff:{STRANGER}") != rate_limit_key("::ffff:198.51.100.1"), "strangers share no limit"


# Who is recognised


async def test_a_public_route_recognises_whom_it_cares_for(world: World) -> None:
    ann = await world.bootstrap()
    session, scoped = await world.session(ann), await world.token(ann, scope=["notes:read"])
    worker = await world.worker(ann.org, ann.team)
    for who, kind, username in (
        (ann, "api", "ann"),
        (session, "session", "ann"),
        (scoped, "api", "ann"),
        (worker, "worker", ""),
    ):
        told = await seen(world, who=who, host="work.example.com")
        assert (told["kind"], told["username"], told["host"]) == (kind, username, "work.example.com")
    assert (await seen(world, "/public", who=ann))["kind"] == "anonymous"
    assert (await seen(world))["kind"] == "anonymous"


async def test_whose_credential_does_not_hold_is_nobody(world: World) -> None:
    ann = await world.bootstrap()
    expired, revoked = await world.token(ann, ttl=-1), await world.token(ann)
    await world.revoke(revoked)
    gone = await world.person(ann.org, ann.team)
    assert (await ann.delete(f"/api/members/{gone.user_id}")).status_code == 204
    nobody = await seen(world)
    for who in (expired, revoked, gone, Caller(world, "nonsense"), Caller(world, "ts_a_" + "x" * 36)):
        assert await seen(world, who=who) == nobody
    for header in ("", "Bearer", "Bearer ", f"Basic {ann.token}", f"Bearer {ann.token} {ann.token}", str(ann.token)):
        assert await seen(world, authorization=header) == nobody, header


async def test_guessing_costs_the_address_what_asking_openly_does_at_least(world: World) -> None:
    ann = await world.bootstrap()
    openly = await seen(world, rate=4, times=6)
    guessing = await seen(world, rate=4, times=6, who=Caller(world, "ts_a_" + "x" * 36))
    assert openly == [200] * 4 + [429] * 2
    assert guessing.count(200) <= 4 and guessing[-1] == 429
    assert await seen(world, rate=4, times=6, who=ann) == [200] * 6, "who is recognised pays by their token"
