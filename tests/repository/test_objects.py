"""Objects over HTTP: writing, versions, content, deletion and lists."""

import asyncio
import hashlib
import os
import random
from collections.abc import AsyncIterator
from urllib.parse import unquote

import pytest

from teamspace import blobs
from teamspace.core.db import Tx
from teamspace.repository import VersionWritten
from teamspace.settings import Settings
from teamspace.tenancy import Role
from tests.identity.help import run_sql
from tests.repository.help import TEXT, fetch, keys, put, send
from tests.support.world import Caller, World

WRITERS = 60
UNUSUAL_KEYS = [
    "a b+c%d.txt",
    "ünïcödé/日本/🙂.txt",
    "a//b",
    "folder/",
    "quote\"s'.txt",
    "x" * 1024,
    "semi;colon&amp?.txt",
    "\\back",
]


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


# Writing


async def test_the_first_write_creates_an_object(ann: Caller) -> None:
    answer = await send(ann, "reports/2030/week 1.txt", content_type="text/plain; charset=utf-8")
    assert answer.status_code == 201
    assert answer.headers["etag"] == '"1"'
    created = answer.json()
    assert created["key"] == "reports/2030/week 1.txt"
    assert (created["filename"], created["content_type"]) == ("week 1.txt", "text/plain")
    assert (created["size"], created["sha256"]) == (len(TEXT), hashlib.sha256(TEXT).hexdigest())
    assert (created["visibility"], created["owner"], created["team_id"]) == ("private", ann.user_id, ann.team.id)
    (version,) = created["versions"]
    assert (version["number"], version["author"], version["actor_kind"]) == (1, ann.user_id, "human")
    assert created == (await ann.get(f"/api/repo-obj/{created['id']}")).json()


async def test_a_second_write_adds_a_version_and_keeps_the_first(ann: Caller) -> None:
    first = await put(ann, "plan.txt")
    answer = await send(ann, "plan.txt", b"Another plan.", "?filename=The%20plan.txt&visibility=team")
    assert answer.status_code == 200
    second = answer.json()
    assert (second["id"], second["version"], second["filename"]) == (first["id"], 2, "The plan.txt")
    assert second["visibility"] == "team"
    assert [version["number"] for version in second["versions"]] == [2, 1]
    assert (await fetch(ann, first["id"])).content == b"Another plan."
    assert (await fetch(ann, first["id"], "?version=1")).content == TEXT
    assert (await fetch(ann, first["id"], "?version=3")).status_code == 404


@pytest.mark.parametrize("key", UNUSUAL_KEYS)
async def test_an_unusual_key_is_stored_unchanged(ann: Caller, key: str) -> None:
    created = await put(ann, key)
    assert created["key"] == key
    assert await keys(ann) == [key]
    assert await keys(ann, "?prefix=") == [key]
    assert (await fetch(ann, created["id"])).content == TEXT


async def test_similar_keys_are_different_objects(ann: Caller) -> None:
    similar = ["a.txt", "A.txt", "\u00e9.txt", "e\u0301.txt"]
    for key in similar:
        assert (await send(ann, key)).status_code == 201
    assert sorted(await keys(ann)) == sorted(similar)


@pytest.mark.parametrize(
    ("key", "reason"),
    [("a/../b", ".."), ("./a", "."), ("a/.", "."), ("x" * 1025, "1024"), ("é" * 513, "1024"), ("a\x01b", "control")],
)
async def test_an_invalid_key_is_refused(ann: Caller, key: str, reason: str) -> None:
    answer = await send(ann, key)
    assert answer.status_code == 400
    assert reason in answer.text
    assert await keys(ann) == []


async def test_an_empty_key_is_refused(ann: Caller) -> None:
    assert (await ann("PUT", "/api/repo/", content=TEXT)).status_code == 400


