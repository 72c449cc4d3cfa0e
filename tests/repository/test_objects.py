"""Objects over HTTP: what is put at a key, its versions, its bytes, its place in lists."""

import asyncio
import hashlib
import os
import random
from collections.abc import AsyncIterator
from urllib.parse import unquote

import pytest

from teamspace import blobs
from teamspace.core.db import Tx
from teamspace.repository import ObjectWritten
from teamspace.settings import Settings
from teamspace.tenancy import Role
from tests.identity.help import run_sql
from tests.repository.help import TEXT, fetch, keys, put, send
from tests.support.world import Caller, World

HOSTILE = [
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


# Putting


async def test_a_key_gets_its_first_version(ann: Caller) -> None:
    answer = await send(ann, "reports/2030/week 1.txt", content_type="text/plain; charset=utf-8")
    assert answer.status_code == 201
    assert answer.headers["etag"] == '"1"'
    made = answer.json()
    assert made["key"] == "reports/2030/week 1.txt"
    assert (made["filename"], made["content_type"]) == ("week 1.txt", "text/plain")
    assert (made["size"], made["sha256"]) == (len(TEXT), hashlib.sha256(TEXT).hexdigest())
    assert (made["visibility"], made["owner"], made["team_id"]) == ("private", ann.user_id, ann.team.id)
    (version,) = made["versions"]
    assert (version["number"], version["author"], version["actor_kind"]) == (1, ann.user_id, "human")
    assert made == (await ann.get(f"/api/repo-obj/{made['id']}")).json()


async def test_the_next_version_takes_its_place_and_the_first_stays(ann: Caller) -> None:
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


@pytest.mark.parametrize("key", HOSTILE)
async def test_a_key_is_kept_byte_for_byte(ann: Caller, key: str) -> None:
    made = await put(ann, key)
    assert made["key"] == key
    assert await keys(ann) == [key]
    assert await keys(ann, "?prefix=") == [key]
    assert (await fetch(ann, made["id"])).content == TEXT


async def test_keys_that_look_alike_are_not_the_same(ann: Caller) -> None:
    alike = ["a.txt", "A.txt", "\u00e9.txt", "e\u0301.txt"]
    for key in alike:
        assert (await send(ann, key)).status_code == 201
    assert sorted(await keys(ann)) == sorted(alike)


@pytest.mark.parametrize(
    ("key", "what"),
    [("a/../b", ".."), ("./a", "."), ("a/.", "."), ("x" * 1025, "1024"), ("é" * 513, "1024"), ("a\x01b", "control")],
)
async def test_a_key_that_cannot_be_is_refused(ann: Caller, key: str, what: str) -> None:
    answer = await send(ann, key)
    assert answer.status_code == 400
    assert what in answer.text
    assert await keys(ann) == []


async def test_without_a_key_there_is_nothing_to_put_to(ann: Caller) -> None:
    assert (await ann("PUT", "/api/repo/", content=TEXT)).status_code == 400


@pytest.mark.parametrize(
    ("filename", "sent", "kept"),
    [
        ("a.pdf", "", "application/pdf"),
        ("a.md", "application/octet-stream", "text/markdown"),
        ("a.pdf", "application/x-www-form-urlencoded", "application/pdf"),
        ("a.pdf", "Text/Plain; charset=latin-1", "text/plain"),
        ("a.nobody-knows", "", "application/octet-stream"),
        ("none", "", "application/octet-stream"),
    ],
)
async def test_the_type_is_what_the_client_says_or_the_name_suggests(
    ann: Caller, filename: str, sent: str, kept: str
) -> None:
    made = await put(ann, filename, **({"content_type": sent} if sent else {}))
    assert made["content_type"] == kept


async def test_a_type_that_is_none_is_refused(ann: Caller) -> None:
    assert (await send(ann, "a", content_type="nonsense")).status_code == 400
    assert (await send(ann, "a", query="?filename=a%0D%0Ab")).status_code == 400
    assert (await send(ann, "a", query="?visibility=everybody")).status_code == 400
    assert await keys(ann) == []


async def test_nobody_overwrites_an_edit_unseen(ann: Caller) -> None:
    assert (await send(ann, "a", if_match='"1"')).status_code == 412
    await put(ann, "a", if_none_match="*")
    refused = await send(ann, "a", b"other", if_none_match="*")
    assert (refused.status_code, refused.json()["code"], refused.json()["version"]) == (412, "version_mismatch", 1)
    assert (await send(ann, "a", b"other", if_match='"1"')).status_code == 200
    assert (await send(ann, "a", b"third", if_match='"1"')).status_code == 412
    assert (await send(ann, "a", b"third", if_match="*")).status_code == 200
    assert (await send(ann, "a", b"fourth")).status_code == 200


async def test_an_upload_that_breaks_off_leaves_nothing(world: World, ann: Caller) -> None:
    made = await put(ann, "a", b"whole")

    async def broken() -> AsyncIterator[bytes]:
        yield os.urandom(2 * blobs.STRIDE)
        raise ConnectionError("gone")

    for key in ("a", "b"):
        assert (await send(ann, key, broken())).status_code == 500  # there would be nobody to hear it
    assert list(world.app.files.staging_folder.iterdir()) == []
    assert await keys(ann) == ["a"]
    assert (await fetch(ann, made["id"])).content == b"whole"


@pytest.mark.both_databases
async def test_two_hundred_writers_of_one_key_get_a_version_each(world: World, ann: Caller) -> None:
    bodies = [f"writer {number}".encode() * 100 for number in range(200)]
    made = await asyncio.gather(*(put(ann, "contested", body) for body in bodies))
    assert sorted(one["version"] for one in made) == list(range(1, 201))
    found = (await ann.get(f"/api/repo-obj/{made[0]['id']}?limit=200")).json()
    assert [version["number"] for version in found["versions"]] == list(range(200, 0, -1))
    for one, body in zip(made, bodies, strict=True):
        assert (await fetch(ann, one["id"], f"?version={one['version']}")).content == body


@pytest.mark.both_databases
async def test_of_two_who_expect_the_same_version_one_wins(ann: Caller) -> None:
    await put(ann, "a")
    answers = await asyncio.gather(*(send(ann, "a", b"%d" % number, if_match='"1"') for number in range(10)))
    assert sorted(answer.status_code for answer in answers) == [200] + 9 * [412]


async def test_versions_come_in_pages(ann: Caller) -> None:
    for number in range(5):
        made = await put(ann, "a", b"%d" % number)
    seen, cursor = [], ""
    while True:
        page = (await ann.get(f"/api/repo-obj/{made['id']}?limit=2{cursor}")).json()
        seen += [version["number"] for version in page["versions"]]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert seen == [5, 4, 3, 2, 1]
    assert (await ann.get(f"/api/repo-obj/{made['id']}?cursor=bm9uZQ")).status_code == 400


# Bytes


async def test_a_part_can_be_asked_for(ann: Caller) -> None:
    data = os.urandom(3 * blobs.BLOCK + 99)
    made = await put(ann, "a.bin", data)
    size = len(data)
    for asked, start, end in [
        ("0-9", 0, 10), (f"{blobs.BLOCK - 5}-{blobs.BLOCK + 5}", blobs.BLOCK - 5, blobs.BLOCK + 6),
        ("-7", size - 7, size), (f"{size - 3}-", size - 3, size), (f"5-{size * 2}", 5, size), (f"-{size * 2}", 0, size),
    ]:  # fmt: skip
        part = await fetch(ann, made["id"], range=f"bytes={asked}")
        assert part.status_code == 206
        assert part.content == data[start:end]
        assert part.headers["content-range"] == f"bytes {start}-{end - 1}/{size}"
        assert int(part.headers["content-length"]) == end - start
    for asked in ("0-1,3-4", "9-1", "x", "-"):
        assert (await fetch(ann, made["id"], range=f"bytes={asked}")).status_code == 200
    beyond = await fetch(ann, made["id"], range=f"bytes={size}-")
    assert (beyond.status_code, beyond.headers["content-range"]) == (416, f"bytes */{size}")
    assert beyond.json()["code"] == "invalid_range"


async def test_conditions_are_honoured(ann: Caller) -> None:
    made = await put(ann, "a.txt")
    whole = await fetch(ann, made["id"])
    date = whole.headers["last-modified"]
    assert (await fetch(ann, made["id"], if_none_match='"1"')).status_code == 304
    assert (await fetch(ann, made["id"], if_none_match='"2"')).status_code == 200
    assert (await fetch(ann, made["id"], if_modified_since=date)).status_code == 304
    assert (await fetch(ann, made["id"], if_match='"2"')).status_code == 412
    assert (await fetch(ann, made["id"], if_unmodified_since="Thu, 01 Jan 1970 00:00:00 GMT")).status_code == 412
    assert (await fetch(ann, made["id"], range="bytes=0-0", if_range='"1"')).status_code == 206
    assert (await fetch(ann, made["id"], range="bytes=0-0", if_range=date)).status_code == 206
    assert (await fetch(ann, made["id"], range="bytes=0-0", if_range='"2"')).status_code == 200
    head = await ann("HEAD", f"/api/repo-obj/{made['id']}/content")
    assert (head.content, head.headers["content-length"]) == (b"", str(len(TEXT)))


async def test_nothing_at_all_can_be_kept(ann: Caller) -> None:
    made = await put(ann, "empty", b"")
    assert made["size"] == 0
    answer = await fetch(ann, made["id"])
    assert (answer.status_code, answer.content, answer.headers["content-length"]) == (200, b"", "0")
    assert (await fetch(ann, made["id"], range="bytes=0-")).status_code == 416


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        ("image/png", True), ("image/avif", True), ("application/pdf", True), ("text/plain", True),
        ("text/html", False), ("image/svg+xml", False), ("application/xml", False), ("application/xhtml+xml", False),
        ("text/markdown", False), ("application/octet-stream", False),
    ],
)  # fmt: skip
async def test_only_what_cannot_run_is_shown_by_the_browser(ann: Caller, kind: str, shown: bool) -> None:
    made = await put(ann, "a.dat", content_type=kind)
    answer = await fetch(ann, made["id"])
    assert answer.headers["content-disposition"].startswith("inline" if shown else "attachment")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in answer.headers["content-security-policy"]
    again = await fetch(ann, made["id"], "?download=1")
    assert again.headers["content-disposition"].startswith("attachment")


