"""A token created with another credential cannot change how its owner signs in without a fresh proof."""

from typing import Any

from teamspace.core import clock
from tests.identity.help import Hands, broken, code, enrolled, is_alive, login, refusal
from tests.support.world import PASSWORD, Caller, World

REAUTH = (403, "reauth_required")
OUT_OF_SCOPE = (403, "out_of_scope")


async def mint_token(caller: Caller, **draft: Any) -> Caller:
    answer = await caller.post("/api/tokens", {"name": "script", **draft})
    assert answer.status_code == 201, answer.text
    return Caller(caller.world, answer.json()["token"], user_id=caller.user_id)


async def test_a_minted_token_needs_the_password_to_enable_a_second_factor(world: World) -> None:
    ann = await world.bootstrap()
    token = await mint_token(ann)
    for body in ({}, {"confirm": True}, {"password": ""}, {"password": "a wrong password"}):
        assert refusal(await token.post("/api/2fa/enable", body)) == REAUTH, body
    assert (await world.counts())["totp"] == 0
    assert (await token.post("/api/2fa/enable", {"password": PASSWORD})).status_code == 200


async def test_a_minted_token_cannot_confirm_a_prepared_secret(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    token = await mint_token(ann)
    shown = await token.post("/api/2fa/enable", {"confirm": True, "password": PASSWORD})
    right = code(shown.json()["secret"], hands.at)
    assert refusal(await token.post("/api/2fa/enable", {"code": right})) == REAUTH
    assert (await token.post("/api/2fa/enable", {"code": right, "password": PASSWORD})).status_code == 200


async def test_a_minted_token_does_not_renew_recovery_codes_without_password_or_code(
    world: World, hands: Hands
) -> None:
    ann = await world.bootstrap()
    token = await mint_token(ann)
    factor = await enrolled(ann)
    wrong = code(factor["secret"], hands.at + clock.HOUR)
    for body in ({}, {"password": "a wrong password"}, {"code": wrong}):
        assert refusal(await token.post("/api/2fa/recovery-codes", body)) == REAUTH, body
    renewed = await token.post("/api/2fa/recovery-codes", {"code": code(factor["secret"], hands.at)})
    assert renewed.status_code == 200
    assert (
        await token.post("/api/2fa/recovery-codes", {"code": renewed.json()["recovery_codes"][0]})
    ).status_code == 200
    assert (await token.post("/api/2fa/recovery-codes", {"password": PASSWORD})).status_code == 200
    assert await broken(world) == []


async def test_a_minted_token_needs_a_proof_to_set_the_first_password(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    added = await ann.post("/api/members", {"username": "bob", "role": "admin"})
    first = Caller(world, added.json()["token"])
    token = await mint_token(first)
    assert refusal(await token.post("/api/password", {"new_password": PASSWORD})) == REAUTH
    secret = (await enrolled(first))["secret"]
    assert refusal(await token.post("/api/password", {"new_password": PASSWORD})) == REAUTH
    draft = {"new_password": PASSWORD, "code": code(secret, hands.at)}
    assert (await token.post("/api/password", draft)).status_code == 204
    assert (await login(world, "bob", totp=code(secret, hands.at + 30))).status_code == 200


async def test_first_tokens_and_sessions_need_no_proof_at_any_age(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    added = await ann.post("/api/members", {"username": "bob", "role": "member"})
    first = Caller(world, added.json()["token"])
    hands.forward(80 * clock.DAY)
    session = await world.session(ann)
    hands.forward(clock.HOUR)
    for caller in (session, ann, first):
        assert (await caller.post("/api/2fa/enable")).status_code in (200, 409)
        assert (await caller.post("/api/2fa/recovery-codes")).status_code == 200
    assert (await first.post("/api/password", {"new_password": PASSWORD})).status_code == 204


async def test_guesses_with_a_minted_token_are_limited(world: World) -> None:
    token = await mint_token(await world.bootstrap())
    for _ in range(5):
        assert refusal(await token.post("/api/2fa/enable", {"password": "a wrong password"})) == REAUTH
    assert refusal(await token.post("/api/2fa/enable", {"password": PASSWORD})) == (429, "too_many_attempts")


async def test_the_second_factor_is_turned_off_with_a_code(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    factor = await enrolled(ann)
    assert refusal(await ann.delete("/api/2fa", {"code": code(factor["secret"], hands.at + clock.HOUR)})) == REAUTH
    assert (await ann.delete("/api/2fa", {"code": factor["recovery_codes"][0]})).status_code == 204
    secret = (await enrolled(ann))["secret"]
    assert (await ann.delete("/api/2fa", {"code": code(secret, hands.at)})).status_code == 204


async def test_a_scoped_token_cannot_create_one_that_outlives_it(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    scope = ["settings:manage", "notes:read"]
    token = await mint_token(ann, scope=scope, ttl=3600)
    hands.forward(600)
    for ttl in (3001, 7_776_000, "never"):
        draft = {"name": "longer", "scope": ["notes:read"], "ttl": ttl}
        assert refusal(await token.post("/api/tokens", draft)) == OUT_OF_SCOPE, ttl
    expiries = {
        (await token.post("/api/tokens", {"name": "x", "scope": ["notes:read"], **ttl})).json()["expires_at"]
        for ttl in ({}, {"ttl": 3000})
    }
    assert expiries == {clock.stamp(hands.at + 3000)}

    endless = await mint_token(ann, scope=scope, ttl="never")
    assert await is_alive(await mint_token(endless, scope=["notes:read"], ttl="never"))


async def test_an_unscoped_token_can_create_one_with_any_lifetime(world: World) -> None:
    ann = await world.bootstrap()
    short = await mint_token(ann, ttl=60)
    assert await is_alive(await mint_token(short, ttl="never"))
