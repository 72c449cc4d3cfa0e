"""Passing on what somebody owns in a team."""

from typing import Any

import httpx2
import pytest

from teamspace.tenancy.domain import transfers
from teamspace.tenancy.schemas import Role
from tests.identity.help import broken, refusal, trail
from tests.support.world import Caller, World

HIDDEN = (404, "not_found")


async def pass_on(by: Caller, owner: Caller, to: Caller) -> httpx2.Response:
    return await by.post(f"/api/members/{owner.user_id}/transfer", {"to": to.user_id})


async def things(owner: Caller, *, notes: int = 1, documents: int = 1) -> list[str]:
    made = [await owner.post("/api/notes", {"title": f"note {number}"}) for number in range(notes)]
    made += [await owner.post("/api/documents", {"title": f"text {number}"}) for number in range(documents)]
    return [f"{answer.request.url.path}/{answer.json()['id']}" for answer in made]


async def owners(world: World) -> set[str]:
    sql = "SELECT owner_id FROM notes UNION SELECT owner_id FROM objects"
    return set(await world.db.all(str, sql))


async def test_all_that_a_member_owns_in_the_team_is_passed_on(world: World) -> None:
    ann = await world.bootstrap()
    bob, eve = [await world.person(ann.org, ann.team) for _ in range(2)]
    paths = await things(bob, notes=3, documents=2)
    before = [(await bob.get(path)).json() for path in paths]
    answer = await pass_on(ann, bob, eve)
    assert (answer.status_code, answer.json()) == (200, {"to": eve.user_id, "moved": {"notes": 3, "objects": 2}})
    for path, old in zip(paths, before, strict=True):
        assert refusal(await bob.get(path)) == HIDDEN
        new = (await eve.get(path)).json()
        changed = {name for name in old if old[name] != new[name]}
        assert changed == {"owner"}, path
    assert (await eve.get("/api/search?q=note")).json()["items"] != []
    assert await broken(world) == []


async def test_what_somebody_who_left_has_owned_is_passed_on(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team)
    paths = await things(bob)
    await ann.delete(f"/api/members/{bob.user_id}")
    assert refusal(await ann.get(paths[0])) == HIDDEN
    assert (await pass_on(ann, bob, ann)).json()["moved"] == {"notes": 1, "objects": 1}
    assert (await ann.get(paths[0])).status_code == 200


async def test_what_they_own_in_another_team_stays_theirs(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team)
    elsewhere = await world.join(bob, await world.team(ann.org))
    here, there = await things(bob), await things(elsewhere)
    assert (await pass_on(ann, bob, ann)).status_code == 200
    assert [(await bob.get(path)).status_code for path in (*here, *there)] == [404, 404, 200, 200]


async def test_a_great_deal_is_passed_on_in_steps_each_on_record(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfers, "BATCH_SIZE", 2)
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team)
    await things(bob, notes=5, documents=1)
    assert (await pass_on(ann, bob, ann)).json()["moved"] == {"notes": 5, "objects": 1}
    assert await owners(world) == {ann.user_id}
    rows = [row for row in await trail(world) if row.action == "member.transfer"]
    assert {(row.target, row.actor_id) for row in rows} == {(bob.user_id, ann.user_id)}
    assert [row.detail for row in rows] == [
        f'{{"to":"{ann.user_id}","notes":2,"objects":1}}',
        f'{{"to":"{ann.user_id}","notes":2,"objects":0}}',
        f'{{"to":"{ann.user_id}","notes":1,"objects":0}}',
    ]


async def test_only_a_member_of_the_team_receives_it(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team)
    await things(bob)
    next_door = await world.person(ann.org, await world.team(ann.org))
    abroad = await world.person(*await world.company())
    for stranger in (next_door, abroad, Caller(world, None, user_id="nobody")):
        assert refusal(await pass_on(ann, bob, stranger)) == HIDDEN
    assert refusal(await pass_on(ann, bob, bob)) == (400, "invalid_request")
    assert await owners(world) == {bob.user_id}


async def test_somebody_who_has_nothing_to_do_with_the_team_is_absent(world: World) -> None:
    ann = await world.bootstrap()
    next_door = await world.person(ann.org, await world.team(ann.org))
    await things(next_door)
    for stranger in (next_door, Caller(world, None, user_id="nobody")):
        assert refusal(await pass_on(ann, stranger, ann)) == HIDDEN
    assert (await pass_on(ann, await world.person(ann.org, ann.team), ann)).json()["moved"] == {
        "notes": 0,
        "objects": 0,
    }


async def test_a_member_does_not_and_an_admin_not_for_an_owner_or_an_operator(world: World) -> None:
    ann = await world.bootstrap()
    people: dict[str, Any] = {
        role: await world.person(ann.org, ann.team, Role(role)) for role in ("owner", "admin", "member")
    }
    eve = await world.person(ann.org, ann.team, operator=True)
    assert refusal(await pass_on(people["member"], people["admin"], people["member"])) == (403, "forbidden")
    assert refusal(await pass_on(people["admin"], people["owner"], people["admin"])) == (403, "forbidden")
    assert refusal(await pass_on(people["owner"], eve, people["admin"])) == (403, "forbidden")
    assert (await pass_on(people["owner"], people["admin"], people["member"])).status_code == 200
    assert (await pass_on(eve, people["owner"], eve)).status_code == 200


async def test_what_was_shared_with_the_new_owner_is_not_listed_as_shared(world: World) -> None:
    ann = await world.bootstrap()
    bob, eve = [await world.person(ann.org, ann.team) for _ in range(2)]
    [note] = await things(bob, documents=0)
    await bob.post(f"{note}/share", {"user_id": eve.user_id, "permission": "notes:read"})
    assert len((await eve.get("/api/notes?shared=1")).json()["items"]) == 1
    await pass_on(ann, bob, eve)
    assert (await eve.get("/api/notes?shared=1")).json()["items"] == []
    assert len((await eve.get("/api/notes?owner=me")).json()["items"]) == 1