@pytest.mark.parametrize(
    ("filename", "sent", "expected"),
    [
        ("a.pdf", "", "application/pdf"),
        ("a.md", "application/octet-stream", "text/markdown"),
        ("a.pdf", "application/x-www-form-urlencoded", "application/pdf"),
        ("a.pdf", "Text/Plain; charset=latin-1", "text/plain"),
        ("a.nobody-knows", "", "application/octet-stream"),
        ("none", "", "application/octet-stream"),
    ],
)
async def test_the_content_type_is_from_the_client_or_the_filename(
    ann: Caller, filename: str, sent: str, expected: str
) -> None:
    created = await put(ann, filename, **({"content_type": sent} if sent else {}))
    assert created["content_type"] == expected


async def test_an_invalid_type_filename_or_visibility_is_refused(ann: Caller) -> None:
    assert (await send(ann, "a", content_type="nonsense")).status_code == 400
    assert (await send(ann, "a", query="?filename=a%0D%0Ab")).status_code == 400
    assert (await send(ann, "a", query="?visibility=everybody")).status_code == 400
    assert await keys(ann) == []


async def test_conditional_writes_detect_a_newer_version(ann: Caller) -> None:
    assert (await send(ann, "a", if_match='"1"')).status_code == 412
    await put(ann, "a", if_none_match="*")
    refused = await send(ann, "a", b"other", if_none_match="*")
    assert (refused.status_code, refused.json()["code"], refused.json()["version"]) == (412, "version_mismatch", 1)
    assert (await send(ann, "a", b"other", if_match='"1"')).status_code == 200
    assert (await send(ann, "a", b"third", if_match='"1"')).status_code == 412
    assert (await send(ann, "a", b"third", if_match="*")).status_code == 200
    assert (await send(ann, "a", b"fourth")).status_code == 200


async def test_an_aborted_upload_leaves_nothing(world: World, ann: Caller) -> None:
    created = await put(ann, "a", b"whole")

    async def broken() -> AsyncIterator[bytes]:
        yield os.urandom(2 * blobs.STRIDE)
        raise ConnectionError("gone")

    for key in ("a", "b"):
        assert (await send(ann, key, broken())).status_code == 500  # the client is gone
    assert list(world.app.files.staging_folder.iterdir()) == []
    assert await keys(ann) == ["a"]
    assert (await fetch(ann, created["id"])).content == b"whole"


@pytest.mark.both_databases
async def test_concurrent_writes_of_a_key_each_get_a_version(world: World, ann: Caller) -> None:
    bodies = [f"writer {number}".encode() * 100 for number in range(WRITERS)]
    created = await asyncio.gather(*(put(ann, "contested", body) for body in bodies))
    assert sorted(item["version"] for item in created) == list(range(1, WRITERS + 1))
    found = (await ann.get(f"/api/repo-obj/{created[0]['id']}?limit=200")).json()
    assert [version["number"] for version in found["versions"]] == list(range(WRITERS, 0, -1))
    for item, body in zip(created, bodies, strict=True):
        assert (await fetch(ann, item["id"], f"?version={item['version']}")).content == body


