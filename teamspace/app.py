"""Builds the ASGI application from the settings, or refuses to start."""

import asyncio
import logging
import os
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from teamspace import (
    agents,
    ai,
    blobs,
    conversations,
    events,
    executors,
    extraction,
    fulltext,
    identity,
    instance,
    jobs,
    knowledge,
    links,
    localization,
    mcp,
    onboarding,
    oop,
    plugins,
    presence,
    quota,
    repository,
    s3,
    sharing,
    tenancy,
    tools,
    trash,
    triggers,
    wiring,
    workflows,
)
from teamspace import audit as audit_log
from teamspace.core import clock, idempotency
from teamspace.core.buckets import Buckets, SharedBuckets
from teamspace.core.counts import Counts
from teamspace.core.crypto import sync_folder
from teamspace.core.db import Db, Engine, audit, catalog, check_schema, connect, migrate
from teamspace.core.db.canary import open_vault
from teamspace.core.egress import Egress
from teamspace.core.http import Gate
from teamspace.core.limits import Notifier, Rate, Stopping, TokenRate
from teamspace.core.loader import Tables
from teamspace.core.logs import LogHandler
from teamspace.core.metrics import Metrics
from teamspace.core.notifications import NotificationRelay
from teamspace.core.openapi import Description
from teamspace.core.plugin_calls import PluginGuard
from teamspace.core.refusals import Refusals
from teamspace.core.routing import Endpoint
from teamspace.core.tables import On, OnboardingExperience, OwnedTable, collect_listeners
from teamspace.core.traffic import Traffic
from teamspace.s3.bucket import S3App
from teamspace.settings import Settings, SettingsError, load

log = logging.getLogger("teamspace")
TOKEN_BURST = 200
_LEAD_SECONDS = 1.0
"""How soon another process becomes the leader when the leader is gone."""


class StartError(Exception):
    """The server cannot start; the message is one line that says why."""


class Chore(NamedTuple):
    """What is done again and again, by the leader of all processes on a database."""

    seconds: float
    """How long to rest in between."""
    run: Callable[[], Awaitable[object]]
    everywhere: bool = False
    """Whether every process does it."""


