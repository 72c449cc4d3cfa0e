"""The trash over HTTP: what is deleted is gone, and comes back as it was."""

from pathlib import Path
from typing import Any

import pytest

from teamspace import trash
from teamspace.core import clock
from teamspace.settings import Settings, load
from tests.identity.help import run_sql, trail
from tests.jobs.help import ended, running
from tests.knowledge.help import learn, names
from tests.repository.help import fetch, put, send, share
from tests.repository.test_texts import wait_for_text
from tests.s3.in_process import InProcessBucket
from tests.support.world import Caller, World
from tests.support.world import world as open_world
from tests.trash.help import (
    People,
    is_unseen,
    items,
    people,
    restore,
    titles,
    view,
    violations,
    write_document,
    write_note,
)


@pytest.fixture
async def team(world: World) -> People:
    return await people(world)


async def leave(team: People, person: Caller) -> None:
    """Move a person to the team of the colleague: the last team of a person cannot be left."""
    await person.world.join(person, team.colleague.team)
    assert (await team.admin.delete(f"/api/members/{person.user_id}")).status_code == 204


async def delete(caller: Caller, path: str) -> None:
    answer = await caller.delete(path)
    assert answer.status_code == 204, answer.text


async def test_a_note_comes_back_as_it_was(world: World, team: People) -> None:
    note = await write_note(team.owner, visibility="team", tags=["site", "week 1"])
    await team.owner.post(f"/api/notes/{note}/share", {"user_id": team.colleague.user_id, "permission": "notes:write"})
    before = [await view(person, note) for person in team]
    assert not is_unseen(before[4])

    await delete(team.owner, f"/api/notes/{note}")
    assert all([is_unseen(await view(person, note)) for person in team])
    (item,) = await items(team.owner)
    assert item == {
        "id": note, "kind": "note", "title": "Crane", "key": None, "owner": team.owner.user_id, "size": None,
        "team_id": team.owner.team.id, "deleted_by": team.owner.user_id, "deleted_at": item["deleted_at"],
        "until": clock.stamp(clock.seconds(item["deleted_at"]) + 30 * clock.DAY),
    }  # fmt: skip
    assert (await restore(team.owner, note)).json() == {"id": note, "kind": "note", "title": "Crane", "key": None}
    assert [await view(person, note) for person in team] == before
    assert (await items(team.owner), await violations(world)) == ([], [])


async def test_a_file_comes_back_with_its_versions_and_grants(world: World, team: People) -> None:
    file = (await put(team.owner, "site/crane.txt", b"The crane is late."))["id"]
    await put(team.owner, "site/crane.txt", b"The crane is here.", "?visibility=team")
    await share(team.owner, file, team.colleague, "manage")
    before = [await view(person, file) for person in team]

    await delete(team.owner, f"/api/repo-obj/{file}")
    assert all([is_unseen(await view(person, file)) for person in team])
    (item,) = await items(team.owner)
    assert (item["kind"], item["title"], item["key"], item["size"]) == ("file", "crane.txt", "site/crane.txt", 18)
    assert await violations(world) == []
    assert (await restore(team.owner, file)).json()["key"] == "site/crane.txt"
    assert [await view(person, file) for person in team] == before
    assert await violations(world) == []


async def test_a_document_is_called_by_its_title(world: World, team: People) -> None:
    document = await write_document(team.owner, "Crane week")
    before = await view(team.owner, document)
    await delete(team.owner, f"/api/documents/{document}")
    assert is_unseen(await view(team.owner, document))
    (item,) = await items(team.owner)
    assert (item["kind"], item["title"], item["key"]) == ("document", "Crane week", "documents/crane-week.md")
    await restore(team.owner, document)
    assert await view(team.owner, document) == before


async def test_s3_sees_nothing_of_the_trash(world: World, team: People) -> None:
    bucket = await InProcessBucket.of(team.owner)
    await bucket("PUT", "a/kept.txt", "", b"kept")
    gone = (await put(team.owner, "a/crane.txt"))["id"]
    await delete(team.owner, f"/api/repo-obj/{gone}")
    for query in ("list-type=2", "versions=", "delimiter=%2F&list-type=2&prefix=a%2F", "prefix=a%2F&versions="):
        listing = (await bucket("GET", "", query)).text
        assert "kept.txt" in listing and "crane" not in listing, query
    with pytest.raises(AssertionError, match="NoSuchKey"):
        await bucket("GET", "a/crane.txt")
    await bucket("PUT", "a/crane.txt", "", b"another")
    assert (await bucket("GET", "a/crane.txt")).content == b"another"
    assert (await bucket("GET", "", "versions=")).text.count("<Version>") == 2


