"""What the instance says of itself: to anybody a little, to its operators everything."""

import logging
import time

from teamspace import __version__, identity, localization, notes, repository, tenancy
from teamspace.core import clock
from teamspace.core.db import Db, Reads, audit
from teamspace.core.db.migrate import shipped
from teamspace.core.metrics import Metrics, readings, routes, text
from teamspace.core.tables import Count
from teamspace.instance.domain import fleet
from teamspace.instance.schemas import Config, Figures, Localization, Secrets, Status
from teamspace.settings import Settings

COUNTS: tuple[Count, ...] = (*identity.COUNTS, *tenancy.COUNTS, *notes.COUNTS, *repository.COUNTS, *audit.COUNTS)
UNCLAIMED = (
    "this instance has no operator, and whoever reaches it first becomes one: set SERVICE_BOOTSTRAP_CODE, or bootstrap"
    " it before others can reach it"
)
CIPHER = "AES-256-GCM"
_COUNTS_HOLD = 10.0

log = logging.getLogger("teamspace")


async def config(db: Db, settings: Settings) -> Config:
    return Config(
        home="console",
        multitenant=settings.multitenant,
        bootstrapped=await tenancy.is_bootstrapped(db),
        bootstrap_code=bool(settings.bootstrap_code),
        localization=Localization(localization.DEFAULT, sorted(localization.available()), switching=True),
    )


async def status(db: Db, settings: Settings, metrics: Metrics, counted: "Counted") -> Status:
    return Status(
        version=__version__,
        kdf=identity.KDF,
        tls=settings.address.startswith("https://"),
        multitenant=settings.multitenant,
        hosted=settings.hosted,
        suspended=settings.hosted and await tenancy.is_suspended(db),
        secrets_at_rest=Secrets(sealed=True, cipher=CIPHER, key="setting" if settings.secret_key else "file"),
        database=db.dialect.name,
        schema=shipped()[-1].number,
        started_at=clock.stamp(metrics.started_at),
        counts=await counted.now(db),
        warnings=await warnings(db, settings),
    )


async def warnings(db: Reads, settings: Settings) -> list[str]:
    """What is dangerous as it is set up, for the log, the status and the doctor alike."""
    return [UNCLAIMED] if await tenancy.is_open_to_anybody(db, settings) else []


async def warn(db: Reads, settings: Settings) -> None:
    for warning in await warnings(db, settings):
        log.warning(warning)


async def figures(db: Db, settings: Settings, metrics: Metrics) -> Figures:
    by_process = await fleet.figures(db, settings, metrics)
    return Figures(
        version=__version__,
        started_at=clock.stamp(metrics.started_at),
        uptime_seconds=round(time.time() - metrics.started_at, 1),
        audit_unsealed=await audit.unsealed(db),
        processes={process: readings(families) for process, families in by_process.items()},
        routes=routes(by_process.values()),
    )


async def figures_as_text(db: Db, settings: Settings, metrics: Metrics) -> bytes:
    return text(await fleet.figures(db, settings, metrics), labelled=not settings.on_sqlite)


class Counted:
    """Counts of rows cost what there are rows: they are made at most every ten seconds, and hold nobody up."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._until = 0.0

    async def now(self, db: Db) -> dict[str, int]:
        if time.monotonic() >= self._until:
            self._counts = {row.name: await db.count_aside(row.sql) for row in COUNTS}
            self._until = time.monotonic() + _COUNTS_HOLD
        return self._counts
