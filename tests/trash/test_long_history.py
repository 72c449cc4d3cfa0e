"""Things with a long history, or that much refers to: deleting them for good holds nobody up."""

import json
from pathlib import Path
from typing import Any

import pytest

from teamspace import trash
from teamspace.repository.domain import deleting, multipart
from teamspace.settings import load
from tests.cost.help import LIMIT, longest_step
from tests.identity.help import run_sql, trail
from tests.repository.help import fetch, put
from tests.s3.in_process import InProcessBucket
from tests.support.rows import NUMBERS, insert
from tests.support.world import Caller, World
from tests.support.world import world as open_world
from tests.trash.help import items, people, restore, violations, write_note

MANY = 20_000
VERSIONS = (
    f"INSERT INTO object_versions (id, object_id, org_id, number, removal, size, blob, etag, content_type, filename,"
    f" author_id, actor_kind, created_at) {NUMBERS} SELECT 'v' || CAST(n AS TEXT), v.object_id, v.org_id, n, v.removal,"
    " v.size, v.blob, v.etag, v.content_type, v.filename, v.author_id, v.actor_kind, v.created_at"
    " FROM numbers CROSS JOIN object_versions v WHERE v.object_id = :object AND v.number = 1 AND v.org_id = :org",
    "UPDATE objects SET version = :last, numbered = :last WHERE id = :object",
)
REFERENCES = (
    "INSERT INTO text_references (id, org_id, source_kind, source_id, target_kind, target_id, author_id, created_at)"
    f" {NUMBERS} SELECT 'r' || CAST(n AS TEXT), :org, 'note', 's' || CAST(n AS TEXT), 'note', :note, 'a', '' FROM numbers",
)
DERIVE = (
    "INSERT INTO object_derivations (object_id, number, source_id, source_number, checked_number, recipe, latest, org_id,"
    " created_at) VALUES (:made, :number, :source, 1, 1, '', :latest, :org, '2030-01-01T00:00:00.000Z')"
)


async def put_versions(caller: Caller, key: str, count: int) -> str:
    for number in range(count):
        written = await put(caller, key, f"Version {number}".encode())
    return str(written["id"])


async def purges(world: World) -> list[dict[str, Any]]:
    return [json.loads(row.detail) for row in await trail(world) if row.action == "object.purge"]


async def derive(world: World, caller: Caller, made: str, number: int, source: str, *, latest: bool) -> None:
    await run_sql(world, DERIVE, made=made, number=number, source=source, latest=latest, org=caller.org.id)


async def sources(caller: Caller, object_id: str) -> list[str]:
    answer = await caller.get(f"/api/repo-obj/{object_id}/derivations")
    return [item["key"] for item in answer.json()["sources"]]


@pytest.mark.both_databases
@pytest.mark.parametrize("by", ["person", "server"])
async def test_a_long_history_takes_several_transactions(
    world: World, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    monkeypatch.setattr(deleting, "_BATCH_SIZE", 3)
    owner = (await people(world)).owner
    other = await put_versions(owner, "other", 1)
    file = await put_versions(owner, "file", 8)
    await owner.delete(f"/api/repo-obj/{file}")
    if by == "person":
        assert (await owner.delete(f"/api/trash/{file}")).status_code == 204
    else:
        await trash.tidy(world.db, -1)
    key = {"key": "file"}
    assert await purges(world) == [key | {"versions": 3}, key | {"versions": 3}, key]
    assert await world.db.all(str, "SELECT object_id FROM object_versions") == [other]
    assert await items(owner) == []
    assert await violations(world) == []


@pytest.mark.both_databases
async def test_a_file_whose_deletion_was_interrupted_can_be_restored_or_deleted_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deleting, "_BATCH_SIZE", 3)
    owner = (await people(world)).owner
    file = await put_versions(owner, "file", 8)
    await owner.delete(f"/api/repo-obj/{file}")
    delete_rows = deleting.delete_rows
    monkeypatch.setattr(deleting, "delete_rows", None)
    assert (await owner.delete(f"/api/trash/{file}")).status_code == 500
    assert await violations(world) == []
    assert (await restore(owner, file)).status_code == 200
    assert (await fetch(owner, file)).text == "Version 7"
    assert await violations(world) == []

    monkeypatch.setattr(deleting, "delete_rows", delete_rows)
    await owner.delete(f"/api/repo-obj/{file}")
    assert (await owner.delete(f"/api/trash/{file}")).status_code == 204
    assert await violations(world) == []


