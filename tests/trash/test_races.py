"""Two requests at once about one thing in the trash: one of them wins, and nothing is half done."""

import asyncio

import pytest

from teamspace import trash
from tests.identity.help import Pause
from tests.repository.help import fetch, put, send
from tests.support.world import World
from tests.trash.help import items, people, restore, violations, write_note

pytestmark = pytest.mark.both_databases
TIMES = 6


@pytest.mark.parametrize("kind", ["notes", "repo-obj"])
async def test_of_two_deletions_one_finds_it(world: World, kind: str) -> None:
    team = await people(world)
    for number in range(TIMES):
        id = await write_note(team.owner) if kind == "notes" else (await put(team.owner, f"file {number}"))["id"]
        answers = await asyncio.gather(*(team.owner.delete(f"/api/{kind}/{id}") for _ in range(3)))
        assert sorted(answer.status_code for answer in answers) == [204, 404, 404]
    assert len(await items(team.owner)) == TIMES
    assert await violations(world) == []


@pytest.mark.parametrize("kind", ["notes", "repo-obj"])
async def test_a_restore_and_a_purge_have_one_winner(world: World, kind: str) -> None:
    team = await people(world)
    for number in range(TIMES):
        id = await write_note(team.owner) if kind == "notes" else (await put(team.owner, f"file {number}"))["id"]
        await team.owner.delete(f"/api/{kind}/{id}")
        restored, purged = await asyncio.gather(restore(team.owner, id), team.owner.delete(f"/api/trash/{id}"))
        assert (restored.status_code, purged.status_code) in ((200, 404), (404, 204))
        assert ((await team.owner.get(f"/api/{kind}/{id}")).status_code == 200) == (restored.status_code == 200)
    assert await items(team.owner) == []
    assert await violations(world) == []


@pytest.mark.parametrize("kind", ["notes", "repo-obj"])
async def test_what_is_restored_while_the_server_empties_the_trash_stays(world: World, kind: str) -> None:
    team = await people(world)
    id = await write_note(team.owner) if kind == "notes" else (await put(team.owner, "file"))["id"]
    await team.owner.delete(f"/api/{kind}/{id}")
    pause = Pause(world, "note.purge" if kind == "notes" else "object.purge")
    emptying = asyncio.ensure_future(trash.tidy(world.db, -1))
    await pause.reached.wait()
    assert (await restore(team.owner, id)).status_code == 200
    await team.owner.delete(f"/api/{kind}/{id}")  # in the trash again, but since another moment
    pause.over.set()
    await emptying
    assert [item["id"] for item in await items(team.owner)] == [id]
    assert await violations(world) == []


async def test_a_restore_and_a_new_file_at_the_key_have_one_winner(world: World) -> None:
    team = await people(world)
    for number in range(TIMES):
        key = f"file {number}"
        first = (await put(team.owner, key, b"first"))["id"]
        await team.owner.delete(f"/api/repo-obj/{first}")
        restored, sent = await asyncio.gather(
            restore(team.owner, first), send(team.owner, key, b"second", if_none_match="*")
        )
        assert (restored.status_code, sent.status_code) in ((200, 412), (409, 201))
        if restored.status_code == 200:
            assert (await fetch(team.owner, first)).content == b"first"
    assert await violations(world) == []


async def test_a_change_that_waits_for_the_deletion_does_not_change_the_trash(world: World) -> None:
    team = await people(world)
    note = await write_note(team.owner)
    body = {"user_id": team.colleague.user_id, "permission": "notes:write"}
    await team.owner.post(f"/api/notes/{note}/share", body)
    before = (await team.owner.get(f"/api/notes/{note}")).json()
    pause = Pause(world, "note.update")
    answer = await pause.during(
        team.colleague.put(f"/api/notes/{note}", {"body": "late"}), team.owner.delete(f"/api/notes/{note}")
    )
    assert answer.status_code == 404
    await restore(team.owner, note)
    assert (await team.owner.get(f"/api/notes/{note}")).json() == before


async def test_emptying_meets_a_restore_and_goes_on(world: World) -> None:
    team = await people(world)
    ids = [await write_note(team.owner, f"note {number}") for number in range(6)]
    for id in ids:
        await team.owner.delete(f"/api/notes/{id}")
    emptied, *restored = await asyncio.gather(
        team.owner.delete("/api/trash"), *(restore(team.owner, id) for id in ids[:3])
    )
    won = sum(answer.status_code == 200 for answer in restored)
    assert emptied.json() == {"deleted": 6 - won, "remaining": 0}
    assert len((await team.owner.get("/api/notes")).json()["items"]) == won
    assert await violations(world) == []
