"""Metrics of all server processes: each reports to the database, so that any of them can return all.

What a process has counted stays counted when it ends: its last report is added to those of the others that ended.
"""

from typing import NamedTuple

from teamspace.core import clock
from teamspace.core.db import Db, Tx
from teamspace.core.metrics import Family, Metrics, add_counts
from teamspace.core.principal import system
from teamspace.instance import store
from teamspace.instance.store import ENDED, Process
from teamspace.settings import Settings

REPORT_SECONDS = 5.0
_SILENT_SECONDS = 30.0
_ENDED_SECONDS = 300.0


class KnownProcesses(NamedTuple):
    running: dict[str, list[Family]]
    """By process."""
    ended: list[list[Family]]
    started_at: str
    """When the first process started whose counts are here."""


async def report(db: Db, settings: Settings, metrics: Metrics) -> None:
    """Store this process's metrics for the others."""
    if is_alone(settings):
        return
    now = Process(metrics.process, clock.stamp(metrics.started_at), clock.stamp(), metrics.families())
    async with db.maintenance(system()) as tx:
        await tx.lock("processes", ENDED)
        await _recognise(tx, metrics)
        await store.put_process(tx, now)
        for silent in await store.take_silent(tx, clock.ago(_ENDED_SECONDS)):
            await _end(tx, silent)
    metrics.reported = now.figures


async def _recognise(tx: Tx, metrics: Metrics) -> None:
    """Count no process twice and none as another."""
    if metrics.reported is None:
        if predecessor := await store.take_process(tx, metrics.process):  # of the same id
            await _end(tx, predecessor)
    elif not await store.has_process(tx, metrics.process):  # it was silent for so long that it seemed to have ended
        ended = await store.take_process(tx, ENDED)
        if ended is not None:
            await _put_ended(tx, ended.started_at, add_counts(ended.figures, metrics.reported, times=-1))


async def _end(tx: Tx, process: Process) -> None:
    ended = await store.take_process(tx, ENDED) or Process(ENDED, process.started_at, "", [])
    first = min(ended.started_at, process.started_at)
    await _put_ended(tx, first, add_counts(ended.figures, process.figures))


async def _put_ended(tx: Tx, started_at: str, figures: list[Family]) -> None:
    await store.put_process(tx, Process(ENDED, started_at, "", figures))


async def forget(db: Db, settings: Settings) -> None:
    """Begin with no counts if this is the first process of the instance that runs."""
    since = clock.later(_SILENT_SECONDS) if settings.on_sqlite else clock.ago(_SILENT_SECONDS)
    async with db.maintenance(system()) as tx:
        await store.delete_processes_unless_seen(tx, since)


async def figures(db: Db, settings: Settings, metrics: Metrics) -> KnownProcesses:
    """Return the metrics by process: current for this one, last reported for the others.

    What is returned is reported first: another process would otherwise return older counts to the next question.
    """
    if is_alone(settings):
        return KnownProcesses({metrics.process: metrics.families()}, [], clock.stamp(metrics.started_at))
    await report(db, settings, metrics)
    rows, since = await store.select_processes(db), clock.ago(_SILENT_SECONDS)
    return KnownProcesses(
        {row.id: row.figures for row in rows if row.seen_at >= since},
        [add_counts([], row.figures) for row in rows if row.seen_at < since],
        min(row.started_at for row in rows),
    )


async def started_at(db: Db, settings: Settings, metrics: Metrics) -> str:
    """Return when the first process started whose counts are known."""
    own = clock.stamp(metrics.started_at)
    return own if is_alone(settings) else min(own, await store.select_first_start(db) or own)


def is_alone(settings: Settings) -> bool:
    """Whether no other process can use the database."""
    return settings.on_sqlite and settings.workers == 1
