"""The text of objects: extracted by a job, searchable by readers of the object, deleted with it."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from typing import Any

import msgspec
import pytest

from teamspace import jobs
from teamspace.core.principal import system
from teamspace.jobs.domain.ending import MAX_LEASE_EXPIRIES
from teamspace.repository.domain import texts
from teamspace.tenancy.schemas import Role
from tests.extraction import files
from tests.jobs.help import claim, ended, fail, running
from tests.repository.help import put
from tests.support.world import Caller, World

CHANNEL = jobs.local_channel(texts.EXTRACT)


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


async def wait_for_text(caller: Caller, object_id: str) -> dict[str, Any]:
    """The object once its text is extracted, or the extraction failed."""
    async with asyncio.timeout(90):
        while True:
            found: dict[str, Any] = (await caller.get(f"/api/repo-obj/{object_id}")).json()
            if found["text_state"] != "pending":
                return found
            await asyncio.sleep(0.05)


async def search(caller: Caller, query: str) -> list[str]:
    answer = await caller.get("/api/search", params={"q": query, "types": "object"})
    assert answer.status_code == 200, answer.text
    return [item["id"] for item in answer.json()["items"]]


async def test_a_word_inside_a_file_finds_it(world: World, ann: Caller) -> None:
    created = await put(ann, "reports/week.pdf", files.pdf("The quick harbour seal"), content_type="application/pdf")
    assert created["text_state"] == "pending"
    assert await search(ann, "week") == await search(ann, "reports") == [created["id"]], (
        "found by name and key immediately"
    )
    assert await search(ann, "harbour") == []
    async with running(world):
        assert (await wait_for_text(ann, created["id"]))["text_state"] == "ready"
    (item,) = (await ann.get("/api/search?q=HARBOUR")).json()["items"]
    assert (item["type"], item["id"], item["title"]) == ("object", created["id"], "week.pdf")
    assert "<mark>harbour</mark>" in item["snippet"]
    other = await world.person(ann.org, ann.team)
    assert await search(other, "harbour") == [], "it is private"


async def test_a_new_version_replaces_the_text(world: World, ann: Caller) -> None:
    async with running(world):
        created = await put(ann, "a.txt", b"first words", content_type="text/plain")
        await wait_for_text(ann, created["id"])
        assert await search(ann, "first") == [created["id"]]
        await put(ann, "a.txt", b"second words", content_type="text/plain")
        await wait_for_text(ann, created["id"])
    assert (await search(ann, "first"), await search(ann, "second")) == ([], [created["id"]])
    await ann.delete(f"/api/repo-obj/{created['id']}")
    assert await search(ann, "second") == []


async def test_a_failed_extraction_has_a_reason_and_the_file_is_found_by_name(world: World, ann: Caller) -> None:
    async with running(world):
        broken = await put(ann, "broken.pdf", b"%PDF-1.7 and no more", content_type="application/pdf")
        failed = await wait_for_text(ann, broken["id"])
    assert failed["text_state"] == "failed"
    assert failed["text_fault"]
    assert (await ann.get(f"/api/repo-obj/{broken['id']}/processing")).json()["text_fault"] == failed["text_fault"]
    assert await search(ann, "broken") == [broken["id"]]


async def test_files_without_text_have_no_pending_extraction(ann: Caller) -> None:
    assert (await put(ann, "a.png", b"\x89PNG", content_type="image/png"))["text_state"] == "none"
    assert (await put(ann, "empty.txt", b"", content_type="text/plain"))["text_state"] == "none"


async def test_a_document_is_searchable_immediately(ann: Caller) -> None:
    created = (await ann.post("/api/documents", {"title": "Z\u00fcrich", "body": "Ferries and lighthouses"})).json()
    assert await search(ann, "lighthouse") == await search(ann, "zurich") == [created["id"]]
    await ann.put(f"/api/documents/{created['id']}", {"body": "Trams"})
    assert (await search(ann, "lighthouse"), await search(ann, "trams")) == ([], [created["id"]])


async def test_extraction_can_be_requested_by_readers_only(world: World, ann: Caller) -> None:
    created = await put(ann, "a.txt", b"words", content_type="text/plain")
    stranger = await world.person(ann.org, ann.team)
    draft = {"kind": "repo.extract_text", "input": {"object_id": created["id"]}}
    assert (await stranger.post("/api/jobs", draft)).status_code == 404
    async with running(world):
        await wait_for_text(ann, created["id"])
        job = await ended(ann, (await ann.post("/api/jobs", draft)).json()["id"], seconds=60)
    assert (job["state"], job["title"], job["subject"]) == (
        "succeeded", "a.txt", {"type": "object", "id": created["id"]}
    )  # fmt: skip


async def test_the_text_of_a_write_only_token_s_upload_is_extracted(world: World, ann: Caller) -> None:
    writer = await world.token(ann, scope=["files:write"])
    created = await put(writer, "a.txt", b"words", content_type="text/plain")
    async with running(world):
        assert (await wait_for_text(ann, created["id"]))["text_state"] == "ready"


async def test_deleting_a_file_cancels_its_extraction(world: World, ann: Caller) -> None:
    created = await put(ann, "a.txt", b"words", content_type="text/plain")
    await ann.delete(f"/api/repo-obj/{created['id']}")
    (job,) = (await ann.get("/api/jobs")).json()["items"]
    async with running(world):
        job = await ended(ann, job["id"])
    assert job["state"] == "cancelled"
    fault = await world.db.one(str, "SELECT error FROM jobs")
    assert fault
    assert msgspec.json.decode(fault)["code"] == "not_found"


# Extraction jobs that end without a text


async def _fail_job(world: World, ann: Caller, uploader: Caller) -> None:
    ((_, claimed),) = await claim(world, channels=(CHANNEL,))
    await fail(world, claimed, retryable=False)


async def _expire_leases(world: World, ann: Caller, uploader: Caller) -> None:
    for _ in range(MAX_LEASE_EXPIRIES):
        assert await claim(world, channels=(CHANNEL,))
        async with world.db.maintenance(system()) as tx:
            await tx.run("UPDATE jobs SET lease_until = '2000' WHERE state = 'running'")
        await jobs.sweep(world.db, world.app.queue)


async def _remove_uploader(world: World, ann: Caller, uploader: Caller) -> None:
    assert (await ann.delete(f"/api/members/{uploader.user_id}")).status_code == 204
    async with running(world):
        await wait_for_text(ann, (await ann.get("/api/repo")).json()["items"][0]["id"])


async def _cancel_job(world: World, ann: Caller, uploader: Caller) -> None:
    (job,) = (await uploader.get("/api/jobs")).json()["items"]
    assert (await uploader.post(f"/api/jobs/{job['id']}/cancel")).status_code == 200


@pytest.mark.parametrize(
    ("end_job", "fault"),
    [
        (_fail_job, "crashed"),
        (_expire_leases, "crashed"),
        (_remove_uploader, "uploader_left"),
        (_cancel_job, "cancelled"),
    ],
)
async def test_an_extraction_that_ends_without_a_text_is_marked_failed(
    world: World, ann: Caller, end_job: Callable[[World, Caller, Caller], Awaitable[None]], fault: str
) -> None:
    uploader = await world.person(ann.org, ann.team)
    created = await put(uploader, "a.txt", b"words", "?visibility=team", content_type="text/plain")
    assert created["text_state"] == "pending"
    await end_job(world, ann, uploader)
    found = (await ann.get(f"/api/repo-obj/{created['id']}")).json()
    assert (found["text_state"], found["text_fault"]) == ("failed", fault)


async def test_a_job_of_another_reader_does_not_affect_the_text_state(world: World, ann: Caller) -> None:
    created = await put(ann, "a.txt", b"words", "?visibility=team", content_type="text/plain")
    stranger = await world.person(ann.org, ann.team)
    draft = {"kind": "repo.extract_text", "input": {"object_id": created["id"]}}
    job = (await stranger.post("/api/jobs", draft)).json()
    await stranger.post(f"/api/jobs/{job['id']}/cancel")
    assert (await ann.get(f"/api/repo-obj/{created['id']}")).json()["text_state"] == "pending"


async def test_waiting_for_a_reader_does_not_count_as_job_time(world: World, ann: Caller) -> None:
    """All readers are busy for longer than the job's time limit."""
    kind = world.app.queue.kinds[texts.EXTRACT]
    world.app.queue.kinds.add([msgspec.structs.replace(kind, row=msgspec.structs.replace(kind.row, seconds=1.5))])
    readers = world.app.readers
    async with running(world):
        async with readers.acquire(nullcontext), readers.acquire(nullcontext):
            created = await put(ann, "a.pdf", files.pdf("harbour"), content_type="application/pdf")
            await asyncio.sleep(2)
            (job,) = (await ann.get("/api/jobs")).json()["items"]
            assert job["state"] == "running"
        assert (await wait_for_text(ann, created["id"]))["text_state"] == "ready"
        assert (await ended(ann, job["id"]))["attempt"] == 1


async def test_a_job_is_read_in_full_by_those_who_can_read_its_subject(world: World, ann: Caller) -> None:
    created = await put(ann, "reports/a.txt", b"words", content_type="text/plain")
    member, admin = await world.person(ann.org, ann.team), await world.person(ann.org, ann.team, Role.ADMIN)
    blind = await world.token(ann, scope=["chat:use", "files:read:other/"])

    async def views() -> list[str]:
        """The requester's, a member's, a manager's, and a token's that cannot read the file."""
        items = [(await caller.get("/api/jobs")).json()["items"] for caller in (ann, member, admin, blind)]
        return [item["view"] for (item,) in items]

    assert await views() == ["full", "outline", "outline", "outline"]
    await ann.post(f"/api/repo-obj/{created['id']}/visibility", {"visibility": "team"})
    assert await views() == ["full", "full", "full", "outline"]
    (shown,) = (await member.get("/api/jobs")).json()["items"]
    assert (shown["title"], shown["subject"]) == ("a.txt", {"type": "object", "id": created["id"]})
    await ann.delete(f"/api/repo-obj/{created['id']}")
    assert await views() == ["outline"] * 4, "nobody can read it any more"
