"""The client address and hostname of a request: from its own headers, or from those of a trusted proxy."""

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
    route = Route("GET", path, options.pop("auth", PUBLIC), None, None, "show", "Returns what it sees.", **options)
    return Endpoint(route, _show, (), frozenset({"who"}), {}, None, None, None)


ENDPOINTS = [
    _endpoint("/recognises", optional_credential=True),
    _endpoint("/public"),
    _endpoint("/private", auth=BEARER),
]


async def request(
    world: World, path: str = "/recognises", *, peer: str = STRANGER, who: Caller | None = None,
    trusted: tuple[Network, ...] = TRUSTED, rate: int = 0, times: int = 1, **headers: str | bytes,
) -> Any:  # fmt: skip
    """Sends a request; returns what the handler sees of it, or the statuses of several."""
    gate = Gate(
        ENDPOINTS, world.db, tenancy.CallerCache(world.app.last_use).identify, stopping=Stopping(), trusted=trusted,
        token_rate=Rate(0, 0), anonymous_rate=Rate(rate, rate),
    )  # fmt: skip
    if who is not None:
        headers["authorization"] = f"Bearer {who.token}"
    encoded = [
        (name.replace("_", "-").encode(), value if isinstance(value, bytes) else value.encode())
        for name, value in headers.items()
    ]
    transport = httpx2.ASGITransport(app=gate, client=(peer, 50000))
    async with httpx2.AsyncClient(transport=transport, base_url="http://teamspace.test") as client:
        answers = [await client.get(path, headers=encoded) for _ in range(times)]
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
        read = [(host, (await request(world, host=host, trusted=trusted))["host"]) for host, _ in HOSTS]
        assert read == list(HOSTS)


async def test_a_trusted_proxy_sets_the_hostname(world: World) -> None:
    seen = [
        (host, (await request(world, peer=PROXY, host="inside", x_forwarded_host=host))["host"]) for host, _ in HOSTS
    ]
    listed = {"work.example.com, evil.example": "work.example.com"}
    assert seen == [(host, listed.get(str(host), name) or "inside") for host, name in HOSTS]
    assert (await request(world, peer="fd00::7", x_forwarded_host="work.example.com"))["host"] == "work.example.com"


async def test_an_untrusted_peer_does_not_set_the_hostname(world: World) -> None:
    for peer in (STRANGER, "127.0.0.1", "11.0.0.7", "fe80::1", "::ffff:11.0.0.7", ""):
        seen = await request(world, peer=peer, host="here.example", x_forwarded_host="evil.example")
        assert seen["host"] == "here.example", peer
    untrusting = await request(world, peer=PROXY, trusted=(), host="here.example", x_forwarded_host="evil.example")
    assert untrusting["host"] == "here.example"
    by_forwarding = await request(world, host="here.example", x_forwarded_for=PROXY, x_forwarded_host="evil.example")
    assert by_forwarding["host"] == "here.example", "the forwarded client is not a proxy"


@pytest.mark.parametrize("inner", ["team_space:8080", "_", ""])
async def test_the_hostname_a_proxy_uses_for_the_server_is_ignored(world: World, inner: str) -> None:
    """Container names can have underscores, and proxies send them as Host by default."""
    seen = await request(world, peer=PROXY, host=inner, x_forwarded_host="work.example.com")
    assert seen["host"] == "work.example.com"


async def test_only_public_routes_see_the_hostname(world: World) -> None:
    ann = await world.bootstrap()
    assert (await request(world, "/public", host="work.example.com"))["host"] == "work.example.com"
    assert (await request(world, "/private", who=ann, host="work.example.com"))["host"] == ""


# Addresses


async def test_the_address_is_the_peers_or_the_one_from_trusted_proxies(world: World) -> None:
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
            seen = await request(world, path, peer=peer, who=who, x_forwarded_for=forwarded)
            assert seen["address"] == expected, (peer, forwarded, path)
    assert (await request(world, peer=PROXY, trusted=(), x_forwarded_for="198.51.100.1"))["address"] == PROXY


async def test_an_ipv4_mapped_ipv6_address_counts_as_ipv4(world: World) -> None:
    """A server on `::` sees 10.0.0.7 as ::ffff:10.0.0.7."""
    seen = await request(world, peer=f"::ffff:{PROXY}", x_forwarded_for="198.51.100.1", x_forwarded_host="work.example")
    assert (seen["address"], seen["host"]) == ("198.51.100.1", "work.example")
    assert rate_limit_key(f"::ffff:{STRANGER}") != rate_limit_key("::ffff:198.51.100.1"), "clients do not share a limit"


# Optional credentials


async def test_a_public_route_with_optional_credential_recognises_the_caller(world: World) -> None:
    ann = await world.bootstrap()
    session, scoped = await world.session(ann), await world.token(ann, scope=["notes:read"])
    worker = await world.worker(ann.org, ann.team)
    for who, kind, username in (
        (ann, "api", "ann"),
        (session, "session", "ann"),
        (scoped, "api", "ann"),
        (worker, "worker", ""),
    ):
        seen = await request(world, who=who, host="work.example.com")
        assert (seen["kind"], seen["username"], seen["host"]) == (kind, username, "work.example.com")
    assert (await request(world, "/public", who=ann))["kind"] == "anonymous"
    assert (await request(world))["kind"] == "anonymous"


async def test_an_invalid_credential_counts_as_anonymous(world: World) -> None:
    ann = await world.bootstrap()
    expired, revoked = await world.token(ann, ttl=-1), await world.token(ann)
    await world.revoke(revoked)
    gone = await world.person(ann.org, ann.team)
    assert (await ann.delete(f"/api/members/{gone.user_id}")).status_code == 204
    anonymous = await request(world)
    for who in (expired, revoked, gone, Caller(world, "nonsense"), Caller(world, "ts_a_" + "x" * 36)):
        assert await request(world, who=who) == anonymous
    for header in ("", "Bearer", "Bearer ", f"Basic {ann.token}", f"Bearer {ann.token} {ann.token}", str(ann.token)):
        assert await request(world, authorization=header) == anonymous, header


async def test_guessing_a_token_counts_against_the_anonymous_rate(world: World) -> None:
    ann = await world.bootstrap()
    anonymous = await request(world, rate=4, times=6)
    guessing = await request(world, rate=4, times=6, who=Caller(world, "ts_a_" + "x" * 36))
    assert anonymous == [200] * 4 + [429] * 2
    assert guessing.count(200) <= 4 and guessing[-1] == 429
    assert await request(world, rate=4, times=6, who=ann) == [200] * 6, (
        "a recognised caller counts against the rate of the token"
    )
