"""Files that are mapped have their place on the disk: to write to one that has not kills the process when the disk is full."""

from collections.abc import Callable
from pathlib import Path

import pytest

from teamspace.core.buckets import SharedBuckets
from teamspace.core.counts import SharedCounts
from teamspace.core.db.epoch import MappedEpoch
from teamspace.core.heartbeats import Heartbeats

_BLOCK = 512


@pytest.mark.parametrize(
    "open_file",
    [
        pytest.param(SharedBuckets, id="rates"),
        pytest.param(lambda file: SharedCounts(file, 0, 4), id="counts"),
        pytest.param(lambda file: Heartbeats(file, 4), id="heartbeats"),
        pytest.param(MappedEpoch, id="epoch"),
    ],
)
def test_a_mapped_file_has_all_of_its_blocks(open_file: Callable[[Path], object], tmp_path: Path) -> None:
    file = tmp_path / "memory"
    opened = open_file(file)
    found = file.stat()
    assert found.st_size > 0
    assert found.st_blocks * _BLOCK >= found.st_size, opened


def test_what_is_in_the_file_stays(tmp_path: Path) -> None:
    first = MappedEpoch(tmp_path / "epoch")
    first.renew()
    second = MappedEpoch(tmp_path / "epoch")
    assert first.read() == second.read() != 0
    first.close()
    second.close()
