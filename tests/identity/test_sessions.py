"""Sessions: lifetime, number, and what ends them."""

from collections.abc import Awaitable, Callable

import httpx2
import pytest

from teamspace.core import clock
from tests.identity.help import OTHER_PASSWORD, Hands, code, enrolled, is_alive, refusal, signed_in
from tests.support.world import PASSWORD, Caller, World

EXPIRED = (401, "token_expired")


async def list_sessions(caller: Caller) -> list[dict[str, object]]:
    items: list[dict[str, object]] = (await caller.get("/api/sessions")).json()["items"]
    return items


# Lifetime


async def test_a_session_ends_after_a_day_without_use(world: World, hands: Hands) -> None:
    await world.bootstrap()
    ann = await signed_in(world, "ann")
    hands.forward(clock.DAY - 1)
    assert await is_alive(ann)
    hands.forward(1)
    assert refusal(await ann.get("/api/whoami")) == EXPIRED


async def test_saving_the_last_use_does_not_invalidate_cached_rights(world: World, hands: Hands) -> None:
    await world.bootstrap()
    ann = await signed_in(world, "ann")
    epoch = await world.db.rights_epoch(fresh=True)
    hands.forward(clock.HOUR)
    assert await is_alive(ann)
    await world.app.last_use.save(world.db)
    assert await world.db.rights_epoch(fresh=True) == epoch


async def test_a_session_in_use_lives_for_thirty_days_and_no_longer(world: World, hands: Hands) -> None:
    await world.bootstrap()
    ann = await signed_in(world, "ann")
    for _ in range(59):
        hands.forward(clock.DAY / 2)
        assert await is_alive(ann)
        await world.app.last_use.save(world.db)
    hands.forward(clock.DAY / 2)
    assert refusal(await ann.get("/api/whoami")) == EXPIRED


async def test_the_eleventh_session_drops_the_oldest(world: World) -> None:
    await world.bootstrap()
    sessions = [await signed_in(world, "ann") for _ in range(12)]
    assert [await is_alive(session) for session in sessions] == [False] * 2 + [True] * 10
    assert len(await list_sessions(sessions[-1])) == 10


async def test_sessions_of_one_person_do_not_drop_those_of_another(world: World) -> None:
    ann = await world.bootstrap()
    await world.person(ann.org, ann.team, username="bob", password=PASSWORD)
    bob = await signed_in(world, "bob")
    for _ in range(11):
        await signed_in(world, "ann")
    assert await is_alive(bob)


# The list


async def test_a_person_sees_their_own_live_sessions(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    await world.person(ann.org, ann.team, username="bob", password=PASSWORD)
    await signed_in(world, "bob")
    await signed_in(world, "ann")
    hands.forward(clock.DAY)
    first, second = await signed_in(world, "ann"), await signed_in(world, "ann")
    sessions = await list_sessions(second)
    assert [session["current"] for session in sessions] == [True, False]
    assert set(sessions[0]) == {
        "id", "team_id", "address", "agent", "created_at", "last_used_at", "expires_at", "kept", "current",
    }  # fmt: skip
    assert (sessions[0]["team_id"], sessions[0]["address"]) == (ann.team.id, "127.0.0.1")
    assert [session["current"] for session in await list_sessions(first)] == [False, True]
    assert [session["current"] for session in await list_sessions(ann)] == [False, False]


async def test_people_can_end_their_own_sessions(world: World) -> None:
    await world.bootstrap()
    lost, ann = await signed_in(world, "ann"), await signed_in(world, "ann")
    lost_id = next(session["id"] for session in await list_sessions(ann) if not session["current"])
    assert (await ann.delete(f"/api/sessions/{lost_id}")).status_code == 204
    assert not await is_alive(lost)
    assert refusal(await ann.delete(f"/api/sessions/{lost_id}")) == (404, "not_found")


async def test_the_sessions_route_ends_neither_sessions_of_others_nor_tokens(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team, username="bob", password=PASSWORD)
    session = await signed_in(world, "bob")
    bobs_session = (await list_sessions(session))[0]["id"]
    token = (await ann.get("/api/tokens")).json()["items"][0]["id"]
    for id in (bobs_session, token, "nothing"):
        assert refusal(await ann.delete(f"/api/sessions/{id}")) == (404, "not_found")
    assert await is_alive(session)
    assert await is_alive(bob)


async def test_signing_out_ends_only_that_session(world: World) -> None:
    await world.bootstrap()
    one, other = await signed_in(world, "ann"), await signed_in(world, "ann")
    assert (await one.post("/api/logout")).status_code == 204
    assert not await is_alive(one)
    assert await is_alive(other)


async def test_an_api_token_cannot_sign_out(world: World) -> None:
    ann = await world.bootstrap()
    assert refusal(await ann.post("/api/logout")) == (409, "conflict")
    assert await is_alive(ann)


# What ends other sessions

Change = Callable[[Caller, Hands], Awaitable[httpx2.Response]]


async def change_password(caller: Caller, hands: Hands) -> httpx2.Response:
    return await caller.post("/api/password", {"current_password": PASSWORD, "new_password": OTHER_PASSWORD})


async def enable_at_once(caller: Caller, hands: Hands) -> httpx2.Response:
    return await caller.post("/api/2fa/enable")


async def enable_with_a_code(caller: Caller, hands: Hands) -> httpx2.Response:
    secret = (await caller.post("/api/2fa/enable", {"confirm": True})).json()["secret"]
    return await caller.post("/api/2fa/enable", {"code": code(secret, hands.at)})


@pytest.mark.parametrize("change", [change_password, enable_at_once, enable_with_a_code])
async def test_changing_a_proof_ends_every_other_session(world: World, hands: Hands, change: Change) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team, username="bob", password=PASSWORD)
    others = [await signed_in(world, "ann") for _ in range(3)]
    this, other_person = await signed_in(world, "ann"), await signed_in(world, "bob")
    assert (await change(this, hands)).is_success
    assert [await is_alive(session) for session in others] == [False] * 3
    assert all([await is_alive(caller) for caller in (this, ann, bob, other_person)])


async def test_turning_the_second_factor_off_ends_every_other_session(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    codes = (await enrolled(ann))["recovery_codes"]
    other, this = [await signed_in(world, "ann", totp=codes[number]) for number in range(2)]
    assert (await this.delete("/api/2fa")).status_code == 204
    assert (await is_alive(other), await is_alive(this), await is_alive(ann)) == (False, True, True)


async def test_a_prepared_secret_ends_no_session(world: World) -> None:
    await world.bootstrap()
    other, this = await signed_in(world, "ann"), await signed_in(world, "ann")
    await this.post("/api/2fa/enable", {"confirm": True})
    assert await is_alive(other)


async def test_a_password_changed_with_an_api_token_ends_all_sessions(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    session = await signed_in(world, "ann")
    assert (await change_password(ann, hands)).status_code == 204
    assert (await is_alive(session), await is_alive(ann)) == (False, True)
