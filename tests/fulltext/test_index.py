"""Index entries are written and deleted in the transaction of their object."""

import asyncio
import threading
from functools import partial
from typing import Any

import pytest

from teamspace import fulltext
from teamspace.core.db import retry_on_conflict
from teamspace.core.principal import system
from teamspace.fulltext import store
from teamspace.fulltext.domain import index, words
from tests.support.world import World


async def put(world: World, org_id: str, ref: str) -> None:
    async with world.db.maintenance(system()) as tx:
        await fulltext.put(tx, "note", ref, org_id, title=f"title of {ref}")


async def drop(world: World, ref: str) -> None:
    async with world.db.maintenance(system()) as tx:
        await fulltext.drop(tx, "note", ref)


async def titles(world: World) -> list[str]:
    return await world.db.all(str, "SELECT title FROM texts ORDER BY title")


async def test_the_last_of_concurrent_writes_wins(world: World) -> None:
    org_id = (await world.bootstrap()).org.id
    await asyncio.gather(put(world, org_id, "a"), put(world, org_id, "b"))
    if world.db.dialect.name == "sqlite":  # concurrent writes share a commit here, in order of arrival
        await asyncio.gather(put(world, org_id, "c"), drop(world, "c"), drop(world, "a"), put(world, org_id, "a"))
        assert await titles(world) == ["title of a", "title of b"]
    await asyncio.gather(drop(world, "a"), drop(world, "b"))
    assert await titles(world) == []


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
async def test_a_text_id_taken_by_another_server_is_not_used_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    org_id = (await world.bootstrap()).org.id
    numbers = iter([1, 1, 2])
    monkeypatch.setattr(index._text_ids, "next", lambda: next(numbers))
    for ref in ("a", "b"):
        await retry_on_conflict(partial(put, world, org_id, ref))
    assert await titles(world) == ["title of a", "title of b"]
    assert list(numbers) == []


def test_text_ids_are_ascending() -> None:
    ids = [index._text_ids.next() for _ in range(10_000)]
    assert ids == sorted(set(ids))


# Text is processed before the transaction


async def test_a_long_text_is_processed_off_the_loop_and_before_the_transaction(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = await world.bootstrap()
    threads, order = list[threading.Thread](), list[str]()
    read, write = words.text_words, store.put

    def recording_read(text: str) -> str:
        threads.append(threading.current_thread())
        order.append("read")
        return read(text)

    async def recording_write(*arguments: Any) -> None:
        order.append("write")
        await write(*arguments)

    monkeypatch.setattr(words, "text_words", recording_read)
    monkeypatch.setattr(store, "put", recording_write)
    note = (await ann.post("/api/notes", {"title": "Short", "body": "few words"})).json()
    assert (threads.pop(), order) == (threading.main_thread(), ["read", "write"])
    long = {"title": "Long", "body": "many words " * 1000}
    for answer in (
        await ann.post("/api/notes", long),
        await ann.put(f"/api/notes/{note['id']}", long),
        await ann.post("/api/documents", long),
    ):
        assert answer.status_code in (200, 201)
    assert len(threads) == 3 and threading.main_thread() not in threads
    assert order == ["read", "write"] * 4


async def test_changing_the_title_of_a_note_keeps_its_body_indexed(world: World) -> None:
    ann = await world.bootstrap()
    note = (await ann.post("/api/notes", {"title": "First", "body": "harbour", "tags": ["one"]})).json()
    await ann.put(f"/api/notes/{note['id']}", {"title": "Second"})
    await ann.put(f"/api/notes/{note['id']}", {"tags": ["two"]})
    for q, expected in {"first": 0, "one": 0, "second": 1, "two": 1, "harbour": 1}.items():
        items = (await ann.get("/api/search", params={"q": q})).json()["items"]
        assert len(items) == expected, q
        assert all(item["title"] == "Second" for item in items)
