"""The bootstrap code: required if configured; a warning if it is missing on an exposed instance."""

import logging
from typing import Any

import msgspec
import pytest

from teamspace import instance, ops
from teamspace.instance.domain.facts import UNCLAIMED
from teamspace.settings import Settings
from tests.identity.help import Hands, login, reached_from, refusal
from tests.support.world import PASSWORD, World
from tests.support.world import world as open_world

CODE = "the code of this instance"
DRAFT: dict[str, Any] = {"username": "ann", "password": PASSWORD}
FORBIDDEN, TOO_MANY = (403, "forbidden"), (429, "too_many_attempts")


@pytest.fixture
def settings_with_code(settings: Settings) -> Settings:
    return msgspec.structs.replace(settings, bootstrap_code=CODE)


async def bootstrap(world: World, **more: Any) -> tuple[int, str]:
    answer = await world.anonymous.post("/api/bootstrap", DRAFT | more)
    return (201, "") if answer.status_code == 201 else refusal(answer)


async def test_bootstrap_requires_the_configured_code(settings_with_code: Settings) -> None:
    async with open_world(settings_with_code) as world:
        assert (await world.anonymous.get("/api/config")).json()["bootstrap_code"] is True
        for fields in ({}, {"code": None}, {"code": ""}, {"code": "a guess"}, {"code": CODE + " "}):
            assert await bootstrap(world, **fields) == FORBIDDEN, fields
        assert (await world.counts())["users"] == 0
        assert await bootstrap(world, code=CODE) == (201, "")
        assert await bootstrap(world, code="a guess") == (409, "already_bootstrapped")


async def test_wrong_codes_are_throttled_by_address_like_failed_sign_ins(
    settings_with_code: Settings, hands: Hands
) -> None:
    async with open_world(settings_with_code) as world, reached_from(world, "192.0.2.7") as attacker:
        for _ in range(30):
            assert await bootstrap(attacker, code="a guess") == FORBIDDEN
        assert await bootstrap(attacker, code=CODE) == TOO_MANY
        assert refusal(await login(attacker, "ann")) == TOO_MANY
        assert await bootstrap(world, code=CODE) == (201, "")


async def test_without_a_configured_code_any_code_is_ignored(world: World) -> None:
    assert (await world.anonymous.get("/api/config")).json()["bootstrap_code"] is False
    assert await bootstrap(world, code="anything") == (201, "")


EXPOSED = [
    {"host": "0.0.0.0"},
    {"base_url": "https://work.example.com"},
    {"provision_token": "whoever-hosts-this-provisions-it"},
]


@pytest.mark.parametrize("change", EXPOSED, ids=["host", "address", "hosted"])
async def test_an_exposed_instance_without_a_code_has_a_warning(
    settings: Settings, change: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    exposed = msgspec.structs.replace(settings, **change)
    async with open_world(exposed) as world:
        with caplog.at_level(logging.WARNING):
            await instance.warn(world.db, exposed)
        assert UNCLAIMED in [record.getMessage() for record in caplog.records]
        assert await setup_findings(world, exposed) == [UNCLAIMED]
        assert await setup_findings(world, msgspec.structs.replace(exposed, bootstrap_code=CODE)) == []
        assert await setup_findings(world, settings) == []

        ann = await world.bootstrap()
        assert await setup_findings(world, exposed) == []
        assert (await ann.get("/api/admin/status")).json()["warnings"] == []


async def setup_findings(world: World, settings: Settings) -> list[str]:
    """The findings of the doctor's setup check, which count as broken."""
    [verdict] = [check async for check in ops.run_checks(world.db, settings=settings) if check.name == "setup"]
    assert verdict.broken == bool(verdict.found)
    return verdict.found
