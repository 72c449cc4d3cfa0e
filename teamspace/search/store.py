"""Search in SQL: matching, access rights and ranking."""

from collections.abc import Collection, Sequence
from typing import Any

import msgspec

from teamspace import fulltext
from teamspace.core.db import Db, Fence, as_json
from teamspace.search.schemas import Hit, Kind, RankedText

POINTS = 1_000_000
"""A score of 1 as an integer: cursors need exact comparisons."""
MAX_RANKED = 5_000
"""If more texts match, only the newest ones are ranked."""
TIMEOUT_SECONDS = 2.0
_VERSIONED: frozenset[Kind] = frozenset({"note", "object"})
"""Kinds whose rows have a version."""
_TYPED: frozenset[Kind] = frozenset({"object"})
"""Kinds whose rows have a content type."""


class _TextSource(msgspec.Struct, frozen=True):
    """Where the texts of one kind come from, as parts of a SELECT."""

    tables: str
    where: str
    points: str
    newest_first: str
    params: dict[str, str]


async def rank(db: Db, query: fulltext.Query, kinds: Collection[Kind], org_id: str) -> list[RankedText] | None:
    """Return all texts that match, with their points, from the index alone; None if it cannot tell or they are too many.

    Nobody may see them before a fence has admitted them.
    """
    hits = {kind: fulltext.hits(db.dialect, query, kind, org_id) for kind in kinds}
    if not all(one.index for one in hits.values()):
        return None
    arms = " UNION ALL ".join(
        f"SELECT * FROM (SELECT '{kind}' AS kind, {one.index}.rowid AS id, {_points(one)} AS points FROM {one.index}"
        f" WHERE {one.in_index} LIMIT {MAX_RANKED})"
        for kind, one in hits.items()
    )
    params = _merge_params(*(one.params for one in hits.values()))
    found = await db.all_offloaded(RankedText, arms, seconds=TIMEOUT_SECONDS, **params)
    return found if len(found) < MAX_RANKED else None


async def select(
    db: Db, query: fulltext.Query, fences: dict[Kind, Fence], org_id: str, *, below: tuple[int, str], limit: int
) -> list[Hit]:
    """Return the best matches that the fences admit."""
    hits = {kind: fulltext.hits(db.dialect, query, kind, org_id) for kind in fences}
    sources = {
        kind: _TextSource(one.source, one.where, _points(one), one.newest_first, one.params)
        for kind, one in hits.items()
    }
    return await _select(db, fences, sources, below, limit)


async def select_ranked(
    db: Db, matches: Sequence[RankedText], fences: dict[Kind, Fence], *, below: tuple[int, str], limit: int
) -> list[Hit]:
    """Return the best of these matches that the fences admit."""
    sources = {kind: _ranked(db, kind, [one for one in matches if one.kind == kind]) for kind in fences}
    return await _select(db, fences, sources, below, limit)


def _ranked(db: Db, kind: Kind, matches: list[RankedText]) -> _TextSource:
    rows = db.dialect.json_table(f"{kind}_matches", id="BIGINT", points="BIGINT")
    return _TextSource(
        tables=f"({rows}) AS matches CROSS JOIN texts", where=f"texts.id = matches.id AND texts.kind = '{kind}'",
        points="matches.points", newest_first="texts.id DESC",
        params={f"{kind}_matches": as_json([{"id": one.id, "points": one.points} for one in matches])},
    )  # fmt: skip


async def _select(
    db: Db, fences: dict[Kind, Fence], sources: dict[Kind, _TextSource], below: tuple[int, str], limit: int
) -> list[Hit]:
    arms = " UNION ALL ".join(_arm(kind, fence, sources[kind]) for kind, fence in fences.items())
    params = _merge_params(*(sources[kind].params | fence.params for kind, fence in fences.items()))
    return await db.all_offloaded(
        Hit,
        "SELECT page.kind, page.ref, page.points, texts.title, page.content_type, substr(texts.body, 1, :searched), page.version, page.updated_at FROM"
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


def _points(hits: fulltext.Hits) -> str:
    return f"CAST({POINTS} * {hits.score} AS INTEGER)"


def _arm(kind: Kind, fence: Fence, source: _TextSource) -> str:
    """Select the newest matches of one kind that the fence admits."""
    version = f"{fence.table}.version" if kind in _VERSIONED else "CAST(NULL AS INTEGER)"
    content_type = f"{fence.table}.content_type" if kind in _TYPED else "CAST(NULL AS TEXT)"
    return (
        f"SELECT * FROM (SELECT '{kind}' AS kind, texts.id, texts.ref, {fence.table}.updated_at, {version} AS version,"
        f" {content_type} AS content_type, {source.points} AS points"
        f" FROM {source.tables} CROSS JOIN {fence.table} WHERE {source.where} AND {fence.table}.id = texts.ref"
        f" AND {fence.sql} ORDER BY {source.newest_first} LIMIT {MAX_RANKED}) AS {kind}s"
    )
