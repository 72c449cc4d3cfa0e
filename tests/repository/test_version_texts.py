"""The text of every version: readable after the object has changed, deleted with the version."""

import asyncio
import threading
import time
from collections.abc import Callable

import pytest

from teamspace import blobs, tenancy, wiring
from teamspace.core.principal import Call
from teamspace.extraction.domain import limits, plain
from teamspace.repository import WriteCondition, deleting
from teamspace.repository.domain import texts
from teamspace.tenancy.schemas import Role
from tests.extraction import files
from tests.identity.help import broken
from tests.jobs.help import running
from tests.repository.help import fetch, put, share
from tests.repository.test_texts import wait_for_text
from tests.support.world import Caller, World

pytestmark = pytest.mark.both_databases
PDF, DOCX = "application/pdf", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
FORMATS: dict[str, tuple[Callable[[str], bytes], str]] = {
    "report.pdf": (files.pdf, PDF),
    "report.docx": (files.docx, DOCX),
}


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


async def put_report(caller: Caller, name: str, text: str) -> str:
    build, content_type = FORMATS[name]
    created = await put(caller, name, build(text), content_type=content_type)
    assert (await wait_for_text(caller, created["id"]))["text_state"] == "ready"
    object_id: str = created["id"]
    return object_id


async def text_of(caller: Caller, object_id: str, query: str = "") -> str:
    answer = await fetch(caller, object_id, f"?as=text{query}")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    return answer.text


async def refusal(caller: Caller, object_id: str, query: str = "") -> tuple[int, str]:
    answer = await fetch(caller, object_id, f"?as=text{query}")
    return answer.status_code, answer.json()["key"]


@pytest.mark.parametrize("name", FORMATS)
async def test_a_text_is_readable_after_its_file_was_replaced(world: World, ann: Caller, name: str) -> None:
    async with running(world):
        report = await put_report(ann, name, "The first harbour")
        await put_report(ann, name, "The second quay")
    assert "The first harbour" in await text_of(ann, report, "&version=1")
    assert "The second quay" in await text_of(ann, report) == await text_of(ann, report, "&version=2")
    assert await broken(world) == []


async def test_a_plain_text_is_its_own_text_even_before_extraction(ann: Caller) -> None:
    note = await put(ann, "a.txt", "Zürich\n".encode(), content_type="text/plain")
    await put(ann, "a.txt", "Genève".encode("utf-16"), content_type="text/plain")
    assert await text_of(ann, note["id"], "&version=1") == "Zürich\n"
    assert await text_of(ann, note["id"]) == "Genève"
    document = (await ann.post("/api/documents", {"title": "Plan", "body": "Ferries"})).json()
    await ann.put(f"/api/documents/{document['id']}", {"body": "Trams"})
    assert await text_of(ann, document["id"], "&version=1") == "Ferries"


async def test_a_version_without_text_says_why(world: World, ann: Caller) -> None:
    pending = await put(ann, "a.pdf", files.pdf("harbour"), content_type=PDF)
    picture = await put(ann, "a.png", b"\x89PNG", content_type="image/png")
    assert await refusal(ann, pending["id"]) == (404, "repository.text_pending")
    assert await refusal(ann, picture["id"]) == (404, "repository.text_none")
    await put(ann, "a.pdf", b"%PDF-1.7 and no more", content_type=PDF)
    async with running(world):
        await wait_for_text(ann, pending["id"])
    assert await refusal(ann, pending["id"]) == (404, "repository.text_failed")
    assert await refusal(ann, pending["id"], "&version=1") == (404, "repository.text_none")
    assert await refusal(ann, pending["id"], "&version=7") == (404, "repository.no_version")
    not_text = await put(ann, "b.txt", b"a\0\0\0b", content_type="text/plain")
    assert (await refusal(ann, not_text["id"]))[0] == 404


async def test_readers_only(world: World, ann: Caller) -> None:
    secret = await put(ann, "a.txt", b"words", content_type="text/plain")
    bob = await world.person(ann.org, ann.team)
    assert await refusal(bob, secret["id"]) == await refusal(bob, "nothing") == (404, "request.not_found")
    await share(ann, secret["id"], bob)
    assert await text_of(bob, secret["id"]) == "words"
    org, team = await world.company()
    eve = await world.person(org, team, Role.OWNER)
    assert await refusal(eve, secret["id"]) == (404, "request.not_found")
    other = await world.token(ann, scope=["files:read:other/"])
    assert await refusal(other, secret["id"]) == (404, "request.not_found")


async def test_requests_can_be_conditional(ann: Caller) -> None:
    created = await put(ann, "a.txt", b"words", content_type="text/plain")
    content, text = await fetch(ann, created["id"]), await fetch(ann, created["id"], "?as=text")
    assert (content.headers["etag"], text.headers["etag"]) == ('"1"', '"1-text"')
    same = await fetch(ann, created["id"], "?as=text", if_none_match='"1-text"')
    other = await fetch(ann, created["id"], "?as=text", if_none_match='"1"')
    assert (same.status_code, other.status_code) == (304, 200)
    assert "sandbox" in text.headers["content-security-policy"]
    assert (await fetch(ann, created["id"], "?as=html")).status_code == 400
    assert (await fetch(ann, created["id"], "?as=text&as=text")).status_code == 400


