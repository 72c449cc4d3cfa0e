"""What a database had to touch for an answer, whatever the clock says."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import apsw

from tests.support.world import World


class Visited:
    """Steps of SQLite's machine, or rows that PostgreSQL's scans have met."""

    count = 0


@asynccontextmanager
async def visited(world: World) -> AsyncIterator[Visited]:
    """By all that is read inside the block."""
    seen = Visited()
    watch = _steps if world.db.dialect.name == "sqlite" else _rows
    async with watch(world, seen):
        yield seen


@asynccontextmanager
async def _steps(world: World, seen: Visited) -> AsyncIterator[None]:
    reader = world.db.engine._reader  # type: ignore[attr-defined]

    def note(event: dict[str, Any]) -> None:
        seen.count += event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"]

    reader.trace_v2(apsw.SQLITE_TRACE_PROFILE, note)
    try:
        yield
    finally:
        reader.trace_v2(0, None)


@asynccontextmanager
async def _rows(world: World, seen: Visited) -> AsyncIterator[None]:
    engine = world.db.engine
    fetch = engine.fetch

    async def noted(sql: str, params: Any) -> Any:
        ((plan,),) = await fetch(f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {sql}", params)
        seen.count += _met(json.loads(plan)[0]["Plan"])
        return await fetch(sql, params)

    engine.fetch = noted  # type: ignore[method-assign]
    try:
        yield
    finally:
        engine.fetch = fetch  # type: ignore[method-assign]


def _met(node: dict[str, Any]) -> int:
    """Rows that the scans of a plan have given or passed over."""
    own = sum(node.get(name, 0) for name in ("Actual Rows", "Rows Removed by Filter", "Rows Removed by Index Recheck"))
    below = sum(_met(each) for each in node.get("Plans", ()))
    return int(own * node["Actual Loops"] if "Scan" in node["Node Type"] else 0) + below