class App:
    """The state of a running server."""

    def __init__(
        self, settings: Settings, db: Db, log_handler: LogHandler | None, tables: Tables | None = None,
        counts: Counts | None = None,
    ) -> None:  # fmt: skip
        """`counts` are what this server's processes have taken of the limits of concurrency, if they are several."""
        self.settings = settings
        self.db = db
        self.stopping = Stopping()
        self.is_leader = False
        self.last_use = identity.LastUse()
        self.head_log = audit_log.HeadLog()
        self.traffic = Traffic()
        assembly = assemble(settings, self.stopping, tables or wiring.load(settings), counts)
        self.tables, self.endpoints = assembly.tables, assembly.endpoints
        self.dependencies = assembly.dependencies
        db.listeners = collect_listeners(self.tables.located(On), self.dependencies)
        for result in self.tables.results:
            if result.state == "failed":
                log.error("the plugin %s was not loaded: %s", result.package.source, result.error)
        self.files: blobs.BlobStore = self.dependencies[blobs.BlobStore]
        self.metrics: Metrics = self.dependencies[Metrics]
        self.queue: jobs.Queue = self.dependencies[jobs.Queue]
        self.toolbox: tools.Toolbox = self.dependencies[tools.Toolbox]
        self.fleet: executors.Fleet = self.dependencies[executors.Fleet]
        self.mcp: mcp.McpClient = self.dependencies[mcp.McpClient]
        self.plugin_host: oop.PluginHost = self.dependencies[oop.PluginHost]
        self.readers: extraction.ReaderPool = self.dependencies[extraction.ReaderPool]
        self.hub: events.Hub = self.dependencies[events.Hub]
        self.streams: events.Streams = self.dependencies[events.Streams]
        db.notify = self.dependencies[Notifier].notify
        self.attempts: jobs.JobAttempts = self.dependencies[jobs.JobAttempts]
        self.runner = jobs.Runner(
            db, self.queue, self.attempts, self.stopping, slots=settings.job_slots,
            sources=partial(self.fleet.work_sources, db),
        )  # fmt: skip
        callers = tenancy.CallerCache(self.last_use, hosted=settings.hosted)
        anonymous_rate = Rate(settings.rate_anonymous, settings.rate_anonymous, _buckets(settings, "anonymous"))
        token_rate: TokenRate = self.dependencies[TokenRate]
        token_rate.keep_in(_buckets(settings, "token"))
        self.refusals: Refusals = self.dependencies[Refusals]
        self.sign_ups: onboarding.SignUps = self.dependencies[onboarding.SignUps]
        services = s3.Services(db, self.files, self.queue, self.dependencies[repository.UploadLimit], settings.address)
        self.gate = Gate(
            self.endpoints,
            db,
            callers.identify,
            stopping=self.stopping,
            log_handler=log_handler,
            metrics=self.metrics,
            token_rate=token_rate,
            anonymous_rate=anonymous_rate,
            mounted=S3App(services, callers, anonymous_rate, self.refusals),
            refusals=self.refusals,
            traffic=self.traffic,
            counts=counts,
            trusted=settings.trusted_proxies,
            provision_token=settings.provision_token or None,
            tls=settings.address.startswith("https://"),
        )
        self.metrics.add_gauge("requests_underway", "Requests in progress.", lambda: self.gate.active)
        self.metrics.add_gauge("event_streams", "Open event streams.", lambda: self.hub.size)
        self.metrics.add_gauge(
            "listener_failures", "Listeners that failed without failing their write.", lambda: db.listener_failures
        )
        self.metrics.add_gauge(
            "shed_share", "The share of requests that load shedding refuses.", lambda: self.gate.shedder.share
        )
        self.metrics.add_gauge(
            "loop_held_seconds", "The longest time that the event loop was blocked in the last five minutes.",
            lambda: self.gate.watchdog.longest_block,
        )  # fmt: skip

    async def upkeep(self) -> None:
        """Run the chores, such as sealing audit rows and deleting expired keys, credentials and blobs."""
        db, settings = self.db, self.settings
        # fmt: off
        chores = (
            Chore(1,                              partial(audit.seal, db)),
            Chore(1,                              partial(jobs.sweep, db, self.queue)),
            Chore(1,                              partial(knowledge.complete_all, db)),
            Chore(2,                              partial(conversations.forget_deleted, db, self.queue)),
            Chore(20,                             partial(jobs.tidy, db, self.queue)),
            Chore(30,                             partial(workflows.RunSweeper().sweep, db, self.queue)),
            Chore(60,                             partial(fulltext.refresh, db)),
            Chore(60,                             partial(executors.reroute_unserved, db, self.fleet)),
            Chore(600,                            partial(instance.warn, db, settings)),
            Chore(600,                            partial(events.tidy, db)),
            Chore(600,                            partial(idempotency.delete_expired, db)),
            Chore(600,                            partial(quota.tidy, db)),
            Chore(600,                            partial(knowledge.tidy, db)),
            Chore(600,                            partial(onboarding.tidy, db)),
            Chore(600,                            partial(presence.tidy, db)),
            Chore(3600,                           partial(identity.delete_expired_credentials, db)),
            Chore(3600,                           partial(sharing.delete_expired_grants, db)),
            Chore(3600,                           partial(agents.tidy, db)),
            Chore(3600,                           partial(triggers.tidy, db)),
            Chore(3600,                           partial(ai.forget_answers, db)),
            Chore(3600,                           partial(jobs.delete_old, db, settings.job_days)),
            Chore(3600,                           partial(repository.abort_stale_uploads, db)),
            Chore(3600,                           partial(trash.tidy, db, settings.trash_days)),
            Chore(3600,                           partial(self.head_log.write_new, db)),
            Chore(clock.DAY,                      partial(blobs.find_untracked, db, wiring.BLOB_COLUMNS)),
            # What a process has in memory, or must know for itself:
            Chore(1,                              db.watch_schema, everywhere=True),
            Chore(1,                              partial(self.refusals.save, db), everywhere=True),
            Chore(5,                              partial(self.last_use.save, db), everywhere=True),
            Chore(5,                              partial(self.fleet.probe, db), everywhere=True),
            Chore(quota.SAVE_TRAFFIC_SECONDS,     partial(quota.save_traffic, db, self.traffic), everywhere=True),
            Chore(onboarding.SAVE_SECONDS,        partial(self.sign_ups.counts.save, db), everywhere=True),
            Chore(instance.REPORT_SECONDS,        partial(instance.report, db, settings, self.metrics), everywhere=True),
            # Every machine has a staging folder of its own; a lock in it admits one process at a time.
            Chore(60,                             partial(blobs.collect, db, self.files, wiring.BLOB_COLUMNS, retention=settings.blob_retention), everywhere=True),
        )
        # fmt: on
        relay = NotificationRelay(db.engine, self.dependencies[Notifier])
        await asyncio.gather(
            relay.run(),
            self.queue.run(db),
            self.hub.run(db),
            self.mcp.run(),
            self.plugin_host.run(db),
            _repeat(self, Chore(_LEAD_SECONDS, self.lead, everywhere=True)),
            *(_repeat(self, chore) for chore in chores),
        )

    async def lead(self) -> None:
        """Ask whether this process is the leader."""
        self.is_leader = await self.db.engine.lead()

    async def finish(self) -> None:
        await self.readers.end()
        await self.fleet.egress.aclose()
        if self.db.outdated:
            return
        await self.streams.save()
        await self.last_use.save(self.db)
        await self.refusals.save(self.db)
        await quota.save_traffic(self.db, self.traffic)
        await self.sign_ups.counts.save(self.db)
        await instance.report(self.db, self.settings, self.metrics)
        await audit.seal(self.db)
        await self.head_log.write_new(self.db)


