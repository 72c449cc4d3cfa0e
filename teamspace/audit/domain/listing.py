"""Lists the audit log page by page, newest first."""

import asyncio

from teamspace.audit import store
from teamspace.audit.domain.searching import build_search
from teamspace.audit.schemas import Actor, AuditEvent, AuditQuery, AuditSearch, EventRow
from teamspace.core import paging
from teamspace.core.db import Fence, Reads
from teamspace.core.replies import Page

STRIDE = 1000
"""How many rows one statement reads: a few milliseconds, during which the event loop is blocked."""


async def list_events(db: Reads, fence: Fence, query: AuditQuery) -> Page[AuditEvent]:
    search = await build_search(db, fence, query)
    rows = await _newest(db, search, min(query.before, search.end), query.size + 1)
    page = paging.page(rows, query, lambda row: row.id)
    return Page([_event(row) for row in page.items], page.next_cursor)


async def _newest(db: Reads, search: AuditSearch, before: str, limit: int) -> list[EventRow]:
    """Find the newest matching rows: read one page of rows first, then longer strides until enough are found."""
    rows: list[EventRow] = []
    stride = limit
    while True:
        walk, first = await _longest_walk(db, search, before, stride)
        rows += await store.select(db, search, walk, first or search.first, before, limit - len(rows))
        if first is None or len(rows) == limit:
            return rows
        before, stride = first, STRIDE
        await asyncio.sleep(0)  # give requests a turn between strides


async def _longest_walk(db: Reads, search: AuditSearch, before: str, stride: int) -> tuple[store.Walk, str | None]:
    """Return the walk whose next stride reaches farthest back, and the id it reaches; None if it reaches the end."""
    ends = [(await store.walk_end(db, search, walk, before, stride), walk) for walk in store.index_walks(search)]
    first, walk = min(ends, key=lambda end: end[0] or "")
    return walk, first


def _event(row: EventRow) -> AuditEvent:
    return AuditEvent(
        id=row.id, at=row.at, actor=Actor(row.actor_kind, row.actor_id, row.username), action=row.action,
        target=row.target, detail=row.detail, team_id=row.team_id, request_id=row.request_id, address=row.address,
        seq=row.seq, hash=row.hash,
    )  # fmt: skip
