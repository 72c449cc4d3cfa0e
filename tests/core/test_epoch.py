"""The rights epoch, and what is remembered for as long as it lasts."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from teamspace.core.db.epoch import EpochMemory, MappedEpoch, SharedRead


class Counted:
    """Counts how often something is read."""

    def __init__(self) -> None:
        self.reads = 0

    async def load(self) -> int:
        self.reads += 1
        return self.reads


def test_all_who_map_the_file_see_a_new_epoch_at_once(tmp_path: Path) -> None:
    one, other = MappedEpoch(tmp_path / "epoch"), MappedEpoch(tmp_path / "epoch")
    seen = {one.read()}
    for changed, watching in ((one, other), (other, one)) * 3:
        changed.renew()
        assert watching.read() == changed.read()
        seen.add(watching.read())
    assert len(seen) == 7
    other.close()
    one.renew()
    one.close()


async def test_nothing_is_remembered_while_a_transaction_that_changes_rights_is_open() -> None:
    memory, rights = EpochMemory(), Counted()
    await memory.get("first", "a", rights.load)
    memory.begin_change("transaction")
    assert [await memory.get("first", "a", rights.load) for _ in range(2)] == [2, 3]
    memory.end("another")
    assert await memory.get("first", "a", rights.load) == 4
    memory.end("transaction")  # also if it was rolled back
    assert [await memory.get("first", "a", rights.load) for _ in range(2)] == [5, 5]


@pytest.mark.parametrize("change", [EpochMemory.forget, lambda memory: memory.begin_change("transaction")])
async def test_what_was_read_while_something_changed_is_used_once(change: Callable[[EpochMemory], None]) -> None:
    memory, rights, read = EpochMemory(), Counted(), asyncio.Event()

    async def load_slowly() -> int:
        await read.wait()
        return await rights.load()

    slow = asyncio.create_task(memory.get("first", "a", load_slowly))
    await asyncio.sleep(0)
    change(memory)
    read.set()
    assert await slow == 1
    memory.end("transaction")
    assert await memory.get("first", "a", rights.load) == 2


async def test_nothing_is_remembered_where_only_the_database_knows_the_epoch() -> None:
    memory, rights = EpochMemory(), Counted()
    assert [await memory.get(None, "a", rights.load) for _ in range(2)] == [1, 2]


async def test_what_was_read_is_kept_until_the_next_epoch() -> None:
    memory, rights = EpochMemory(), Counted()
    assert [await memory.get("first", "a", rights.load) for _ in range(2)] == [1, 1]
    assert await memory.get("first", "b", rights.load) == 2
    assert [await memory.get("second", "a", rights.load) for _ in range(2)] == [3, 3]
    assert await memory.get("first", "a", rights.load) == 4


async def test_what_was_read_while_the_epoch_changed_is_used_once() -> None:
    memory, rights, read = EpochMemory(), Counted(), asyncio.Event()

    async def load_slowly() -> int:
        await read.wait()
        return await rights.load()

    slow = asyncio.create_task(memory.get("first", "a", load_slowly))
    await asyncio.sleep(0)
    assert await memory.get("second", "b", rights.load) == 1
    read.set()
    assert await slow == 2
    assert [await memory.get("second", "a", rights.load) for _ in range(2)] == [3, 3]


class Held:
    """A read that ends when it is told to."""

    def __init__(self) -> None:
        self.begun = 0
        self.has_begun, self.go_on = asyncio.Event(), asyncio.Event()

    async def read(self) -> int:
        self.begun += 1
        number = self.begun
        self.has_begun.set()
        await self.go_on.wait()
        return number


async def test_those_who_ask_while_a_read_runs_share_the_next() -> None:
    held = Held()
    shared = SharedRead(held.read)
    first = asyncio.create_task(shared.get())
    await held.has_begun.wait()
    later = [asyncio.create_task(shared.get()) for _ in range(3)]
    await asyncio.sleep(0)
    held.go_on.set()
    assert await first == 1
    assert await asyncio.gather(*later) == [2, 2, 2]
    assert await shared.get() == 3


async def test_one_who_goes_away_does_not_end_the_read_of_the_others() -> None:
    held = Held()
    shared = SharedRead(held.read)
    gone, waiting = asyncio.create_task(shared.get()), asyncio.create_task(shared.get())
    await asyncio.sleep(0)
    gone.cancel()
    held.go_on.set()
    assert (await waiting, held.begun) == (1, 1)


async def test_a_read_that_fails_fails_for_all_who_wait_and_the_next_one_is_made() -> None:
    reads = 0

    async def read() -> int:
        nonlocal reads
        reads += 1
        if reads == 1:
            raise ZeroDivisionError
        return reads

    shared = SharedRead(read)
    answers = await asyncio.gather(shared.get(), shared.get(), return_exceptions=True)
    assert [type(answer) for answer in answers] == [ZeroDivisionError] * 2
    assert await shared.get() == 2
