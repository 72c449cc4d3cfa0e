"""What a turn shows while it is answered: its text, the citations in it, and the calls of tools."""

from collections.abc import Mapping, Sequence
from typing import Any

from teamspace.ai.domain import citations
from teamspace.ai.domain.citations import Citations, Marker
from teamspace.ai.domain.sources import Sources
from teamspace.ai.schemas import Citation
from teamspace.blobs import BlobStore
from teamspace.core.db import Db
from teamspace.core.principal import Principal
from teamspace.events import StreamWriter

START, DELTA, CITATION = "start", "delta", "citation"
_MANY, _GATHERED = 10_000, 128
"""After so many deltas, so many characters become one: the rows of a stream then last for an answer of its size."""
_BETWEEN = "\n\n"
"""Between what a model says before and after it calls tools."""


class Output:
    """Collects the text of an answer, checks its citations, and passes both on to the stream, if there is one."""

    def __init__(
        self, writer: StreamWriter | None, db: Db, files: BlobStore, who: Principal, sources: Sources, *,
        grows: bool = False,
    ) -> None:  # fmt: skip
        """With `grows`, sources are added while the answer is made."""
        self._writer, self._db, self._files, self._who = writer, db, files, who
        self._filter = Citations(sources) if sources or grows else None
        self._blocks: list[str] = []
        self._block: list[str] = []
        self.citations: list[Citation] = []
        self.has_added = False
        """Whether the current block has any text, shown or held back."""
        self._deltas, self._gathered = 0, ""
        self._in_blocks = 0
        """How many of the citations are in blocks that have ended."""

    @property
    def is_streamed(self) -> bool:
        return self._writer is not None

    @property
    def text(self) -> str:
        return _BETWEEN.join(filter(None, [*self._blocks, "".join(self._block)]))

    def begin(self, turn_id: str, conversation_id: str | None, **about: Any) -> None:
        """Tell readers who answers. If another server had begun, also the text that stands, with its citations."""
        started = {"id": turn_id, **about}
        if conversation_id is not None:
            started["conversation_id"] = conversation_id
        if self.text:
            started |= {"text": self.text, "citations": self.citations}
        self._tell(START, started)

    def restore(self, text: str, cited: Sequence[Citation]) -> None:
        """Take over a block that was shown before, with the citations that were new in it."""
        self._blocks.append(text)
        self.citations += cited
        self._in_blocks = len(self.citations)
        if self._filter is not None:
            self._filter.restore(cited)

    async def add(self, delta: str) -> None:
        """Add the next part of what the model says."""
        delta = citations.without_marks(delta)
        self.has_added = self.has_added or bool(delta)
        if self._filter is None:
            self._show(delta)
            return
        for piece in self._filter.feed(delta):
            await self._add_piece(piece)

    async def end_block(self) -> tuple[str, list[Citation]]:
        """Show what was held back because it could have been a citation.

        Return the text since the last block, and the citations that are new in it.
        """
        if self._filter is not None:
            for piece in self._filter.close():
                await self._add_piece(piece)
        self._tell_gathered()
        text, self._block, self.has_added = "".join(self._block), [], False
        self._blocks.append(text)
        cited, self._in_blocks = self.citations[self._in_blocks :], len(self.citations)
        return text, cited

    def tool_call(self, call_id: str, tool: str, arguments: Mapping[str, Any]) -> None:
        self._tell("tool_call", {"call": call_id, "tool": tool, "arguments": arguments})

    def tool_result(self, call_id: str, tool: str, **about: Any) -> None:
        self._tell("tool_result", {"call": call_id, "tool": tool, **about})

    async def _add_piece(self, piece: str | Marker) -> None:
        if isinstance(piece, str):
            self._show(piece)
            return
        assert self._filter is not None
        citation = await self._filter.check(self._db, self._files, self._who, piece)
        if citation not in self.citations:
            self.citations.append(citation)
            self._tell(CITATION, citation)
        self._show(citations.to_mark(citation.number))

    def _show(self, text: str) -> None:
        if not text:
            return
        if not self._block and any(self._blocks):
            self._gathered += _BETWEEN
        self._block.append(text)
        self._gathered += text
        self._deltas += 1
        if self._deltas <= _MANY or len(self._gathered) >= _GATHERED:
            self._tell_gathered()

    def _tell_gathered(self) -> None:
        text, self._gathered = self._gathered, ""
        if text and self._writer is not None:
            self._writer.append(DELTA, {"text": text})

    def _tell(self, name: str, data: Any) -> None:
        self._tell_gathered()
        if self._writer is not None:
            self._writer.append(name, data)
