"""A plugin's blob store: its few functions, made a store of the server.

They are called under guard, with a deadline, and in a thread unless they are async. A blob is in memory as a whole
while it is put or got, so its size is limited, and so is the number of calls at a time; a store that takes files and
ranges has no such limit.
"""

import asyncio
import inspect
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, nullcontext
from pathlib import Path
from typing import IO, Any, TypeVar

from teamspace.blobs.domain.staging_area import StagingArea
from teamspace.blobs.schemas import (
    INSTANCE,
    STRIDE,
    BlobMissing,
    LargeBlobStore,
    PlainBlobStore,
    StoredFile,
    has_valid_name,
)
from teamspace.core import pools
from teamspace.core.errors import InternalError, Overloaded, StorageFull, TooLarge
from teamspace.core.plugin_calls import PluginGuard

T = TypeVar("T")
MAX_BYTES = 64 * 1024 * 1024
"""The largest blob of a store without `put_file` and `get_range`."""
SECONDS = 60.0
"""The time limit of a call."""
_BYTES_PER_SECOND = 1024 * 1024
"""A file may take this much longer to be put."""
_CALLS_AT_ONCE = 8
_LARGE, _LARGE_AT_ONCE = 8 * 1024 * 1024, 2
"""Of blobs that are larger than this, so many are in memory at a time."""
_RANGE = 4 * STRIDE
_NEEDED, _FOR_LARGE = ("put", "get", "delete", "stat"), ("put_file", "get_range")


def find_missing(store: object) -> list[str]:
    """Return the functions that an object lacks to be a blob store."""
    has_one = any(callable(getattr(store, name, None)) for name in _FOR_LARGE)
    needed = (*_NEEDED, *(_FOR_LARGE if has_one else ()))
    return [name for name in needed if not callable(getattr(store, name, None))]


