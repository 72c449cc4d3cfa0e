"""Markdown on the page of a public link, rendered in the sandboxed process, and kept for a while."""

from collections import OrderedDict
from contextlib import nullcontext

from teamspace import blobs
from teamspace.blobs import BlobStore
from teamspace.core.errors import Overloaded
from teamspace.core.limits import ConcurrencyLimit
from teamspace.extraction import ExtractionFailed, ReaderPool

_WAITING = 8
_KEPT = 32


class Renderings:
    """One text at a time in this process: visitors must not keep others from extracting texts."""

    def __init__(self, readers: ReaderPool) -> None:
        self._readers = readers
        self._limit = ConcurrencyLimit("busy.texts", 1, _WAITING)
        self._kept: OrderedDict[str, str | None] = OrderedDict()

    async def render(self, files: BlobStore, version_id: str, text: bytes) -> str | None:
        """Return a version's text as HTML; None if that takes too long, or too many wait: then it is shown as it is."""
        if version_id not in self._kept:
            try:
                async with self._limit.take():
                    if version_id not in self._kept:
                        self._keep(version_id, await self._render(files, text))
            except Overloaded:
                return None
        return self._kept.get(version_id)

    async def _render(self, files: BlobStore, text: bytes) -> str | None:
        try:
            async with (
                self._readers.acquire(nullcontext) as reader,
                blobs.stage_copy(files, blobs.as_stream(text), small=0) as copy,
            ):
                assert copy.path is not None
                return await reader.render(copy.path)
        except ExtractionFailed:
            return None

    def _keep(self, version_id: str, html: str | None) -> None:
        self._kept[version_id] = html
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
