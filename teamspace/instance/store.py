"""SQL of the instance, one statement per function."""

from collections.abc import Sequence

import msgspec

from teamspace.core.db import Reads, Tx
from teamspace.core.metrics import Family

ENDED = "ended"
"""The id of the row with the counts of processes that ended."""


class Process(msgspec.Struct, frozen=True):
    id: str
    started_at: str
    seen_at: str
    figures: list[Family]


async def put_process(tx: Tx, process: Process) -> None:
    await tx.run(
        "INSERT INTO processes (id, started_at, seen_at, figures) VALUES (:id, :started_at, :seen_at, :figures)"
        " ON CONFLICT (id) DO UPDATE SET"
        " started_at = excluded.started_at, seen_at = excluded.seen_at, figures = excluded.figures",
        id=process.id, started_at=process.started_at, seen_at=process.seen_at,
        figures=msgspec.json.encode(process.figures).decode(),
    )  # fmt: skip


async def has_process(reads: Reads, process_id: str) -> bool:
    return await reads.exists("SELECT 1 FROM processes WHERE id = :id", id=process_id)


async def take_process(tx: Tx, process_id: str) -> Process | None:
    return await tx.one(
        Process, "DELETE FROM processes WHERE id = :id RETURNING id, started_at, seen_at, figures", id=process_id
    )


async def take_silent(tx: Tx, seen_before: str) -> Sequence[Process]:
    return await tx.all(
        Process,
        "DELETE FROM processes WHERE seen_at < :seen_before AND id <> :ended RETURNING id, started_at, seen_at, figures",
        seen_before=seen_before, ended=ENDED,
    )  # fmt: skip


async def select_processes(reads: Reads) -> Sequence[Process]:
    return await reads.all(Process, "SELECT id, started_at, seen_at, figures FROM processes ORDER BY id")


async def select_first_start(reads: Reads) -> str | None:
    return await reads.one(str, "SELECT MIN(started_at) FROM processes")


async def delete_processes_unless_seen(tx: Tx, since: str) -> None:
    await tx.run(
        "DELETE FROM processes WHERE NOT EXISTS (SELECT 1 FROM processes WHERE seen_at >= :since AND id <> :ended)",
        since=since, ended=ENDED,
    )  # fmt: skip
