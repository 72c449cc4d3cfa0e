"""Uploads by parts over HTTP: parts are stored when they arrive, and a lost connection loses only what was under way."""

import asyncio
from typing import Any

import pytest

from teamspace.core.ids import new_id
from teamspace.repository.domain import multipart
from teamspace.tenancy import Role
from tests.repository.help import fetch, keys, put
from tests.support.world import Caller, World

pytestmark = pytest.mark.both_databases

PARTS = (b"a" * 7, b"b" * 7, b"c" * 3)
WHOLE = b"".join(PARTS)


@pytest.fixture
async def ann(world: World, monkeypatch: pytest.MonkeyPatch) -> Caller:
    monkeypatch.setattr(multipart, "MIN_PART", 5)
    return await world.bootstrap()


async def begin(caller: Caller, key: str = "films/one.bin", **more: str) -> str:
    answer = await caller.post("/api/repo-uploads", {"key": key, **more})
    assert answer.status_code == 201, answer.text
    upload: str = answer.json()["id"]
    return upload


async def send(caller: Caller, upload: str, number: int, content: bytes) -> int:
    answer = await caller("PUT", f"/api/repo-uploads/{upload}/parts?number={number}", content=content)
    return answer.status_code


async def send_all(caller: Caller, upload: str) -> None:
    for number, content in enumerate(PARTS, 1):
        assert await send(caller, upload, number, content) == 200


async def complete(caller: Caller, upload: str, size: int = len(WHOLE), **headers: str) -> tuple[int, dict[str, Any]]:
    http_headers = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = await caller.post(f"/api/repo-uploads/{upload}/complete", {"size": size}, headers=http_headers)
    return answer.status_code, answer.json()


async def sizes(caller: Caller, upload: str, query: str = "") -> list[tuple[int, int]]:
    page = (await caller.get(f"/api/repo-uploads/{upload}/parts{query}")).json()
    return [(part["number"], part["size"]) for part in page["items"]]


async def test_parts_become_one_version_with_type_name_and_visibility(ann: Caller) -> None:
    upload = await begin(ann, content_type="video/mp4", filename="holiday.mp4", visibility="team")
    await send_all(ann, upload)
    assert await keys(ann) == [], "nobody sees it before it is complete"
    status, made = await complete(ann, upload)
    assert status == 200
    assert (made["key"], made["filename"], made["content_type"], made["visibility"], made["size"]) == (
        "films/one.bin", "holiday.mp4", "video/mp4", "team", len(WHOLE),
    )  # fmt: skip
    assert (await fetch(ann, made["id"])).content == WHOLE
    assert (await fetch(ann, made["id"], range="bytes=5-8")).content == WHOLE[5:9]


async def test_what_was_lost_is_sent_again_in_any_order(ann: Caller) -> None:
    upload = await begin(ann)
    assert await send(ann, upload, 3, PARTS[2]) == 200
    assert await send(ann, upload, 1, b"wrong") == 200
    assert await sizes(ann, upload) == [(1, 5), (3, 3)]
    assert (await complete(ann, upload))[1]["key"] == "repository.parts_missing"
    await send_all(ann, upload)
    assert await sizes(ann, upload) == [(1, 7), (2, 7), (3, 3)]
    page = (await ann.get(f"/api/repo-uploads/{upload}/parts?limit=2")).json()
    assert await sizes(ann, upload, f"?cursor={page['next_cursor']}") == [(3, 3)]
    assert (await complete(ann, upload, len(WHOLE) + 1))[1]["key"] == "repository.parts_missing"
    assert (await complete(ann, upload))[0] == 200


async def test_a_repeated_completion_gets_the_same_answer(ann: Caller) -> None:
    upload = await begin(ann)
    await send_all(ann, upload)
    answers = await asyncio.gather(*(complete(ann, upload, if_none_match="*") for _ in range(4)))
    answers.append(await complete(ann, upload, if_none_match="*"))
    assert {status for status, _ in answers} == {200}
    assert {(made["id"], made["version"]) for _, made in answers} == {(answers[0][1]["id"], 1)}
    assert await send(ann, upload, 1, b"late") == 404


async def test_conditions_and_small_parts_are_refused(ann: Caller) -> None:
    await put(ann, "films/one.bin", b"First")
    upload = await begin(ann)
    await send_all(ann, upload)
    assert (await complete(ann, upload, if_none_match="*"))[0] == 412
    assert (await complete(ann, upload, if_match='"7"'))[0] == 412
    status, made = await complete(ann, upload, if_match='"1"')
    assert (status, made["version"]) == (200, 2)
    small = await begin(ann, "films/small.bin")
    for number, content in ((1, b"1"), (2, b"2")):
        await send(ann, small, number, content)
    assert (await complete(ann, small, 2))[1]["key"] == "repository.part_size"
    for wrong in ("0", "10001", "x", ""):
        answer = await ann("PUT", f"/api/repo-uploads/{small}/parts?number={wrong}", content=b"1")
        assert answer.status_code == 400, wrong


async def test_a_discarded_upload_frees_its_bytes(ann: Caller) -> None:
    async def used() -> int:
        usage = (await ann.get("/api/usage")).json()
        return next(each["used"] for each in usage["items"] if each["dimension"] == "storage.bytes")

    upload = await begin(ann)
    await send_all(ann, upload)
    assert await used() == len(WHOLE)
    assert (await ann.delete(f"/api/repo-uploads/{upload}")).status_code == 204
    assert await used() == 0
    assert (await ann.get(f"/api/repo-uploads/{upload}/parts")).status_code == 404


async def test_nobody_else_reaches_an_upload(world: World, ann: Caller) -> None:
    bob = await world.person(ann.org, ann.team, Role.MEMBER)
    upload = await begin(ann)
    for each in (upload, new_id()):
        assert await send(bob, each, 1, b"x") == 404
        assert (await complete(bob, each))[0] == 404
        assert (await bob.get(f"/api/repo-uploads/{each}/parts")).status_code == 404
        assert (await bob.delete(f"/api/repo-uploads/{each}")).status_code == 404
    viewer = await world.person(ann.org, ann.team, Role.VIEWER)
    assert (await viewer.post("/api/repo-uploads", {"key": "a.bin"})).status_code == 403
