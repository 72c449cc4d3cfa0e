"""Notes over HTTP."""

import asyncio

import httpx2
import pytest

from teamspace.core import clock
from teamspace.core.db import no_rows
from teamspace.core.permissions import Permission
from teamspace.core.principal import system
from teamspace.notes import store
from teamspace.notes.schemas import NOTES
from teamspace.sharing import store as sharing
from teamspace.tenancy.schemas import OrgRole, Role
from tests.support.world import Caller, World


async def create_note(who: Caller, title: str = "Plan", **fields: object) -> dict[str, object]:
    answer = await who.post("/api/notes", {"title": title, **fields})
    assert answer.status_code == 201, answer.text
    note: dict[str, object] = answer.json()
    return note


async def titles(who: Caller, query: str = "") -> list[str]:
    answer = await who.get(f"/api/notes{query}")
    assert answer.status_code == 200, answer.text
    return [item["title"] for item in answer.json()["items"]]


def shared(person: Caller, permission: str) -> dict[str, str | None]:
    return {
        "user_id": person.user_id, "permission": permission, "principal_type": "user", "principal_id": person.user_id,
        "expires_at": None,
    }  # fmt: skip


def code(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


async def test_a_note_is_created_read_changed_and_deleted(world: World) -> None:
    ann = await world.bootstrap()
    answer = await ann.post("/api/notes", {"title": " Plan ", "body": "First line", "tags": ["a", "b", "a"]})
    assert (answer.status_code, answer.headers["etag"]) == (201, '"1"')
    note = answer.json()
    assert (note["title"], note["visibility"], note["tags"], note["owner"]) == (
        "Plan",
        "private",
        ["a", "b"],
        ann.user_id,
    )

    assert (await ann.get(f"/api/notes/{note['id']}")).json() == note
    changed = await ann.put(f"/api/notes/{note['id']}", {"body": "Second"})
    assert changed.json() == note | {"body": "Second", "version": 2, "updated_at": changed.json()["updated_at"]}

    assert (await ann.delete(f"/api/notes/{note['id']}")).status_code == 204
    assert code(await ann.get(f"/api/notes/{note['id']}")) == (404, "not_found")


@pytest.mark.parametrize(
    ("draft", "pointer"),
    [
        ({}, ""),
        ({"title": ""}, "/title"),
        ({"title": "   "}, "/title"),
        ({"title": "x" * 201}, "/title"),
        ({"title": "turned \u202e around"}, "/title"),
        ({"title": "x", "visibility": "public"}, "/visibility"),
        ({"title": "x", "tags": ["", "a"]}, "/tags"),
        ({"title": "x", "tags": [f"t{n}" for n in range(21)]}, "/tags"),
        ({"title": "x", "body": "x" * 500_001}, "/body"),
        ({"title": "x", "owner": "somebody"}, ""),
    ],
)
async def test_an_invalid_draft_is_refused_with_a_pointer(world: World, draft: dict[str, object], pointer: str) -> None:
    ann = await world.bootstrap()
    answer = await ann.post("/api/notes", draft)
    assert code(answer) == (400, "invalid_request")
    assert answer.json()["errors"][0]["pointer"] == pointer
    assert await titles(ann) == []


async def test_text_is_stored_unchanged(world: World) -> None:
    ann = await world.bootstrap()
    body = "Zoë 日本語 𝔘𝔫𝔦 'quotes' \"double\" \\ \r\n\t %s :name {0} </script>"
    note = await create_note(ann, "Ünï 日本", body=body)
    assert (await ann.get(f"/api/notes/{note['id']}")).json()["body"] == body


async def test_conditional_writes_detect_a_newer_version(world: World) -> None:
    ann = await world.bootstrap()
    path = f"/api/notes/{(await create_note(ann))['id']}"
    assert (await ann.put(path, {"body": "a"}, headers={"if-match": '"1"'})).status_code == 200
    late = await ann.put(path, {"body": "b"}, headers={"if-match": '"1"'})
    assert (late.status_code, late.json()["version"], late.headers["etag"]) == (412, 2, '"2"')
    assert code(await ann.put(path, {"body": "b"}, headers={"if-match": "garbage"})) == (412, "version_mismatch")
    assert code(await ann.put(path, {"body": "b"}, headers={"if-none-match": "*"})) == (412, "version_mismatch")
    assert code(await ann.delete(path, headers={"if-match": '"1"'})) == (412, "version_mismatch")
    assert (await ann.put(path, {"body": "c"}, headers={"if-match": "*"})).status_code == 200
    assert (await ann.put(path, {"body": "d"})).json()["version"] == 4
    assert (await ann.delete(path, headers={"if-match": '"4"'})).status_code == 204


async def test_an_unchanged_note_is_answered_with_304(world: World) -> None:
    ann = await world.bootstrap()
    path = f"/api/notes/{(await create_note(ann))['id']}"
    assert (await ann.get(path, headers={"if-none-match": '"1"'})).status_code == 304
    assert (await ann.get(path, headers={"if-none-match": '"2"'})).status_code == 200


@pytest.mark.both_databases
async def test_one_of_many_concurrent_edits_wins(world: World) -> None:
    ann = await world.bootstrap()
    path = f"/api/notes/{(await create_note(ann))['id']}"
    for round in range(1, 21):
        edits = (ann.put(path, {"body": str(n)}, headers={"if-match": f'"{round}"'}) for n in range(20))
        statuses = [answer.status_code for answer in await asyncio.gather(*edits)]
        assert sorted(statuses) == [200] + [412] * 19


@pytest.mark.both_databases
async def test_concurrent_edits_of_different_fields_are_all_kept(world: World) -> None:
    ann = await world.bootstrap()
    path = f"/api/notes/{(await create_note(ann))['id']}"
    for round in range(10):
        edits = ({"title": f"t{round}"}, {"body": f"b{round}"}, {"tags": [f"x{round}"]})
        await asyncio.gather(*(ann.put(path, edit) for edit in edits))
        note = (await ann.get(path)).json()
        assert (note["title"], note["body"], note["tags"]) == (f"t{round}", f"b{round}", [f"x{round}"])
        assert note["version"] == 1 + 3 * (round + 1)


async def test_visibility_and_shares_decide_access(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team, Role.MEMBER)
    eve = await world.person(ann.org, await world.team(ann.org), Role.OWNER)
    private, team = await create_note(ann, "private"), await create_note(ann, "team", visibility="team")
    assert await titles(bob) == ["team"]
    assert await titles(eve) == []
    assert code(await bob.get(f"/api/notes/{private['id']}")) == (404, "not_found")
    assert code(await eve.get(f"/api/notes/{team['id']}")) == (404, "not_found")

    shares = await ann.post(f"/api/notes/{private['id']}/share", {"user_id": eve.user_id, "permission": "notes:read"})
    assert shares.json() == {"items": [shared(eve, "notes:read")]}
    assert await titles(eve) == ["private"] == await titles(eve, "?shared=1")
    assert await titles(ann, "?shared=1") == []
    assert code(await eve.put(f"/api/notes/{private['id']}", {"body": "x"})) == (403, "forbidden")
    assert (await eve.get(f"/api/notes/{private['id']}")).json()["shared_with"] == shares.json()["items"]

    await ann.post(f"/api/notes/{private['id']}/share", {"user_id": eve.user_id, "permission": "notes:write"})
    assert (await eve.put(f"/api/notes/{private['id']}", {"body": "x"})).status_code == 200
    assert code(await eve.put(f"/api/notes/{private['id']}", {"visibility": "team"})) == (403, "forbidden")
    assert code(await eve.delete(f"/api/notes/{private['id']}")) == (403, "forbidden")
    grant = {"user_id": bob.user_id, "permission": "notes:read"}
    assert code(await eve.post(f"/api/notes/{private['id']}/share", grant)) == (403, "forbidden")

    removed = await ann.post(f"/api/notes/{private['id']}/share", {"user_id": eve.user_id, "permission": None})
    assert removed.json() == {"items": []}
    assert code(await eve.get(f"/api/notes/{private['id']}")) == (404, "not_found")


async def test_rights_are_checked_in_the_statement_that_changes_them(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team)
    note = str((await create_note(ann))["id"])
    grant = {"user_id": bob.user_id, "permission": "notes:read"}
    items = [shared(bob, "notes:read")]
    assert (await ann.post(f"/api/notes/{note}/share", grant)).json() == {"items": items}
    nothing, now = no_rows("notes"), clock.stamp()
    async with world.db.maintenance(system(org_id=ann.org.id)) as tx:
        assert not await sharing.put_grant(
            tx, NOTES, nothing, note, "user", bob.user_id, Permission.NOTES_MANAGE, by="", expires_at=None, now=now
        )
        await sharing.delete_grant(tx, NOTES, nothing, note, "user", bob.user_id)
        changed = await store.update(
            tx, nothing, note, title=None, body=None, visibility="team", tags=None, now=now, seen=None
        )
    assert changed is None
    shown = (await ann.get(f"/api/notes/{note}")).json()
    assert (shown["shared_with"], shown["visibility"], shown["version"]) == (items, "private", 1)


async def test_a_manage_share_gives_every_right_on_the_note(world: World) -> None:
    ann = await world.bootstrap()
    guest = await world.person(ann.org, ann.team, Role.GUEST)
    bob = await world.person(ann.org, ann.team, Role.GUEST)
    path = f"/api/notes/{(await create_note(ann))['id']}"
    await ann.post(f"{path}/share", {"user_id": guest.user_id, "permission": "notes:manage"})
    assert (await guest.put(path, {"visibility": "shared"})).status_code == 200
    assert (
        await guest.post(f"{path}/share", {"user_id": bob.user_id, "permission": "notes:delete"})
    ).status_code == 200
    assert (await bob.delete(path)).status_code == 204


@pytest.mark.parametrize("permission", ["files:read", "org:read", "instance:manage", "search", "jobs:execute"])
async def test_a_note_can_only_be_shared_with_note_permissions(world: World, permission: str) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team)
    path = f"/api/notes/{(await create_note(ann))['id']}/share"
    assert code(await ann.post(path, {"user_id": bob.user_id, "permission": permission})) == (400, "invalid_request")