@pytest.mark.parametrize("name", ["plain.txt", 'a"b;c.txt', "日本 é.txt", "a%22b.txt", "~'()!.txt"])
async def test_the_name_of_a_download_is_exact_and_breaks_no_line(ann: Caller, name: str) -> None:
    made = await put(ann, "a", query="?filename=" + "".join(f"%{byte:02x}" for byte in name.encode()))
    assert made["filename"] == name
    header = (await fetch(ann, made["id"])).headers["content-disposition"]
    exact = header.partition("filename*=UTF-8''")[2]
    assert unquote(exact) == name
    assert header.count('"') == 2


async def test_a_damaged_blob_is_not_served(world: World, ann: Caller) -> None:
    data = os.urandom(2 * blobs.STRIDE)
    made = await put(ann, "a", data)
    assert isinstance(world.app.files, blobs.FolderStore)
    file = world.app.files.path(ann.org.id, made["sha256"])
    spoilt = bytearray(data)
    spoilt[-1] ^= 1
    file.write_bytes(spoilt)
    refused = await fetch(ann, made["id"], range=f"bytes={blobs.STRIDE}-")
    assert (refused.status_code, refused.json()["code"]) == (500, "internal_error")
    with pytest.raises(blobs.DamagedBlob):  # the rest has gone out already: it is cut off
        await fetch(ann, made["id"])
    assert (await fetch(ann, made["id"], range="bytes=0-99")).content == data[:100]