# Blobs


async def kept_texts(world: World) -> list[str]:
    return await world.db.all(str, "SELECT text_blob FROM object_versions WHERE text_blob IS NOT NULL ORDER BY number")


async def known_after_collection(world: World, caller: Caller, digests: list[str]) -> list[bool]:
    await blobs.collect(world.db, world.app.files, wiring.BLOB_COLUMNS, retention=0)
    return [await blobs.is_known(world.db, caller.org.id, digest) for digest in digests]


async def test_a_text_counts_against_no_quota_and_is_deleted_with_its_object(world: World, ann: Caller) -> None:
    async with running(world):
        report = await put_report(ann, "report.pdf", "harbour")
        await put_report(ann, "report.pdf", "quay")
    used = await world.db.one(
        int, "SELECT CAST(SUM(bytes) AS BIGINT) FROM quota_stored WHERE subject = :id", id=ann.org.id
    )
    assert used == len(files.pdf("harbour")) + len(files.pdf("quay"))
    kept = await kept_texts(world)
    assert await known_after_collection(world, ann, kept) == [True, True]
    assert (await ann.delete_for_good(f"/api/repo-obj/{report}")).status_code == 204
    assert await known_after_collection(world, ann, kept) == [False, False]
    assert await broken(world) == []


async def test_a_text_is_deleted_with_its_version(world: World, ann: Caller) -> None:
    async with running(world):
        report = await put_report(ann, "report.pdf", "harbour")
        await put_report(ann, "report.pdf", "quay")
    kept = await kept_texts(world)
    first = (await ann.get(f"/api/repo-obj/{report}")).json()["versions"][1]["id"]
    who = await tenancy.act_for(world.db, Call(), ann.user_id, ann.team.id)
    await deleting.delete_version(world.db, world.app.queue, who, "report.pdf", first, WriteCondition())
    assert await known_after_collection(world, ann, kept) == [False, True]
    assert "quay" in await text_of(ann, report)


async def test_a_version_that_is_replaced_while_it_is_read_keeps_its_text(
    world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    extract = texts._extract
    replaced = asyncio.Event()

    async def extract_slowly(*args: object) -> object:
        extracted = await extract(*args)  # type: ignore[arg-type]
        if not replaced.is_set():
            replaced.set()
            await put(ann, "report.pdf", files.pdf("The second quay"), content_type=PDF)
        return extracted

    monkeypatch.setattr(texts, "_extract", extract_slowly)
    async with running(world):
        report = await put_report(ann, "report.pdf", "The first harbour")
    assert "first harbour" in await text_of(ann, report, "&version=1")
    assert "second quay" in await text_of(ann, report, "&version=2")


async def test_a_text_of_a_version_that_was_deleted_meanwhile_is_not_kept(
    world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    extract = texts._extract

    async def extract_and_delete(*args: object) -> object:
        extracted = await extract(*args)  # type: ignore[arg-type]
        await ann.delete_for_good(f"/api/repo-obj/{created['id']}")
        return extracted

    monkeypatch.setattr(texts, "_extract", extract_and_delete)
    created = await put(ann, "report.docx", files.docx("harbour " * 100_000), content_type=DOCX)
    async with running(world), asyncio.timeout(60):
        while await world.db.one(int, "SELECT COUNT(*) FROM jobs WHERE state IN ('queued', 'running')"):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    assert await kept_texts(world) == []
    assert await blobs.find_untracked(world.db, wiring.BLOB_COLUMNS) == 0


# Cost

HOSTILE = {
    "no such characters": b"\x81", "not UTF-16": b"\x00\xd8", "not UTF-32": b"\xff\xff\xff\xff",
    "wide": "\U0001f600".encode(), "not UTF-8": b"\xff",
}  # fmt: skip
MARKS = {"not UTF-16": b"\xff\xfe", "not UTF-32": b"\xff\xfe\0\0", "not UTF-8": b"\xef\xbb\xbf"}


@pytest.mark.parametrize("name", HOSTILE)
def test_decoding_lets_other_threads_work(name: str) -> None:
    """A decoder that replaces characters once kept the event loop waiting for 400 ms per mebibyte."""
    repeat = HOSTILE[name]
    data = MARKS.get(name, b"") + repeat * (limits.READ_BYTES // len(repeat))
    assert any(longest_wait(data) < 0.1 for _ in range(3))


def longest_wait(data: bytes) -> float:
    """How long this thread waits at most while another decodes, in processor time: other work does not count."""
    decoding = threading.Thread(target=plain.read, args=[data])
    longest, last = 0.0, time.process_time()
    decoding.start()
    while decoding.is_alive():
        time.sleep(0.001)
        longest, last = max(longest, time.process_time() - last), time.process_time()
    return longest


async def test_a_long_text_is_cut(ann: Caller) -> None:
    long = await put(ann, "a.txt", b"a" * (texts.MAX_CHARACTERS + 1), content_type="text/plain")
    assert len(await text_of(ann, long["id"])) == texts.MAX_CHARACTERS
