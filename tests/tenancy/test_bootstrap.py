"""Bootstrap: creates the operator, the first company and team, once."""

from typing import Any

from teamspace.core import clock
from tests.identity.help import Hands, refusal
from tests.support.world import PASSWORD, Caller, World

DRAFT: dict[str, Any] = {"username": "ann", "password": PASSWORD}


async def test_bootstrap_creates_operator_company_and_team(world: World) -> None:
    body = DRAFT | {"display_name": "Ann Lee", "org": "Acme & Sons", "team": "Die Küche"}
    answer = await world.anonymous.post("/api/bootstrap", body)
    assert answer.status_code == 201
    created = answer.json()
    assert set(created) == {"token", "user", "org", "team"}
    assert created["token"].startswith("ts_a_")
    assert set(created["user"]) == {
        "id", "username", "display_name", "email", "locale", "time_zone", "operator", "created_at"
    }  # fmt: skip
    assert (created["user"]["username"], created["user"]["display_name"]) == ("ann", "Ann Lee")
    assert (created["org"]["name"], created["org"]["slug"], created["org"]["suspended_at"]) == (
        "Acme & Sons",
        "acme-sons",
        None,
    )
    assert (created["team"]["name"], created["team"]["org_id"]) == ("Die Küche", created["org"]["id"])

    me = (await Caller(world, created["token"]).get("/api/whoami")).json()
    assert (me["operator"], me["role"], me["org_role"]) == (True, "owner", "org_owner")
    assert me["user"] == created["user"]


async def test_company_and_team_have_default_names(world: World) -> None:
    ann = await world.bootstrap()
    assert (ann.org.name, ann.team.name) == ("Workspace", "General")


async def test_bootstrap_works_only_once(world: World) -> None:
    await world.bootstrap()
    before = await world.counts()
    for body in (DRAFT, {"username": "eve", "password": "short"}, DRAFT | {"username": "eve", "org": "Evil"}):
        assert refusal(await world.anonymous.post("/api/bootstrap", body)) == (409, "already_bootstrapped")
    assert await world.counts() == before


async def test_a_refused_bootstrap_changes_nothing(world: World) -> None:
    before = await world.counts()
    refused: tuple[dict[str, Any], ...] = (
        {},
        {"username": "ann"},
        DRAFT | {"password": "password1234"},
        DRAFT | {"username": "a"},
        DRAFT | {"username": "ann lee"},
        DRAFT | {"username": "-ann"},
        DRAFT | {"username": "ann\u0430"},
        DRAFT | {"display_name": "a\u202eb"},
        DRAFT | {"org": " "},
        DRAFT | {"team": "x" * 81},
        DRAFT | {"admin": True},
    )
    for body in refused:
        assert refusal(await world.anonymous.post("/api/bootstrap", body)) == (400, "invalid_request"), body
    assert await world.counts() == before
    await world.bootstrap()


async def test_the_first_token_has_a_name_that_its_owner_understands(world: World) -> None:
    ann = await world.bootstrap()
    assert [token["name"] for token in (await ann.get("/api/tokens")).json()["items"]] == ["Created with your account"]


async def test_the_first_token_expires_after_ninety_days(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    hands.forward(90 * clock.DAY - 1)
    assert (await ann.get("/api/whoami")).status_code == 200
    hands.forward(1)
    assert refusal(await ann.get("/api/whoami")) == (401, "token_expired")
