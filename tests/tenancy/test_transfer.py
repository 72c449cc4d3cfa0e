"""Transferring the items of a member to another."""

from typing import Any

import httpx2
import pytest

from teamspace.tenancy.domain import transfers
from teamspace.tenancy.schemas import Role
from tests.identity.help import broken, refusal, trail
from tests.support.world import Caller, World

HIDDEN = (404, "not_found")


async def transfer(by: Caller, owner: Caller, to: Caller) -> httpx2.Response:
    return await by.post(f"/api/members/{owner.user_id}/transfer", {"to": to.user_id})


async def create_items(owner: Caller, *, notes: int = 1, documents: int = 1) -> list[str]:
    answers = [await owner.post("/api/notes", {"title": f"note {number}"}) for number in range(notes)]
    answers += [await owner.post("/api/documents", {"title": f"text {number}"}) for number in range(documents)]
    return [f"{answer.request.url.path}/{answer.json()['id']}" for answer in answers]


async def owners(world: World) -> set[str]:
    sql = "SELECT owner_id FROM notes UNION SELECT owner_id FROM objects"
    return set(await world.db.all(str, sql))


async def test_all_items_of_a_member_in_the_team_are_transferred(world: World) -> None:
    ann = await world.bootstrap()
    bob, eve = [await world.person(ann.org, ann.team) for _ in range(2)]
    paths = await create_items(bob, notes=3, documents=2)
    before = [(await bob.get(path)).json() for path in paths]
    answer = await transfer(ann, bob, eve)
    assert (answer.status_code, answer.json()) == (
        200,
        {"to": eve.user_id, "moved": {"notes": 3, "conversations": 0, "objects": 2}},
    )
    for path, old in zip(paths, before, strict=True):
        assert refusal(await bob.get(path)) == HIDDEN
        new = (await eve.get(path)).json()
        changed = {name for name in old if old[name] != new[name]}
        assert changed == {"owner"}, path
    assert (await eve.get("/api/search?q=note")).json()["items"] != []
    assert await broken(world) == []


async def test_items_of_a_former_member_are_transferred(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team)
    paths = await create_items(bob)
    await ann.delete(f"/api/members/{bob.user_id}")
    assert refusal(await ann.get(paths[0])) == HIDDEN
    assert (await transfer(ann, bob, ann)).json()["moved"] == {"notes": 1, "conversations": 0, "objects": 1}
    assert (await ann.get(paths[0])).status_code == 200


async def test_items_in_another_team_are_not_transferred(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team)
    elsewhere = await world.join(bob, await world.team(ann.org))
    here, there = await create_items(bob), await create_items(elsewhere)
    assert (await transfer(ann, bob, ann)).status_code == 200
    assert [(await bob.get(path)).status_code for path in (*here, *there)] == [404, 404, 200, 200]


async def test_a_large_transfer_is_batched_and_each_batch_is_audited(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfers, "BATCH_SIZE", 2)
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team)
    await create_items(bob, notes=5, documents=1)
    assert (await transfer(ann, bob, ann)).json()["moved"] == {"notes": 5, "conversations": 0, "objects": 1}
    assert await owners(world) == {ann.user_id}
    rows = [row for row in await trail(world) if row.action == "member.transfer"]
    assert {(row.target, row.actor_id) for row in rows} == {(bob.user_id, ann.user_id)}
    assert [row.detail for row in rows] == [
        f'{{"to":"{ann.user_id}","notes":2,"conversations":0,"objects":1}}',
        f'{{"to":"{ann.user_id}","notes":2,"conversations":0,"objects":0}}',
        f'{{"to":"{ann.user_id}","notes":1,"conversations":0,"objects":0}}',
    ]


async def test_only_a_member_of_the_team_can_receive_items(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team)
    await create_items(bob)
    colleague = await world.person(ann.org, await world.team(ann.org))
    stranger = await world.person(*await world.company())
    for person in (colleague, stranger, Caller(world, None, user_id="nobody")):
        assert refusal(await transfer(ann, bob, person)) == HIDDEN
    assert refusal(await transfer(ann, bob, bob)) == (400, "invalid_request")
    assert await owners(world) == {bob.user_id}


async def test_a_person_unrelated_to_the_team_is_not_found(world: World) -> None:
    ann = await world.bootstrap()
    colleague = await world.person(ann.org, await world.team(ann.org))
    await create_items(colleague)
    for person in (colleague, Caller(world, None, user_id="nobody")):
        assert refusal(await transfer(ann, person, ann)) == HIDDEN
    assert (await transfer(ann, await world.person(ann.org, ann.team), ann)).json()["moved"] == {
        "notes": 0,
        "conversations": 0,
        "objects": 0,
    }


async def test_transfers_need_a_role_above_the_owner_of_the_items(world: World) -> None:
    ann = await world.bootstrap()
    people: dict[str, Any] = {
        role: await world.person(ann.org, ann.team, Role(role)) for role in ("owner", "admin", "member")
    }
    eve = await world.person(ann.org, ann.team, operator=True)
    assert refusal(await transfer(people["member"], people["admin"], people["member"])) == (403, "forbidden")
    assert refusal(await transfer(people["admin"], people["owner"], people["admin"])) == (403, "forbidden")
    assert refusal(await transfer(people["owner"], eve, people["admin"])) == (403, "forbidden")
    assert (await transfer(people["owner"], people["admin"], people["member"])).status_code == 200
    assert (await transfer(eve, people["owner"], eve)).status_code == 200


async def test_items_shared_with_the_new_owner_are_no_longer_listed_as_shared(world: World) -> None:
    ann = await world.bootstrap()
    bob, eve = [await world.person(ann.org, ann.team) for _ in range(2)]
    [note] = await create_items(bob, documents=0)
    await bob.post(f"{note}/share", {"user_id": eve.user_id, "permission": "notes:read"})
    assert len((await eve.get("/api/notes?shared=1")).json()["items"]) == 1
    await transfer(ann, bob, eve)
    assert (await eve.get("/api/notes?shared=1")).json()["items"] == []
    assert len((await eve.get("/api/notes?owner=me")).json()["items"]) == 1
