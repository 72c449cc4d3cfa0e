"""Bulk deletions share commits; each key has its own result and audit row."""

import base64
import hashlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import zip_longest
from typing import Any
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import pytest

from teamspace.core.db import SerializationFailure
from teamspace.repository.domain import deleting
from tests.cost.help import LIMIT, longest_step
from tests.repository.help import keys, put, share
from tests.s3.in_process import InProcessBucket
from tests.support.world import Caller, World

MANY = 120
Results = list[tuple[str, str, str]]


async def delete_many(caller: Caller, names: Sequence[str], versions: Sequence[str] = ()) -> Results:
    """For each key: Deleted or Error, the key, and the error code. `versions`: the version to delete of each."""
    objects = (
        f"<Object><Key>{escape(name)}</Key>{version and f'<VersionId>{version}</VersionId>'}</Object>"
        for name, version in zip_longest(names, versions, fillvalue="")
    )
    body = f"<Delete>{''.join(objects)}</Delete>".encode()
    digest = base64.b64encode(hashlib.md5(body).digest()).decode()
    answer = await (await InProcessBucket.of(caller))("POST", "", "delete=", body, content_md5=digest)
    return [
        (item.tag.rpartition("}")[2], item.findtext("{*}Key", ""), item.findtext("{*}Code", ""))
        for item in ElementTree.fromstring(answer.content)
    ]


async def audited_removals(world: World) -> list[str]:
    """The keys removed according to the audit log."""
    rows = await world.db.all(str, "SELECT detail FROM audit WHERE action = 'object.remove' ORDER BY id")
    return [row.split('"key":"')[1].split('"')[0] for row in rows]


class Commits:
    count = 0


@pytest.fixture
def commits(world: World, monkeypatch: pytest.MonkeyPatch) -> Commits:
    engine, commits = world.db.engine, Commits()
    transaction = engine.transaction

    @asynccontextmanager
    async def counting_transaction(**options: Any) -> AsyncIterator[Any]:
        async with transaction(**options) as session:
            yield session
        commits.count += 1

    monkeypatch.setattr(engine, "transaction", counting_transaction)
    return commits


async def test_a_bulk_deletion_shares_commits_and_audits_each_key(world: World, commits: Commits) -> None:
    ann = await world.bootstrap()
    names = [f"key{number:03}" for number in range(MANY)]
    for name in names:
        await put(ann, name, b"")
    before = commits.count
    results = await delete_many(ann, names)
    assert results == [("Deleted", name, "") for name in names]
    assert commits.count - before < MANY / 5
    assert sorted(await audited_removals(world)) == names
    assert await keys(ann, "?prefix=") == []


async def test_an_error_for_one_key_does_not_affect_the_others(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team)
    await share(ann, (await put(ann, "viewed", b""))["id"], bob)
    for name in ("a", "b"):
        await put(bob, name, b"")
    results = await delete_many(bob, ["a", "viewed", "x" * 1025, "..", "b"])
    assert results == [
        ("Deleted", "a", ""), ("Error", "viewed", "AccessDenied"), ("Error", "x" * 1025, "KeyTooLongError"),
        ("Error", "..", "InvalidArgument"), ("Deleted", "b", ""),
    ]  # fmt: skip
    assert sorted(await audited_removals(world)) == ["a", "b"]
    assert await keys(ann, "?prefix=") == ["viewed"]


async def test_a_batch_with_a_serialization_failure_is_retried(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ann = await world.bootstrap()
    names = ["a", "b", "c"]
    for name in names:
        await put(ann, name, b"")
    add_delete_marker = deleting.add_delete_marker
    failed: list[str] = []

    async def fail_once(db: Any, who: Any, key: str, *rest: Any) -> Any:
        if key == "b" and not failed:
            failed.append(key)
            raise SerializationFailure("another was first")
        return await add_delete_marker(db, who, key, *rest)

    monkeypatch.setattr(deleting, "add_delete_marker", fail_once)
    assert await delete_many(ann, names) == [("Deleted", name, "") for name in names]
    assert failed and sorted(await audited_removals(world)) == names


@pytest.mark.parametrize("with_versions", [False, True])
async def test_many_keys_do_not_block_the_loop(world: World, *, with_versions: bool) -> None:
    ann = await world.bootstrap()
    names = [f"file {number}" for number in range(2 * MANY)]
    for name in names:
        await put(ann, name)
    stored = "SELECT v.id FROM objects o JOIN object_versions v ON v.object_id = o.id ORDER BY o.id"
    versions = await world.db.all(str, stored) if with_versions else []
    seconds, results = await longest_step(delete_many(ann, names, versions))
    assert [result[0] for result in results] == ["Deleted"] * len(names)
    assert seconds < LIMIT