async def test_a_note_can_only_be_shared_within_the_company(world: World) -> None:
    ann = await world.bootstrap()
    stranger = await world.person(*await world.company())
    gone = await world.person(ann.org, None)
    path = f"/api/notes/{(await create_note(ann))['id']}/share"
    for user_id in (stranger.user_id, gone.user_id, "nobody"):
        assert code(await ann.post(path, {"user_id": user_id, "permission": "notes:read"})) == (404, "not_found")
    assert code(await ann.post(path, {"user_id": ann.user_id, "permission": "notes:read"})) == (400, "invalid_request")


async def test_a_company_reader_sees_team_notes_but_not_private_ones(world: World) -> None:
    ann = await world.bootstrap()
    other = await world.team(ann.org)
    reader = await world.person(ann.org, other, Role.GUEST, org_role=OrgRole.READER)
    private, team = await create_note(ann, "private"), await create_note(ann, "team", visibility="team")
    assert await titles(reader) == []
    assert await titles(reader, "?scope=org") == ["team"]
    assert (await reader.get(f"/api/notes/{team['id']}")).status_code == 200
    assert code(await reader.get(f"/api/notes/{private['id']}")) == (404, "not_found")
    assert code(await reader.put(f"/api/notes/{team['id']}", {"body": "x"})) == (403, "forbidden")
    member = await world.person(ann.org, other, Role.MEMBER)
    assert code(await member.get("/api/notes?scope=org")) == (403, "forbidden")