async def test_the_key_is_free_and_a_restore_names_who_took_it(world: World, team: People) -> None:
    first = (await put(team.owner, "plan.txt", b"first"))["id"]
    await share(team.owner, first, team.colleague)
    await delete(team.owner, f"/api/repo-obj/{first}")
    second = (await put(team.member, "plan.txt", b"second"))["id"]
    assert second != first

    answer = await restore(team.owner, first)
    assert (answer.status_code, answer.json()["key"]) == (409, "repository.restore_taken"), answer.text
    assert answer.json()["params"] == {"key": "plan.txt"}
    assert (await restore(team.owner, first, key="plan.txt")).status_code == 409
    assert (await restore(team.owner, first, key="")).status_code == 400
    assert (await restore(team.owner, first, key="plan (restored).txt")).json()["key"] == "plan (restored).txt"
    for person in (team.owner, team.colleague):
        assert (await fetch(person, first)).content == b"first"
        assert [item["key"] for item in (await person.get("/api/repo?shared=1")).json()["items"]] == (
            [] if person is team.owner else ["plan (restored).txt"]
        )
    assert (await team.owner.get("/api/search?q=restored")).json()["items"][0]["id"] == first
    assert (await fetch(team.member, second)).content == b"second"
    assert await violations(world) == []


async def test_a_delete_marker_without_content_does_not_keep_a_file_in_the_trash(world: World, team: People) -> None:
    file = (await put(team.owner, "plan.txt"))["id"]
    await delete(team.owner, f"/api/repo-obj/{file}")
    bucket = await InProcessBucket.of(team.owner)
    await bucket("DELETE", "plan.txt")
    assert (await restore(team.owner, file)).status_code == 200
    assert (await fetch(team.owner, file)).status_code == 200
    assert await violations(world) == []


async def test_the_trash_shows_what_the_caller_could_delete(world: World, team: People) -> None:
    private = await write_note(team.owner, "private")
    public = await write_note(team.owner, "public", visibility="team")
    shared = await write_note(team.owner, "shared")
    for note, right in ((shared, "notes:delete"), (private, "notes:read")):
        body = {"user_id": team.colleague.user_id, "permission": right}
        assert (await team.owner.post(f"/api/notes/{note}/share", body)).status_code == 200
    await delete(team.owner, f"/api/notes/{private}")
    await delete(team.owner, f"/api/notes/{public}")
    await delete(team.colleague, f"/api/notes/{shared}")
    expected = {team.owner: ["shared", "public", "private"], team.admin: ["public"], team.colleague: ["shared"]}
    for person in team:
        assert await titles(person) == expected.get(person, []), person.username
        for note, title in ((private, "private"), (public, "public"), (shared, "shared")):
            if title not in expected.get(person, []):
                assert (await restore(person, note)).status_code == 404
                assert (await person.delete(f"/api/trash/{note}")).status_code == 404
    assert (await items(team.colleague))[0]["deleted_by"] == team.colleague.user_id
    assert (await restore(team.colleague, shared)).status_code == 200
    assert (await restore(team.admin, public)).status_code == 200
    assert (await team.owner.get(f"/api/notes/{shared}")).status_code == 200


async def test_a_grant_shows_nobody_what_others_have_deleted(world: World, team: People) -> None:
    file = (await put(team.owner, "plan.txt"))["id"]
    await share(team.owner, file, team.colleague, "manage")
    await delete(team.owner, f"/api/repo-obj/{file}")
    assert await items(team.colleague) == []
    await restore(team.owner, file)
    await delete(team.colleague, f"/api/repo-obj/{file}")
    assert len(await items(team.colleague)) == len(await items(team.owner)) == 1
    await restore(team.colleague, file)


async def test_a_token_for_a_prefix_sees_the_trash_below_it(world: World, team: People) -> None:
    inside, outside = (await put(team.owner, "a/1"))["id"], (await put(team.owner, "b/1"))["id"]
    note = await write_note(team.owner)
    for path in (f"/api/repo-obj/{inside}", f"/api/repo-obj/{outside}", f"/api/notes/{note}"):
        await delete(team.owner, path)
    narrow = await world.token(team.owner, scope=["files:delete:a/", "files:write:a/"])
    assert [item["id"] for item in await items(narrow)] == [inside]
    assert (await restore(narrow, outside)).status_code == (await restore(narrow, note)).status_code == 404
    await put(team.owner, "a/1", b"another")
    assert (await restore(narrow, inside, key="b/2")).status_code == 403
    assert (await restore(narrow, inside, key="a/2")).status_code == 200
    assert (await narrow.delete("/api/trash")).json() == {"deleted": 0, "remaining": 0}
    assert len(await items(team.owner)) == 2


