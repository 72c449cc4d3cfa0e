"""A backup can be restored from either database to either database."""

from pathlib import Path

import msgspec
import pytest

from teamspace import ops
from teamspace.settings import Settings
from tests.identity.help import signed_in
from tests.ops.help import (
    ODDITIES,
    PLAN,
    Instances,
    add_oddities,
    content,
    files,
    fill,
    findings,
    kind_of,
    other_kind,
    read_manifest,
    ship_migrations,
)
from tests.support.world import Caller
from tests.support.world import world as open_world

FILLED = {
    "audit", "blobs", "branding", "conversation_grants", "conversation_turns", "conversations", "document_tags", "idempotency", "instance", "login_attempts", "memberships", "note_grants", "note_tags",
    "notes", "object_versions", "objects", "oddities", "org_roles", "orgs", "recovery_codes", "teams", "text_references", "texts", "tokens", "totp", "users",
}  # fmt: skip


async def test_a_round_trip_through_the_other_database_changes_nothing(
    settings: Settings, instances: Instances, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ship_migrations(monkeypatch, ODDITIES)
    async with open_world(settings) as world:
        await fill(world)
        await add_oddities(world)
    there = instances.new(other_kind(kind_of(settings)), key_of=settings)
    back = instances.new(kind_of(settings), key_of=settings)
    await ops.backup(settings, tmp_path / "1.tar")
    await ops.restore(there, tmp_path / "1.tar")
    await ops.backup(there, tmp_path / "2.tar")
    await ops.restore(back, tmp_path / "2.tar")

    first = await content(settings)
    assert {name for name, rows in first.items() if rows} >= FILLED
    assert await content(there) == first
    assert await content(back) == first
    assert files(there) == files(back) == files(settings)
    assert len(files(back)) == 3
    # Equal tables are also equal bytes in the file.
    assert read_manifest(tmp_path / "1.tar").tables == read_manifest(tmp_path / "2.tar").tables
    assert await findings(back) == await findings(there) == {}


async def test_a_restored_instance_continues_where_it_was(
    settings: Settings, instances: Instances, backup_file: Path
) -> None:
    async with open_world(settings) as world:
        codes = await fill(world)
        ann = await signed_in(world, "ann", totp=codes.pop())
        once = await ann.post("/api/notes", {"title": "Once"}, headers={"idempotency-key": "7"})
        await ops.backup(settings, backup_file)
    target = instances.new(other_kind(kind_of(settings)), key_of=settings)
    await ops.restore(target, backup_file)
    async with open_world(target) as world:
        ann = Caller(world, ann.token)
        again = await ann.post("/api/notes", {"title": "Once"}, headers={"idempotency-key": "7"})
        assert (again.json(), again.headers["idempotency-replayed"]) == (once.json(), "true")
        assert (await ann.post("/api/notes", {"title": "After"})).status_code == 201
        (crane,) = (await ann.get("/api/documents")).json()["items"]
        assert (await ann.get(f"/api/documents/{crane['id']}")).json()["body"] == PLAN
        for word in ("once", "after", "漢字"):
            assert len((await ann.get("/api/search", params={"q": word})).json()["items"]) == 1
        await signed_in(world, "ann", totp=codes.pop())
    assert await findings(target) == {}


async def test_an_instance_that_was_never_set_up_can_be_restored(
    settings: Settings, instances: Instances, backup_file: Path
) -> None:
    async with open_world(settings):
        pass
    await ops.backup(settings, backup_file)
    target = instances.new(other_kind(kind_of(settings)), key_of=settings)
    await ops.restore(target, backup_file)
    assert await content(target) == await content(settings)
    assert await findings(target) == {}


async def test_the_key_can_come_from_the_settings(settings: Settings, instances: Instances, backup_file: Path) -> None:
    async with open_world(settings) as world:
        codes = await fill(world)
    await ops.backup(settings, backup_file)
    key = (settings.data / "secret.key").read_text().strip()
    target = msgspec.structs.replace(instances.new(kind_of(settings)), secret_key=key)
    await ops.restore(target, backup_file)
    assert not (target.data / "secret.key").exists()
    async with open_world(target) as world:
        await signed_in(world, "ann", totp=codes[0])