async def test_lists_are_filtered_and_paged(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team, Role.MEMBER)
    for number in range(7):
        await create_note(
            ann, f"a{number}", visibility="team" if number % 2 else "private", tags=["odd"] if number % 2 else []
        )
    await create_note(bob, "b", visibility="team", tags=["odd"])
    assert await titles(ann) == ["b", *[f"a{number}" for number in range(6, -1, -1)]]
    assert await titles(ann, "?tag=odd") == ["b", "a5", "a3", "a1"]
    assert await titles(ann, "?tag=none") == []
    assert await titles(ann, "?owner=me&visibility=team") == ["a5", "a3", "a1"]
    assert await titles(ann, f"?owner={bob.user_id}") == ["b"]
    assert await titles(ann, "?limit=1000") == await titles(ann)

    seen, query = [], "?limit=3"
    while query:
        page = (await ann.get(f"/api/notes{query}")).json()
        seen += [item["title"] for item in page["items"]]
        query = f"?limit=3&cursor={page['next_cursor']}" if page["next_cursor"] else ""
    assert seen == await titles(ann)


@pytest.mark.parametrize(
    "query",
    [
        "limit=0",
        "limit=-1",
        "limit=x",
        "cursor=x",
        "cursor=",
        "cursor=MDE5YTg3",
        "cursor=MDE5YTg3.AAAA",
        "scope=all",
        "bogus=1",
        "tag=a&tag=b",
    ],
)
async def test_an_invalid_query_parameter_is_refused_by_name(world: World, query: str) -> None:
    ann = await world.bootstrap()
    answer = await ann.get(f"/api/notes?{query}")
    assert code(answer) == (400, "invalid_request")
    assert query.split("=", maxsplit=1)[0] in answer.json()["detail"]


