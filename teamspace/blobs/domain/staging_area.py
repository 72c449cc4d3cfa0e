"""The local part of a store that keeps its blobs elsewhere: staged blobs, and the lock of the collector."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from teamspace.blobs.domain.local import FolderStore
from teamspace.blobs.schemas import NONE_IN_ROWS


class StagingArea:
    """Blobs are staged in `root`, since the name of a blob is known only after its last byte.

    The lock only works between processes that share the folder. Several servers with separate folders coordinate
    through the database: a collector marks the blob's row while it deletes the file, and an upload of the same bytes
    waits for it. A backup that takes longer than the retention can then miss a blob that was collected meanwhile, and
    fails with its name.
    """

    small = NONE_IN_ROWS

    def __init__(self, root: Path, floor: int) -> None:
        self._folder = FolderStore(root, floor)

    @property
    def max_size(self) -> int | None:
        return None

    @property
    def staging_folder(self) -> Path:
        return self._folder.staging_folder

    def check_space(self, size: int = 0) -> None:
        """Check the local disk, where blobs are staged before they are sent to the store."""
        self._folder.check_space(size)

    def collection_paused(self) -> AbstractContextManager[None]:
        return self._folder.collection_paused()

    def collecting(self) -> AbstractContextManager[bool]:
        return self._folder.collecting()

    def list_stale(self, written_before: float) -> Iterator[str]:
        return self._folder.list_stale(written_before)

    def discard_stale(self, written_before: float) -> None:
        self._folder.discard_stale(written_before)