def _buckets(settings: Settings, name: str) -> Buckets | None:
    """Return the memory of a rate limit that this server's processes share."""
    return SharedBuckets(settings.data / f"rates-{name}.memory") if settings.workers > 1 else None


async def _repeat(server: App, chore: Chore) -> None:
    while not server.db.outdated:
        await asyncio.sleep(chore.seconds)
        if not (chore.everywhere or server.is_leader):
            continue
        try:
            await chore.run()
        except Exception:
            log.exception("a periodic task failed; it will be retried")


def dependencies(
    settings: Settings, stopping: Stopping, tables: Tables, counts: Counts | None = None
) -> dict[type, Any]:
    """Return the objects that handlers can request by type, besides the gate's own arguments."""
    wake = Notifier(stopping, counts)
    queue = jobs.Queue(jobs.Kinds(), wake, hosted=settings.hosted)
    fleet = executors.Fleet(settings, queue, Egress(allow=settings.egress_allow, own=settings.own_addresses))
    metrics = Metrics()
    guard = PluginGuard(metrics)
    attempts, streams = jobs.JobAttempts(queue), events.Streams(wake, counts)
    files = wiring.open_store(settings, tables, guard)
    gateway = ai.Gateway(fleet, ai.Registry(fleet, simulate=settings.simulate))
    readers = extraction.ReaderPool()
    library = ai.Library(files, readers, knowledge.read_entities, knowledge.measure_entities)
    turns, toolbox = ai.Turns(gateway, queue, attempts, streams, library), tools.Toolbox(guard)
    mcp_tasks, catalog = mcp.McpTasks(toolbox, queue), workflows.Catalog()
    mcp_workflows = mcp.McpWorkflows(workflows.OfferedWorkflows(catalog, queue))
    router = executors.ExecutorRouter(fleet)
    funnel = onboarding.Funnel(_read_experience(settings), hosted=settings.hosted)
    readable = events.ReadableSubjects(tables.rows(events.EventSubject))
    plugin_services = oop.PluginServices(
        toolbox, gateway, fleet.egress, files, queue, router, readable, settings.plugin_secrets
    )
    return {
        Settings: settings,
        Description: Description(),
        Notifier: wake,
        Metrics: metrics,
        PluginGuard: guard,
        plugins.PluginCatalog: plugins.PluginCatalog(tables),
        blobs.BlobStore: files,
        onboarding.Funnel: funnel,
        onboarding.SignUps: onboarding.SignUps(funnel, queue),
        instance.RowCounts: instance.RowCounts(),
        instance.Readiness: instance.Readiness(stopping),
        tenancy.Locales: tenancy.Locales(localization.list_locales),
        localization.CatalogCache: localization.CatalogCache(),
        tenancy.OwnedTables: tenancy.OwnedTables(tables.rows(OwnedTable)),
        Refusals: Refusals(),
        TokenRate: TokenRate(settings.rate_token, TOKEN_BURST),
        events.Streams: streams,
        events.ReadableSubjects: readable,
        events.Hub: events.Hub(
            tables.rows(events.EventSubject), wake, partial(tenancy.get_callers, hosted=settings.hosted), counts
        ),
        jobs.Queue: queue,
        jobs.JobAttempts: attempts,
        tools.Toolbox: toolbox,
        jobs.JobRouter: router,
        repository.UploadLimit: repository.UploadLimit(),
        repository.Drawings: repository.Drawings(),
        extraction.ReaderPool: readers,
        links.Renderings: links.Renderings(readers),
        executors.Fleet: fleet,
        executors.TokenExecutors: executors.TokenExecutors(),
        executors.Presence: executors.Presence(),
        executors.Completions: executors.Completions(),
        mcp.McpTasks: mcp_tasks,
        mcp.McpServer: mcp.McpServer(toolbox, files, mcp_tasks, mcp_workflows),
        mcp.McpClient: mcp.McpClient(settings, toolbox, fleet.egress, files, queue),
        oop.PluginHost: oop.PluginHost(settings.sandboxed_plugins, plugin_services),
        ai.Gateway: gateway,
        ai.Library: library,
        ai.Turns: turns,
        workflows.Catalog: catalog,
        agents.Agents: agents.Agents(gateway, turns, queue, toolbox, streams, library),
    }


