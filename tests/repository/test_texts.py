"""The text inside objects: found by a job, searched by whoever may read the object, gone with it."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from typing import Any

import msgspec
import pytest

from teamspace import jobs
from teamspace.core.principal import system
from teamspace.jobs.domain.queue import MAX_LEASE_EXPIRIES
from teamspace.repository.domain import texts
from tests.extraction import files
from tests.jobs.help import claim, ended, fail, running
from tests.repository.help import put
from tests.support.world import Caller, World

PLACE = jobs.local_channel(texts.EXTRACT)


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


async def read(caller: Caller, object_id: str) -> dict[str, Any]:
    """Once somebody has read it, or failed to."""
    async with asyncio.timeout(90):
        while True:
            found: dict[str, Any] = (await caller.get(f"/api/repo-obj/{object_id}")).json()
            if found["text_state"] != "pending":
                return found
            await asyncio.sleep(0.05)


async def found(caller: Caller, words: str) -> list[str]:
    answer = await caller.get("/api/search", params={"q": words, "types": "object"})
    assert answer.status_code == 200, answer.text
    return [item["id"] for item in answer.json()["items"]]


async def test_a_word_inside_a_file_finds_it(world: World, ann: Caller) -> None:
    made = await put(ann, "reports/week.pdf", files.pdf("The quick harbour seal"), content_type="application/pdf")
    assert made["text_state"] == "pending"
    assert await found(ann, "week") == await found(ann, "reports") == [made["id"]], "by name and key at once"
    assert await found(ann, "harbour") == []
    async with running(world):
        assert (await read(ann, made["id"]))["text_state"] == "ready"
    (item,) = (await ann.get("/api/search?q=HARBOUR")).json()["items"]
    assert (item["type"], item["id"], item["title"]) == ("object", made["id"], "week.pdf")
    assert "<mark>harbour</mark>" in item["snippet"]
    other = await world.person(ann.org, ann.team)
    assert await found(other, "harbour") == [], "it is private"


async def test_a_new_version_is_read_anew(world: World, ann: Caller) -> None:
    async with running(world):
        made = await put(ann, "a.txt", b"first words", content_type="text/plain")
        await read(ann, made["id"])
        assert await found(ann, "first") == [made["id"]]
        await put(ann, "a.txt", b"second words", content_type="text/plain")
        await read(ann, made["id"])
    assert (await found(ann, "first"), await found(ann, "second")) == ([], [made["id"]])
    await ann.delete(f"/api/repo-obj/{made['id']}")
    assert await found(ann, "second") == []


async def test_what_cannot_be_read_says_why_and_is_still_found_by_name(world: World, ann: Caller) -> None:
    async with running(world):
        broken = await put(ann, "broken.pdf", b"%PDF-1.7 and no more", content_type="application/pdf")
        failed = await read(ann, broken["id"])
    assert failed["text_state"] == "failed"
    assert failed["text_fault"]
    assert (await ann.get(f"/api/repo-obj/{broken['id']}/processing")).json()["text_fault"] == failed["text_fault"]
    assert await found(ann, "broken") == [broken["id"]]


async def test_what_has_no_text_is_not_waited_for(ann: Caller) -> None:
    assert (await put(ann, "a.png", b"\x89PNG", content_type="image/png"))["text_state"] == "none"
    assert (await put(ann, "empty.txt", b"", content_type="text/plain"))["text_state"] == "none"


async def test_a_document_is_found_as_soon_as_it_is_written(ann: Caller) -> None:
    made = (await ann.post("/api/documents", {"title": "Z\u00fcrich", "body": "Ferries and lighthouses"})).json()
    assert await found(ann, "lighthouse") == await found(ann, "zurich") == [made["id"]]
    await ann.put(f"/api/documents/{made['id']}", {"body": "Trams"})
    assert (await found(ann, "lighthouse"), await found(ann, "trams")) == ([], [made["id"]])


async def test_people_may_ask_for_it_to_be_read_again_if_they_may_read_it(world: World, ann: Caller) -> None:
    made = await put(ann, "a.txt", b"words", content_type="text/plain")
    stranger = await world.person(ann.org, ann.team)
    wish = {"kind": "repo.extract_text", "input": {"object_id": made["id"]}}
    async with running(world):
        await read(ann, made["id"])
        asked = [(caller, (await caller.post("/api/jobs", wish)).json()["id"]) for caller in (ann, stranger)]
        jobs = [await ended(caller, job_id, seconds=60) for caller, job_id in asked]
    ends = [(job["state"], (job["error"] or {}).get("code")) for job in jobs]
    assert ends == [("succeeded", None), ("cancelled", "not_found")]


async def test_a_file_that_is_deleted_before_its_turn_ends_its_job_quietly(world: World, ann: Caller) -> None:
    made = await put(ann, "a.txt", b"words", content_type="text/plain")
    await ann.delete(f"/api/repo-obj/{made['id']}")
    (job,) = (await ann.get("/api/jobs")).json()["items"]
    async with running(world):
        job = await ended(ann, job["id"])
    assert (job["state"], job["error"]["code"]) == ("cancelled", "not_found")


# When nobody will read it


async def _fails(world: World, ann: Caller, uploader: Caller) -> None:
    ((_, held),) = await claim(world, channels=(PLACE,))
    await fail(world, held, retryable=False)


async def _lapses(world: World, ann: Caller, uploader: Caller) -> None:
    for _ in range(MAX_LEASE_EXPIRIES):
        assert await claim(world, channels=(PLACE,))
        async with world.db.maintenance(system()) as tx:
            await tx.run("UPDATE jobs SET lease_until = '2000' WHERE state = 'running'")
        await jobs.sweep(world.db, world.app.queue)


async def _loses_its_uploader(world: World, ann: Caller, uploader: Caller) -> None:
    assert (await ann.delete(f"/api/members/{uploader.user_id}")).status_code == 204
    async with running(world):
        await read(ann, (await ann.get("/api/repo")).json()["items"][0]["id"])


async def _is_cancelled(world: World, ann: Caller, uploader: Caller) -> None:
    (job,) = (await uploader.get("/api/jobs")).json()["items"]
    assert (await uploader.post(f"/api/jobs/{job['id']}/cancel")).status_code == 200


@pytest.mark.parametrize(
    ("ends", "fault"),
    [
        (_fails, "crashed"),
        (_lapses, "crashed"),
        (_loses_its_uploader, "uploader_left"),
        (_is_cancelled, "cancelled"),
    ],
)
async def test_a_text_whose_job_ends_without_it_is_not_waited_for(
    world: World, ann: Caller, ends: Callable[[World, Caller, Caller], Awaitable[None]], fault: str
) -> None:
    uploader = await world.person(ann.org, ann.team)
    made = await put(uploader, "a.txt", b"words", "?visibility=team", content_type="text/plain")
    assert made["text_state"] == "pending"
    await ends(world, ann, uploader)
    found = (await ann.get(f"/api/repo-obj/{made['id']}")).json()
    assert (found["text_state"], found["text_fault"]) == ("failed", fault)


async def test_a_job_that_others_ask_for_says_nothing_of_the_text(world: World, ann: Caller) -> None:
    made = await put(ann, "a.txt", b"words", content_type="text/plain")
    stranger = await world.person(ann.org, ann.team)
    wish = {"kind": "repo.extract_text", "input": {"object_id": made["id"]}}
    asked = (await stranger.post("/api/jobs", wish)).json()
    await stranger.post(f"/api/jobs/{asked['id']}/cancel")
    assert (await ann.get(f"/api/repo-obj/{made['id']}")).json()["text_state"] == "pending"


async def test_waiting_for_a_reader_is_no_part_of_a_jobs_time(world: World, ann: Caller) -> None:
    """All readers are taken for longer than the job may last."""
    kind = world.app.queue.kinds[texts.EXTRACT]
    world.app.queue.kinds.add([msgspec.structs.replace(kind, row=msgspec.structs.replace(kind.row, seconds=1.5))])
    readers = world.app.readers
    async with running(world):
        async with readers.acquire(nullcontext), readers.acquire(nullcontext):
            made = await put(ann, "a.pdf", files.pdf("harbour"), content_type="application/pdf")
            await asyncio.sleep(2)
            (job,) = (await ann.get("/api/jobs")).json()["items"]
            assert job["state"] == "running"
        assert (await read(ann, made["id"]))["text_state"] == "ready"
        assert (await ended(ann, job["id"]))["attempt"] == 1
