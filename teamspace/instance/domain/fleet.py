"""The server's processes together: each reports to the database, and any of them can answer for all."""

import msgspec

from teamspace.core import clock
from teamspace.core.db import Db
from teamspace.core.metrics import Family, Metrics
from teamspace.core.principal import system
from teamspace.instance import store
from teamspace.settings import Settings

REPORT_SECONDS = 5.0
_GONE_AFTER = 30.0


async def report(db: Db, settings: Settings, metrics: Metrics) -> None:
    """Nothing to report where there is one process: SQLite has but one server."""
    if settings.on_sqlite:
        return
    figures = msgspec.json.encode(metrics.families()).decode()
    async with db.upkeep(system()) as tx:
        await store.put_process(tx, metrics.process, figures, clock.stamp())
        await store.delete_processes(tx, clock.ago(10 * _GONE_AFTER))


async def figures(db: Db, settings: Settings, metrics: Metrics) -> dict[str, list[Family]]:
    """By process: this one as it is now, the others as they last said."""
    others = [] if settings.on_sqlite else await store.select_processes(db, clock.ago(_GONE_AFTER))
    return {**{row.id: row.figures for row in others}, metrics.process: metrics.families()}
