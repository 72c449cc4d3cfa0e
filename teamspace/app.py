"""The server put together: settings in, an ASGI application out, or a refusal to start."""

import asyncio
import logging
import os
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from teamspace import (
    ai,
    blobs,
    executors,
    extraction,
    fulltext,
    identity,
    instance,
    jobs,
    localization,
    quota,
    repository,
    routes,
    s3,
    tenancy,
    wiring,
)
from teamspace import audit as trail
from teamspace.core import clock, idempotency
from teamspace.core.crypto import sync_folder
from teamspace.core.db import Db, Engine, audit, catalog, check_schema, connect, migrate
from teamspace.core.db.canary import proven_vault
from teamspace.core.egress import Egress
from teamspace.core.http import Gate
from teamspace.core.limits import Rate, Stopping, Wake
from teamspace.core.logs import Lines
from teamspace.core.metrics import Metrics
from teamspace.core.notices import Notices
from teamspace.core.openapi import Description
from teamspace.core.principal import system
from teamspace.core.refusals import Refusals
from teamspace.core.routing import BootError, Endpoint, bind, ordered
from teamspace.core.tables import collected
from teamspace.s3.bucket import Path as S3Path
from teamspace.settings import Settings

log = logging.getLogger("teamspace")
TOKEN_BURST = 200


class StartError(Exception):
    """The server cannot start; the message is the one line that says why."""


class App:
    """What a running server holds."""

    def __init__(self, settings: Settings, db: Db, lines: Lines | None) -> None:
        self.settings = settings
        self.db = db
        self.stopping = Stopping()
        self.last_use = identity.LastUse()
        self.witness = trail.Witness()
        self.given = given(settings, self.stopping)
        self.files: blobs.BlobStore = self.given[blobs.BlobStore]
        self.metrics: Metrics = self.given[Metrics]
        self.queue: jobs.Queue = self.given[jobs.Queue]
        self.fleet: executors.Fleet = self.given[executors.Fleet]
        self.readers: extraction.Readers = self.given[extraction.Readers]
        self.runner = jobs.Runner(
            db, self.queue, self.stopping, slots=settings.job_slots, stations=partial(self.fleet.stations, db)
        )
        self.endpoints = endpoints(self.given)
        callers = tenancy.Callers(self.last_use, hosted=settings.hosted)
        anonymous_rate = Rate(settings.rate_anonymous, settings.rate_anonymous)
        self.refusals: Refusals = self.given[Refusals]
        house = s3.House(db, self.files, self.queue, self.given[repository.Uploads], settings.address)
        self.gate = Gate(
            self.endpoints,
            db,
            callers.identify,
            stopping=self.stopping,
            lines=lines,
            metrics=self.metrics,
            token_rate=Rate(settings.rate_token, TOKEN_BURST),
            anonymous_rate=anonymous_rate,
            annex=S3Path(house, callers, anonymous_rate, self.refusals),
            refusals=self.refusals,
            trusted=settings.trusted_proxies,
            provision_token=settings.provision_token or None,
            tls=settings.address.startswith("https://"),
        )
        self.metrics.watch("requests_underway", "Requests being answered.", lambda: self.gate.underway)
        self.metrics.watch("shed_share", "The share of requests refused as too many.", lambda: self.gate.shedder.share)
        self.metrics.watch(
            "loop_held_seconds", "The longest time the event loop was held in the last five minutes.",
            lambda: self.gate.watchdog.longest,
        )  # fmt: skip

    async def upkeep(self) -> None:
        """What is not urgent: sealing the audit trail, times of last use, old keys, credentials and blobs."""
        chores: tuple[tuple[float, Callable[[], Awaitable[object]]], ...] = (
            (1, self.db.watch_schema),
            (1, partial(audit.seal, self.db)),
            (1, partial(jobs.sweep, self.db, self.queue)),
            (1, partial(self.refusals.save, self.db)),
            (5, partial(self.last_use.save, self.db)),
            (5, partial(self.fleet.probe, self.db)),
            (instance.REPORT_SECONDS, partial(instance.report, self.db, self.settings, self.metrics)),
            (20, partial(jobs.tidy, self.db, self.queue)),
            (60, partial(fulltext.refresh, self.db)),
            (60, partial(executors.place_again, self.db, self.fleet)),
            (600, partial(instance.warn, self.db, self.settings)),
            (600, partial(idempotency.forget_old, self.db, system())),
            (3600, partial(identity.clean, self.db)),
            (3600, partial(quota.tidy, self.db)),
            (3600, partial(repository.reap, self.db)),
            (60, partial(blobs.collect, self.db, self.files, wiring.KEPT, retention=self.settings.blob_retention)),
            (clock.DAY, partial(blobs.search, self.db, wiring.KEPT)),
            (3600, partial(self.witness.tell, self.db)),
        )
        notices = Notices(self.db.engine, self.given[Wake])
        await asyncio.gather(
            notices.run(), self.queue.run(self.db), *(_repeat(self.db, every, chore) for every, chore in chores)
        )

    async def finish(self) -> None:
        await self.readers.end()
        if self.db.outdated:
            return
        await self.last_use.save(self.db)
        await self.refusals.save(self.db)
        await audit.seal(self.db)
        await self.witness.tell(self.db)


async def _repeat(db: Db, every: float, chore: Callable[[], Awaitable[object]]) -> None:
    while not db.outdated:
        await asyncio.sleep(every)
        try:
            await chore()
        except Exception:
            log.exception("upkeep failed; it is tried again")