async def test_a_damaged_row_is_not_served(world: World, ann: Caller) -> None:
    data = os.urandom(blobs.SMALL)
    made = await put(ann, "a", data)
    spoilt = bytearray(data)
    spoilt[-1] ^= 1
    await run_sql(world, "UPDATE blobs SET data = :spoilt", spoilt=bytes(spoilt))
    for part in ("bytes=0-", "bytes=0-0", "bytes=-1"):
        refused = await fetch(ann, made["id"], range=part)
        assert (refused.status_code, refused.json()["code"]) == (500, "internal_error")
    await put(ann, "b", data)
    assert (await fetch(ann, made["id"])).content == data, "whoever brought the bytes again has mended it"


@pytest.mark.both_databases
async def test_hundreds_of_small_files_leave_no_file_behind(ann: Caller, settings: Settings) -> None:
    dice = random.Random(1)
    contents = {f"small/{number}": dice.randbytes(dice.choice((1, 300, 5_000))) for number in range(300)}
    contents["small/0"] = b""
    contents["small/1"] = dice.randbytes(blobs.SMALL)
    ids: dict[str, str] = {}
    waiting = iter(contents.items())

    async def client() -> None:
        for key, data in waiting:
            ids[key] = (await put(ann, key, data, content_type="application/octet-stream"))["id"]

    await asyncio.gather(*(client() for _ in range(16)))
    assert [path for path in (settings.data / "blobs").rglob("*") if path.is_file()] == []
    assert len(ids) == 300
    for key in ("small/0", "small/1", *dice.sample(sorted(ids), 50)):
        assert (await fetch(ann, ids[key])).content == contents[key]