class PluginStore(StagingArea):
    """Blobs are staged in the data folder, and each is handed to the plugin, however small."""

    def __init__(
        self, name: str, plugin: str, store: PlainBlobStore | LargeBlobStore, guard: PluginGuard, root: Path, floor: int
    ) -> None:
        """`name` is what SERVICE_BLOB_STORE selects, `plugin` the id of the plugin."""
        super().__init__(root, floor)
        self._name, self._plugin, self._store, self._guard = name, plugin, store, guard
        self._takes_large = hasattr(store, "put_file")
        self._places, self._large_places = asyncio.Semaphore(_CALLS_AT_ONCE), asyncio.Semaphore(_LARGE_AT_ONCE)

    @property
    def max_size(self) -> int | None:
        return None if self._takes_large else MAX_BYTES

    def check(self) -> None:
        """Check the local folder; only a call would show whether the plugin's store works."""
        self._folder.check()

    async def put(self, namespace: str, digest: str, file: Path) -> None:
        org_id = _org_id(namespace, digest)
        try:
            size = (await pools.FILES.run(file.stat)).st_size
        except OSError as fault:
            raise StorageFull("storage.disk_failed") from fault
        if self.max_size is not None and size > self.max_size:
            raise TooLarge("storage.too_large", limit=self.max_size)

        async def put() -> None:
            if self._takes_large:
                await self._run("put_file", org_id, digest, file)
            else:
                await self._run("put", org_id, digest, await pools.FILES.run(file.read_bytes))

        try:
            async with self._place_in_memory(size):
                await self._call("put", put, SECONDS + size / _BYTES_PER_SECOND)
        except InternalError:
            raise StorageFull("storage.store_failed", store=self._name) from None
        await pools.FILES.run(file.unlink, missing_ok=True)

    async def get(
        self, namespace: str, digest: str, start: int = 0, length: int | None = None, *, size: int | None = None
    ) -> AsyncIterator[bytes]:
        org_id = _org_id(namespace, digest)
        if self._takes_large:
            chunks = self._get_ranges(org_id, digest, start, length)
        else:
            chunks = self._read(await self._get_whole(org_id, digest, size), start, length)
        async for chunk in chunks:
            read = [chunk]
            del chunk
            yield read.pop()  # not kept here: the reader can be slow

    async def delete(self, namespace: str, digest: str) -> None:
        org_id = _org_id(namespace, digest)
        await self._call_or_overloaded("delete", lambda: self._run("delete", org_id, digest))

    async def stat(self, namespace: str, digest: str) -> int | None:
        org_id = _org_id(namespace, digest)

        async def stat() -> int | None:
            size = await self._run("stat", org_id, digest)
            if size is None or (type(size) is int and size >= 0):
                return size
            raise TypeError(f"stat returned {size!r:.100}, which is neither a size nor None")

        return await self._call_or_overloaded("stat", stat)

    def list_files(self) -> Iterator[StoredFile]:
        """Return nothing: a plugin's store cannot list. No blob is without a row, which is written before the blob."""
        return iter(())

    async def _get_whole(self, org_id: str, digest: str, size: int | None) -> IO[bytes]:
        """Get the blob at once, into a file: whoever it is for can be slow."""

        async def get() -> IO[bytes] | None:
            data = _check_bytes("get", await self._run("get", org_id, digest))
            return None if data is None else await pools.FILES.run(self._spool, data)

        async with self._place_in_memory(MAX_BYTES if size is None else size):
            spool = await self._call_or_overloaded("get", get)
        if spool is None:
            raise BlobMissing(f"blob {digest} is missing")
        return spool

    async def _read(self, spool: IO[bytes], start: int, length: int | None) -> AsyncIterator[bytes]:
        left = sys.maxsize if length is None else length
        with spool:
            spool.seek(start)
            while left:
                read = [await pools.FILES.run(spool.read, min(left, STRIDE))]
                if not read[0]:
                    break
                left -= len(read[0])
                yield read.pop()

    def _place_in_memory(self, size: int) -> AbstractAsyncContextManager[None]:
        """Few large blobs are in memory at a time; with functions for files, none is."""
        return self._large_places if size > _LARGE and not self._takes_large else nullcontext()

    def _spool(self, data: bytes) -> IO[bytes]:
        self.staging_folder.parent.mkdir(parents=True, exist_ok=True)
        spool = tempfile.SpooledTemporaryFile(STRIDE, dir=str(self.staging_folder.parent))  # noqa: SIM115 - the reader closes it
        spool.write(data)
        return spool

    async def _get_ranges(self, org_id: str, digest: str, start: int, length: int | None) -> AsyncIterator[bytes]:
        left = length
        while True:
            wanted = _RANGE if left is None else min(left, _RANGE)
            chunk = await self._get_range(org_id, digest, start, wanted)
            if chunk is None:
                raise BlobMissing(f"blob {digest} is missing")
            read, size = [chunk], len(chunk)
            del chunk
            yield read.pop()
            start += size
            left = None if left is None else left - size
            if size < wanted or left == 0:
                return

    async def _get_range(self, org_id: str, digest: str, start: int, length: int) -> bytes | None:
        async def get() -> bytes | None:
            data = _check_bytes("get_range", await self._run("get_range", org_id, digest, start, length))
            if data is not None and len(data) > length:
                raise ValueError(f"get_range returned {len(data)} bytes instead of {length}")
            return data

        return await self._call_or_overloaded("get_range", get)

    async def _call_or_overloaded(self, what: str, function: Callable[[], Awaitable[T]]) -> T:
        try:
            return await self._call(what, function, SECONDS)
        except InternalError:
            raise Overloaded("storage.store_unreachable", store=self._name) from None

    async def _call(self, what: str, function: Callable[[], Awaitable[T]], seconds: float) -> T:
        async def call() -> T:
            async with self._places:
                return await function()

        return await self._guard.call(self._plugin, f"{what} of its blob store {self._name}", call, seconds)

    async def _run(self, name: str, *arguments: Any) -> Any:
        """Call a function of the store, in a thread unless it is async."""
        function = getattr(self._store, name)
        if inspect.iscoroutinefunction(function):
            return await function(*arguments)
        result = await pools.STORES.run(function, *arguments)
        return await result if inspect.isawaitable(result) else result


def _org_id(namespace: str, digest: str) -> str:
    """Return the name of the namespace for the plugin; raise ValueError unless both are safe as names of files."""
    if not has_valid_name(namespace, digest):
        raise ValueError("not a company id, or not a digest")
    return namespace or INSTANCE


def _check_bytes(what: str, data: object) -> bytes | None:
    if data is not None and not isinstance(data, bytes):
        raise TypeError(f"{what} returned {type(data).__name__}, which is neither bytes nor None")
    return data
