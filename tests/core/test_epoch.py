"""The rights epoch, and what is remembered for as long as it lasts."""

from pathlib import Path

import pytest

from teamspace.core.db.epoch import Epoch, MappedEpoch, OwnEpoch, RightsMemory


@pytest.fixture
def epoch(tmp_path: Path) -> Epoch:
    return MappedEpoch(tmp_path / "epoch")


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


async def test_rights_are_read_once_in_an_epoch(epoch: Epoch) -> None:
    memory, rights = RightsMemory(epoch), Counted()
    assert [await memory.get("a", rights.load) for _ in range(3)] == [1, 1, 1]
    assert await memory.get("b", rights.load) == 2
    epoch.renew()
    assert [await memory.get("a", rights.load) for _ in range(2)] == [3, 3]


async def test_nothing_is_remembered_while_a_transaction_that_changes_rights_is_open(epoch: Epoch) -> None:
    memory, rights = RightsMemory(epoch), Counted()
    await memory.get("a", rights.load)
    memory.begin_change("transaction")
    assert [await memory.get("a", rights.load) for _ in range(2)] == [2, 3]
    memory.end("another")
    assert await memory.get("a", rights.load) == 4
    memory.end("transaction")  # also if it was rolled back
    assert [await memory.get("a", rights.load) for _ in range(2)] == [5, 5]


async def test_nothing_is_remembered_where_other_processes_cannot_tell(tmp_path: Path) -> None:
    memory, rights = RightsMemory(OwnEpoch()), Counted()
    assert [await memory.get("a", rights.load) for _ in range(2)] == [1, 2]
