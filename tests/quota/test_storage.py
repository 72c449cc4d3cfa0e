"""Storage quotas: files count from the write that stores them to the one that deletes them, at every level."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator

import httpx2
import msgspec
import pytest

from teamspace import blobs
from teamspace.blobs.domain import space
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Call, Principal
from teamspace.quota.schemas import Plan
from teamspace.repository import VersionDraft, multipart
from teamspace.settings import Settings
from teamspace.tenancy.schemas import OrgRole, Role
from tests.identity.help import broken, refusal, run_sql
from tests.repository.help import fetch, put, send
from tests.support.world import Caller, World
from tests.support.world import world as open_world

FULL = (429, "quota_exceeded")
HOST_TOKEN = "the-token-of-whoever-hosts-this"
GIB = 1024**3


async def set_limit(caller: Caller, dimension: str, most: int | None, path: str = "/api/quota") -> None:
    answer = await caller.post(path, {"dimension": f"storage.{dimension}", "limit": most, "window": "lifetime"})
    assert answer.status_code == 200, answer.text


async def stored(caller: Caller) -> tuple[int, int]:
    """Return the bytes and objects in the usage of the caller's team."""
    rows = {row["dimension"]: row for row in (await caller.get("/api/usage")).json()["items"]}
    return rows["storage.bytes"]["used"], rows["storage.objects"]["used"]


async def test_storage_counts_every_version_until_it_is_deleted(world: World) -> None:
    ann = await world.bootstrap()
    first = await put(ann, "a.txt", b"x" * 1000)
    await put(ann, "a.txt", b"y" * 500)
    await put(ann, "b.txt", b"x" * 1000)
    assert await stored(ann) == (2500, 2), "the same bytes count for each version that has them"
    document = (await ann.post("/api/documents", {"title": "T", "body": "z" * 100})).json()
    assert (await ann.put(f"/api/documents/{document['id']}", {"title": "U"})).status_code == 200
    assert await stored(ann) == (2700, 3)
    await ann.delete(f"/api/repo-obj/{first['id']}")
    await ann.delete(f"/api/documents/{document['id']}")
    assert await stored(ann) == (2700, 3), "what is in the trash counts"
    await ann.delete("/api/trash")
    assert await stored(ann) == (1000, 1)
    assert await broken(world) == []


async def test_the_plan_limits_the_storage_of_a_company(world: World) -> None:
    ann = await world.bootstrap()
    await world.company("Aurora")
    for plan, size, objects in (
        (Plan.FREE, 5 * GIB, 100_000),
        (Plan.PRO, 100 * GIB, 1_000_000),
        (Plan.BUSINESS, 1024 * GIB, 10_000_000),
        (Plan.ENTERPRISE, None, None),
    ):
        assert (await ann("PATCH", "/api/orgs/aurora", {"plan": plan})).status_code == 200
        rows = (await ann.get("/api/orgs/aurora")).json()["quotas"]
        shown = {row["dimension"]: (row["limit"], row["window"], row["level"]) for row in rows}
        assert shown["storage.bytes"] == (size, "lifetime", "org")
        assert shown["storage.objects"] == (objects, "lifetime", "org")


async def test_storage_limits_have_the_lifetime_window(world: World) -> None:
    ann = await world.bootstrap()
    for window in ("day", None):
        answer = await ann.post("/api/quota", {"dimension": "storage.bytes", "limit": 1, "window": window})
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["pointer"] == "/window"


async def test_a_full_storage_quota_names_dimension_and_level_without_a_reset(settings: Settings) -> None:
    async with open_world(msgspec.structs.replace(settings, provision_token=HOST_TOKEN)) as world:
        ann = await world.bootstrap()
        host = Caller(world, HOST_TOKEN)
        for level, caller, path in (
            ("team", ann, "/api/quota"),
            ("org", ann, f"/api/orgs/{ann.org.id}/quota"),
            ("tenant", host, "/api/instance/quota"),
        ):
            for dimension, most in (("bytes", 9), ("objects", 0)):
                await set_limit(caller, dimension, most, path)
                answer = await send(ann, "a.txt", b"x" * 10)
                assert refusal(answer) == FULL
                problem = answer.json()
                assert (problem["dimension"], problem["level"]) == (f"storage.{dimension}", level)
                assert "retry-after" not in answer.headers
                assert "retry_after" not in problem and "resets_at" not in problem
                await set_limit(caller, dimension, None, path)
        assert (await send(ann, "a.txt", b"x" * 10)).status_code == 201
        assert await broken(world) == []


