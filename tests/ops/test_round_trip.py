"""What was backed up comes back, whichever database it came from and whichever it goes to."""

from pathlib import Path

import msgspec
import pytest

from teamspace import ops
from teamspace.settings import Settings
from tests.identity.help import signed_in
from tests.ops.help import (
    ODDITIES,
    PLAN,
    Places,
    add_oddities,
    content,
    files,
    fill,
    findings,
    kind_of,
    know,
    other,
    read_manifest,
)
from tests.support.world import Caller
from tests.support.world import world as opened

FILLED = {
    "audit", "blobs", "branding", "idempotency", "instance", "login_attempts", "memberships", "note_grants", "note_tags",
    "notes", "object_versions", "objects", "oddities", "org_roles", "orgs", "recovery_codes", "teams", "texts", "tokens", "totp", "users",
}  # fmt: skip


async def test_there_and_back_through_the_other_database(
    settings: Settings, places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    know(monkeypatch, ODDITIES)
    async with opened(settings) as world:
        await fill(world)
        await add_oddities(world)
    there = places.new(other(kind_of(settings)), key_of=settings)
    back = places.new(kind_of(settings), key_of=settings)
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
    # Equal tables are equal to the byte in the file, too.
    assert read_manifest(tmp_path / "1.tar").tables == read_manifest(tmp_path / "2.tar").tables
    assert await findings(back) == await findings(there) == {}


async def test_a_restored_instance_goes_on_as_if_nothing_had_been(
    settings: Settings, places: Places, backup_file: Path
) -> None:
    async with opened(settings) as world:
        codes = await fill(world)
        ann = await signed_in(world, "ann", totp=codes.pop())
        once = await ann.post("/api/notes", {"title": "Once"}, headers={"idempotency-key": "7"})
        await ops.backup(settings, backup_file)
    place = places.new(other(kind_of(settings)), key_of=settings)
    await ops.restore(place, backup_file)
    async with opened(place) as world:
        ann = Caller(world, ann.token)
        again = await ann.post("/api/notes", {"title": "Once"}, headers={"idempotency-key": "7"})
        assert (again.json(), again.headers["idempotency-replayed"]) == (once.json(), "true")
        assert (await ann.post("/api/notes", {"title": "After"})).status_code == 201
        (crane,) = (await ann.get("/api/documents")).json()["items"]
        assert (await ann.get(f"/api/documents/{crane['id']}")).json()["body"] == PLAN
        for word in ("once", "after", "漢字"):
            assert len((await ann.get("/api/search", params={"q": word})).json()["items"]) == 1
        await signed_in(world, "ann", totp=codes.pop())
    assert await findings(place) == {}


async def test_an_instance_that_was_never_set_up(settings: Settings, places: Places, backup_file: Path) -> None:
    async with opened(settings):
        pass
    await ops.backup(settings, backup_file)
    place = places.new(other(kind_of(settings)), key_of=settings)
    await ops.restore(place, backup_file)
    assert await content(place) == await content(settings)
    assert await findings(place) == {}


async def test_the_key_can_come_from_the_settings(settings: Settings, places: Places, backup_file: Path) -> None:
    async with opened(settings) as world:
        codes = await fill(world)
    await ops.backup(settings, backup_file)
    key = (settings.data / "secret.key").read_text().strip()
    place = msgspec.structs.replace(places.new(kind_of(settings)), secret_key=key)
    await ops.restore(place, backup_file)
    assert not (place.data / "secret.key").exists()
    async with opened(place) as world:
        await signed_in(world, "ann", totp=codes[0])