async def test_uploads_are_not_limited_by_the_rate_of_the_token(
    world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    spent = list[str]()
    monkeypatch.setattr(world.app.gate._token_rate, "spend", spent.append)
    await put(ann, "a.txt")
    assert spent == []
    await ann.get("/api/repo")
    assert len(spent) == 1


@pytest.mark.both_databases
async def test_one_of_many_conditional_writes_wins(ann: Caller) -> None:
    await put(ann, "a")
    answers = await asyncio.gather(*(send(ann, "a", b"%d" % number, if_match='"1"') for number in range(10)))
    assert sorted(answer.status_code for answer in answers) == [200] + 9 * [412]


async def test_versions_are_paged(ann: Caller) -> None:
    for number in range(5):
        created = await put(ann, "a", b"%d" % number)
    seen, cursor = [], ""
    while True:
        page = (await ann.get(f"/api/repo-obj/{created['id']}?limit=2{cursor}")).json()
        seen += [version["number"] for version in page["versions"]]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert seen == [5, 4, 3, 2, 1]
    assert (await ann.get(f"/api/repo-obj/{created['id']}?cursor=bm9uZQ")).status_code == 400


# Content


async def test_range_requests(ann: Caller) -> None:
    data = os.urandom(3 * blobs.BLOCK + 99)
    created = await put(ann, "a.bin", data)
    size = len(data)
    for requested, start, end in [
        ("0-9", 0, 10), (f"{blobs.BLOCK - 5}-{blobs.BLOCK + 5}", blobs.BLOCK - 5, blobs.BLOCK + 6),
        ("-7", size - 7, size), (f"{size - 3}-", size - 3, size), (f"5-{size * 2}", 5, size), (f"-{size * 2}", 0, size),
    ]:  # fmt: skip
        part = await fetch(ann, created["id"], range=f"bytes={requested}")
        assert part.status_code == 206
        assert part.content == data[start:end]
        assert part.headers["content-range"] == f"bytes {start}-{end - 1}/{size}"
        assert int(part.headers["content-length"]) == end - start
    for requested in ("0-1,3-4", "9-1", "x", "-"):
        assert (await fetch(ann, created["id"], range=f"bytes={requested}")).status_code == 200
    beyond = await fetch(ann, created["id"], range=f"bytes={size}-")
    assert (beyond.status_code, beyond.headers["content-range"]) == (416, f"bytes */{size}")
    assert beyond.json()["code"] == "invalid_range"


async def test_conditional_reads(ann: Caller) -> None:
    created = await put(ann, "a.txt")
    whole = await fetch(ann, created["id"])
    date = whole.headers["last-modified"]
    assert (await fetch(ann, created["id"], if_none_match='"1"')).status_code == 304
    assert (await fetch(ann, created["id"], if_none_match='"2"')).status_code == 200
    assert (await fetch(ann, created["id"], if_modified_since=date)).status_code == 304
    assert (await fetch(ann, created["id"], if_match='"2"')).status_code == 412
    assert (await fetch(ann, created["id"], if_unmodified_since="Thu, 01 Jan 1970 00:00:00 GMT")).status_code == 412
    assert (await fetch(ann, created["id"], range="bytes=0-0", if_range='"1"')).status_code == 206
    assert (await fetch(ann, created["id"], range="bytes=0-0", if_range=date)).status_code == 206
    assert (await fetch(ann, created["id"], range="bytes=0-0", if_range='"2"')).status_code == 200
    head = await ann("HEAD", f"/api/repo-obj/{created['id']}/content")
    assert (head.content, head.headers["content-length"]) == (b"", str(len(TEXT)))


async def test_an_empty_object_can_be_stored(ann: Caller) -> None:
    created = await put(ann, "empty", b"")
    assert created["size"] == 0
    answer = await fetch(ann, created["id"])
    assert (answer.status_code, answer.content, answer.headers["content-length"]) == (200, b"", "0")
    assert (await fetch(ann, created["id"], range="bytes=0-")).status_code == 416


@pytest.mark.parametrize(
    ("content_type", "inline"),
    [
        ("image/png", True), ("image/avif", True), ("application/pdf", True), ("text/plain", True),
        ("text/html", False), ("image/svg+xml", False), ("application/xml", False), ("application/xhtml+xml", False),
        ("text/markdown", False), ("application/octet-stream", False),
    ],
)  # fmt: skip
async def test_only_harmless_types_are_served_inline(ann: Caller, content_type: str, inline: bool) -> None:
    created = await put(ann, "a.dat", content_type=content_type)
    answer = await fetch(ann, created["id"])
    assert answer.headers["content-disposition"].startswith("inline" if inline else "attachment")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in answer.headers["content-security-policy"]
    download = await fetch(ann, created["id"], "?download=1")
    assert download.headers["content-disposition"].startswith("attachment")


@pytest.mark.parametrize("name", ["plain.txt", 'a"b;c.txt', "日本 é.txt", "a%22b.txt", "~'()!.txt"])
async def test_the_filename_in_content_disposition_is_escaped(ann: Caller, name: str) -> None:
    created = await put(ann, "a", query="?filename=" + "".join(f"%{byte:02x}" for byte in name.encode()))
    assert created["filename"] == name
    header = (await fetch(ann, created["id"])).headers["content-disposition"]
    encoded = header.partition("filename*=UTF-8''")[2]
    assert unquote(encoded) == name
    assert header.count('"') == 2


async def test_a_damaged_blob_is_not_served(world: World, ann: Caller) -> None:
    data = os.urandom(2 * blobs.STRIDE)
    created = await put(ann, "a", data)
    assert isinstance(world.app.files, blobs.FolderStore)
    file = world.app.files.path(ann.org.id, created["sha256"])
    damaged = bytearray(data)
    damaged[-1] ^= 1
    file.write_bytes(damaged)
    refused = await fetch(ann, created["id"], range=f"bytes={blobs.STRIDE}-")
    assert (refused.status_code, refused.json()["code"]) == (500, "internal_error")
    with pytest.raises(blobs.DamagedBlob):  # the response has started: it is cut off
        await fetch(ann, created["id"])
    assert (await fetch(ann, created["id"], range="bytes=0-99")).content == data[:100]


async def test_a_damaged_row_is_not_served(world: World, ann: Caller) -> None:
    data = os.urandom(blobs.SMALL)
    created = await put(ann, "a", data)
    damaged = bytearray(data)
    damaged[-1] ^= 1
    await run_sql(world, "UPDATE blobs SET data = :damaged", damaged=bytes(damaged))
    for part in ("bytes=0-", "bytes=0-0", "bytes=-1"):
        refused = await fetch(ann, created["id"], range=part)
        assert (refused.status_code, refused.json()["code"]) == (500, "internal_error")
    await put(ann, "b", data)
    assert (await fetch(ann, created["id"])).content == data, "writing the same bytes again repairs the row"


@pytest.mark.both_databases
async def test_small_objects_are_stored_in_the_database(ann: Caller, settings: Settings) -> None:
    rng = random.Random(1)
    contents = {f"small/{number}": rng.randbytes(rng.choice((1, 300, 5_000))) for number in range(300)}
    contents["small/0"] = b""
    contents["small/1"] = rng.randbytes(blobs.SMALL)
    ids: dict[str, str] = {}
    pending = iter(contents.items())

    async def client() -> None:
        for key, data in pending:
            ids[key] = (await put(ann, key, data, content_type="application/octet-stream"))["id"]

    await asyncio.gather(*(client() for _ in range(16)))
    assert [path for path in (settings.data / "blobs").rglob("*") if path.is_file()] == []
    assert len(ids) == 300
    for key in ("small/0", "small/1", *rng.sample(sorted(ids), 50)):
        assert (await fetch(ann, ids[key])).content == contents[key]


# Deleting


async def test_a_deleted_object_is_not_found_and_its_key_can_be_reused(world: World, ann: Caller) -> None:
    created = await put(ann, "a")
    await put(ann, "a", b"second")
    assert (await ann.delete(f"/api/repo-obj/{created['id']}", headers={"if-match": '"1"'})).status_code == 412
    assert (await ann.delete(f"/api/repo-obj/{created['id']}")).status_code == 204
    for path in ("", "/content", "/grants", "/derivations", "/processing"):
        assert (await ann.get(f"/api/repo-obj/{created['id']}{path}")).status_code == 404
    assert (await ann.delete(f"/api/repo-obj/{created['id']}")).status_code == 404
    again = await put(ann, "a")
    assert (again["version"], again["id"] == created["id"]) == (1, False)
    assert (await ann.delete("/api/trash")).json() == {"deleted": 1, "remaining": 0}
    assert await world.db.one(int, "SELECT COUNT(*) FROM object_versions") == 1


# Lists


async def test_without_a_prefix_the_list_is_newest_first(ann: Caller) -> None:
    for key in ("b", "a", "c"):
        await put(ann, key)
    assert await keys(ann) == ["c", "a", "b"]


async def test_with_a_prefix_the_list_is_by_key_and_grouped_into_folders(ann: Caller) -> None:
    for key in ("b/x", "b/y/z", "a", "b", "b0", "c/1", "c/2", "é/1"):
        await put(ann, key)
    assert await keys(ann, "?prefix=") == ["a", "b", "b/x", "b/y/z", "b0", "c/1", "c/2", "é/1"]
    assert await keys(ann, "?prefix=b/") == ["b/x", "b/y/z"]
    top = (await ann.get("/api/repo?delimiter=/")).json()
    assert ([item["key"] for item in top["items"]], top["folders"]) == (["a", "b", "b0"], ["b/", "c/", "é/"])
    below = (await ann.get("/api/repo?prefix=b/&delimiter=/")).json()
    assert ([item["key"] for item in below["items"]], below["folders"]) == (["b/x"], ["b/y/"])


@pytest.mark.parametrize("size", [1, 2, 3, 7])
async def test_pages_of_folders_are_complete_without_duplicates(ann: Caller, size: int) -> None:
    for key in ("a/1", "a/2", "a/3", "b", "c/1", "c/2", "d", "d/1", "e", "f/1/2"):
        await put(ann, key)
    seen: list[str] = []
    cursor = ""
    while True:
        page = (await ann.get(f"/api/repo?delimiter=/&limit={size}{cursor}")).json()
        entries = [item["key"] for item in page["items"]] + page["folders"]
        assert len(entries) <= size
        seen += sorted(entries)
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert seen == ["a/", "b", "c/", "d", "d/", "e", "f/"]


async def test_a_cursor_of_another_list_is_refused(ann: Caller) -> None:
    for key in ("a", "b"):
        await put(ann, key)
    newest = (await ann.get("/api/repo?limit=1")).json()["next_cursor"]
    assert (await ann.get(f"/api/repo?prefix=&cursor={newest}")).status_code == 400


async def test_each_team_has_its_own_keys(world: World, ann: Caller) -> None:
    other = await world.person(ann.org, await world.team(ann.org))
    mine, theirs = await put(ann, "a", b"mine"), await put(other, "a", b"theirs")
    assert mine["id"] != theirs["id"]
    assert await keys(ann) == await keys(other) == ["a"]


async def test_a_key_of_an_invisible_object_is_a_conflict_without_details(world: World, ann: Caller) -> None:
    colleague = await world.person(ann.org, ann.team)
    created = await put(ann, "secret plan")
    answer = await send(colleague, "secret plan", b"mine")
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    assert created["id"] not in answer.text
    assert (await send(colleague, "secret plan", b"mine", if_none_match="*")).status_code == 409


async def test_viewers_and_guests_cannot_write(world: World, ann: Caller) -> None:
    for role in (Role.VIEWER, Role.GUEST):
        caller = await world.person(ann.org, ann.team, role)
        assert (await send(caller, f"by {role}")).status_code == 403
    visible = await put(ann, "for all", query="?visibility=team")
    viewer = await world.person(ann.org, ann.team, Role.VIEWER)
    assert (await send(viewer, "for all", b"damaged")).status_code == 403
    assert (await fetch(viewer, visible["id"])).content == TEXT


# Listeners


async def test_listeners_run_in_the_transaction_of_the_write(world: World, ann: Caller) -> None:
    events: list[tuple[VersionWritten, int]] = []

    async def listen(tx: Tx, event: VersionWritten) -> None:
        found = await tx.one(int, "SELECT version FROM objects WHERE id = :id", id=event.object_id)
        events.append((event, found or 0))
        raise ZeroDivisionError("a failing listener never costs the upload")

    world.db.listeners = {VersionWritten: [listen]}
    created = await put(ann, "a.txt", content_type="text/plain")
    await put(ann, "a.txt", b"again", content_type="text/plain")
    assert [found for _, found in events] == [1, 2], "before the commit"
    event = events[0][0]
    assert (event.object_id, event.number, event.key, event.team_id) == (created["id"], 1, "a.txt", ann.team.id)
    assert (event.content_type, event.actor_kind, event.derived_from) == ("text/plain", "human", ())
