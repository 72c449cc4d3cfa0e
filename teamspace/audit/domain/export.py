"""A trail as a whole, oldest first, in lines that can be verified without the server."""

import asyncio
from collections.abc import AsyncIterator

import msgspec

from teamspace.audit import store
from teamspace.audit.domain.searching import wanted
from teamspace.audit.schemas import Search, TrailQuery
from teamspace.core import clock
from teamspace.core.db import Db, Fence, Reads, audit
from teamspace.core.errors import BadRequest
from teamspace.core.replies import JsonLines

STRIDE = 500
"""How many rows of the chain are looked at, and held, at a time."""
_encoder = msgspec.json.Encoder()


async def export(db: Db, fence: Fence, query: TrailQuery) -> JsonLines:
    """Holds at least what was committed before; whatever comes while it flows is left for the next."""
    if query.cursor is not None:
        raise BadRequest.at("cursor", "an export is the whole trail: it has no pages")
    search = await wanted(db, fence, query)
    org_id = fence.params["org_id"]
    await audit.seal_company(db, org_id)
    last = (await audit.head_of(db, org_id)).seq
    chunks = _lines(db, search, *await _stretch(db, org_id, search, last))
    return JsonLines(chunks, "application/x-ndjson", headers=_attachment(fence))


async def _stretch(db: Reads, org_id: str, search: Search, last: int) -> tuple[int, int]:
    """The part of the chain that the times leave: it is sealed in the order of ids, but for a moment's slack."""
    start = await store.seq_below(db, org_id, search.first)
    return start or 0, await store.seq_from(db, org_id, search.end) or last


async def _lines(db: Reads, search: Search, seq: int, last: int) -> AsyncIterator[bytes]:
    while seq < last:
        through = min(seq + STRIDE, last)
        if lines := await store.select_lines(db, search, seq, through):
            yield _encoder.encode_lines(lines)
        seq = through
        await asyncio.sleep(0)  # let requests pass between two stretches


def _attachment(fence: Fence) -> dict[str, str]:
    whose = fence.params.get("team_id") or fence.params["org_id"] or "instance"
    return {"content-disposition": f'attachment; filename="audit-{whose}-{clock.stamp()[:10]}.jsonl"'}
