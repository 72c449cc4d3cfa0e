"""Search in SQL: matching, access rights and ranking in one statement."""

from typing import Any

from teamspace import fulltext
from teamspace.core.db import Db, Fence
from teamspace.search.schemas import Hit, Kind

POINTS = 1_000_000
"""A score of 1 as an integer: cursors need exact comparisons."""
MAX_RANKED = 5_000
"""If more texts match, only the newest ones are ranked."""
TIMEOUT_SECONDS = 2.0
_VERSIONED: frozenset[Kind] = frozenset({"note", "object"})
"""Kinds whose rows have a version."""


async def select(
    db: Db, query: fulltext.Query, fences: dict[Kind, Fence], org_id: str, *, below: tuple[int, str], limit: int
) -> list[Hit]:
    hits = {kind: fulltext.hits(db.dialect, query, kind, org_id) for kind in fences}
    arms = " UNION ALL ".join(_arm(kind, fence, hits[kind]) for kind, fence in fences.items())
    params = _merge_params(*(hits[kind].params | fence.params for kind, fence in fences.items()))
    return await db.all_offloaded(
        Hit,
        "SELECT page.kind, page.ref, page.points, texts.title, substr(texts.body, 1, :searched), page.version, page.updated_at FROM"
        f" (SELECT * FROM ({arms}) AS hits WHERE points < :points OR (points = :points AND ref < :ref)"
        " ORDER BY points DESC, ref DESC LIMIT :limit) AS page JOIN texts ON texts.id = page.id"
        " ORDER BY page.points DESC, page.ref DESC",
        seconds=TIMEOUT_SECONDS, points=below[0], ref=below[1], limit=limit, searched=fulltext.MAX_SEARCHED, **params,
    )  # fmt: skip


def _merge_params(*several: dict[str, Any]) -> dict[str, Any]:
    """Merge parameters; fences use the same names, so the values must be equal."""
    params: dict[str, Any] = {}
    for some in several:
        if any(params.get(name, value) != value for name, value in some.items()):
            raise ValueError(f"two fences use one of the names {sorted(some)} for different values")
        params |= some
    return params


def _arm(kind: Kind, fence: Fence, hits: fulltext.Hits) -> str:
    """Select the newest matches of one kind that the fence admits."""
    version = f"{fence.table}.version" if kind in _VERSIONED else "CAST(NULL AS INTEGER)"
    return (
        f"SELECT * FROM (SELECT '{kind}' AS kind, texts.id, texts.ref, {fence.table}.updated_at, {version} AS version,"
        f" CAST({POINTS} * {hits.score} AS INTEGER) AS points"
        f" FROM {hits.source} CROSS JOIN {fence.table} WHERE {hits.where} AND {fence.table}.id = texts.ref"
        f" AND {fence.sql} ORDER BY {hits.newest_first} LIMIT {MAX_RANKED}) AS {kind}s"
    )