@pytest.mark.both_databases
async def test_versions_in_many_parts_are_deleted_one_by_one(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multipart, "MAX_PARTS", 1)
    owner = (await people(world)).owner
    bucket = await InProcessBucket.of(owner)
    await bucket("PUT", "file", "", b"whole")
    for number in range(3):
        started = (await bucket("POST", "file", "uploads=")).text
        upload = started.partition("<UploadId>")[2].partition("</UploadId>")[0]
        part = await bucket("PUT", "file", f"partNumber=1&uploadId={upload}", f"part {number}".encode())
        body = f"<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>{part.headers['etag']}</ETag></Part>"
        await bucket("POST", "file", f"uploadId={upload}", f"{body}</CompleteMultipartUpload>".encode())
    file = (await owner.get("/api/repo")).json()["items"][0]["id"]
    await owner.delete(f"/api/repo-obj/{file}")
    assert (await owner.delete(f"/api/trash/{file}")).status_code == 204
    key = {"key": "file"}
    assert await purges(world) == [key | {"versions": 1}, key | {"versions": 1}, key | {"versions": 1}, key]
    assert await violations(world) == []


@pytest.mark.both_databases
async def test_what_was_made_from_it_keeps_its_other_sources(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = (await people(world)).owner
    first, second = [await put_versions(owner, name, 1) for name in ("first", "second")]
    made = [await put_versions(owner, f"made {number}", 2) for number in range(5)]
    for each in made:
        await derive(world, owner, each, 1, first, latest=False)
        await derive(world, owner, each, 2, second, latest=True)
    monkeypatch.setattr(deleting, "_BATCH_SIZE", 2)
    await owner.delete(f"/api/repo-obj/{second}")
    assert (await owner.delete(f"/api/trash/{second}")).status_code == 204
    assert len(await purges(world)) == 3
    assert [await sources(owner, each) for each in made] == [["first"]] * 5
    assert await violations(world) == []


@pytest.mark.both_databases
async def test_without_a_trash_a_long_history_is_deleted_soon(
    tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deleting, "_BATCH_SIZE", 3)
    named = {"SERVICE_DATA": str(tmp_path / "none"), "SERVICE_TRASH_DAYS": "0", "SERVICE_DATABASE_URL": database_url}
    async with open_world(load(named)) as world:
        owner = (await people(world)).owner
        short, long = await put_versions(owner, "short", 3), await put_versions(owner, "long", 4)
        for file in (short, long):
            assert (await owner.delete(f"/api/repo-obj/{file}")).status_code == 204
            assert (await fetch(owner, file)).status_code == 404
        assert await world.db.all(str, "SELECT key FROM objects") == ["long"]
        await trash.tidy(world.db, 0)
        assert await world.db.all(str, "SELECT key FROM objects") == []
        assert await violations(world) == []


async def test_twenty_thousand_versions_do_not_block_the_loop(world: World) -> None:
    owner = (await people(world)).owner
    file = str((await put(owner, "file", b""))["id"])
    await insert(world, VERSIONS, {"org": owner.org.id, "object": file, "first": 2, "last": MANY})
    await owner.delete(f"/api/repo-obj/{file}")
    seconds, answer = await longest_step(owner.delete(f"/api/trash/{file}"))
    assert answer.status_code == 204, answer.text
    assert seconds < LIMIT
    assert await violations(world) == []


async def test_a_note_that_many_refer_to_does_not_block_the_loop(world: World) -> None:
    owner = (await people(world)).owner
    note = await write_note(owner)
    await insert(world, REFERENCES, {"org": owner.org.id, "note": note, "first": 1, "last": MANY})
    await owner.delete(f"/api/notes/{note}")
    seconds, answer = await longest_step(owner.delete(f"/api/trash/{note}"))
    assert answer.status_code == 204, answer.text
    assert seconds < LIMIT