async def test_storage_counts_for_the_team_and_for_the_company(world: World) -> None:
    ann = await world.bootstrap()
    second = await world.join(ann, await world.team(ann.org), Role.OWNER)
    await set_limit(ann, "bytes", 100, f"/api/orgs/{ann.org.id}/quota")
    await put(ann, "a.txt", b"x" * 60)
    refused = await send(second, "a.txt", b"x" * 41)
    assert (refusal(refused), refused.json()["level"]) == (FULL, "org")
    await put(second, "a.txt", b"x" * 40)
    await set_limit(ann, "bytes", 60)
    assert (await send(ann, "b.txt", b"")).status_code == 201, "empty files always fit"
    other_org, other_team = await world.company()
    outsider = await world.person(other_org, other_team)
    await put(outsider, "a.txt", b"x" * 200)
    assert await stored(outsider) == (200, 1)


async def test_an_overwrite_counts_bytes_but_no_new_object(world: World) -> None:
    ann = await world.bootstrap()
    made = await put(ann, "a.txt", b"x" * 60)
    await set_limit(ann, "objects", 1)
    await set_limit(ann, "bytes", 100)
    assert (await send(ann, "a.txt", b"y" * 40)).status_code == 200
    assert refusal(await send(ann, "a.txt", b"y")) == FULL
    assert refusal(await send(ann, "b.txt", b"")) == FULL
    assert (await ann.delete_for_good(f"/api/repo-obj/{made['id']}")).status_code == 204
    assert (await send(ann, "b.txt", b"y" * 100)).status_code == 201
    assert await broken(world) == []


async def test_a_document_counts_for_its_own_team(world: World) -> None:
    ann = await world.bootstrap()
    elsewhere = await world.person(ann.org, await world.team(ann.org), Role.OWNER)
    made = (await ann.post("/api/documents", {"title": "T", "body": "a"})).json()
    share = {"principal_type": "user", "principal_id": elsewhere.user_id, "capability": "edit"}
    assert (await ann.post(f"/api/repo-obj/{made['id']}/share", share)).status_code == 200
    await set_limit(ann, "bytes", 10)
    changed = await elsewhere.put(f"/api/documents/{made['id']}", {"body": "b" * 9})
    assert changed.status_code == 200, changed.text
    assert refusal(await elsewhere.put(f"/api/documents/{made['id']}", {"body": "b"})) == FULL
    assert await broken(world) == []


async def test_concurrent_uploads_do_not_exceed_the_limit(world: World) -> None:
    ann = await world.bootstrap()
    second = await world.join(ann, await world.team(ann.org), Role.OWNER)
    await set_limit(ann, "bytes", 100, f"/api/orgs/{ann.org.id}/quota")
    await put(ann, "there.txt", b"x" * 30)
    for number in range(5):
        uploads = [
            send(caller, f"{number}-{at}.txt", b"y" * 60) for at, caller in enumerate((ann, second, ann, second))
        ]
        answers = await asyncio.gather(*uploads)
        assert Counter(answer.status_code for answer in answers) == {201: 1, 429: 3}
        (made,) = [(at, answer.json()["id"]) for at, answer in enumerate(answers) if answer.status_code == 201]
        assert (await (ann, second)[made[0] % 2].delete_for_good(f"/api/repo-obj/{made[1]}")).status_code == 204
    assert await broken(world) == []


async def test_concurrent_uploads_of_several_companies_do_not_exceed_the_limit_of_the_tenant(
    settings: Settings,
) -> None:
    async with open_world(msgspec.structs.replace(settings, provision_token=HOST_TOKEN)) as world:
        people = [await world.bootstrap()]
        for _ in range(3):
            people.append(await world.person(*await world.company(), Role.OWNER, org_role=OrgRole.OWNER))
        await set_limit(Caller(world, HOST_TOKEN), "bytes", 100, "/api/instance/quota")
        for number in range(5):
            answers = await asyncio.gather(*(send(person, f"{number}.txt", b"y" * 60) for person in people))
            assert Counter(answer.status_code for answer in answers) == {201: 1, 429: 3}
            for person, answer in zip(people, answers, strict=True):
                if answer.status_code == 201:
                    assert (await person.delete_for_good(f"/api/repo-obj/{answer.json()['id']}")).status_code == 204
        assert await broken(world) == []


