"""Public routes for pages of other origins, and what visitors write in a company."""

from collections.abc import AsyncIterator

import httpx2
import msgspec
import pytest

from teamspace import wiring
from teamspace.core import loader
from teamspace.core.loader import Package
from teamspace.core.routing import BEARER, PUBLIC, Cors, Route
from teamspace.settings import Settings
from tests.core.test_routing import faults, plain
from tests.support.world import Caller, World
from tests.support.world import world as open_world

pytestmark = pytest.mark.both_databases
FUNNEL = loader.load([Package("tests.core.sample_funnel")], wiring.TABLES, wiring.SHIPPED)
ELSEWHERE = {"origin": "https://elsewhere.example"}
PROVISION_TOKEN = "the-token-of-whoever-hosts-this"


@pytest.fixture
async def world(settings: Settings) -> AsyncIterator[World]:
    hosted = msgspec.structs.replace(settings, provision_token=PROVISION_TOKEN, base_url="https://acme.example")
    async with open_world(hosted, FUNNEL) as instance:
        yield instance


async def preflight(world: World, path: str, method: str) -> httpx2.Response:
    headers = ELSEWHERE | {"access-control-request-method": method, "access-control-request-headers": "content-type"}
    return await world.client.request("OPTIONS", path, headers=headers)


def cors(answer: httpx2.Response) -> dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name.startswith("access-control-")}


# Other origins


async def test_a_page_of_another_origin_may_read_the_response(world: World) -> None:
    answer = await world.anonymous.get("/api/funnel/acme", headers=ELSEWHERE)
    assert answer.json() == {"org": "acme"}
    assert cors(answer) == {
        "access-control-allow-origin": "*", "access-control-expose-headers": "retry-after, x-request-id",
    }  # fmt: skip
    assert cors(await world.anonymous.get("/api/funnel/acme/logo"))["access-control-allow-origin"] == "*"


async def test_a_refusal_can_be_read_too(world: World) -> None:
    for body in ({"email": "nobody"}, {}, {"unknown": 1}):
        answer = await world.anonymous.post("/api/funnel/acme", body, headers=ELSEWHERE)
        assert (answer.status_code, cors(answer)["access-control-allow-origin"]) == (400, "*")


@pytest.mark.parametrize("method", ["GET", "POST", "HEAD"])
async def test_the_preflight_is_answered(world: World, method: str) -> None:
    answer = await preflight(world, "/api/funnel/acme", method)
    assert (answer.status_code, answer.content) == (204, b"")
    assert cors(answer) == {
        "access-control-allow-origin": "*", "access-control-allow-methods": method,
        "access-control-allow-headers": "content-type", "access-control-max-age": "600",
        "access-control-expose-headers": "retry-after, x-request-id",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("path", "method", "status"),
    [
        ("/api/funnel/acme", "DELETE", 204),
        ("/api/funnel/acme", "PUT", 204),
        ("/api/notes", "POST", 405),
        ("/api/login", "POST", 405),
        ("/api/nowhere", "GET", 404),
        ("/api/funnel/acme", "FETCH", 204),
    ],
)
async def test_other_preflights_allow_nothing(world: World, path: str, method: str, status: int) -> None:
    answer = await preflight(world, path, method)
    assert (answer.status_code, cors(answer)) == (status, {})


async def test_all_other_routes_stay_closed_to_other_origins(world: World) -> None:
    ann = await world.bootstrap()
    for path in ("/api/config", "/api/notes", "/health", "/", "/api/nowhere"):
        assert cors(await ann.get(path, headers=ELSEWHERE)) == {}
    assert cors(await ann.delete("/api/funnel/acme", headers=ELSEWHERE)) == {}


async def test_preflights_spend_the_rate_of_their_address(settings: Settings) -> None:
    limited = msgspec.structs.replace(settings, rate_anonymous=3)
    async with open_world(limited, FUNNEL) as world:
        answers = [await preflight(world, "/api/funnel/acme", "POST") for _ in range(5)]
    assert [answer.status_code for answer in answers] == [204, 204, 204, 429, 429]
    assert cors(answers[-1])["access-control-allow-origin"] == "*"


@pytest.mark.parametrize(
    "row",
    [
        Route("GET", "/a", BEARER, None, None, "plain", "x", cors=Cors.ANY_ORIGIN),
        Route("GET", "/a", PUBLIC, None, None, "plain", "x", cors=Cors.ANY_ORIGIN, optional_credential=True),
    ],
)
def test_only_routes_without_a_credential_can_be_open_to_other_origins(row: Route) -> None:
    assert any("can be open to other origins" in fault for fault in faults(row, plain=plain))


# What visitors write


async def sign_up(world: World, org_id: str) -> tuple[int, str]:
    answer = await world.anonymous.post(f"/api/funnel/{org_id}", {"email": "eve@elsewhere.example"})
    return answer.status_code, answer.json().get("code", "")


async def sign_ups(world: World) -> list[str]:
    return await world.db.all(str, "SELECT org_id FROM audit WHERE action = 'prospect.sign_up'")


async def test_a_visitor_writes_in_an_active_company(world: World) -> None:
    org, _ = await world.company()
    assert await sign_up(world, org.id) == (201, "")
    assert await sign_ups(world) == [org.id]


async def test_a_visitor_writes_nothing_in_a_suspended_company(world: World) -> None:
    org, _ = await world.company()
    other, _ = await world.company()
    await world.suspend(org)
    assert await sign_up(world, org.id) == (403, "org_suspended")
    assert await sign_up(world, other.id) == (201, "")
    assert await sign_ups(world) == [other.id]


async def test_a_visitor_writes_nothing_for_a_suspended_tenant(world: World) -> None:
    org, _ = await world.company()
    assert (await Caller(world, PROVISION_TOKEN).post("/api/instance/suspend")).status_code == 200
    assert await sign_up(world, org.id) == (402, "tenant_suspended")
    assert await sign_ups(world) == []


async def test_a_visitor_writes_nothing_in_a_company_that_does_not_exist(world: World) -> None:
    assert await sign_up(world, "nowhere") == (401, "unauthenticated")
    assert await sign_ups(world) == []