def _read_experience(settings: Settings) -> onboarding.ExperienceDocument | None:
    if settings.beta_experience is None:
        return None
    try:
        return onboarding.read_seed(settings.beta_experience)
    except ValueError as fault:
        raise SettingsError(f"SERVICE_BETA_EXPERIENCE: {fault}") from None


class Assembly(msgspec.Struct, frozen=True):
    """The parts of a server that need no database."""

    tables: Tables
    dependencies: dict[type, Any]
    endpoints: list[Endpoint]


def assemble(
    settings: Settings, stopping: Stopping, tables: Tables = wiring.SHIPPED, counts: Counts | None = None
) -> Assembly:
    """Bind all tables to their code, or raise BootError; a plugin that does not match its code is left out."""
    provided = dependencies(settings, stopping, tables, counts)
    bound, failures = wiring.bind(tables, provided)
    if failures:
        return assemble(settings, stopping, tables.without(failures), counts)
    provided[jobs.Queue].kinds.add(bound.kinds)
    provided[tools.Toolbox].add(bound.tools)
    provided[workflows.Catalog].add(bound.workflows)
    for row in tables.rows(OnboardingExperience):
        provided[onboarding.Funnel].add(onboarding.read_seed(row.document))
    provided[Description].describe(bound.endpoints)
    return Assembly(tables, provided, bound.endpoints)


