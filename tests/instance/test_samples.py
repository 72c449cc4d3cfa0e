"""Sample content: once, in the caller's team, and no further."""

from teamspace.tenancy.schemas import OrgRole, Role
from tests.identity.help import refusal
from tests.support.world import Caller, World


async def seeded(caller: Caller) -> int:
    answer = await caller.post("/api/admin/seed")
    assert answer.status_code == 201, answer.text
    assert set(answer.json()) == {"notes", "documents"}
    count: int = answer.json()["notes"]
    return count


async def test_documents_come_with_the_notes_and_once(world: World) -> None:
    ann = await world.bootstrap()
    assert (await ann.post("/api/admin/seed")).json()["documents"] == 2
    assert (await ann.post("/api/admin/seed")).json()["documents"] == 0
    found = (await ann.get("/api/documents")).json()["items"]
    assert {document["visibility"] for document in found} == {"private", "team"}
    assert len((await ann.get("/api/search?q=contract&types=object")).json()["items"]) == 1


async def titles(caller: Caller, query: str = "") -> list[str]:
    return [note["title"] for note in (await caller.get(f"/api/notes{query}")).json()["items"]]


async def test_a_team_is_filled_once(world: World) -> None:
    ann = await world.bootstrap()
    added = await seeded(ann)
    assert added == len(await titles(ann)) == len(set(await titles(ann))) >= 5
    before = await world.counts()
    assert [await seeded(ann), await seeded(ann)] == [0, 0]
    assert await world.counts() == before


async def test_samples_carry_a_tag_and_belong_to_whoever_asked(world: World) -> None:
    ann = await world.bootstrap()
    await seeded(ann)
    notes = (await ann.get("/api/notes?tag=sample")).json()["items"]
    assert len(notes) == len(await titles(ann))
    assert {(note["owner"], note["team_id"]) for note in notes} == {(ann.user_id, ann.team.id)}
    assert {note["visibility"] for note in notes} == {"private", "team"}


async def test_what_was_deleted_comes_back_and_what_is_there_stays(world: World) -> None:
    ann = await world.bootstrap()
    await ann.post("/api/notes", {"title": "My own", "visibility": "team"})
    await seeded(ann)
    notes = (await ann.get("/api/notes?tag=sample")).json()["items"]
    gone, kept = notes[0], notes[1]
    await ann.delete(f"/api/notes/{gone['id']}")
    await ann.put(f"/api/notes/{kept['id']}", {"body": "Edited"})
    assert await seeded(ann) == 1
    assert gone["title"] in await titles(ann) and "My own" in await titles(ann)
    assert (await ann.get(f"/api/notes/{kept['id']}")).json()["body"] == "Edited"


async def test_a_colleague_adds_none_that_the_team_shares_already(world: World) -> None:
    ann = await world.bootstrap()
    await seeded(ann)
    bob = await world.person(ann.org, ann.team, Role.ADMIN)
    shared = await titles(bob)
    await seeded(bob)
    assert sorted(await titles(bob)) == sorted(await titles(ann)), "the private ones are everybody's own"
    assert [title for title in await titles(bob) if title in shared] == shared
    assert await seeded(bob) == 0


async def test_no_other_team_gets_any(world: World) -> None:
    ann = await world.bootstrap()
    second = await world.join(ann, await world.team(ann.org), Role.OWNER)
    org, team = await world.company()
    stranger = await world.person(org, team, Role.OWNER, org_role=OrgRole.OWNER)
    added = await seeded(second)
    assert added > 0
    assert await world.db.all(str, "SELECT DISTINCT team_id FROM notes") == [second.team.id]
    assert await titles(stranger, "?scope=org") == []
    assert await seeded(stranger) == added


async def test_filling_a_team_needs_the_right_to_manage_it_and_to_write_notes(world: World) -> None:
    ann = await world.bootstrap()
    for role in (Role.MEMBER, Role.VIEWER, Role.GUEST):
        assert refusal(await (await world.person(ann.org, ann.team, role)).post("/api/admin/seed")) == (
            403, "forbidden"
        )  # fmt: skip
    assert refusal(await world.anonymous.post("/api/admin/seed")) == (401, "unauthenticated")
    narrow, wide = [await world.token(ann, scope=scope) for scope in (["notes:write"], ["settings:manage"])]
    assert refusal(await narrow.post("/api/admin/seed")) == (403, "out_of_scope")
    assert (await wide.post("/api/admin/seed")).status_code == 403
    await world.suspend(ann.org)
    assert refusal(await ann.post("/api/admin/seed")) == (403, "org_suspended")
    assert (await world.counts())["notes"] == 0


async def test_both_teams_of_one_person_can_be_filled(world: World) -> None:
    """Their own notes follow a person into every team; the samples of one are still not in the other."""
    ann = await world.bootstrap()
    second = await world.join(ann, await world.team(ann.org), Role.OWNER)
    assert await seeded(ann) == await seeded(second)
