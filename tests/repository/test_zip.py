"""Several files as one zip."""

import io
import zipfile
from collections.abc import AsyncIterator

import pytest

from teamspace.core.db import Db
from teamspace.core.principal import Principal
from teamspace.repository.domain import zipping
from teamspace.repository.domain.zip_names import ZipNames
from teamspace.repository.schemas import ObjectRow
from tests.events.help import principal
from tests.repository.help import put, share
from tests.support.world import Caller, World


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


async def download(caller: Caller, **body: list[str]) -> dict[str, bytes]:
    answer = await caller.post("/api/repo-zip", body)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


async def test_files_and_folders_are_in_one_zip(ann: Caller) -> None:
    one = await put(ann, "deep/below/one.txt", b"One")
    await put(ann, "plans/2030/a.txt", b"A" * 300_000)
    await put(ann, "plans/b \u00fc.txt", b"B")
    await put(ann, "plans/empty.txt", b"")
    await put(ann, "plans-not/c.txt", b"C")
    found = await download(ann, ids=[one["id"]], prefixes=["plans/"])
    assert found == {
        "one.txt": b"One", "plans/2030/a.txt": b"A" * 300_000, "plans/b \u00fc.txt": b"B", "plans/empty.txt": b"",
    }  # fmt: skip


async def test_a_folder_that_is_named_again_is_walked_once(ann: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    await put(ann, "plans/2030/a.txt", b"A")
    await put(ann, "plot.txt", b"B")
    walked, below = list[str](), zipping._below

    def counted(db: Db, who: Principal, prefix: str) -> AsyncIterator[ObjectRow]:
        walked.append(prefix)
        return below(db, who, prefix)

    monkeypatch.setattr(zipping, "_below", counted)
    found = await download(ann, prefixes=["plans/", "plot.txt", "plans/2030/", *["plans/"] * 97])
    assert (walked, found) == (["plans/", "plot.txt"], {"plans/2030/a.txt": b"A", "plot.txt": b"B"})


async def test_only_what_the_caller_can_read_is_in_it(world: World, ann: Caller) -> None:
    bob = await world.person(ann.org, ann.team)
    hidden, shown = await put(ann, "in/hidden.txt"), await put(ann, "in/shown.txt", b"Shown", "?visibility=team")
    assert await download(bob, prefixes=["in/"]) == {"in/shown.txt": b"Shown"}
    for ids in ([hidden["id"]], [hidden["id"], shown["id"]], ["unknown"]):
        assert (await bob.post("/api/repo-zip", {"ids": ids})).status_code == 404
    await share(ann, hidden["id"], bob)
    assert set(await download(bob, ids=[hidden["id"]])) == {"hidden.txt"}
    limited = await world.token(ann, scope=["files:read:in/s"])
    assert set(await download(limited, prefixes=[""])) == {"in/shown.txt"}


async def test_rights_are_checked_when_a_files_turn_comes(world: World, ann: Caller) -> None:
    made = [await put(ann, f"in/{number}.txt", b"x" * 100_000) for number in range(3)]
    who = await principal(ann)
    chosen = [(item["id"], item["key"]) for item in made]
    pieces = zipping.write(world.db, world.app.files, who, chosen)
    received = [await anext(pieces)]
    await ann.delete(f"/api/repo-obj/{made[2]['id']}")
    received += [piece async for piece in pieces]
    with zipfile.ZipFile(io.BytesIO(b"".join(received))) as archive:
        assert archive.namelist() == ["in/0.txt", "in/1.txt", zipping.MISSING]
        assert archive.read(zipping.MISSING) == b"in/2.txt\n"


async def test_a_reader_can_leave_at_any_piece(world: World, ann: Caller) -> None:
    made = [await put(ann, f"{number}.txt", b"x" * 200_000) for number in range(2)]
    who = await principal(ann)
    for count in range(8):
        pieces = zipping.write(world.db, world.app.files, who, [(item["id"], item["key"]) for item in made])
        for _ in range(count):
            await anext(pieces, b"")
        await pieces.aclose()


async def test_the_number_of_files_is_limited(ann: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipping, "MAX_FILES", 2)
    for number in range(3):
        await put(ann, f"in/{number}.txt")
    assert (await ann.post("/api/repo-zip", {"prefixes": ["in/"]})).json()["key"] == "repository.zip_limit"
    assert (await ann.post("/api/repo-zip", {})).json()["key"] == "repository.zip_nothing"


def test_names_are_safe_and_different() -> None:
    names = ZipNames()
    paths = [
        "a.txt", "A.txt", "../../etc/passwd", "/x//y", "con.txt", "a\\b:c?.txt", "dot. ", "x", "x/z", "X/w", "a.txt/b",
        ".hidden", ".hidden", "",
    ]  # fmt: skip
    chosen = [names.choose(path) for path in paths]
    assert chosen == [
        "a.txt", "A (2).txt", "etc/passwd", "x/y", "_con.txt", "a_b_c_.txt", "dot", "x (2)", "x/z", "x/w", "a (3).txt/b",
        ".hidden", ".hidden (2)", "file",
    ]  # fmt: skip
    assert len({name.casefold() for name in chosen}) == len(chosen)
    assert len(names.choose("x" * 1000 + ".jpeg")) == 120