async def test_pages_go_through_all_kinds_newest_first(world: World, team: People) -> None:
    paths = []
    for number in range(3):
        paths.append(f"/api/notes/{await write_note(team.owner, f'note {number}')}")
        paths.append(f"/api/repo-obj/{(await put(team.owner, f'file {number}'))['id']}")
    for path in paths:
        await delete(team.owner, path)
    seen: list[str] = []
    query = "?limit=2"
    while query:
        answer = (await team.owner.get(f"/api/trash{query}")).json()
        assert len(answer["items"]) == 2
        seen += [item["id"] for item in answer["items"]]
        query = f"?limit=2&cursor={answer['next_cursor']}" if answer["next_cursor"] else ""
    assert seen == [path.rsplit("/", 1)[1] for path in reversed(paths)]


async def test_deleting_for_good_is_final_and_frees_the_quota(world: World, team: People) -> None:
    async def stored() -> Any:
        return await world.db.all(int, "SELECT bytes FROM quota_stored ORDER BY level, subject")

    before = await stored()
    file = (await put(team.owner, "plan.bin", b"x" * 50_000))["id"]
    note = await write_note(team.owner)
    full = await stored()
    await delete(team.owner, f"/api/repo-obj/{file}")
    await delete(team.owner, f"/api/notes/{note}")
    assert await stored() == full != before
    for id in (file, note):
        await delete(team.owner, f"/api/trash/{id}")
        assert (await restore(team.owner, id)).status_code == 404
        assert (await team.owner.delete(f"/api/trash/{id}")).status_code == 404
    assert sum(await stored()) == sum(before)
    assert await world.db.one(int, "SELECT COUNT(*) FROM texts") == 0
    assert await violations(world) == []
    actions = [row.action for row in await trail(world) if row.target in (file, note)]
    assert actions == ["object.create", "note.create", "object.delete", "note.delete", "object.purge", "note.purge"]


