"""The bootstrap code: where it is set, the first run takes it; where it is not and others reach the instance, that is said."""

import logging
from typing import Any

import msgspec
import pytest

from teamspace import instance, ops
from teamspace.instance.domain.facts import UNCLAIMED
from teamspace.settings import Settings
from tests.identity.help import Hands, login, reached_from, refusal
from tests.support.world import PASSWORD, World
from tests.support.world import world as opened

CODE = "the code of this instance"
WISH: dict[str, Any] = {"username": "ann", "password": PASSWORD}
FORBIDDEN, TOO_MANY = (403, "forbidden"), (429, "too_many_attempts")


@pytest.fixture
def coded(settings: Settings) -> Settings:
    return msgspec.structs.replace(settings, bootstrap_code=CODE)


async def bootstrap(world: World, **more: Any) -> tuple[int, str]:
    answer = await world.anonymous.post("/api/bootstrap", WISH | more)
    return (201, "") if answer.status_code == 201 else refusal(answer)


async def test_the_first_run_takes_the_code_where_one_is_set(coded: Settings) -> None:
    async with opened(coded) as world:
        assert (await world.anonymous.get("/api/config")).json()["bootstrap_code"] is True
        for given in ({}, {"code": None}, {"code": ""}, {"code": "a guess"}, {"code": CODE + " "}):
            assert await bootstrap(world, **given) == FORBIDDEN, given
        assert (await world.counts())["users"] == 0
        assert await bootstrap(world, code=CODE) == (201, "")
        assert await bootstrap(world, code="a guess") == (409, "already_bootstrapped")


async def test_guesses_are_counted_by_address_like_failed_sign_ins(coded: Settings, hands: Hands) -> None:
    async with opened(coded) as world, reached_from(world, "192.0.2.7") as attacker:
        for _ in range(30):
            assert await bootstrap(attacker, code="a guess") == FORBIDDEN
        assert await bootstrap(attacker, code=CODE) == TOO_MANY
        assert refusal(await login(attacker, "ann")) == TOO_MANY
        assert await bootstrap(world, code=CODE) == (201, "")


async def test_without_one_the_first_run_is_open_and_a_code_is_not_looked_at(world: World) -> None:
    assert (await world.anonymous.get("/api/config")).json()["bootstrap_code"] is False
    assert await bootstrap(world, code="anything") == (201, "")


REACHED = [
    {"host": "0.0.0.0"},
    {"base_url": "https://work.example.com"},
    {"provision_token": "whoever-hosts-this-provisions-it"},
]


@pytest.mark.parametrize("reach", REACHED, ids=["host", "address", "hosted"])
async def test_an_instance_that_anybody_could_claim_says_so(
    settings: Settings, reach: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    exposed = msgspec.structs.replace(settings, **reach)
    async with opened(exposed) as world:
        with caplog.at_level(logging.WARNING):
            await instance.warn(world.db, exposed)
        assert UNCLAIMED in [record.getMessage() for record in caplog.records]
        assert await setup(world, exposed) == [UNCLAIMED]
        assert await setup(world, msgspec.structs.replace(exposed, bootstrap_code=CODE)) == []
        assert await setup(world, settings) == []

        ann = await world.bootstrap()
        assert await setup(world, exposed) == []
        assert (await ann.get("/api/admin/status")).json()["warnings"] == []


async def setup(world: World, settings: Settings) -> list[str]:
    """What the doctor finds in the setup; it counts as broken."""
    [verdict] = [each async for each in ops.run_checks(world.db, settings=settings) if each.name == "setup"]
    assert verdict.broken == bool(verdict.found)
    return verdict.found
