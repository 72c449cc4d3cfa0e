"""Signing in, and the limits for guessing."""

import asyncio

import pytest

from teamspace import identity
from teamspace.core import clock
from teamspace.core.db import Tx
from teamspace.identity.domain import tokens
from teamspace.settings import Settings
from tests.identity.help import (
    OTHER_PASSWORD,
    Hands,
    Hasher,
    code,
    enrolled,
    is_alive,
    login,
    reached_from,
    refusal,
    signed_in,
)
from tests.support.world import PASSWORD, World
from tests.support.world import world as open_world

WINDOW = 15 * clock.MINUTE
INVALID = (401, "invalid_credentials")
TOO_MANY = (429, "too_many_attempts")


async def fail(world: World, username: str, times: int) -> None:
    for _ in range(times):
        assert refusal(await login(world, username, "a wrong password")) == INVALID


# The answer


async def test_a_sign_in_returns_the_session_the_team_and_the_company(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    answer = await login(world, "ann")
    assert answer.status_code == 200
    session = answer.json()
    assert set(session) == {"token", "token_type", "expires_at", "user", "team", "org"}
    assert session["token"].startswith("ts_s_")
    assert session["token_type"] == "bearer"
    assert session["expires_at"] == clock.stamp(hands.at + 30 * clock.DAY)
    assert session["user"] == {
        "id": ann.user_id, "username": "ann", "display_name": "ann", "email": None, "locale": None,
        "time_zone": None, "operator": True,
        "created_at": clock.stamp(),
    }  # fmt: skip
    assert (session["team"]["id"], session["org"]["id"]) == (ann.team.id, ann.org.id)


async def test_usernames_are_case_insensitive(world: World) -> None:
    ann = await world.bootstrap("Ann.Lee")
    assert (await signed_in(world, "aNN.lEE")).user_id == ann.user_id


async def test_a_session_acts_in_the_requested_team(world: World) -> None:
    ann = await world.bootstrap()
    second = await world.team(ann.org, "Second")
    await world.join(ann, second)
    for requested, team_id in ((None, ann.team.id), (second.id, second.id), ("second", second.id)):
        answer = await login(world, "ann", team=requested)
        assert answer.json()["team"]["id"] == team_id


async def test_a_team_without_membership_is_refused_like_an_unknown_one(world: World) -> None:
    ann = await world.bootstrap()
    other = await world.team(ann.org, "Other")
    _, elsewhere = await world.company()
    answers = [await login(world, "ann", team=team) for team in (other.id, "other", elsewhere.id, "no-such-team")]
    assert {refusal(answer) for answer in answers} == {(404, "not_found")}
    assert len({answer.json()["detail"] for answer in answers}) == 1


async def test_a_person_without_a_team_cannot_sign_in(world: World) -> None:
    ann = await world.bootstrap()
    await world.person(ann.org, None, username="bob", password=PASSWORD)
    assert refusal(await login(world, "bob")) == (403, "forbidden")


async def test_people_of_a_suspended_company_can_still_sign_in(world: World) -> None:
    ann = await world.bootstrap()
    await world.suspend(ann.org)
    assert await is_alive(await signed_in(world, "ann"))


# Usernames cannot be probed


async def test_a_wrong_password_and_an_unknown_name_get_the_same_response(world: World) -> None:
    ann = await world.bootstrap()
    await world.person(ann.org, ann.team, username="without.password")
    bodies = {
        (await world.anonymous.post(
            "/api/login", {"username": username, "password": "a wrong password"}, headers={"x-request-id": "request-1"}
        )).content
        for username in ("ann", "nobody", "without.password", "not a username")
    }  # fmt: skip
    assert len(bodies) == 1


async def test_every_failed_sign_in_costs_one_verification(world: World, hasher: Hasher) -> None:
    ann = await world.bootstrap()
    await world.person(ann.org, ann.team, username="without.password")
    for number, username in enumerate(("ann", "nobody", "without.password"), start=1):
        assert refusal(await login(world, username, "a wrong password")) == INVALID
        assert hasher.verified == number


# The limits


@pytest.mark.parametrize("username", ["ann", "nobody"])
async def test_five_failures_lock_a_username_for_that_address_until_the_window_ends(
    world: World, hands: Hands, username: str
) -> None:
    await world.bootstrap()
    await fail(world, username, 5)
    hands.forward(100)
    refused = await login(world, username)
    assert refusal(refused) == TOO_MANY
    assert refused.headers["retry-after"] == str(WINDOW - 100)
    assert refused.json()["retry_after"] == WINDOW - 100

    hands.forward(WINDOW - 101)
    assert refusal(await login(world, username)) == TOO_MANY
    hands.forward(1)
    assert (await login(world, username)).status_code == (200 if username == "ann" else 401)


async def test_failures_from_another_address_do_not_lock_anyone_out(world: World) -> None:
    await world.bootstrap()
    async with reached_from(world, "192.0.2.7") as attacker:
        await fail(attacker, "ann", 5)
        for _ in range(60):
            assert refusal(await login(attacker, "ann", "a wrong password")) == TOO_MANY
    assert (await login(world, "ann")).status_code == 200


async def fail_from_everywhere(world: World, username: str) -> None:
    """Fail fifty times, five times from each address."""
    for number in range(10):
        async with reached_from(world, f"198.51.100.{number}") as attacker:
            await fail(attacker, username, 5)


async def test_fifty_failures_lock_a_username_for_unknown_addresses(world: World, hands: Hands) -> None:
    await world.bootstrap()
    await fail_from_everywhere(world, "ann")
    refused = await login(world, "ann")
    assert refusal(refused) == TOO_MANY
    assert refused.headers["retry-after"] == str(WINDOW)
    hands.forward(WINDOW)
    assert (await login(world, "ann")).status_code == 200


async def test_the_address_of_a_sign_in_is_known_for_thirty_days(world: World, hands: Hands) -> None:
    await world.bootstrap()
    async with reached_from(world, "2001:db8::1") as home:
        assert (await login(home, "ann")).status_code == 200
    hands.forward(30 * clock.DAY - 1)
    await identity.delete_expired_credentials(world.db)
    await fail_from_everywhere(world, "ann")
    assert refusal(await login(world, "ann")) == TOO_MANY
    async with reached_from(world, "2001:db8::2") as same_network:
        await fail(same_network, "ann", 4)
        assert (await login(same_network, "ann")).status_code == 200

    hands.forward(30 * clock.DAY + 1)
    await identity.delete_expired_credentials(world.db)
    assert (await world.db.one(int, "SELECT COUNT(*) FROM known_networks")) == 0
    await fail_from_everywhere(world, "ann")
    async with reached_from(world, "2001:db8::2") as forgotten:
        assert refusal(await login(forgotten, "ann")) == TOO_MANY


async def test_a_known_address_of_another_person_does_not_help(world: World) -> None:
    ann = await world.bootstrap()
    await world.person(ann.org, ann.team, username="bob", password=PASSWORD)
    assert (await login(world, "bob")).status_code == 200
    await fail_from_everywhere(world, "ann")
    assert refusal(await login(world, "ann")) == TOO_MANY


async def test_five_failures_lock_a_known_address_too(world: World) -> None:
    await world.bootstrap()
    assert (await login(world, "ann")).status_code == 200
    await fail(world, "ann", 5)
    assert refusal(await login(world, "ann")) == TOO_MANY


async def test_attempts_while_locked_do_not_extend_the_lock(world: World, hands: Hands) -> None:
    await world.bootstrap()
    await fail(world, "ann", 5)
    for _ in range(14):
        hands.forward(clock.MINUTE)
        assert refusal(await login(world, "ann", "a wrong password")) == TOO_MANY
    hands.forward(clock.MINUTE)
    assert (await login(world, "ann")).status_code == 200


async def test_spellings_of_a_username_share_its_limit(world: World) -> None:
    await world.bootstrap()
    for username in ("ann", "Ann", "ANN", "aNn", "anN"):
        await fail(world, username, 1)
    assert refusal(await login(world, "AnN")) == TOO_MANY


async def test_a_success_resets_the_failures(world: World) -> None:
    await world.bootstrap()
    for _ in range(3):
        await fail(world, "ann", 4)
        assert (await login(world, "ann")).status_code == 200


async def test_wrong_codes_count_as_failures_whatever_is_tried_in_between(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    secret = (await enrolled(ann))["secret"]
    wrong = code(secret, hands.at + clock.HOUR)
    for _ in range(5):
        assert refusal(await login(world, "ann", totp=wrong)) == (401, "totp_invalid")
        assert (await login(world, "ann")).status_code in (401, 429)
    assert refusal(await login(world, "ann", totp=code(secret, hands.at))) == TOO_MANY


async def test_a_sign_in_without_the_required_code_is_not_a_failure(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    secret = (await enrolled(ann))["secret"]
    for _ in range(35):
        assert refusal(await login(world, "ann")) == (401, "totp_required")
    assert (await login(world, "ann", totp=code(secret, hands.at))).status_code == 200


async def test_thirty_failures_lock_only_that_address(world: World, hands: Hands) -> None:
    await world.bootstrap()
    async with reached_from(world, "192.0.2.7") as attacker:
        for number in range(30):
            await fail(attacker, f"guess{number}", 1)
        assert refusal(await login(attacker, "ann")) == TOO_MANY
        async with reached_from(world, "192.0.2.8") as neighbour:
            assert (await login(neighbour, "ann")).status_code == 200
        hands.forward(WINDOW)
        assert (await login(attacker, "ann")).status_code == 200


async def test_an_ipv6_network_of_64_bits_counts_as_one_address(world: World) -> None:
    await world.bootstrap()
    for number in range(30):
        async with reached_from(world, f"2001:db8::{number:x}:1") as attacker:
            await fail(attacker, f"guess{number}", 1)
    async with reached_from(world, "2001:db8::ffff:ffff:ffff:ffff") as same_network:
        assert refusal(await login(same_network, "ann")) == TOO_MANY
    async with reached_from(world, "2001:db8:0:1::1") as next_network:
        assert (await login(next_network, "ann")).status_code == 200


async def test_successes_do_not_lock_an_address(world: World) -> None:
    await world.bootstrap()
    for _ in range(31):
        assert (await login(world, "ann")).status_code == 200


async def test_the_counts_survive_a_restart(settings: Settings) -> None:
    async with open_world(settings) as before:
        await before.bootstrap()
        await fail(before, "ann", 5)
    async with open_world(settings) as after:
        assert refusal(await login(after, "ann")) == TOO_MANY


async def test_existing_sessions_work_during_an_attack(world: World) -> None:
    await world.bootstrap()
    ann = await signed_in(world, "ann")
    await fail(world, "ann", 5)
    assert refusal(await login(world, "ann")) == TOO_MANY
    assert (await ann.post("/api/notes", {"title": "Still here"})).status_code == 201


@pytest.mark.both_databases
@pytest.mark.parametrize("username", ["ann", "nobody"])
async def test_a_hundred_concurrent_guesses_get_five_verifications(world: World, hasher: Hasher, username: str) -> None:
    await world.bootstrap()
    answers = await asyncio.gather(*(login(world, username, f"wrong password {n}") for n in range(100)))
    assert sorted(answer.status_code for answer in answers) == [401] * 5 + [429] * 95
    assert hasher.verified == 5


async def test_one_failing_cleanup_does_not_stop_the_others(
    world: World, hands: Hands, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fails(tx: Tx, limit: int, then: str) -> list[str]:
        raise RuntimeError("a row is in the way")

    await world.bootstrap()
    await fail(world, "ann", 1)
    hands.forward(WINDOW)
    monkeypatch.setattr(tokens, "_EXPIRED", ((fails, 0), *tokens._EXPIRED))
    await identity.delete_expired_credentials(world.db)
    assert not await world.db.exists("SELECT 1 FROM login_attempts")
    assert "a row is in the way" in caplog.text


async def test_cleanup_deletes_counts_of_ended_windows(world: World, hands: Hands) -> None:
    await world.bootstrap()
    await fail(world, "ann", 1)
    hands.forward(WINDOW)
    await fail(world, "bob", 1)
    await identity.delete_expired_credentials(world.db)
    assert await world.db.all(str, "SELECT subject FROM login_attempts WHERE subject LIKE 'user:%'") == ["user:bob"]


async def test_a_changed_password_is_the_only_one_that_works(world: World) -> None:
    ann = await world.bootstrap()
    await ann.post("/api/password", {"current_password": PASSWORD, "new_password": OTHER_PASSWORD})
    assert refusal(await login(world, "ann")) == INVALID
    assert (await login(world, "ann", OTHER_PASSWORD)).status_code == 200
