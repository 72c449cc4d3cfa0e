"""Metrics of all server processes: each reports to the database, so that any of them can return all."""

import msgspec

from teamspace.core import clock
from teamspace.core.db import Db
from teamspace.core.metrics import Family, Metrics
from teamspace.core.principal import system
from teamspace.instance import store
from teamspace.settings import Settings

REPORT_SECONDS = 5.0
_EXPIRES_SECONDS = 30.0


async def report(db: Db, settings: Settings, metrics: Metrics) -> None:
    """Store this process's metrics for the others."""
    if is_alone(settings):
        return
    figures = msgspec.json.encode(metrics.families()).decode()
    async with db.maintenance(system()) as tx:
        await store.put_process(tx, metrics.process, figures, clock.stamp())
        await store.delete_processes(tx, clock.ago(10 * _EXPIRES_SECONDS))


async def figures(db: Db, settings: Settings, metrics: Metrics) -> dict[str, list[Family]]:
    """Return the metrics by process: current for this one, last reported for the others.

    What is returned is reported first: another process would otherwise return older counts to the next question.
    """
    if is_alone(settings):
        return {metrics.process: metrics.families()}
    await report(db, settings, metrics)
    return {row.id: row.figures for row in await store.select_processes(db, clock.ago(_EXPIRES_SECONDS))}


def is_alone(settings: Settings) -> bool:
    """Whether no other process can use the database."""
    return settings.on_sqlite and settings.workers == 1
