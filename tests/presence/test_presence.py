"""Who has a thing open now, for those who can read it."""

import asyncio

import pytest

from teamspace import presence
from teamspace.core.principal import system
from teamspace.tenancy.schemas import Role
from tests.references.test_references import document, note
from tests.support.world import Caller, World
from tests.workflows.help import publish, spec, start


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


@pytest.fixture
async def bob(world: World, ann: Caller) -> Caller:
    return await world.person(ann.org, ann.team, Role.MEMBER)


async def look(caller: Caller, path: str, editing: bool = False) -> list[tuple[str, bool]]:
    answer = await caller.put(f"/api/presence/{path}", {"editing": editing})
    assert answer.status_code == 200, answer.text
    return [(person["id"], person["editing"]) for person in answer.json()["people"]]


async def told(world: World, kind: str) -> int:
    return await world.db.one(int, "SELECT COUNT(*) FROM events WHERE kind = :kind", kind=kind) or 0


@pytest.mark.both_databases
async def test_people_see_who_else_is_there_and_who_edits(world: World, ann: Caller, bob: Caller) -> None:
    id = await note(ann, visibility="team")
    assert await look(ann, f"note/{id}") == []
    assert await look(bob, f"note/{id}") == [(ann.user_id, False)]
    assert await look(ann, f"note/{id}", editing=True) == [(bob.user_id, False)]
    assert await look(bob, f"note/{id}") == [(ann.user_id, True)]
    assert (await ann.delete(f"/api/presence/note/{id}")).status_code == 204
    assert await look(bob, f"note/{id}") == []


async def test_a_document_and_a_file_are_the_same_object(ann: Caller, bob: Caller) -> None:
    id = await document(ann, visibility="team")
    await look(ann, f"document/{id}")
    assert await look(bob, f"file/{id}") == [(ann.user_id, False)]


async def test_a_shared_conversation_has_presence(ann: Caller, bob: Caller) -> None:
    conversation = (await ann.post("/api/conversations", {"title": "Berths"})).json()["id"]
    assert (await bob.put(f"/api/presence/conversation/{conversation}", {"editing": False})).status_code == 404
    share = {"user_id": bob.user_id, "permission": "notes:read"}
    assert (await ann.post(f"/api/conversations/{conversation}/share", share)).status_code == 200
    await look(ann, f"conversation/{conversation}")
    assert await look(bob, f"conversation/{conversation}") == [(ann.user_id, False)]


async def test_a_run_has_presence_for_those_who_see_it_in_full(world: World, ann: Caller, bob: Caller) -> None:
    admin = await world.person(ann.org, ann.team, Role.ADMIN)
    write = {"id": "write", "kind": "tool", "tool": "create_note", "with": {"title": "Plan"}, "end": True}
    await publish(bob, spec("planning", write))
    run = (await start(bob, "planning"))["id"]
    assert await look(bob, f"run/{run}") == []
    assert await look(admin, f"run/{run}") == [(bob.user_id, False)]
    guest = await world.person(ann.org, ann.team, Role.GUEST)
    assert (await guest.put(f"/api/presence/run/{run}", {"editing": False})).status_code == 404


async def test_only_what_others_see_is_an_event(world: World, ann: Caller) -> None:
    id = await note(ann)
    for editing in (False, False, True, True, False):
        await look(ann, f"note/{id}", editing)
    assert await told(world, "note_presence") == 3
    await asyncio.gather(*(ann.delete(f"/api/presence/note/{id}") for _ in range(3)))
    assert await told(world, "note_presence") == 4


async def test_what_cannot_be_read_has_no_presence(world: World, ann: Caller, bob: Caller) -> None:
    id = await note(ann)
    for path in (f"note/{id}", f"file/{id}", "note/none", f"thing/{id}"):
        assert (await bob.put(f"/api/presence/{path}", {"editing": True})).status_code == 404
        assert (await bob.delete(f"/api/presence/{path}")).status_code == 404
    assert await told(world, "note_presence") == 0


@pytest.mark.both_databases
async def test_who_is_not_heard_of_has_left(world: World, ann: Caller, bob: Caller) -> None:
    id = await note(ann, visibility="team")
    await look(ann, f"note/{id}")
    async with world.db.maintenance(system()) as tx:
        await tx.run("UPDATE presence SET expires_at = moment(-1.0)")
    assert await look(bob, f"note/{id}") == []
    await presence.tidy(world.db)
    assert await world.db.all(str, "SELECT user_id FROM presence") == [bob.user_id]