def list_endpoints() -> list[Endpoint]:
    """Return the routes of the shipped packages, bound without a database."""
    return assemble(load({}, file=Path("/dev/null")), Stopping()).endpoints


@asynccontextmanager
async def open_database(
    settings: Settings, check: Callable[[Engine], Awaitable[None]] | None = None
) -> AsyncIterator[Db]:
    """Connect, migrate, and verify the secret key. `check` runs before anything is changed, and may raise."""
    prepare_folder(settings.data)
    async with _check_restore_finished(settings) as engine:
        if check:
            await check(engine)
        await migrate(engine)
        yield await _open_handle(engine, settings, create=True)


async def run_migrations(settings: Settings) -> list[str]:
    """Apply pending migrations only; return their names."""
    prepare_folder(settings.data)
    async with _check_restore_finished(settings) as engine:
        return await migrate(engine)


@asynccontextmanager
async def open_for_inspection(settings: Settings) -> AsyncIterator[Db]:
    """Open the database without creating, migrating or writing anything."""
    _check_present(settings)
    async with _connect(settings) as engine:
        await check_schema(engine)
        yield await _open_handle(engine, settings, create=False)


@asynccontextmanager
async def _check_restore_finished(settings: Settings) -> AsyncIterator[Engine]:
    """Connect, unless a restore was interrupted: the instance would be empty, and its first visitor could claim it."""
    marker = restore_marker(settings)
    if settings.on_sqlite and marker.exists():
        raise _interrupted_restore(marker)
    async with _connect(settings) as engine:
        if marker.exists():
            # On PostgreSQL a restore is one transaction: if there is anything, the restore is complete.
            if not await catalog.tables(engine, engine.dialect):
                raise _interrupted_restore(marker)
            marker.unlink()
        yield engine


def restore_marker(settings: Settings) -> Path:
    """Return the file that exists during a restore: for SQLite the new database, for PostgreSQL an empty file."""
    name = Path(settings.database.removeprefix("sqlite:")).name if settings.on_sqlite else "postgres"
    return settings.data / f"{name}.restoring"


def _interrupted_restore(marker: Path) -> StartError:
    return StartError(
        f"a restore was interrupted: run `teamspace restore` again, or remove {marker} to start with an empty instance"
    )


@asynccontextmanager
async def _connect(settings: Settings) -> AsyncIterator[Engine]:
    engine = await connect(
        settings.database, sync=settings.sqlite_sync, pool=settings.database_pool, shared=settings.workers > 1
    )
    try:
        yield engine
    finally:
        await engine.close()


async def _open_handle(engine: Engine, settings: Settings, *, create: bool) -> Db:
    vault = await open_vault(engine, settings.secret_key, settings.data, create=create)
    return Db(
        engine, vault, guard=tenancy.write_guard(hosted=settings.hosted), listeners=collect_listeners(wiring.SHIPPED.located(On)),
        rights_tables=tenancy.RIGHTS_TABLES,
    )  # fmt: skip


def _check_present(settings: Settings) -> None:
    if settings.on_sqlite and not Path(settings.database.removeprefix("sqlite:")).exists():
        raise StartError(f"there is no database in {settings.data}")


def prepare_folder(folder: Path) -> None:
    try:
        new = [path for path in (folder, *folder.parents) if not path.exists()]
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _sync_new_folders(folder, new)
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".probe-"):
            pass
    except OSError as fault:
        raise StartError(f"the data folder {folder} cannot be written: {os.strerror(fault.errno or 0)}") from None


def _sync_new_folders(folder: Path, new: Sequence[Path]) -> None:
    """Sync the parents of new folders: files survive a power cut only if the directory entries of their folders do."""
    for path in new:
        sync_folder(path.parent)
    if not new:
        with suppress(OSError):  # its creator may have died before syncing; if it was another user, that is fine
            sync_folder(folder.parent)