async def test_a_list_shows_the_beginning_of_a_long_text(world: World) -> None:
    ann = await world.bootstrap()
    await create_note(ann, body="é" * 1000)
    item = (await ann.get("/api/notes")).json()["items"][0]
    assert item["excerpt"] == "é" * 280
    assert "body" not in item


async def test_every_write_of_a_note_is_audited(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team)
    note = await create_note(ann)
    path = f"/api/notes/{note['id']}"
    await ann.put(path, {"body": "x"})
    await ann.post(f"{path}/share", {"user_id": bob.user_id, "permission": "notes:read"})
    await ann.post(f"{path}/share", {"user_id": bob.user_id, "permission": None})
    await ann.delete(path, headers={"x-request-id": "the-last-request"})
    rows = await world.db.all(str, "SELECT action FROM audit WHERE target = :id ORDER BY id", id=note["id"])
    assert rows == ["note.create", "note.update", "note.share", "note.unshare", "note.delete"]
    assert await world.db.exists(
        "SELECT 1 FROM audit WHERE request_id = 'the-last-request' AND actor_id = :id", id=ann.user_id
    )


@pytest.mark.both_databases
async def test_a_save_with_a_key_is_repeated_as_the_same_save(world: World) -> None:
    """Otherwise a client whose answer was lost would merge its text with itself."""
    ann = await world.bootstrap()
    for kind in ("notes", "documents"):
        id = (await ann.post(f"/api/{kind}", {"title": "Plan", "body": "one"})).json()["id"]
        headers = {"if-match": '"1"', "idempotency-key": f"save {kind}"}
        first = await ann.put(f"/api/{kind}/{id}", {"body": "two"}, headers=headers)
        await ann.put(f"/api/{kind}/{id}", {"body": "three"})
        again = await ann.put(f"/api/{kind}/{id}", {"body": "two"}, headers=headers)
        assert (again.status_code, again.json()) == (200, first.json())
        assert (await ann.get(f"/api/{kind}/{id}")).json()["body"] == "three"
        other = await ann.put(f"/api/{kind}/{id}", {"body": "four"}, headers=headers)
        assert code(other) == (409, "idempotency_conflict")
        late = {"if-match": '"1"', "idempotency-key": f"late {kind}"}
        for _ in range(2):
            assert code(await ann.put(f"/api/{kind}/{id}", {"body": "x"}, headers=late)) == (412, "version_mismatch")
