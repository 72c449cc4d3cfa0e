"""Many keys of one request share commits, and each keeps its own result and its own row in the trail."""

import base64
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import pytest

from teamspace.core.db import SerializationFailure
from teamspace.repository.domain import deleting
from tests.repository.help import keys, put, share
from tests.s3.inside import Inside
from tests.support.world import Caller, World

MANY = 120
Told = list[tuple[str, str, str]]


async def deleted(caller: Caller, wishes: list[str]) -> Told:
    """What is told of each: Deleted or Error, the key, and the code of an error."""
    body = f"<Delete>{''.join(f'<Object><Key>{escape(wish)}</Key></Object>' for wish in wishes)}</Delete>".encode()
    digest = base64.b64encode(hashlib.md5(body).digest()).decode()
    answer = await (await Inside.of(caller))("POST", "", "delete=", body, content_md5=digest)
    return [
        (item.tag.rpartition("}")[2], item.findtext("{*}Key", ""), item.findtext("{*}Code", ""))
        for item in ElementTree.fromstring(answer.content)
    ]


async def removals(world: World) -> list[str]:
    """The keys of which the trail says that they were removed."""
    rows = await world.db.all(str, "SELECT detail FROM audit WHERE action = 'object.remove' ORDER BY id")
    return [row.split('"key":"')[1].split('"')[0] for row in rows]


class Commits:
    count = 0


@pytest.fixture
def commits(world: World, monkeypatch: pytest.MonkeyPatch) -> Commits:
    engine, seen = world.db.engine, Commits()
    transaction = engine.transaction

    @asynccontextmanager
    async def counted(**options: Any) -> AsyncIterator[Any]:
        async with transaction(**options) as session:
            yield session
        seen.count += 1

    monkeypatch.setattr(engine, "transaction", counted)
    return seen


async def test_many_keys_share_commits_and_each_is_on_record(world: World, commits: Commits) -> None:
    ann = await world.bootstrap()
    names = [f"key{number:03}" for number in range(MANY)]
    for name in names:
        await put(ann, name, b"")
    before = commits.count
    told = await deleted(ann, names)
    assert told == [("Deleted", name, "") for name in names]
    assert commits.count - before < 10
    assert sorted(await removals(world)) == names
    assert await keys(ann, "?prefix=") == []


async def test_what_is_refused_for_one_key_undoes_no_other(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team)
    await share(ann, (await put(ann, "viewed", b""))["id"], bob)
    for name in ("a", "b"):
        await put(bob, name, b"")
    told = await deleted(bob, ["a", "viewed", "x" * 1025, "..", "b"])
    assert told == [
        ("Deleted", "a", ""), ("Error", "viewed", "AccessDenied"), ("Error", "x" * 1025, "KeyTooLongError"),
        ("Error", "..", "InvalidArgument"), ("Deleted", "b", ""),
    ]  # fmt: skip
    assert sorted(await removals(world)) == ["a", "b"]
    assert await keys(ann, "?prefix=") == ["viewed"]


async def test_a_batch_that_had_to_give_way_is_done_again_as_a_whole(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = await world.bootstrap()
    names = ["a", "b", "c"]
    for name in names:
        await put(ann, name, b"")
    mark = deleting.add_delete_marker
    collided: list[str] = []

    async def colliding(db: Any, who: Any, key: str, *rest: Any) -> Any:
        if key == "b" and not collided:
            collided.append(key)
            raise SerializationFailure("another was first")
        return await mark(db, who, key, *rest)

    monkeypatch.setattr(deleting, "add_delete_marker", colliding)
    assert await deleted(ann, names) == [("Deleted", name, "") for name in names]
    assert collided and sorted(await removals(world)) == names
