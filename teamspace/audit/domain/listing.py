"""A trail page by page, newest first."""

import asyncio

from teamspace.audit import store
from teamspace.audit.domain.searching import wanted
from teamspace.audit.schemas import Actor, Event, EventRow, Search, TrailQuery
from teamspace.core import paging
from teamspace.core.db import Fence, Reads
from teamspace.core.replies import Page

STRIDE = 1000
"""How many rows one statement looks at: some milliseconds, in which nobody else is answered."""


async def listing(db: Reads, fence: Fence, query: TrailQuery) -> Page[Event]:
    search = await wanted(db, fence, query)
    rows = await _newest(db, search, min(query.before, search.end), query.size + 1)
    page = paging.page(rows, query, lambda row: row.id)
    return Page([_event(row) for row in page.items], page.next_cursor)


async def _newest(db: Reads, search: Search, before: str, limit: int) -> list[EventRow]:
    """Looks through a page's worth of rows, and further in longer strides as long as too little was found."""
    rows: list[EventRow] = []
    stride = limit
    while True:
        walk, first = await _farthest(db, search, before, stride)
        rows += await store.select(db, search, walk, first or search.first, before, limit - len(rows))
        if first is None or len(rows) == limit:
            return rows
        before, stride = first, STRIDE
        await asyncio.sleep(0)  # let requests pass between two strides


async def _farthest(db: Reads, search: Search, before: str, stride: int) -> tuple[store.Walk, str | None]:
    """The walk that one stride takes the farthest back, and where to; None when it is all the way."""
    ends = [(await store.reached(db, search, walk, before, stride), walk) for walk in store.walks(search)]
    first, walk = min(ends, key=lambda end: end[0] or "")
    return walk, first


def _event(row: EventRow) -> Event:
    return Event(
        id=row.id, at=row.at, actor=Actor(row.actor_kind, row.actor_id, row.username), action=row.action,
        target=row.target, detail=row.detail, team_id=row.team_id, request_id=row.request_id, address=row.address,
        seq=row.seq, hash=row.hash,
    )  # fmt: skip
