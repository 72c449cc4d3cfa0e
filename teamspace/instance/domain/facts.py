"""Public configuration, and status and metrics for operators."""

import logging
import time

from teamspace import __version__, identity, localization, notes, repository, tenancy
from teamspace.core import clock
from teamspace.core.db import Db, Reads, audit
from teamspace.core.db.migrate import bundled_migrations
from teamspace.core.metrics import Metrics, readings, render, route_figures
from teamspace.core.tables import Count
from teamspace.instance.domain import processes
from teamspace.instance.schemas import Config, Figures, Localization, Secrets, Status
from teamspace.settings import Settings

COUNTS: tuple[Count, ...] = (*identity.COUNTS, *tenancy.COUNTS, *notes.COUNTS, *repository.COUNTS, *audit.COUNTS)
UNCLAIMED = (
    "this instance has no operator, and the first visitor can become one: set SERVICE_BOOTSTRAP_CODE, or create the"
    " operator before others can reach the instance"
)
CIPHER = "AES-256-GCM"
_COUNTS_SECONDS = 10.0

log = logging.getLogger("teamspace")


async def config(db: Db, settings: Settings) -> Config:
    served = await localization.find_served(db)
    return Config(
        home=settings.home,
        multitenant=settings.multitenant,
        bootstrapped=await tenancy.is_bootstrapped(db),
        bootstrap_code=bool(settings.bootstrap_code),
        trash_days=settings.trash_days,
        stay_days=settings.stay_days,
        localization=Localization(
            served.policy.default_locale, served.choices(), served.policy.switching, served.policy.drafts
        ),
    )


async def status(db: Db, settings: Settings, metrics: Metrics, row_counts: "RowCounts") -> Status:
    return Status(
        version=__version__,
        kdf=identity.KDF,
        tls=settings.address.startswith("https://"),
        multitenant=settings.multitenant,
        hosted=settings.hosted,
        suspended=settings.hosted and await tenancy.is_suspended(db),
        secrets_at_rest=Secrets(sealed=True, cipher=CIPHER, key="setting" if settings.secret_key else "file"),
        database=db.dialect.name,
        schema=bundled_migrations()[-1].number,
        started_at=await processes.started_at(db, settings, metrics),
        counts=await row_counts.now(db),
        warnings=await warnings(db, settings),
    )


async def warnings(db: Reads, settings: Settings) -> list[str]:
    """Return warnings about an unsafe configuration, for the log, the status and the doctor."""
    return [UNCLAIMED] if await tenancy.can_be_claimed(db, settings) else []


async def warn(db: Reads, settings: Settings) -> None:
    for warning in await warnings(db, settings):
        log.warning(warning)


async def figures(db: Db, settings: Settings, metrics: Metrics) -> Figures:
    known = await processes.figures(db, settings, metrics)
    return Figures(
        version=__version__,
        started_at=known.started_at,
        uptime_seconds=round(clock.now() - clock.seconds(known.started_at), 1),
        audit_unsealed=await audit.count_unsealed(db),
        processes={process: readings(families) for process, families in known.running.items()},
        routes=route_figures([*known.running.values(), *known.ended]),
    )


async def figures_as_text(db: Db, settings: Settings, metrics: Metrics) -> bytes:
    """Return the metrics of the running processes: Prometheus itself knows what one that ended had counted."""
    known = await processes.figures(db, settings, metrics)
    return render(known.running, labelled=not processes.is_alone(settings))


class RowCounts:
    """Counts rows off the event loop, at most every ten seconds: the cost grows with the number of rows."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._until = 0.0

    async def now(self, db: Db) -> dict[str, int]:
        if time.monotonic() >= self._until:
            self._counts = {row.name: await db.count_offloaded(row.sql) for row in COUNTS}
            self._until = time.monotonic() + _COUNTS_SECONDS
        return self._counts