async def test_an_abandoned_upload_is_freed(world: World) -> None:
    ann = await world.bootstrap()
    who = Principal(
        "api",
        Call(),
        user_id=ann.user_id,
        team_id=ann.team.id,
        org_id=ann.org.id,
        permissions=frozenset({P.FILES_WRITE}),
    )
    for key in ("a", "b"):
        upload = await multipart.begin(world.db, who, VersionDraft(key, key, "text/plain"))
        for number in (1, 2):
            await multipart.add_part(world.db, who, upload, number, blobs.stage_bytes(b"x" * 10), None)
    assert await stored(ann) == (40, 0)
    await run_sql(world, "UPDATE object_uploads SET touched_at = '2000-01-01T00:00:00.000Z' WHERE key = 'a'")
    assert await multipart.abort_stale_uploads(world.db) == 1
    assert await stored(ann) == (20, 0)
    assert await broken(world) == []


class Body:
    """A request body that counts how much of it was read."""

    def __init__(self, size: int, chunk: int = 64 * 1024) -> None:
        self.size, self.chunk, self.read = size, chunk, 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while self.read < self.size:
            self.read += self.chunk
            yield b"x" * self.chunk


async def send_streamed(caller: Caller, key: str, body: Body, **headers: str) -> httpx2.Response:
    expects = {"expect": "100-continue", "authorization": f"Bearer {caller.token}"}
    return await caller.world.client.put(f"/api/repo/{key}", content=body.__aiter__(), headers={**expects, **headers})


async def test_a_body_that_cannot_fit_is_refused_before_it_is_read(world: World) -> None:
    ann = await world.bootstrap()
    await set_limit(ann, "bytes", 1_000_000)
    declared = Body(4 * 1024 * 1024)
    answer = await send_streamed(ann, "large.bin", declared, **{"content-length": str(declared.size)})
    assert refusal(answer) == FULL
    assert declared.read == 0
    assert await stored(ann) == (0, 0)


async def test_a_body_of_unknown_length_is_read_only_until_the_quota_is_full(world: World) -> None:
    ann = await world.bootstrap()
    await set_limit(ann, "bytes", 1_000_000)
    endless = Body(1 << 50)
    async with asyncio.timeout(30):
        answer = await send_streamed(ann, "endless.bin", endless)
    assert refusal(answer) == FULL
    assert list((world.app.settings.data / "blobs/tmp").glob("*")) == []


async def test_below_the_disk_floor_only_files_are_refused(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_world(msgspec.structs.replace(settings, disk_floor=1000)) as world:
        ann = await world.bootstrap()
        existing = await put(ann, "a.txt", b"x" * 100_000)
        document = (await ann.post("/api/documents", {"title": "T", "body": "a"})).json()
        monkeypatch.setattr(space, "_REFRESH_SECONDS", 0.0)
        monkeypatch.setattr(space, "free_bytes", lambda folder: 999)
        for data in (b"x", b"x" * 100_000):
            assert refusal(await send(ann, "b.txt", data)) == (507, "storage_full")
        for answer in (
            await ann.post("/api/documents", {"title": "T", "body": "a"}),
            await ann.put(f"/api/documents/{document['id']}", {"body": "b"}),
        ):
            assert refusal(answer) == (507, "storage_full")
        assert (await ann.post("/api/notes", {"title": "T", "body": "b"})).status_code == 201
        assert (await fetch(ann, existing["id"])).content == b"x" * 100_000
        assert (await ann.delete_for_good(f"/api/repo-obj/{existing['id']}")).status_code == 204
        monkeypatch.setattr(space, "free_bytes", lambda folder: 2000)
        assert (await send(ann, "b.txt", b"x")).status_code == 201


async def test_an_upload_ends_when_the_disk_fills_up(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    left = iter(range(5000, 0, -500))
    monkeypatch.setattr(space, "_REFRESH_SECONDS", 0.0)
    monkeypatch.setattr(space, "free_bytes", lambda folder: next(left, 0))
    async with open_world(msgspec.structs.replace(settings, disk_floor=1000)) as world:
        ann = await world.bootstrap()
        endless = Body(1 << 50)
        assert refusal(await send_streamed(ann, "a.bin", endless)) == (507, "storage_full")
        assert list((settings.data / "blobs/tmp").glob("*")) == []


async def test_the_disk_floor_applies_to_the_disk_of_the_data_folder(settings: Settings) -> None:
    async with open_world(
        msgspec.structs.replace(settings, disk_floor=space.free_bytes(settings.data.parent) * 2)
    ) as world:
        assert refusal(await send(await world.bootstrap(), "a.txt", b"x")) == (507, "storage_full")
