"""Credentials that were created for a person by someone else end when the person takes over the account."""

from typing import Any

import pytest

from teamspace import tenancy
from tests.identity.help import OTHER_PASSWORD, broken, is_alive, refusal, signed_in
from tests.support.world import PASSWORD, Caller, World

ROLE = "admin"


async def add_bob(world: World, ann: Caller, **more: Any) -> dict[str, Any]:
    answer = await ann.post("/api/members", {"username": "bob", "role": ROLE, **more})
    assert answer.status_code == 201, answer.text
    invited: dict[str, Any] = answer.json()
    return invited


async def mint_token(caller: Caller) -> Caller:
    answer = await caller.post("/api/tokens", {"name": "script", "ttl": "never"})
    assert answer.status_code == 201, answer.text
    return Caller(caller.world, answer.json()["token"])


async def active_keys(world: World) -> list[str]:
    """Return the ids of the active access keys."""
    return await world.db.all(str, "SELECT id FROM tokens WHERE kind = 's3' AND revoked_at IS NULL")


async def test_activation_ends_the_first_token_and_all_credentials_created_with_it(world: World) -> None:
    ann = await world.bootstrap()
    invited = await add_bob(world, ann)
    first = Caller(world, invited["token"])
    second = await mint_token(first)
    third = await mint_token(second)
    await third.post("/api/s3/credentials", {})
    assert len(await active_keys(world)) == 1

    link = invited["activation_url"].partition("#")[2]
    session = await world.anonymous.post("/api/activate", {"token": link, "password": PASSWORD})
    bob = Caller(world, session.json()["token"])
    assert [await is_alive(caller) for caller in (first, second, third)] == [False, False, False]
    assert await active_keys(world) == []
    assert await is_alive(bob)
    assert await broken(world) == []


async def test_setting_the_first_password_ends_all_other_credentials(world: World) -> None:
    ann = await world.bootstrap()
    first = Caller(world, (await add_bob(world, ann))["token"])
    second = await mint_token(first)
    assert (await first.post("/api/password", {"new_password": PASSWORD})).status_code == 204
    assert await is_alive(first)
    assert not await is_alive(second)

    session = await signed_in(world, "bob")
    change = {"current_password": PASSWORD, "new_password": OTHER_PASSWORD}
    assert (await session.post("/api/password", change)).status_code == 204
    assert not await is_alive(first)
    assert await is_alive(session)


async def test_credentials_from_a_password_chosen_by_someone_else_end_with_it(world: World) -> None:
    ann = await world.bootstrap()
    await add_bob(world, ann, password=PASSWORD)
    by_ann, by_bob = await signed_in(world, "bob"), await signed_in(world, "bob")
    leftover = await mint_token(by_ann)
    change = {"current_password": PASSWORD, "new_password": OTHER_PASSWORD}
    assert (await by_bob.post("/api/password", change)).status_code == 204
    assert [await is_alive(caller) for caller in (by_ann, leftover, by_bob)] == [False, False, True]

    own = await mint_token(await signed_in(world, "bob", OTHER_PASSWORD))
    again = {"current_password": OTHER_PASSWORD, "new_password": PASSWORD}
    assert (await by_bob.post("/api/password", again)).status_code == 204
    assert await is_alive(own)


async def test_a_new_owner_ends_the_credentials_created_by_the_operator(world: World) -> None:
    ann = await world.bootstrap()
    draft = {"name": "Aurora", "owner": {"username": "noor", "password": PASSWORD}}
    first = Caller(world, (await ann.post("/api/orgs", draft)).json()["token"])
    noor = await signed_in(world, "noor")
    change = {"current_password": PASSWORD, "new_password": OTHER_PASSWORD}
    assert (await noor.post("/api/password", change)).status_code == 204
    assert not await is_alive(first)


async def test_own_tokens_survive_a_password_change(world: World) -> None:
    ann = await world.bootstrap()
    script = await mint_token(ann)
    session = await signed_in(world, "ann")
    change = {"current_password": PASSWORD, "new_password": OTHER_PASSWORD}
    assert (await session.post("/api/password", change)).status_code == 204
    assert await is_alive(ann)
    assert await is_alive(script)


async def test_a_password_reset_on_the_command_line_ends_all_credentials(world: World) -> None:
    ann = await world.bootstrap()
    callers = [ann, await mint_token(ann), await signed_in(world, "ann")]
    await ann.post("/api/s3/credentials", {})
    await tenancy.reset_password(world.db, "ann", OTHER_PASSWORD)
    assert [await is_alive(caller) for caller in callers] == [False] * 3
    assert await active_keys(world) == []

    fresh = await signed_in(world, "ann", OTHER_PASSWORD)
    script = await mint_token(fresh)
    own = {"current_password": OTHER_PASSWORD, "new_password": PASSWORD}
    assert (await (await signed_in(world, "ann", OTHER_PASSWORD)).post("/api/password", own)).status_code == 204
    assert not await is_alive(script), "the person who reset the password could have created it"


@pytest.mark.parametrize("role", ["member", "admin"])
async def test_the_token_of_an_accepted_invitation_is_invalid(world: World, role: str) -> None:
    ann = await world.bootstrap()
    answer = await ann.post("/api/org/members", {"username": "bob", "team_id": ann.team.id, "role": role})
    invited = answer.json()
    link = invited["activation_url"].partition("#")[2]
    assert (await world.anonymous.post("/api/activate", {"token": link, "password": PASSWORD})).status_code == 200
    assert refusal(await Caller(world, invited["token"]).get("/api/whoami")) == (401, "unauthenticated")
