"""Disabled people: every credential ends at once, and they cannot sign in until they are enabled again."""

import asyncio
from typing import Any

import httpx2
import pytest

from teamspace import tenancy
from teamspace.core.errors import BadRequest, Unauthenticated
from teamspace.core.principal import Call
from teamspace.tenancy.schemas import Role
from tests.identity.help import Pause, broken, is_alive, login, refusal, signed_in, trail
from tests.support.world import PASSWORD, Caller, World

CONFLICT = (409, "conflict")


async def disable(by: Caller, person: Caller, *, disabled: bool = True) -> httpx2.Response:
    return await by("PATCH", f"/api/admin/users/{person.user_id}", {"disabled": disabled})


async def disabled(by: Caller, person: Caller) -> dict[str, Any]:
    answer = await disable(by, person)
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


async def test_disabling_ends_every_credential(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team, Role.ADMIN, username="bob", password=PASSWORD)
    elsewhere = await world.join(bob, await world.team(ann.org), Role.OWNER)
    callers = [bob, elsewhere, await signed_in(world, "bob"), await world.token(bob, scope=["notes:read"])]
    await bob.post("/api/s3/credentials", {})
    shown = await disabled(ann, bob)
    assert shown == {
        "id": bob.user_id, "username": "bob", "display_name": "bob", "operator": False, "disabled": True,
        "disabled_at": shown["disabled_at"],
    }  # fmt: skip
    assert [await is_alive(caller) for caller in callers] == [False] * 4
    assert await world.db.all(
        str, "SELECT id FROM tokens WHERE user_id = :id AND revoked_at IS NULL", id=bob.user_id
    ) == []  # fmt: skip
    assert await broken(world) == []


async def test_a_disabled_person_cannot_sign_in_until_enabled(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team, username="bob", password=PASSWORD)
    await disabled(ann, bob)
    assert refusal(await login(world, "bob")) == (403, "forbidden")
    assert refusal(await login(world, "bob", "a wrong password")) == (401, "invalid_credentials")
    assert (await disable(ann, bob, disabled=False)).json()["disabled"] is False
    assert not await is_alive(bob)
    assert await is_alive(await signed_in(world, "bob"))


async def test_disabling_ends_invitations_and_no_new_ones_are_made(world: World) -> None:
    ann = await world.bootstrap()
    invited = (await ann.post("/api/members", {"username": "bob", "role": "member"})).json()
    bob = Caller(world, invited["token"], user_id=invited["member"]["user_id"])
    await disabled(ann, bob)
    link = invited["activation_url"].partition("#")[2]
    answer = await world.anonymous.post("/api/activate", {"token": link, "password": PASSWORD})
    assert refusal(answer) == (401, "invalid_credentials")
    try:
        await tenancy.invite(world.db, "bob", "")
    except BadRequest:
        pass
    else:
        raise AssertionError("a link was created for a disabled person")


async def test_jobs_cannot_act_for_a_disabled_person(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team)
    await disabled(ann, bob)
    try:
        await tenancy.act_for(world.db, Call(), bob.user_id, ann.team.id)
    except Unauthenticated:
        pass
    else:
        raise AssertionError("the server acted for a disabled person")


async def test_a_sign_in_during_disabling_opens_no_session(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team, username="bob", password=PASSWORD)
    answer = await Pause(world, "session.open").during(login(world, "bob"), disable(ann, bob))
    assert answer.status_code == 401
    assert await broken(world) == []


@pytest.mark.both_databases
async def test_a_token_created_during_disabling_is_invalid(world: World) -> None:
    ann = await world.bootstrap()
    for _ in range(5):
        bob = await world.person(ann.org, ann.team, Role.ADMIN)
        draft = {"name": "script", "ttl": "never"}
        await asyncio.gather(*(bob.post("/api/tokens", draft) for _ in range(5)), disable(ann, bob))
        assert await broken(world) == []


async def test_operators_cannot_disable_themselves(world: World) -> None:
    ann = await world.bootstrap()
    assert refusal(await disable(ann, ann)) == CONFLICT
    assert await is_alive(ann)
    eve = await world.person(ann.org, ann.team, operator=True)
    await disabled(eve, ann)
    assert refusal(await disable(eve, eve)) == CONFLICT


@pytest.mark.both_databases
async def test_two_operators_cannot_disable_each_other(world: World) -> None:
    ann = await world.bootstrap()
    for _ in range(5):
        eve = await world.person(ann.org, ann.team, operator=True)
        answers = await asyncio.gather(disable(ann, eve), disable(eve, ann))
        assert sorted(answer.status_code for answer in answers) == [200, 401]
        ann = ann if await is_alive(ann) else eve
        assert await is_alive(ann)


async def test_only_operators_disable_and_only_existing_people(world: World) -> None:
    ann = await world.bootstrap()
    owner = await world.person(ann.org, ann.team, Role.OWNER)
    scoped = await world.token(ann, scope=["members:manage"])
    assert refusal(await disable(owner, ann)) == (403, "forbidden")
    assert refusal(await disable(scoped, owner)) == (403, "out_of_scope")
    assert refusal(await disable(ann, Caller(world, None, user_id="nobody"))) == (404, "not_found")


async def test_disabling_is_in_the_audit_log_of_the_company(world: World) -> None:
    ann = await world.bootstrap()
    org, team = await world.company()
    zoe = await world.person(org, team)
    await disabled(ann, zoe)
    await disable(ann, zoe, disabled=False)
    rows = [(row.action, row.org_id, row.actor_id) for row in await trail(world) if row.target == zoe.user_id]
    assert rows == [("user.disable", org.id, ann.user_id), ("user.enable", org.id, ann.user_id)]
