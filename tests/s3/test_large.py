"""What is large flows through: the server's memory does not grow with it."""

from pathlib import Path

from tests.repository.large import MIB, passed
from tests.s3.large import InParts

MAX_MEMORY = 150 * MIB


def test_memory_does_not_grow_with_a_file_in_parts(tmp_path: Path) -> None:
    passage, most = passed({"SERVICE_DATA": str(tmp_path / "data"), "SERVICE_SQLITE_SYNC": "normal"}, 256, InParts)
    assert passage.came.digest() == passage.sent.digest()
    assert most < MAX_MEMORY
