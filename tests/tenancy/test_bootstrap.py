"""The first run: it makes the operator, the first company and team, and then never again."""

from typing import Any

from teamspace.core import clock
from tests.identity.help import Hands, refusal
from tests.support.world import PASSWORD, Caller, World

WISH: dict[str, Any] = {"username": "ann", "password": PASSWORD}


async def test_the_first_run_makes_operator_company_and_team(world: World) -> None:
    wish = WISH | {"display_name": "Ann Lee", "org": "Acme & Sons", "team": "Die Küche"}
    answer = await world.anonymous.post("/api/bootstrap", wish)
    assert answer.status_code == 201
    made = answer.json()
    assert set(made) == {"token", "user", "org", "team"}
    assert made["token"].startswith("ts_a_")
    assert set(made["user"]) == {"id", "username", "display_name", "email", "locale", "operator", "created_at"}
    assert (made["user"]["username"], made["user"]["display_name"]) == ("ann", "Ann Lee")
    assert (made["org"]["name"], made["org"]["slug"], made["org"]["suspended_at"]) == ("Acme & Sons", "acme-sons", None)
    assert (made["team"]["name"], made["team"]["org_id"]) == ("Die Küche", made["org"]["id"])

    me = (await Caller(world, made["token"]).get("/api/whoami")).json()
    assert (me["operator"], me["role"], me["org_role"]) == (True, "owner", "org_owner")
    assert me["user"] == made["user"]


async def test_company_and_team_have_names_without_being_asked(world: World) -> None:
    ann = await world.bootstrap()
    assert (ann.org.name, ann.team.name) == ("Workspace", "General")


async def test_there_is_no_second_first_run(world: World) -> None:
    await world.bootstrap()
    before = await world.counts()
    for wish in (WISH, {"username": "eve", "password": "short"}, WISH | {"username": "eve", "org": "Evil"}):
        assert refusal(await world.anonymous.post("/api/bootstrap", wish)) == (409, "already_bootstrapped")
    assert await world.counts() == before


async def test_a_refused_first_run_leaves_the_instance_as_it_was(world: World) -> None:
    before = await world.counts()
    refused: tuple[dict[str, Any], ...] = (
        {},
        {"username": "ann"},
        WISH | {"password": "password1234"},
        WISH | {"username": "a"},
        WISH | {"username": "ann lee"},
        WISH | {"username": "-ann"},
        WISH | {"username": "ann\u0430"},
        WISH | {"display_name": "a\u202eb"},
        WISH | {"org": " "},
        WISH | {"team": "x" * 81},
        WISH | {"admin": True},
    )
    for wish in refused:
        assert refusal(await world.anonymous.post("/api/bootstrap", wish)) == (400, "invalid_request"), wish
    assert await world.counts() == before
    await world.bootstrap()


async def test_the_first_token_lives_for_ninety_days(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    hands.forward(90 * clock.DAY - 1)
    assert (await ann.get("/api/whoami")).status_code == 200
    hands.forward(1)
    assert refusal(await ann.get("/api/whoami")) == (401, "token_expired")