def given(settings: Settings, stopping: Stopping) -> dict[type, Any]:
    """What a handler gets by naming its type, besides what the gate gives every one."""
    wake = Wake(stopping)
    queue = jobs.Queue(jobs.Kinds(), wake, hosted=settings.hosted)
    fleet = executors.Fleet(settings, queue, Egress(allow=settings.egress_allow, own=settings.own_addresses))
    gifts: dict[type, Any] = {
        Settings: settings,
        Description: Description(),
        Wake: wake,
        Metrics: Metrics(),
        blobs.BlobStore: blobs.opened(settings),
        instance.Counted: instance.Counted(),
        instance.Readiness: instance.Readiness(stopping),
        tenancy.Locales: tenancy.Locales(tuple(localization.available())),
        tenancy.Estate: tenancy.Estate(wiring.OWNED),
        Refusals: Refusals(),
        jobs.Queue: queue,
        jobs.Placing: executors.Placing(fleet),
        repository.Uploads: repository.Uploads(),
        extraction.Readers: extraction.Readers(),
        executors.Fleet: fleet,
        executors.Presence: executors.Presence(),
        ai.Models: ai.Registry(fleet, simulate=settings.simulate),
    }
    kinds, faults = jobs.bind(wiring.JOBS, gifts)
    if faults:
        raise BootError("the tables of jobs and the code disagree:\n  " + "\n  ".join(faults))
    queue.kinds.add(kinds)
    return gifts


def endpoints(given: Mapping[type, Any]) -> list[Endpoint]:
    """All routes bound and in order; every disagreement at once, or none."""
    bound, faults = bind(routes.MODULES.values(), given)
    order = [" ".join(name.split()) for name, _ in routes.ORDER]
    arranged, misplaced = ordered(bound, order)
    faults += misplaced + _misowned(arranged)
    if faults:
        raise BootError("the route tables and the code disagree:\n  " + "\n  ".join(faults))
    given[Description].describe(arranged)
    return arranged


def _misowned(arranged: list[Endpoint]) -> list[str]:
    owners = {" ".join(name.split()): owner for name, owner in routes.ORDER}
    return [
        f"{endpoint.route.name}: the order gives it to {owners[endpoint.route.name]}"
        for endpoint in arranged
        if routes.MODULES[owners[endpoint.route.name]].__name__ != endpoint.handler.__module__
    ]


@asynccontextmanager
async def opened(settings: Settings, check: Callable[[Engine], Awaitable[None]] | None = None) -> AsyncIterator[Db]:
    """The database: reached, migrated, and proven to belong to the secret key. What `check` refuses is left as it is."""
    prepare_folder(settings.data)
    async with _restored(settings) as engine:
        if check:
            await check(engine)
        await migrate(engine)
        yield await _handle(engine, settings, plant=True)


async def upgraded(settings: Settings) -> list[str]:
    """Migrate and nothing else; the names of what was applied."""
    prepare_folder(settings.data)
    async with _restored(settings) as engine:
        return await migrate(engine)


@asynccontextmanager
async def inspected(settings: Settings) -> AsyncIterator[Db]:
    """The database as it is, for a look: nothing is made, migrated or written."""
    _check_present(settings)
    async with _connected(settings) as engine:
        await check_schema(engine)
        yield await _handle(engine, settings, plant=False)


@asynccontextmanager
async def _restored(settings: Settings) -> AsyncIterator[Engine]:
    """An instance that was only half restored would be an empty one, and whoever comes first would own it."""
    marker = restoring(settings)
    if settings.on_sqlite and marker.exists():
        raise _interrupted(marker)
    async with _connected(settings) as engine:
        if marker.exists():
            # On PostgreSQL a restore is one transaction: if anything is there, all is.
            if not await catalog.tables(engine, engine.dialect):
                raise _interrupted(marker)
            marker.unlink()
        yield engine


def restoring(settings: Settings) -> Path:
    """What is there while a restore goes on: SQLite's new file itself, and for PostgreSQL an empty one."""
    name = Path(settings.database.removeprefix("sqlite:")).name if settings.on_sqlite else "postgres"
    return settings.data / f"{name}.restoring"


def _interrupted(marker: Path) -> StartError:
    return StartError(
        f"a restore into this place was interrupted: run `teamspace restore` again, or remove {marker}"
        " to begin with an empty instance"
    )


@asynccontextmanager
async def _connected(settings: Settings) -> AsyncIterator[Engine]:
    engine = await connect(settings.database, sync=settings.sqlite_sync, pool=settings.database_pool)
    try:
        yield engine
    finally:
        await engine.close()


async def _handle(engine: Engine, settings: Settings, *, plant: bool) -> Db:
    vault = await proven_vault(engine, settings.secret_key, settings.data, plant=plant)
    return Db(
        engine, vault, guard=tenancy.guard(hosted=settings.hosted), listeners=collected(wiring.LISTENERS),
        rights=tenancy.RIGHTS,
    )  # fmt: skip


def _check_present(settings: Settings) -> None:
    if settings.on_sqlite and not Path(settings.database.removeprefix("sqlite:")).exists():
        raise StartError(f"there is no database in {settings.data}")


def prepare_folder(folder: Path) -> None:
    try:
        new = [path for path in (folder, *folder.parents) if not path.exists()]
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _settle(folder, new)
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".probe-"):
            pass
    except OSError as fault:
        raise StartError(f"the data folder {folder} cannot be written: {os.strerror(fault.errno or 0)}") from None


def _settle(folder: Path, new: Sequence[Path]) -> None:
    """What was written in a folder survives a power cut only if the folder's own entry does."""
    for path in new:
        sync_folder(path.parent)
    if not new:
        with suppress(OSError):  # whoever made it may have died before; where it was not this user, nothing is lost
            sync_folder(folder.parent)
