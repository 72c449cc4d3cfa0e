"""Credentials that somebody else made for a person, and so may hold: they end when the person takes over."""

from typing import Any

import pytest

from teamspace import tenancy
from tests.identity.help import OTHER_PASSWORD, broken, is_alive, refusal, signed_in
from tests.support.world import PASSWORD, Caller, World

ROLE = "admin"


async def added(world: World, ann: Caller, **more: Any) -> dict[str, Any]:
    answer = await ann.post("/api/members", {"username": "bob", "role": ROLE, **more})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def minted(caller: Caller) -> Caller:
    answer = await caller.post("/api/tokens", {"name": "script", "ttl": "never"})
    assert answer.status_code == 201, answer.text
    return Caller(caller.world, answer.json()["token"])


async def keys(world: World) -> list[str]:
    """The access keys that work."""
    return await world.db.all(str, "SELECT id FROM tokens WHERE kind = 's3' AND revoked_at IS NULL")


async def test_activation_ends_the_first_token_and_all_that_was_made_with_it(world: World) -> None:
    ann = await world.bootstrap()
    made = await added(world, ann)
    first = Caller(world, made["token"])
    second = await minted(first)
    third = await minted(second)
    await third.post("/api/s3/credentials", {})
    assert len(await keys(world)) == 1

    link = made["activation_url"].partition("#")[2]
    session = await world.anonymous.post("/api/activate", {"token": link, "password": PASSWORD})
    bob = Caller(world, session.json()["token"])
    assert [await is_alive(caller) for caller in (first, second, third)] == [False, False, False]
    assert await keys(world) == []
    assert await is_alive(bob)
    assert await broken(world) == []


async def test_a_first_password_ends_them_but_for_the_credential_it_was_set_with(world: World) -> None:
    ann = await world.bootstrap()
    first = Caller(world, (await added(world, ann))["token"])
    second = await minted(first)
    assert (await first.post("/api/password", {"new_password": PASSWORD})).status_code == 204
    assert await is_alive(first)
    assert not await is_alive(second)

    session = await signed_in(world, "bob")
    change = {"current_password": PASSWORD, "new_password": OTHER_PASSWORD}
    assert (await session.post("/api/password", change)).status_code == 204
    assert not await is_alive(first)
    assert await is_alive(session)


async def test_what_was_made_with_a_password_that_somebody_else_chose_ends_with_it(world: World) -> None:
    ann = await world.bootstrap()
    await added(world, ann, password=PASSWORD)
    by_ann, by_bob = await signed_in(world, "bob"), await signed_in(world, "bob")
    left_behind = await minted(by_ann)
    change = {"current_password": PASSWORD, "new_password": OTHER_PASSWORD}
    assert (await by_bob.post("/api/password", change)).status_code == 204
    assert [await is_alive(caller) for caller in (by_ann, left_behind, by_bob)] == [False, False, True]

    own = await minted(await signed_in(world, "bob", OTHER_PASSWORD))
    again = {"current_password": OTHER_PASSWORD, "new_password": PASSWORD}
    assert (await by_bob.post("/api/password", again)).status_code == 204
    assert await is_alive(own)


async def test_the_owner_of_a_new_company_gets_rid_of_its_operator(world: World) -> None:
    ann = await world.bootstrap()
    wish = {"name": "Aurora", "owner": {"username": "noor", "password": PASSWORD}}
    first = Caller(world, (await ann.post("/api/orgs", wish)).json()["token"])
    noor = await signed_in(world, "noor")
    change = {"current_password": PASSWORD, "new_password": OTHER_PASSWORD}
    assert (await noor.post("/api/password", change)).status_code == 204
    assert not await is_alive(first)


async def test_ones_own_tokens_outlive_a_new_password(world: World) -> None:
    ann = await world.bootstrap()
    script = await minted(ann)
    session = await signed_in(world, "ann")
    change = {"current_password": PASSWORD, "new_password": OTHER_PASSWORD}
    assert (await session.post("/api/password", change)).status_code == 204
    assert await is_alive(ann)
    assert await is_alive(script)


async def test_a_password_that_is_reset_at_the_command_line_ends_everything(world: World) -> None:
    ann = await world.bootstrap()
    callers = [ann, await minted(ann), await signed_in(world, "ann")]
    await ann.post("/api/s3/credentials", {})
    await tenancy.reset_password(world.db, "ann", OTHER_PASSWORD)
    assert [await is_alive(caller) for caller in callers] == [False] * 3
    assert await keys(world) == []

    fresh = await signed_in(world, "ann", OTHER_PASSWORD)
    script = await minted(fresh)
    own = {"current_password": OTHER_PASSWORD, "new_password": PASSWORD}
    assert (await (await signed_in(world, "ann", OTHER_PASSWORD)).post("/api/password", own)).status_code == 204
    assert not await is_alive(script), "whoever reset the password could have made it"


@pytest.mark.parametrize("role", ["member", "admin"])
async def test_an_invitation_shows_nothing_that_works_after_it_was_taken(world: World, role: str) -> None:
    ann = await world.bootstrap()
    answer = await ann.post("/api/org/members", {"username": "bob", "team_id": ann.team.id, "role": role})
    made = answer.json()
    link = made["activation_url"].partition("#")[2]
    assert (await world.anonymous.post("/api/activate", {"token": link, "password": PASSWORD})).status_code == 200
    assert refusal(await Caller(world, made["token"]).get("/api/whoami")) == (401, "unauthenticated")
