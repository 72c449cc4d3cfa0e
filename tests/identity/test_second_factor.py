"""The second factor: single-use codes, recovery codes, and turning it off."""

import base64
from urllib.parse import parse_qs, urlsplit

import pytest

from teamspace.core import clock
from teamspace.tenancy.schemas import Role
from tests.identity.help import (
    Hands,
    code,
    enrolled,
    is_alive,
    login,
    refusal,
    signed_in,
)
from tests.support.world import PASSWORD, World

STEP = 30
REQUIRED = (401, "totp_required")
INVALID = (401, "totp_invalid")
CONFLICT = (409, "conflict")
REAUTH = (403, "reauth_required")


def test_the_codes_of_these_tests_match_rfc_6238() -> None:
    secret = base64.b32encode(b"12345678901234567890").decode()
    expected = {59: "287082", 1111111109: "081804", 1234567890: "005924", 2000000000: "279037", 20000000000: "353130"}
    assert {at: code(secret, at) for at in expected} == expected


# Turning it on


async def test_an_empty_body_enables_it_at_once(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    shown = await enrolled(ann)
    assert set(shown) == {"secret", "otpauth_uri", "qr_svg", "armed", "recovery_codes"}
    assert shown["armed"] is True
    assert len(set(shown["recovery_codes"])) == 10
    assert shown["qr_svg"].startswith("<svg")

    uri = urlsplit(shown["otpauth_uri"])
    assert (uri.scheme, uri.netloc, uri.path) == ("otpauth", "totp", "/Teamspace:ann")
    assert parse_qs(uri.query)["secret"] == [shown["secret"]]

    assert refusal(await login(world, "ann")) == REQUIRED
    assert (await login(world, "ann", totp=code(shown["secret"], hands.at))).status_code == 200


async def test_a_prepared_secret_has_no_effect_until_it_is_confirmed(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    shown = (await ann.post("/api/2fa/enable", {"confirm": True})).json()
    assert shown["armed"] is False
    assert "recovery_codes" not in shown
    assert (await login(world, "ann")).status_code == 200

    wrong = code(shown["secret"], hands.at + clock.HOUR)
    assert refusal(await ann.post("/api/2fa/enable", {"code": wrong})) == INVALID
    right = code(shown["secret"], hands.at)
    armed = (await ann.post("/api/2fa/enable", {"code": right})).json()
    assert (armed["armed"], armed["secret"], len(armed["recovery_codes"])) == (True, shown["secret"], 10)

    assert refusal(await login(world, "ann")) == REQUIRED
    assert refusal(await login(world, "ann", totp=right)) == INVALID
    hands.forward(STEP)
    assert (await login(world, "ann", totp=code(shown["secret"], hands.at))).status_code == 200


async def test_preparing_again_replaces_an_unconfirmed_secret(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    first, second = [(await ann.post("/api/2fa/enable", {"confirm": True})).json()["secret"] for _ in range(2)]
    assert refusal(await ann.post("/api/2fa/enable", {"code": code(first, hands.at)})) == INVALID
    assert (await ann.post("/api/2fa/enable", {"code": code(second, hands.at)})).status_code == 200


async def test_confirming_needs_a_prepared_secret(world: World) -> None:
    ann = await world.bootstrap()
    assert refusal(await ann.post("/api/2fa/enable", {"code": "123456"})) == CONFLICT


async def test_an_enabled_factor_is_not_replaced(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    secret = (await enrolled(ann))["secret"]
    for body in ({}, {"confirm": True}, {"code": code(secret, hands.at)}):
        assert refusal(await ann.post("/api/2fa/enable", body)) == CONFLICT
    assert (await login(world, "ann", totp=code(secret, hands.at))).status_code == 200


# Codes


async def test_codes_one_step_off_are_accepted_and_no_more(world: World, hands: Hands) -> None:
    secret = (await enrolled(await world.bootstrap()))["secret"]
    for drift in (-2 * STEP, 2 * STEP):
        assert refusal(await login(world, "ann", totp=code(secret, hands.at + drift))) == INVALID
    for drift in (-STEP, 0, STEP):
        await signed_in(world, "ann", totp=code(secret, hands.at + drift))


async def test_a_code_works_once_and_invalidates_older_ones(world: World, hands: Hands) -> None:
    secret = (await enrolled(await world.bootstrap()))["secret"]
    now = code(secret, hands.at)
    assert (await login(world, "ann", totp=now)).status_code == 200
    assert refusal(await login(world, "ann", totp=now)) == INVALID
    assert refusal(await login(world, "ann", totp=code(secret, hands.at - STEP))) == INVALID
    assert (await login(world, "ann", totp=code(secret, hands.at + STEP))).status_code == 200
    hands.forward(STEP)
    assert refusal(await login(world, "ann", totp=code(secret, hands.at))) == INVALID


async def test_a_code_may_be_written_in_groups(world: World, hands: Hands) -> None:
    secret = (await enrolled(await world.bootstrap()))["secret"]
    digits = code(secret, hands.at)
    assert (await login(world, "ann", totp=f" {digits[:3]} {digits[3:]}")).status_code == 200


async def test_a_malformed_code_is_refused(world: World, no_attempt_limit: None) -> None:
    await enrolled(await world.bootstrap())
    for typed in ("", " ", "12345", "1234567", "١٢٣٤٥٦", "not a code", "-"):
        assert (await login(world, "ann", totp=typed)).status_code == 401, typed


async def test_a_code_does_not_replace_the_password(world: World, hands: Hands) -> None:
    secret = (await enrolled(await world.bootstrap()))["secret"]
    answer = await login(world, "ann", "a wrong password", totp=code(secret, hands.at))
    assert refusal(answer) == (401, "invalid_credentials")
    assert (await login(world, "ann", totp=code(secret, hands.at))).status_code == 200


async def test_a_code_of_another_person_is_refused(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team, username="bob", password=PASSWORD)
    await enrolled(ann)
    other_factor = await enrolled(bob)
    for typed in (code(other_factor["secret"], hands.at), other_factor["recovery_codes"][0]):
        assert refusal(await login(world, "ann", totp=typed)) == INVALID


# Recovery codes


async def test_each_recovery_code_works_once(world: World) -> None:
    ann = await world.bootstrap()
    codes = (await enrolled(ann))["recovery_codes"]
    for spent, recovery in enumerate(codes, start=1):
        assert (await login(world, "ann", totp=recovery)).status_code == 200
        assert refusal(await login(world, "ann", totp=recovery)) == INVALID
        assert (await ann.get("/api/2fa/recovery-codes")).json() == {"remaining": 10 - spent}


async def test_a_recovery_code_can_be_typed_in_any_form(world: World) -> None:
    codes = (await enrolled(await world.bootstrap()))["recovery_codes"]
    for typed in (codes[0].lower(), codes[1].replace("-", ""), codes[2].replace("-", " ")):
        assert (await login(world, "ann", totp=typed)).status_code == 200


async def test_new_recovery_codes_invalidate_the_old_ones(world: World) -> None:
    ann = await world.bootstrap()
    old = (await enrolled(ann))["recovery_codes"]
    assert (await login(world, "ann", totp=old[0])).status_code == 200
    fresh = (await ann.post("/api/2fa/recovery-codes")).json()["recovery_codes"]
    assert len(set(fresh) - set(old)) == 10
    assert (await ann.get("/api/2fa/recovery-codes")).json() == {"remaining": 10}
    assert refusal(await login(world, "ann", totp=old[1])) == INVALID
    assert (await login(world, "ann", totp=fresh[0])).status_code == 200


async def test_there_are_no_recovery_codes_without_an_enabled_factor(world: World) -> None:
    ann = await world.bootstrap()
    for _ in ("off", "prepared"):
        assert refusal(await ann.post("/api/2fa/recovery-codes")) == CONFLICT
        assert (await ann.get("/api/2fa/recovery-codes")).json() == {"remaining": 0}
        await ann.post("/api/2fa/enable", {"confirm": True})


# Turning it off


async def test_the_password_turns_it_off(world: World) -> None:
    ann = await world.bootstrap()
    await enrolled(ann)
    assert (await ann.delete("/api/2fa", {"password": PASSWORD})).status_code == 204
    assert (await login(world, "ann")).status_code == 200
    counts = await world.counts()
    assert (counts["totp"], counts["recovery_codes"]) == (0, 0)
    assert refusal(await ann.delete("/api/2fa", {"password": PASSWORD})) == CONFLICT


async def test_a_sign_in_of_the_last_15_minutes_turns_it_off(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    secret = (await enrolled(ann))["secret"]
    session = await signed_in(world, "ann", totp=code(secret, hands.at))
    hands.forward(15 * clock.MINUTE)
    assert refusal(await session.delete("/api/2fa")) == REAUTH
    fresh = await signed_in(world, "ann", totp=code(secret, hands.at))
    hands.forward(15 * clock.MINUTE - 1)
    assert (await fresh.delete("/api/2fa")).status_code == 204


async def test_a_token_without_a_proof_does_not_turn_it_off(world: World) -> None:
    ann = await world.bootstrap()
    await enrolled(ann)
    for body in (None, {}, {"password": None}, {"password": ""}, {"password": "a wrong password"}):
        assert refusal(await ann.delete("/api/2fa", body)) == REAUTH
    assert refusal(await login(world, "ann")) == REQUIRED


async def test_a_wrong_password_does_not_fall_back_to_a_recent_sign_in(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    secret = (await enrolled(ann))["secret"]
    session = await signed_in(world, "ann", totp=code(secret, hands.at))
    assert refusal(await session.delete("/api/2fa", {"password": "a wrong password"})) == REAUTH


@pytest.mark.parametrize("body", [None, {"password": PASSWORD}, {"password": "a wrong password"}, {"code": "000000"}])
async def test_turning_it_off_twice_is_a_conflict_whatever_the_proof(world: World, body: dict[str, str] | None) -> None:
    ann = await world.bootstrap()
    for _ in ("off", "prepared"):
        assert refusal(await ann.delete("/api/2fa", body)) == CONFLICT
        await ann.post("/api/2fa/enable", {"confirm": True})


# By an operator


async def test_an_operator_can_remove_anyones_factor_and_ends_their_sessions(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    org, team = await world.company()
    zoe = await world.person(org, team, Role.OWNER, username="zoe", password=PASSWORD)
    secret = (await enrolled(zoe))["secret"]
    session = await signed_in(world, "zoe", totp=code(secret, hands.at))

    assert (await ann.delete(f"/api/admin/users/{zoe.user_id}/2fa")).status_code == 204
    assert not await is_alive(session)
    assert await is_alive(zoe)
    assert (await login(world, "zoe")).status_code == 200


async def test_only_operators_remove_a_factor_and_only_of_existing_people(world: World) -> None:
    ann = await world.bootstrap()
    owner = await world.person(ann.org, ann.team, Role.OWNER)
    scoped = await world.token(ann, scope=["notes:read"])
    path = f"/api/admin/users/{ann.user_id}/2fa"
    assert refusal(await owner.delete(path)) == (403, "forbidden")
    assert refusal(await scoped.delete(path)) == (403, "out_of_scope")
    assert refusal(await ann.delete("/api/admin/users/nobody/2fa")) == (404, "not_found")
