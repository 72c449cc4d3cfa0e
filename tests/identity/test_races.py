"""Concurrent requests: what must happen once happens once, on both databases."""

import asyncio

import pytest

from teamspace.core import clock
from tests.identity.help import (
    CLIENTS,
    OTHER_PASSWORD,
    Hands,
    Pause,
    code,
    enrolled,
    login,
    race,
    refusal,
    run_sql,
)
from tests.support.world import PASSWORD, Caller, World

FEW = 5
pytestmark = pytest.mark.usefixtures("patient")


async def live_sessions(world: World) -> int:
    sql = "SELECT COUNT(*) FROM tokens WHERE kind = 'session' AND revoked_at IS NULL"
    return await world.db.one(int, sql) or 0


@pytest.mark.processes
@pytest.mark.both_databases
@pytest.mark.usefixtures("no_attempt_limit")
async def test_a_code_opens_one_session(world: World, hands: Hands, rounds: int) -> None:
    secret = (await enrolled(await world.bootstrap()))["secret"]
    for _ in range(rounds):
        hands.forward(30)
        now = code(secret, hands.at)
        assert await race(login(world, "ann", totp=now) for _ in range(CLIENTS)) == {200: 1, 401: CLIENTS - 1}


@pytest.mark.processes
@pytest.mark.both_databases
@pytest.mark.usefixtures("no_attempt_limit")
async def test_a_recovery_code_opens_one_session(world: World, rounds: int) -> None:
    ann = await world.bootstrap()
    codes = (await enrolled(ann))["recovery_codes"]
    for number in range(rounds):
        if number == len(codes):
            codes += (await ann.post("/api/2fa/recovery-codes")).json()["recovery_codes"]
        one = codes[number]
        assert await race(login(world, "ann", totp=one) for _ in range(CLIENTS)) == {200: 1, 401: CLIENTS - 1}


@pytest.mark.processes
@pytest.mark.both_databases
@pytest.mark.usefixtures("no_attempt_limit")
async def test_concurrent_sign_ins_leave_ten_sessions(world: World, rounds: int) -> None:
    await world.bootstrap()
    for _ in range(rounds):
        assert await race(login(world, "ann") for _ in range(CLIENTS)) == {200: CLIENTS}
        assert await live_sessions(world) == 10


@pytest.mark.processes
@pytest.mark.both_databases
async def test_concurrent_sign_ins_within_the_attempt_limit_leave_ten_sessions(world: World, rounds: int) -> None:
    await world.bootstrap()
    for _ in range(rounds):
        assert set(await race(login(world, "ann") for _ in range(CLIENTS))) <= {200, 429}
        assert await live_sessions(world) <= 10
        await run_sql(world, "DELETE FROM login_attempts")


@pytest.mark.processes
@pytest.mark.both_databases
async def test_a_second_factor_is_enabled_once(world: World) -> None:
    ann = await world.bootstrap()
    for _ in range(FEW):
        assert await race(ann.post("/api/2fa/enable") for _ in range(CLIENTS)) == {200: 1, 409: CLIENTS - 1}
        assert (await ann.get("/api/2fa/recovery-codes")).json() == {"remaining": 10}
        await ann.delete("/api/2fa", {"password": PASSWORD})


@pytest.mark.processes
@pytest.mark.both_databases
async def test_a_second_factor_is_confirmed_once(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    for _ in range(FEW):
        secret = (await ann.post("/api/2fa/enable", {"confirm": True})).json()["secret"]
        draft = {"code": code(secret, hands.at)}
        assert await race(ann.post("/api/2fa/enable", draft) for _ in range(CLIENTS)) == {200: 1, 409: CLIENTS - 1}
        assert (await ann.get("/api/2fa/recovery-codes")).json() == {"remaining": 10}
        await ann.delete("/api/2fa", {"password": PASSWORD})


@pytest.mark.processes
@pytest.mark.both_databases
async def test_concurrent_renewals_leave_one_set_of_recovery_codes(world: World) -> None:
    ann = await world.bootstrap()
    await enrolled(ann)
    for _ in range(FEW):
        assert await race(ann.post("/api/2fa/recovery-codes") for _ in range(CLIENTS)) == {200: CLIENTS}
        assert (await ann.get("/api/2fa/recovery-codes")).json() == {"remaining": 10}


@pytest.mark.processes
@pytest.mark.both_databases
async def test_a_token_is_revoked_once(world: World) -> None:
    ann = await world.bootstrap()
    for _ in range(FEW):
        made = (await ann.post("/api/tokens", {"name": "script"})).json()
        path = f"/api/tokens/{made['id']}"
        assert await race(ann.delete(path) for _ in range(CLIENTS)) == {204: 1, 404: CLIENTS - 1}


@pytest.mark.processes
@pytest.mark.both_databases
async def test_an_idempotency_key_takes_effect_once_and_all_answers_are_equal(world: World, rounds: int) -> None:
    ann = await world.bootstrap()
    for number in range(1, rounds + 1):
        key = {"idempotency-key": f"key-{number}"}
        answers = await asyncio.gather(*(ann.post("/api/notes", {"title": "One"}, headers=key) for _ in range(CLIENTS)))
        assert {answer.status_code for answer in answers} == {201}
        assert len({answer.content for answer in answers}) == 1
        assert (await world.counts())["notes"] == number


@pytest.mark.both_databases
async def test_an_idempotency_key_is_free_again_after_a_day(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    for number in (1, 2):
        answer = await ann.post("/api/notes", {"title": "Daily"}, headers={"idempotency-key": "daily"})
        assert answer.status_code == 201
        assert (await world.counts())["notes"] == number
        hands.forward(clock.DAY + 1)


# Changes during a slow request


async def change_password(caller: Caller) -> None:
    answer = await caller.post("/api/password", {"current_password": PASSWORD, "new_password": OTHER_PASSWORD})
    assert answer.status_code == 204, answer.text


@pytest.mark.both_databases
async def test_a_password_change_during_a_sign_in_opens_no_session(world: World) -> None:
    ann = await world.bootstrap()
    answer = await Pause(world, "session.open").during(login(world, "ann"), change_password(ann))
    assert await live_sessions(world) == 0
    assert refusal(answer) == (401, "invalid_credentials")


@pytest.mark.both_databases
async def test_enabling_a_second_factor_during_a_sign_in_opens_no_session(world: World) -> None:
    ann = await world.bootstrap()
    answer = await Pause(world, "session.open").during(login(world, "ann"), enrolled(ann))
    assert await live_sessions(world) == 0
    assert answer.status_code == 401
