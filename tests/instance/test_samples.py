"""Sample content: added once, and only to the caller's team."""

from teamspace.tenancy.schemas import OrgRole, Role
from tests.identity.help import refusal
from tests.support.world import Caller, World


async def seed(caller: Caller) -> int:
    answer = await caller.post("/api/admin/seed")
    assert answer.status_code == 201, answer.text
    assert set(answer.json()) == {"notes", "documents"}
    count: int = answer.json()["notes"]
    return count


async def test_documents_are_added_with_the_notes_and_once(world: World) -> None:
    ann = await world.bootstrap()
    assert (await ann.post("/api/admin/seed")).json()["documents"] == 2
    assert (await ann.post("/api/admin/seed")).json()["documents"] == 0
    found = (await ann.get("/api/documents")).json()["items"]
    assert {document["visibility"] for document in found} == {"private", "team"}
    assert len((await ann.get("/api/search?q=contract&types=object")).json()["items"]) == 1


async def titles(caller: Caller, query: str = "") -> list[str]:
    return [note["title"] for note in (await caller.get(f"/api/notes{query}")).json()["items"]]


async def test_samples_are_added_once(world: World) -> None:
    ann = await world.bootstrap()
    added = await seed(ann)
    assert added == len(await titles(ann)) == len(set(await titles(ann))) >= 5
    before = await world.counts()
    assert [await seed(ann), await seed(ann)] == [0, 0]
    assert await world.counts() == before


async def test_samples_are_tagged_and_belong_to_the_caller(world: World) -> None:
    ann = await world.bootstrap()
    await seed(ann)
    notes = (await ann.get("/api/notes?tag=sample")).json()["items"]
    assert len(notes) == len(await titles(ann))
    assert {(note["owner"], note["team_id"]) for note in notes} == {(ann.user_id, ann.team.id)}
    assert {note["visibility"] for note in notes} == {"private", "team"}


async def test_deleted_samples_are_restored_and_others_stay(world: World) -> None:
    ann = await world.bootstrap()
    await ann.post("/api/notes", {"title": "My own", "visibility": "team"})
    await seed(ann)
    notes = (await ann.get("/api/notes?tag=sample")).json()["items"]
    deleted, edited = notes[0], notes[1]
    await ann.delete(f"/api/notes/{deleted['id']}")
    await ann.put(f"/api/notes/{edited['id']}", {"body": "Edited"})
    assert await seed(ann) == 1
    assert deleted["title"] in await titles(ann) and "My own" in await titles(ann)
    assert (await ann.get(f"/api/notes/{edited['id']}")).json()["body"] == "Edited"


async def test_a_colleague_does_not_duplicate_shared_samples(world: World) -> None:
    ann = await world.bootstrap()
    await seed(ann)
    bob = await world.person(ann.org, ann.team, Role.ADMIN)
    shared = await titles(bob)
    await seed(bob)
    assert sorted(await titles(bob)) == sorted(await titles(ann)), "everyone has their own private ones"
    assert [title for title in await titles(bob) if title in shared] == shared
    assert await seed(bob) == 0


async def test_other_teams_get_no_samples(world: World) -> None:
    ann = await world.bootstrap()
    second = await world.join(ann, await world.team(ann.org), Role.OWNER)
    org, team = await world.company()
    outsider = await world.person(org, team, Role.OWNER, org_role=OrgRole.OWNER)
    added = await seed(second)
    assert added > 0
    assert await world.db.all(str, "SELECT DISTINCT team_id FROM notes") == [second.team.id]
    assert await titles(outsider, "?scope=org") == []
    assert await seed(outsider) == added


async def test_samples_need_permission_to_manage_the_team_and_to_write_notes(world: World) -> None:
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


async def test_one_person_can_add_samples_to_two_teams(world: World) -> None:
    """People see their own notes in every team; samples of one team still do not count for the other."""
    ann = await world.bootstrap()
    second = await world.join(ann, await world.team(ann.org), Role.OWNER)
    assert await seed(ann) == await seed(second)
