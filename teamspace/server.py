"""Runs the server: one process, or several under a supervisor, with a graceful shutdown."""

import asyncio
import gc
import logging
import math
import multiprocessing
import multiprocessing.connection
import os
import resource
import signal
import socket
import ssl
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from functools import partial
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import uvloop

from teamspace import blobs, executors, fulltext, instance, localization, tenancy, wiring
from teamspace.app import App, StartError, open_database, prepare_folder
from teamspace.core import logs, machine
from teamspace.core.counts import SharedCounts
from teamspace.core.db import Db, Engine
from teamspace.core.db.sqlite import FolderLock
from teamspace.core.heartbeats import BEAT_SECONDS, Heartbeats, Silence
from teamspace.core.wire import Server, WireLimits
from teamspace.settings import LOOPBACK, Settings

log = logging.getLogger("teamspace")
_CANCEL_SHARE = 0.2
"""The share of the shutdown time that is reserved for cancelling unfinished requests and jobs."""
_LAST_RESORT_SECONDS, _KILL_SECONDS = 5.0, 8.0
"""How long after the deadline of a stop a process ends itself, and the supervisor kills what is left."""
_OPEN_FILES = 65_536
_URGENT = frozenset({b"/health", b"/ready"})
"""What monitors and load balancers ask: an overloaded server is not a dead one."""
_IMMEDIATE = frozenset({b"/health"})
_OTHER_FILES = 1_024
"""Open files that are not connections of clients: the database, blobs, connections to other servers."""


def serve(settings: Settings) -> None:
    """Serve until a signal stops it."""
    os.umask(0o077)  # files are for this user only
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core dump would contain secrets
    _raise_file_limit()
    prepare_folder(settings.data)
    lock = FolderLock(settings.data) if settings.on_sqlite else None
    _check_port(settings)
    _tls(settings)  # a certificate that does not work stops the start
    wiring.open_store(settings).check()
    if settings.workers == 1:
        uvloop.run(_serve(settings))
    else:
        Supervisor(settings, lock).run()
    del lock


def _raise_file_limit() -> None:
    """Allow as many open connections as the system does; the usual default is enough for a thousand."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(_OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _check_port(settings: Settings) -> None:
    """Raise if the port is in use: our sockets use SO_REUSEPORT, so another server would go unnoticed."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as fault:
            reason = (fault.strerror or str(fault)).lower()
            raise StartError(f"cannot listen on {settings.host}:{settings.port}: {reason}") from None


def _tls(settings: Settings) -> ssl.SSLContext | None:
    if not settings.tls_cert or not settings.tls_key:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.load_cert_chain(settings.tls_cert, settings.tls_key, password=_no_passphrase)
    except (ssl.SSLError, OSError) as fault:
        raise StartError(f"SERVICE_TLS_CERT and SERVICE_TLS_KEY do not work together: {fault}") from None
    return context


async def _check_database(engine: Engine, settings: Settings) -> None:
    await _check_connections(engine, settings)
    await _check_durability(engine, settings)


async def _check_connections(engine: Engine, settings: Settings) -> None:
    """Check that the connection pools of this server fit into the database's limit."""
    allowed = await engine.max_connections()
    needed = settings.workers * (2 * settings.database_pool + 1)
    if allowed is None:
        return
    formula = f"SERVICE_WORKERS {settings.workers} x (2 x SERVICE_DATABASE_POOL {settings.database_pool} + 1)"
    if needed > allowed:
        raise StartError(
            f"the server needs up to {needed} PostgreSQL connections ({formula}), but PostgreSQL allows {allowed}:"
            " lower these settings, or raise max_connections"
        )
    if 2 * needed > allowed:
        message = "the server needs up to %d of %d PostgreSQL connections (%s): a second server would not fit"
        log.warning(message, needed, allowed, formula)


async def _check_durability(engine: Engine, settings: Settings) -> None:
    """Refuse a database that does not sync: a power cut would lose acknowledged writes."""
    off = " and ".join(f"{name} = off" for name in await engine.unsafe_settings())
    if not off:
        return
    if settings.postgres_sync == "full":
        raise StartError(
            f"PostgreSQL has {off}: a power cut would lose acknowledged writes; turn it on,"
            " or accept the risk with SERVICE_POSTGRES_SYNC=any"
        )
    log.warning("PostgreSQL has %s: a power cut may lose acknowledged writes (SERVICE_POSTGRES_SYNC=any)", off)


