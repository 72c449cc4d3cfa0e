"""Slow writes check credential and rights again when they are stored."""

from collections.abc import AsyncIterator, Awaitable, Callable

import httpx2
import pytest

from teamspace.tenancy.schemas import OrgRole, Role
from tests.identity.help import Hands, Pause, broken, refusal, run_sql
from tests.support.world import Caller, World

During = Callable[[], Awaitable[object]]
UNAUTHENTICATED, EXPIRED = (401, "unauthenticated"), (401, "token_expired")
FORBIDDEN = (403, "forbidden")


async def two_halves(during: During) -> AsyncIterator[bytes]:
    yield b"first half, "
    await during()
    yield b"second half"


async def upload(caller: Caller, during: During, key: str = "file.txt") -> httpx2.Response:
    """Upload a file; `during` runs after the first half was sent."""
    headers = {"authorization": f"Bearer {caller.token}", "content-type": "text/plain"}
    return await caller.world.client.put(f"/api/repo/{key}", content=two_halves(during), headers=headers)


async def stored_rows(world: World) -> int:
    return sum(
        [await world.db.one(int, f"SELECT COUNT(*) FROM {table}") or 0 for table in ("objects", "object_versions")]
    )


async def changes(world: World, ann: Caller, bob: Caller) -> dict[str, tuple[During, tuple[int, str]]]:
    member = f"/api/members/{bob.user_id}"
    token_id = await world.db.one(str, "SELECT id FROM tokens WHERE user_id = :id", id=bob.user_id)
    return {
        "demoted": (lambda: ann("PATCH", member, {"role": "viewer"}), FORBIDDEN),
        "removed": (lambda: ann.delete(member), UNAUTHENTICATED),
        "revoked": (lambda: ann.delete(f"/api/tokens/{token_id}"), UNAUTHENTICATED),
        "disabled": (lambda: ann("PATCH", f"/api/admin/users/{bob.user_id}", {"disabled": True}), UNAUTHENTICATED),
    }


@pytest.mark.parametrize("change", ["demoted", "removed", "revoked", "disabled"])
async def test_an_upload_is_not_stored_if_the_right_was_lost_meanwhile(world: World, change: str) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team)
    during, expected = (await changes(world, ann, bob))[change]
    assert refusal(await upload(bob, during)) == expected
    assert await stored_rows(world) == 0
    assert await broken(world) == []


async def test_an_upload_is_not_stored_if_its_token_expired_meanwhile(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    token = await world.token(ann, ttl=60)

    async def during() -> None:
        hands.forward(60)

    assert refusal(await upload(token, during)) == EXPIRED
    assert await stored_rows(world) == 0


async def test_an_upload_is_not_stored_if_its_session_ended_meanwhile(world: World) -> None:
    ann = await world.bootstrap()
    session = await world.session(ann)
    assert refusal(await upload(session, lambda: session.post("/api/logout"))) == UNAUTHENTICATED
    assert await stored_rows(world) == 0


async def test_unrelated_changes_of_rights_do_not_affect_an_upload(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team)
    member = f"/api/members/{bob.user_id}"
    assert (await upload(bob, lambda: ann("PATCH", member, {"role": "admin"}), "one")).status_code == 201
    scoped = await world.token(bob, scope=["files:write", "files:read"])
    assert (await upload(scoped, lambda: ann("PATCH", member, {"role": "member"}), "two")).status_code == 201


@pytest.mark.parametrize("lost", ["org_role", "operator"])
async def test_the_company_role_and_the_operator_flag_are_checked_again(world: World, lost: str) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team, Role.GUEST, org_role=OrgRole.ADMIN, operator=True)
    sql = {
        "org_role": "DELETE FROM org_roles WHERE user_id = :id",
        "operator": "UPDATE users SET operator = FALSE WHERE id = :id",
    }[lost]
    slow = bob.post("/api/org/teams", {"name": "Team"})
    answer = await Pause(world, "team.create").during(slow, run_sql(world, sql, id=bob.user_id))
    assert refusal(answer) == FORBIDDEN
    assert await world.db.one(int, "SELECT COUNT(*) FROM teams") == 1


async def test_a_write_is_refused_if_its_token_was_revoked_meanwhile(world: World) -> None:
    ann = await world.bootstrap()
    token = await world.token(ann)
    slow = token.post("/api/notes", {"title": "Note"})
    answer = await Pause(world, "note.create").during(slow, world.revoke(token))
    assert refusal(answer) == UNAUTHENTICATED
    assert (await world.counts())["notes"] == 0
