"""How much work a query was for the database, independent of time."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import apsw

from teamspace.core.principal import system
from tests.support.world import World


class Visited:
    """SQLite virtual machine steps, or rows that PostgreSQL scanned."""

    count = 0


@asynccontextmanager
async def visited(world: World) -> AsyncIterator[Visited]:
    """Count the work of all reads inside the block."""
    total = Visited()
    counter = _steps if world.db.dialect.name == "sqlite" else _rows
    async with counter(world, total):
        yield total


@asynccontextmanager
async def visited_by_writes(world: World) -> AsyncIterator[Visited]:
    """Count the work of all statements of transactions inside the block, on SQLite."""
    total, writer = Visited(), world.db.engine._writer  # type: ignore[attr-defined]
    async with world.db.maintenance(system()):  # otherwise another thread may be committing
        writer.trace_v2(apsw.SQLITE_TRACE_PROFILE, _adding(total))
    try:
        yield total
    finally:
        async with world.db.maintenance(system()):
            writer.trace_v2(0, None)


@asynccontextmanager
async def _steps(world: World, total: Visited) -> AsyncIterator[None]:
    reader = world.db.engine._reader  # type: ignore[attr-defined]
    reader.trace_v2(apsw.SQLITE_TRACE_PROFILE, _adding(total))
    try:
        yield
    finally:
        reader.trace_v2(0, None)


def _adding(total: Visited) -> Callable[[dict[str, Any]], None]:
    def add(event: dict[str, Any]) -> None:
        # The full-text index keeps its own statements, whose counters are since they were prepared.
        if "'texts_index_" in event["sql"]:
            return
        total.count += event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"]

    return add


@asynccontextmanager
async def _rows(world: World, total: Visited) -> AsyncIterator[None]:
    engine = world.db.engine
    fetch = engine.fetch

    async def counting_fetch(sql: str, params: Any) -> Any:
        ((plan,),) = await fetch(f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {sql}", params)
        total.count += _scanned_rows(json.loads(plan)[0]["Plan"])
        return await fetch(sql, params)

    engine.fetch = counting_fetch  # type: ignore[method-assign]
    try:
        yield
    finally:
        engine.fetch = fetch  # type: ignore[method-assign]


@asynccontextmanager
async def blocks(world: World) -> AsyncIterator[Visited]:
    """Count the blocks that PostgreSQL reads inside the block, also of index entries that a condition skips: no scan
    reports those as rows.
    """
    total, engine = Visited(), world.db.engine
    fetch = engine.fetch

    async def counting_fetch(sql: str, params: Any) -> Any:
        ((plan,),) = await fetch(f"EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) {sql}", params)
        top = json.loads(plan)[0]["Plan"]
        total.count += int(top["Shared Hit Blocks"] + top["Shared Read Blocks"])
        return await fetch(sql, params)

    engine.fetch = counting_fetch  # type: ignore[method-assign]
    try:
        yield total
    finally:
        engine.fetch = fetch  # type: ignore[method-assign]


def _scanned_rows(node: dict[str, Any]) -> int:
    """Rows that the scans of a plan returned or filtered out."""
    own = sum(node.get(name, 0) for name in ("Actual Rows", "Rows Removed by Filter", "Rows Removed by Index Recheck"))
    below = sum(_scanned_rows(each) for each in node.get("Plans", ()))
    return int(own * node["Actual Loops"] if "Scan" in node["Node Type"] else 0) + below