def _no_passphrase() -> str:
    raise StartError("SERVICE_TLS_KEY has a passphrase: use a key without one, since the server starts unattended")


async def _serve(
    settings: Settings, counts: SharedCounts | None = None, beat: Callable[[Engine], Awaitable[None]] | None = None
) -> None:
    log_handler = logs.configure(settings.log)
    single = multiprocessing.parent_process() is None  # otherwise the supervisor has already checked
    async with open_database(settings, partial(_check_database, settings=settings) if single else None) as db:
        beating = asyncio.ensure_future(beat(db.engine)) if beat else None
        app = App(settings, db, log_handler, counts=counts)
        if single:
            await instance.forget(db, settings)
            if settings.on_sqlite:  # there is no other process
                await executors.recover(db)
        await _claim_folder(db, app.files)
        await localization.catch_up(db)
        await localization.seed_files(settings.data)
        fulltext.load()
        server, deadline = _server(app, settings), Deadline()
        _stop_on_signals(app, server, deadline)
        if parent := multiprocessing.parent_process():
            # If the supervisor dies, nothing else would stop this process.
            asyncio.get_running_loop().add_reader(
                parent.sentinel, _stop_without_parent, parent.sentinel, app, server, deadline
            )
        gc.collect()
        gc.freeze()  # code and tables stay: to look for garbage among them takes the event loop 40 ms each time
        app.gate.shedder.start()
        upkeep = asyncio.create_task(app.upkeep())
        running = asyncio.create_task(app.runner.run())
        try:
            await server.listen(settings.host, settings.port)
            log.info("serving on %s", _listening_on(settings))
            if single:
                _log_processes(settings)
                await _warn(db, settings)
            await app.stopping.wait()
            await _drain(app, server, running, deadline)
            upkeep.cancel()
            await _run_within(deadline.remaining, app.finish())
        finally:
            app.gate.shedder.stop()
            upkeep.cancel()
            running.cancel()
            if beating:
                beating.cancel()
            log_handler.flush()
    log.info("stopped")
    log_handler.flush()


async def _claim_folder(db: Db, files: blobs.BlobStore) -> None:
    try:
        await blobs.claim_folder(db, files)
    except blobs.WrongFolder as fault:
        raise StartError(str(fault)) from None