# Deleting


async def test_a_deleted_object_is_gone_and_its_key_is_free(world: World, ann: Caller) -> None:
    made = await put(ann, "a")
    await put(ann, "a", b"second")
    assert (await ann.delete(f"/api/repo-obj/{made['id']}", headers={"if-match": '"1"'})).status_code == 412
    assert (await ann.delete(f"/api/repo-obj/{made['id']}")).status_code == 204
    for path in ("", "/content", "/grants", "/derivations", "/processing"):
        assert (await ann.get(f"/api/repo-obj/{made['id']}{path}")).status_code == 404
    assert (await ann.delete(f"/api/repo-obj/{made['id']}")).status_code == 404
    again = await put(ann, "a")
    assert (again["version"], again["id"] == made["id"]) == (1, False)
    assert await world.db.one(int, "SELECT COUNT(*) FROM object_versions") == 1


# Lists


async def test_without_a_prefix_the_newest_is_first(ann: Caller) -> None:
    for key in ("b", "a", "c"):
        await put(ann, key)
    assert await keys(ann) == ["c", "a", "b"]


async def test_with_a_prefix_keys_are_in_order_and_folders_are_folded(ann: Caller) -> None:
    for key in ("b/x", "b/y/z", "a", "b", "b0", "c/1", "c/2", "é/1"):
        await put(ann, key)
    assert await keys(ann, "?prefix=") == ["a", "b", "b/x", "b/y/z", "b0", "c/1", "c/2", "é/1"]
    assert await keys(ann, "?prefix=b/") == ["b/x", "b/y/z"]
    top = (await ann.get("/api/repo?delimiter=/")).json()
    assert ([item["key"] for item in top["items"]], top["folders"]) == (["a", "b", "b0"], ["b/", "c/", "é/"])
    below = (await ann.get("/api/repo?prefix=b/&delimiter=/")).json()
    assert ([item["key"] for item in below["items"]], below["folders"]) == (["b/x"], ["b/y/"])


@pytest.mark.parametrize("size", [1, 2, 3, 7])
async def test_pages_of_folders_have_no_gap_and_no_double(ann: Caller, size: int) -> None:
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


async def test_each_team_has_keys_of_its_own(world: World, ann: Caller) -> None:
    other = await world.person(ann.org, await world.team(ann.org))
    mine, theirs = await put(ann, "a", b"mine"), await put(other, "a", b"theirs")
    assert mine["id"] != theirs["id"]
    assert await keys(ann) == await keys(other) == ["a"]


async def test_a_key_that_is_taken_by_something_unseen_says_no_more(world: World, ann: Caller) -> None:
    colleague = await world.person(ann.org, ann.team)
    made = await put(ann, "secret plan")
    answer = await send(colleague, "secret plan", b"mine")
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    assert made["id"] not in answer.text
    assert (await send(colleague, "secret plan", b"mine", if_none_match="*")).status_code == 409


async def test_who_may_not_write_puts_nothing(world: World, ann: Caller) -> None:
    for role in (Role.VIEWER, Role.GUEST):
        caller = await world.person(ann.org, ann.team, role)
        assert (await send(caller, f"by {role}")).status_code == 403
    visible = await put(ann, "for all", query="?visibility=team")
    viewer = await world.person(ann.org, ann.team, Role.VIEWER)
    assert (await send(viewer, "for all", b"spoilt")).status_code == 403
    assert (await fetch(viewer, visible["id"])).content == TEXT


# Who listens


async def test_listeners_hear_of_a_version_in_its_own_transaction(world: World, ann: Caller) -> None:
    heard: list[tuple[ObjectWritten, int]] = []

    async def listen(tx: Tx, event: ObjectWritten) -> None:
        found = await tx.one(int, "SELECT version FROM objects WHERE id = :id", id=event.object_id)
        heard.append((event, found or 0))
        raise ZeroDivisionError("a listener that fails undoes its own part alone")

    world.db.listeners = {ObjectWritten: [listen]}
    made = await put(ann, "a.txt", content_type="text/plain")
    await put(ann, "a.txt", b"again", content_type="text/plain")
    assert [found for _, found in heard] == [1, 2], "before anybody else could see it"
    assert heard[0][0] == ObjectWritten(made["id"], 1, "a.txt", "text/plain", "human", None)
