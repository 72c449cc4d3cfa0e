"""Large objects are streamed: memory does not grow with their size."""

from pathlib import Path

from tests.repository.large import MIB, run_transfer
from tests.s3.large import MultipartTransfer

MAX_MEMORY = 150 * MIB


def test_memory_does_not_grow_with_a_multipart_upload(tmp_path: Path) -> None:
    transfer, peak = run_transfer(
        {"SERVICE_DATA": str(tmp_path / "data"), "SERVICE_SQLITE_SYNC": "normal"}, 256, MultipartTransfer
    )
    assert transfer.received.digest() == transfer.sent.digest()
    assert peak < MAX_MEMORY