def _server(app: App, settings: Settings) -> Server:
    limits = _limits(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    return Server(app.gate, limits=limits, tls=_tls(settings), trusted=settings.trusted_proxies)


def _limits(files: int) -> WireLimits:
    """Return limits that fit into so many open files. As many connections as the backlog are only accepted to be refused."""
    usual, half = WireLimits(), max(files // 8, (files - _OTHER_FILES) // 2)
    return WireLimits(
        connections=min(usual.connections, half), backlog=min(usual.backlog, half),
        urgent=_URGENT, immediate=_IMMEDIATE,
    )  # fmt: skip


def _stop_on_signals(app: App, server: Server, deadline: "Deadline") -> None:
    """Stop when a signal says so. Python's own handler begins the deadline even if the event loop is blocked."""
    loop = asyncio.get_running_loop()

    def stop(*_: object) -> None:
        deadline.begin(_allowed_seconds(app.settings))
        with suppress(RuntimeError):  # the loop is closed: the process is about to end
            loop.call_soon_threadsafe(_stop, app, server, deadline)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
        signal.siginterrupt(number, False)  # or system calls of libraries would fail


def _allowed_seconds(settings: Settings) -> int:
    return settings.grace_seconds + settings.stop_seconds


def _stop(app: App, server: Server, deadline: "Deadline") -> None:
    if app.stopping.announced:
        return
    app.stopping.announced = True
    grace = app.settings.grace_seconds
    deadline.begin(_allowed_seconds(app.settings))
    if grace:
        log.info("stopping in %d s: load balancers are told to choose another server", grace)
        server.send_away()
    asyncio.get_running_loop().call_later(grace, _begin_stop, app)


def _stop_without_parent(sentinel: int, app: App, server: Server, deadline: "Deadline") -> None:
    asyncio.get_running_loop().remove_reader(sentinel)  # it stays readable, and would keep the event loop busy
    _stop(app, server, deadline)


def _begin_stop(app: App) -> None:
    log.info("stopping: accepted requests are finished first")
    app.stopping.begin()


class Deadline:
    """The time limit of a shutdown, with its grace time. A process that exceeds it, for any reason, exits at once."""

    def __init__(self) -> None:
        self._end = math.inf

    def begin(self, seconds: float) -> None:
        """Begin, unless it has begun."""
        if self._end < math.inf:
            return
        self._end = time.monotonic() + seconds
        last_resort = threading.Timer(seconds + _LAST_RESORT_SECONDS, self._exit)
        last_resort.daemon = True
        last_resort.start()

    @property
    def remaining(self) -> float:
        return max(0.0, self._end - time.monotonic())

    @staticmethod
    def _exit() -> None:
        log.error("the shutdown took too long: exiting at once; acknowledged writes are safe")
        os._exit(1)


async def _drain(app: App, server: Server, running: "asyncio.Task[None]", deadline: Deadline) -> None:
    """Stop accepting requests, finish the active ones and running jobs, and cancel those that take too long."""
    await server.drain()
    finished = asyncio.create_task(_wait_for_work(app, server, running))
    await asyncio.wait({finished}, timeout=(1 - _CANCEL_SHARE) * deadline.remaining)
    if not finished.done():
        log.warning("cancelling %d requests and %d jobs", app.gate.active, app.attempts.working)
        app.gate.cancel_all()
        await _run_within(deadline.remaining, app.runner.abort())
        server.abort()
        await asyncio.wait({finished}, timeout=deadline.remaining / 2)
    finished.cancel()


async def _wait_for_work(app: App, server: Server, running: "asyncio.Task[None]") -> None:
    await asyncio.wait({running})
    await server.wait_closed()
    await app.gate.wait_idle()  # a handler may outlive its connection


async def _run_within(seconds: float, work: Coroutine[Any, Any, None]) -> None:
    try:
        async with asyncio.timeout(seconds):
            await work
    except Exception:
        log.exception("the shutdown could not complete its cleanup; the next start will")


def _log_processes(settings: Settings) -> None:
    log.info(
        "server processes: %d (SERVICE_WORKERS); this machine offers %d cores and %.1f GiB of memory",
        settings.workers, machine.cores(), machine.memory() / 2**30,
    )  # fmt: skip


def _listening_on(settings: Settings) -> str:
    return f"{'https' if settings.tls_cert else 'http'}://{settings.host}:{settings.port}"


async def _warn(db: Db, settings: Settings) -> None:
    """Tell the operator what deserves attention, once for all processes."""
    if settings.host not in LOOPBACK and not settings.address.startswith("https://") and not settings.trusted_proxies:
        log.warning(
            "this address can be reached from other machines without encryption: set SERVICE_TLS_CERT and SERVICE_TLS_KEY"
        )
    if not await tenancy.is_bootstrapped(db):
        log.warning("this instance has no operator yet: POST /api/bootstrap creates the first")
    await instance.warn(db, settings)


class Restarts:
    """When the processes at one position are started: later each time if they end soon after."""

    SHORTEST_PAUSE, LONGEST_PAUSE, SOON = 1.0, 8.0, 10.0

    def __init__(self) -> None:
        self._pause = self.SHORTEST_PAUSE
        self._started = self.due = -math.inf

    def start(self, now: float) -> None:
        self._started = now

    def end(self, now: float) -> None:
        if now - self._started >= self.SOON:
            self._pause = self.SHORTEST_PAUSE
        self.due = now + self._pause
        self._pause = min(2 * self._pause, self.LONGEST_PAUSE)


class Supervisor:
    """Runs several server processes on one port, and restarts those that die or hang."""

    SILENT_CHECKS = 60
    """Checks, one a second, after which a process that does not respond is killed: it may hold what the others need."""

    def __init__(self, settings: Settings, lock: FolderLock | None) -> None:
        self._settings, self._lock = settings, lock
        self._context = multiprocessing.get_context("spawn")
        self._workers: dict[int, BaseProcess] = {}
        """Those that have not ended, by position."""
        self._heartbeats = _heartbeats(settings)
        self._silences = [Silence() for _ in range(settings.workers)]
        self._restarts = [Restarts() for _ in range(settings.workers)]
        self._next_check = 0.0
        self._stopping, self._end = False, math.inf

    def run(self) -> None:
        logs.configure(self._settings.log)
        uvloop.run(_check_once(self._settings))
        signal.signal(signal.SIGTERM, self._stop)
        signal.signal(signal.SIGINT, self._stop)
        _log_processes(self._settings)
        _counts_file(self._settings).unlink(missing_ok=True)  # of another number of processes
        while self._workers or not self._stopping:
            if not self._stopping:
                self._start_missing()
            sentinels = [worker.sentinel for worker in self._workers.values()]
            multiprocessing.connection.wait(sentinels, timeout=BEAT_SECONDS)
            self._check()
            if self._stopping:
                self._end_all()  # repeated: a worker that was just starting may have missed the signal
            self._remove_dead()

    def _check(self) -> None:
        """Once a second, however often a process ends, kill those that hang or exceed the time limit of the stop."""
        now = time.monotonic()
        if now >= self._next_check:
            self._next_check = now + BEAT_SECONDS
            self._kill_hung()
        if now >= self._end:
            self._kill_rest()

    def _start_missing(self) -> None:
        now = time.monotonic()
        for position, restarts in enumerate(self._restarts):
            if position in self._workers or now < restarts.due:
                continue
            restarts.start(now)
            try:
                self._spawn(position)
            except OSError as fault:  # the system has no more processes, files or memory; perhaps soon
                log.error("a server process could not be started: %s", fault)
                restarts.end(now)

    def _spawn(self, position: int) -> None:
        self._heartbeats.reset(position)
        worker = self._context.Process(target=_run_worker, args=(self._settings, self._lock, position), daemon=False)
        worker.start()
        self._workers[position] = worker

    def _kill_hung(self) -> None:
        for position, worker in self._workers.items():
            if self._silences[position].check(self._heartbeats.read(position)) == self.SILENT_CHECKS:
                log.error("server process %s does not respond: killing it", worker.pid)
                worker.kill()

    def _kill_rest(self) -> None:
        self._end = math.inf
        for worker in self._workers.values():
            log.error("server process %s takes too long to stop: killing it; acknowledged writes are safe", worker.pid)
            worker.kill()

    def _remove_dead(self) -> None:
        for position, worker in tuple(self._workers.items()):
            if worker.is_alive():
                continue
            del self._workers[position]
            if not self._stopping:
                log.error("server process %s exited with code %s: restarting it", worker.pid, worker.exitcode)
                self._restarts[position].end(time.monotonic())

    def _stop(self, *_: object) -> None:
        if not self._stopping:
            self._stopping = True
            self._end = time.monotonic() + _allowed_seconds(self._settings) + _KILL_SECONDS
        self._end_all()

    def _end_all(self) -> None:
        for worker in tuple(self._workers.values()):
            if worker.is_alive():
                worker.terminate()


def _counts_file(settings: Settings) -> Path:
    return settings.data / "counts.memory"


def _heartbeats(settings: Settings) -> Heartbeats:
    return Heartbeats(settings.data / "heartbeats.memory", settings.workers)


async def _check_once(settings: Settings) -> None:
    """Check everything and bring the database up to date once for all processes, so that an error stops the start: a
    process that cannot start would be restarted for ever.
    """
    async with open_database(settings, partial(_check_database, settings=settings)) as db:
        await instance.forget(db, settings)
        await _claim_folder(db, App(settings, db, None).files)
        await localization.catch_up(db)
        await localization.seed_files(settings.data)
        if settings.on_sqlite:  # no process has been started yet
            await executors.recover(db)
        await _warn(db, settings)


def _run_worker(settings: Settings, lock: FolderLock | None, position: int) -> None:
    """Serve; the lock of the data folder lasts as long as this process, even if the supervisor is killed."""
    _keep_open_files()
    uvloop.run(_serve_beating(settings, position))
    del lock


def _keep_open_files() -> None:
    """Keep what this process was given from those that it starts: uvloop passes on whatever can be inherited."""
    for name in os.listdir("/dev/fd"):
        if int(name) > 2:
            with suppress(OSError):  # the list was an open file itself
                os.set_inheritable(int(name), False)


async def _serve_beating(settings: Settings, position: int) -> None:
    async def beat(engine: Engine) -> None:
        await _heartbeats(settings).beat(position, lambda: engine.commit_seconds)

    await _serve(settings, SharedCounts(_counts_file(settings), position, settings.workers), beat)
