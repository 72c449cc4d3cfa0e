"""Blob stores as plugins write them: the example, an async one, and one that takes files."""

import asyncio
import importlib.util
import os
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

from teamspace.blobs import PluginStore
from teamspace.core.metrics import Metrics
from teamspace.core.plugin_calls import PluginGuard

EXAMPLE = Path(__file__).parents[2] / "examples" / "blob-store"


def open_example(folder: Path) -> Any:
    """The store of the example, with plain functions."""
    found = importlib.util.spec_from_file_location("blob_store_example", EXAMPLE / "plugin.py")
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module.SqliteBlobs(folder / "blobs.sqlite")


class AsyncBlobs:
    """In memory, with async functions."""

    def __init__(self) -> None:
        self._blobs: dict[tuple[str, str], bytes] = {}

    async def put(self, org_id: str, digest: str, data: bytes) -> None:
        await asyncio.sleep(0)
        self._blobs[org_id, digest] = data

    async def get(self, org_id: str, digest: str) -> bytes | None:
        return self._blobs.get((org_id, digest))

    async def delete(self, org_id: str, digest: str) -> None:
        self._blobs.pop((org_id, digest), None)

    async def stat(self, org_id: str, digest: str) -> int | None:
        data = self._blobs.get((org_id, digest))
        return None if data is None else len(data)


class FileBlobs:
    """In files, with the two functions for large blobs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True)

    def put(self, org_id: str, digest: str, data: bytes) -> None:
        self._path(org_id, digest).write_bytes(data)

    def get(self, org_id: str, digest: str) -> bytes | None:
        raise AssertionError("get_range is there")

    def delete(self, org_id: str, digest: str) -> None:
        self._path(org_id, digest).unlink(missing_ok=True)

    def stat(self, org_id: str, digest: str) -> int | None:
        path = self._path(org_id, digest)
        return path.stat().st_size if path.exists() else None

    def put_file(self, org_id: str, digest: str, file: Path) -> None:
        os.replace(file, self._path(org_id, digest))

    def get_range(self, org_id: str, digest: str, start: int, length: int) -> bytes | None:
        path = self._path(org_id, digest)
        if not path.exists():
            return None
        with path.open("rb") as opened:
            opened.seek(start)
            return opened.read(length)

    def _path(self, org_id: str, digest: str) -> Path:
        return self._folder / f"{org_id}-{digest}"


def adapt(store: Any, root: Path) -> PluginStore:
    """The store as the server uses it."""
    return PluginStore("stored", "storing", store, PluginGuard(Metrics()), root, 0)


async def finish(result: Awaitable[Any] | Any) -> Any:
    """The result of a function that may be async."""
    return await result if isinstance(result, Awaitable) else result