async def test_emptying_goes_in_batches_and_says_what_is_left(
    world: World, team: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("teamspace.trash.domain._EMPTIED_AT_ONCE", 3)
    for number in range(4):
        await delete(team.owner, f"/api/notes/{await write_note(team.owner, f'note {number}')}")
    other = await write_note(team.member)
    await delete(team.member, f"/api/notes/{other}")
    assert (await team.owner.delete("/api/trash")).json() == {"deleted": 3, "remaining": 1}
    assert (await team.owner.delete("/api/trash")).json() == {"deleted": 1, "remaining": 0}
    assert (await team.owner.delete("/api/trash")).json() == {"deleted": 0, "remaining": 0}
    assert [item["id"] for item in await items(team.member)] == [other]
    assert await violations(world) == []


async def test_the_server_empties_the_trash_after_the_time(world: World, team: People) -> None:
    old_note, new_note = await write_note(team.owner, "old"), await write_note(team.owner, "new")
    old_file, new_file = (await put(team.owner, "old"))["id"], (await put(team.owner, "new"))["id"]
    for path in ("notes", "repo-obj"):
        for id in (old_note, new_note) if path == "notes" else (old_file, new_file):
            await delete(team.owner, f"/api/{path}/{id}")
    for table, id in (("notes", old_note), ("objects", old_file)):
        await run_sql(
            world, f"UPDATE {table} SET removed = TRUE, trashed_at = :at WHERE id = :id"
            if table == "objects" else f"UPDATE {table} SET trashed_at = :at WHERE id = :id",
            at=clock.ago(30 * clock.DAY + 1), id=id,
        )  # fmt: skip
    await world.suspend(team.owner.org)
    await trash.tidy(world.db, 30)
    assert {item["id"] for item in await items(team.owner)} == {new_note, new_file}
    assert await violations(world) == []
    assert (await restore(team.owner, new_note)).status_code == 403  # suspended


async def test_without_days_everything_is_deleted_at_once(
    settings: Settings, database_url: str, tmp_path: Path
) -> None:
    none = load(
        {"SERVICE_DATA": str(tmp_path / "none"), "SERVICE_TRASH_DAYS": "0", "SERVICE_DATABASE_URL": database_url}
    )
    async with open_world(none) as world:
        ann = await world.bootstrap()
        file, note, document = (await put(ann, "a"))["id"], await write_note(ann), await write_document(ann)
        for path in (f"/api/repo-obj/{file}", f"/api/notes/{note}", f"/api/documents/{document}"):
            await delete(ann, path)
        assert await items(ann) == []
        assert [await world.db.one(int, f"SELECT COUNT(*) FROM {table}") for table in ("notes", "objects", "texts")] == [
            0, 0, 0,
        ]  # fmt: skip
        assert await violations(world) == []


async def test_what_someone_who_left_has_deleted_is_transferred(world: World, team: People) -> None:
    note = await write_note(team.owner, "private")
    await delete(team.owner, f"/api/notes/{note}")
    await leave(team, team.owner)
    assert (await restore(team.admin, note)).status_code == 404
    body = {"to": team.admin.user_id}
    assert (await team.admin.post(f"/api/members/{team.owner.user_id}/transfer", body)).status_code == 200
    assert await titles(team.admin) == ["private"]
    assert (await restore(team.admin, note)).status_code == 200
    assert (await team.admin.get(f"/api/notes/{note}")).json()["owner"] == team.admin.user_id


async def test_a_visible_thing_of_someone_who_left_is_restored_by_an_admin(world: World, team: People) -> None:
    file = (await put(team.owner, "plan.txt", query="?visibility=team"))["id"]
    await delete(team.owner, f"/api/repo-obj/{file}")
    await leave(team, team.owner)
    assert (await restore(team.admin, file)).status_code == 200
    assert (await fetch(team.member, file)).status_code == 200


async def test_the_knowledge_graph_forgets_and_remembers(world: World, team: People) -> None:
    document = await learn(team.owner, "Site", "Jonas Weber works at Kranbau GmbH in Hamburg.")
    known = await names(team.owner)
    assert known
    await delete(team.owner, f"/api/documents/{document}")
    assert await names(team.owner) == []
    await restore(team.owner, document)
    assert await names(team.owner) == known


async def test_a_derived_document_stays_and_its_source_is_not_named(world: World, team: People) -> None:
    source = (await put(team.owner, "source.txt"))["id"]
    derived = (await put(team.owner, "derived.txt"))["id"]
    await run_sql(
        world,
        "INSERT INTO object_derivations (object_id, number, source_id, source_number, checked_number, org_id, recipe,"
        " latest, created_at) VALUES (:derived, 1, :source, 1, 1, :org, 'r', TRUE, :now)",
        derived=derived, source=source, org=team.owner.org.id, now=clock.stamp(),
    )  # fmt: skip
    before = await view(team.owner, derived)
    await delete(team.owner, f"/api/repo-obj/{source}")
    assert source not in (await team.owner.get(f"/api/repo-obj/{derived}/derivations")).text
    await restore(team.owner, source)
    assert await view(team.owner, derived) == before


async def test_a_text_that_was_not_extracted_yet_is_extracted_after_the_restore(world: World, team: People) -> None:
    file = (await put(team.owner, "plan.txt", b"A tower of glass."))["id"]
    await delete(team.owner, f"/api/repo-obj/{file}")
    async with running(world):
        for job in await world.db.all(str, "SELECT id FROM jobs"):
            await ended(team.owner, job)
        assert (await world.db.one(str, "SELECT text_state FROM objects WHERE id = :id", id=file)) == "pending"
        await restore(team.owner, file)
        await wait_for_text(team.owner, file)
    assert [hit["id"] for hit in (await team.owner.get("/api/search?q=glass")).json()["items"]] == [file]
    assert await violations(world) == []


async def test_events_tell_readers_of_both(world: World, team: People) -> None:
    note = await write_note(team.owner, visibility="team")
    await delete(team.owner, f"/api/notes/{note}")
    await restore(team.owner, note)
    changes = await world.db.all(str, "SELECT change FROM events WHERE subject_id = :id ORDER BY id", id=note)
    assert changes == ["created", "deleted", "created"]


async def test_a_condition_holds_for_the_trash_too(world: World, team: People) -> None:
    note = await write_note(team.owner)
    stale = await team.owner.delete(f"/api/notes/{note}", headers={"if-match": '"9"'})
    assert stale.status_code == 412
    assert await items(team.owner) == []
    answer = await send(team.owner, "a", b"1")
    assert (
        await team.owner.delete(f"/api/repo-obj/{answer.json()['id']}", headers={"if-match": '"9"'})
    ).status_code == 412
    assert await items(team.owner) == []
