"""SQL of the instance, one statement per function."""

import msgspec

from teamspace.core.db import Reads, Tx
from teamspace.core.metrics import Family


class Process(msgspec.Struct, frozen=True):
    id: str
    figures: list[Family]


async def put_process(tx: Tx, process_id: str, figures: str, now: str) -> None:
    await tx.run(
        "INSERT INTO processes (id, seen_at, figures) VALUES (:id, :now, :figures)"
        " ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, figures = excluded.figures",
        id=process_id, now=now, figures=figures,
    )  # fmt: skip


async def delete_processes(tx: Tx, seen_before: str) -> None:
    await tx.run("DELETE FROM processes WHERE seen_at < :seen_before", seen_before=seen_before)


async def select_processes(db: Reads, seen_since: str) -> list[Process]:
    return await db.all(
        Process, "SELECT id, figures FROM processes WHERE seen_at >= :seen_since ORDER BY id", seen_since=seen_since
    )
