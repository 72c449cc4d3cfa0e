"""Exports the audit log, oldest first, as lines that can be verified without the server."""

import asyncio
from collections.abc import AsyncGenerator

import msgspec

from teamspace.audit import store
from teamspace.audit.domain.searching import build_search
from teamspace.audit.schemas import AuditQuery, AuditSearch
from teamspace.core import clock
from teamspace.core.db import Db, Fence, Reads, audit
from teamspace.core.errors import BadRequest
from teamspace.core.replies import JsonLines

STRIDE = 500
"""How many rows of the chain are read at a time and held in memory."""
_encoder = msgspec.json.Encoder()


async def export(db: Db, fence: Fence, query: AuditQuery) -> JsonLines:
    """Export at least the rows that were committed before; rows written during the export are not included."""
    if query.cursor is not None:
        raise BadRequest.at("cursor", "audit.no_cursor")
    search = await build_search(db, fence, query)
    org_id = fence.params["org_id"]
    await audit.seal_company(db, org_id)
    last = (await audit.chain_head(db, org_id)).seq
    chunks = _lines(db, search, *await _section(db, org_id, search, last))
    return JsonLines(chunks, "application/x-ndjson", headers=_attachment(fence))


async def _section(db: Reads, org_id: str, search: AuditSearch, last: int) -> tuple[int, int]:
    """Return the section of the chain within the time range: rows are sealed almost in the order of their ids."""
    start = await store.seq_below(db, org_id, search.first)
    return start or 0, await store.seq_from(db, org_id, search.end) or last


async def _lines(db: Reads, search: AuditSearch, seq: int, last: int) -> AsyncGenerator[bytes, None]:
    while seq < last:
        through = min(seq + STRIDE, last)
        if lines := await store.select_lines(db, search, seq, through):
            yield _encoder.encode_lines(lines)
        seq = through
        await asyncio.sleep(0)  # give requests a turn between batches


def _attachment(fence: Fence) -> dict[str, str]:
    owner = fence.params.get("team_id") or fence.params["org_id"] or "instance"
    return {"content-disposition": f'attachment; filename="audit-{owner}-{clock.stamp()[:10]}.jsonl"'}
