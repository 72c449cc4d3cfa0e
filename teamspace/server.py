"""Running the server: one process by default, several on PostgreSQL, and an end that finishes what was begun."""

import asyncio
import logging
import multiprocessing
import multiprocessing.connection
import os
import resource
import signal
import socket
import ssl
import threading
import time
from collections.abc import Coroutine
from functools import partial
from multiprocessing.process import BaseProcess
from typing import Any

import uvloop
from granian.constants import HTTPModes, Interfaces, SSLProtocols
from granian.http import HTTP1Settings
from granian.server.embed import Server

from teamspace import blobs, instance, tenancy
from teamspace.app import App, StartError, opened, prepare_folder
from teamspace.core import logs
from teamspace.core.db import Db, Engine
from teamspace.core.db.sqlite import FolderLock
from teamspace.settings import LOOPBACK, Settings

log = logging.getLogger("teamspace")
_FOR_WHAT_IS_CUT_OFF = 0.2
"""The part of the time for a stop in which requests and jobs that are cut off are put in order."""
_LAST_RESORT_SECONDS = 5.0
_HEADER_READ_MS = 10_000
_BUFFER_BYTES = 400 * 1024
"""Of a connection: a body comes in pieces of this size, each of which costs a turn of the loop."""


def serve(settings: Settings) -> None:
    """Serve until told to stop."""
    os.umask(0o077)  # what this process writes is for its own user
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core file would hold secrets
    prepare_folder(settings.data)
    lock = FolderLock(settings.data) if settings.on_sqlite else None
    _check_port(settings)
    _check_certificate(settings)
    blobs.opened(settings).check()
    if settings.workers == 1:
        uvloop.run(_serve(settings))
    else:
        Supervisor(settings).run()
    del lock


def _check_port(settings: Settings) -> None:
    """The server's own sockets share a port between processes, so a stranger there would go unnoticed."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as fault:
            reason = (fault.strerror or str(fault)).lower()
            raise StartError(f"cannot listen on {settings.host}:{settings.port}: {reason}") from None


def _check_certificate(settings: Settings) -> None:
    if settings.tls_cert and settings.tls_key:
        try:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(settings.tls_cert, settings.tls_key, password=_no_passphrase)
        except (ssl.SSLError, OSError) as fault:
            raise StartError(f"SERVICE_TLS_CERT and SERVICE_TLS_KEY cannot be used together: {fault}") from None


async def _check_database(engine: Engine, settings: Settings) -> None:
    await _check_connections(engine, settings)
    await _check_durability(engine, settings)


async def _check_connections(engine: Engine, settings: Settings) -> None:
    """What the pools of this server may come to must fit into what the database allows, with room for others."""
    allowed = await engine.capacity()
    needed = settings.workers * (2 * settings.database_pool + 1)
    if allowed is None:
        return
    formula = f"SERVICE_WORKERS {settings.workers} x (2 x SERVICE_DATABASE_POOL {settings.database_pool} + 1)"
    if needed > allowed:
        raise StartError(
            f"up to {needed} connections to PostgreSQL are needed ({formula}), and it allows {allowed}:"
            " lower these settings, or raise its max_connections"
        )
    if 2 * needed > allowed:
        words = "up to %d connections to PostgreSQL are needed (%s), of %d: a second server would not fit"
        log.warning(words, needed, formula, allowed)


async def _check_durability(engine: Engine, settings: Settings) -> None:
    """A database that does not sync would take back in a power cut what was answered."""
    off = " and ".join(f"{name} = off" for name in await engine.unsafe_settings())
    if not off:
        return
    if settings.postgres_sync == "full":
        raise StartError(
            f"PostgreSQL has {off}, and would lose in a power cut what was answered: turn it on,"
            " or take the risk with SERVICE_POSTGRES_SYNC=any"
        )
    log.warning("PostgreSQL has %s: a power cut may lose what was answered (SERVICE_POSTGRES_SYNC=any)", off)


def _no_passphrase() -> str:
    raise StartError(
        "SERVICE_TLS_KEY asks for a passphrase: nobody would be there to give it, so use a key without one"
    )


async def _serve(settings: Settings) -> None:
    lines = logs.start(settings.log)
    alone = multiprocessing.parent_process() is None  # else the supervisor has looked, for all of them
    async with opened(settings, partial(_check_database, settings=settings) if alone else None) as db:
        app = App(settings, db, lines)
        if settings.on_sqlite:  # there is no other server
            await app.fleet.recover(db)
        elif isinstance(app.files, blobs.Folder):
            await _claim_folder(db, app.files)
        server = _server(app, settings)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, _stop, app)
        if parent := multiprocessing.parent_process():
            # The supervisor is gone: nobody would ever stop this process, so it stops itself.
            loop.add_reader(parent.sentinel, _stop, app)
        app.gate.shedder.start()
        upkeep = asyncio.create_task(app.upkeep())
        running = asyncio.create_task(app.runner.run())
        await _announce(app, settings)
        serving = asyncio.create_task(server.serve())
        try:
            await _until_stopped(app, serving)
            deadline = Deadline(settings.stop_seconds)
            await _drained(app, server, serving, running, deadline)
            upkeep.cancel()
            await _within(deadline.left, app.finish())
        finally:
            app.gate.shedder.stop()
            upkeep.cancel()
            running.cancel()
            lines.flush()
    log.info("stopped")
    lines.flush()


async def _claim_folder(db: Db, folder: blobs.Folder) -> None:
    try:
        await blobs.claim_folder(db, folder)
    except blobs.WrongFolder as fault:
        raise StartError(str(fault)) from None


def _server(app: App, settings: Settings) -> Server:
    return Server(
        app.gate,
        address=settings.host,
        port=settings.port,
        interface=Interfaces.ASGINL,
        http=HTTPModes.http1,
        websockets=False,
        backlog=2048,
        backpressure=2048,
        http1_settings=HTTP1Settings(header_read_timeout=_HEADER_READ_MS, max_buffer_size=_BUFFER_BYTES),
        log_enabled=False,
        ssl_cert=settings.tls_cert,
        ssl_key=settings.tls_key,
        ssl_protocol_min=SSLProtocols.tls12,
    )


def _stop(app: App) -> None:
    if app.stopping:
        return  # the end of the supervisor is told again and again
    log.info("stopping: what was accepted is finished first")
    app.stopping.begin()


class Deadline:
    """The end of a stop, over everything. A process that outlives it, whatever holds it up, is ended where it stands."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        last_resort = threading.Timer(seconds + _LAST_RESORT_SECONDS, self._passed)
        last_resort.daemon = True
        last_resort.start()

    @property
    def left(self) -> float:
        return max(0.0, self._end - time.monotonic())

    @staticmethod
    def _passed() -> None:
        log.error("the stop took too long: ended as by a kill, which loses nothing that was answered")
        os._exit(1)


async def _until_stopped(app: App, serving: "asyncio.Task[None]") -> None:
    stopping = asyncio.create_task(app.stopping.wait())
    await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    app.stopping.begin()  # also where the HTTP server has ended by itself


async def _drained(
    app: App, server: Server, serving: "asyncio.Task[None]", running: "asyncio.Task[None]", deadline: Deadline
) -> None:
    """Nothing is accepted any more; requests and jobs that were are finished, and what is not by its time is cut off."""
    finished, cut_at = asyncio.create_task(_finished(app, serving, running)), _FOR_WHAT_IS_CUT_OFF * deadline.left
    while not finished.done() and deadline.left > cut_at:
        server.stop()  # type: ignore[no-untyped-call]  # again and again: one that is only starting would miss it
        await asyncio.wait({finished}, timeout=min(0.5, deadline.left - cut_at))
    if not finished.done():
        log.warning("%d requests and %d jobs are cut off", app.gate.underway, app.runner.working)
        app.gate.cut_off()
        await _within(deadline.left, app.runner.cut_off())
        # The HTTP server may still wait for a reader that takes nothing: it ends with the process.
        await asyncio.wait({finished}, timeout=deadline.left / 2)
    finished.cancel()
    if serving.done():
        serving.result()


async def _finished(app: App, serving: "asyncio.Task[None]", running: "asyncio.Task[None]") -> None:
    await asyncio.wait({serving, running})
    await app.gate.idle.wait()  # a handler may outlive its connection


async def _within(seconds: float, work: Coroutine[Any, Any, None]) -> None:
    try:
        async with asyncio.timeout(seconds):
            await work
    except Exception:
        log.exception("not all could be put in order before the end; the next start does it")


async def _announce(app: App, settings: Settings) -> None:
    scheme = "https" if settings.tls_cert else "http"
    log.info("serving on %s://%s:%d", scheme, settings.host, settings.port)
    if settings.host not in LOOPBACK and not settings.address.startswith("https://") and not settings.trusted_proxies:
        log.warning("others can reach this address, and what they send is not encrypted: set SERVICE_TLS_CERT and _KEY")
    if not await tenancy.is_bootstrapped(app.db):
        log.warning("this instance has no operator yet: POST /api/bootstrap makes the first")
    await instance.warn(app.db, settings)


class Supervisor:
    """Keeps several server processes on one port, and replaces one that dies."""

    RESPAWN_SECONDS = 1.0

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._context = multiprocessing.get_context("spawn")
        self._workers: list[BaseProcess] = []
        self._stopping = False

    def run(self) -> None:
        logs.start(self._settings.log)
        uvloop.run(_check(self._settings))
        signal.signal(signal.SIGTERM, self._stop)
        signal.signal(signal.SIGINT, self._stop)
        self._workers = [self._spawn() for _ in range(self._settings.workers)]
        while any(worker.is_alive() for worker in self._workers) or not self._stopping:
            multiprocessing.connection.wait([worker.sentinel for worker in self._workers], timeout=1)
            if self._stopping:
                self._end_all()  # again: one that was only being started was not on the list, or had no ears yet
            else:
                self._replace_dead()

    def _spawn(self) -> BaseProcess:
        worker = self._context.Process(target=_work, args=(self._settings,), daemon=False)
        worker.start()
        return worker

    def _replace_dead(self) -> None:
        for position, worker in enumerate(self._workers):
            if not worker.is_alive():
                log.error("server process %s ended with code %s: replaced", worker.pid, worker.exitcode)
                time.sleep(self.RESPAWN_SECONDS)
                self._workers[position] = self._spawn()

    def _stop(self, *_: object) -> None:
        self._stopping = True
        self._end_all()

    def _end_all(self) -> None:
        for worker in self._workers:
            if worker.is_alive():
                worker.terminate()


async def _check(settings: Settings) -> None:
    """What would stop every process stops the start, once."""
    async with opened(settings, partial(_check_database, settings=settings)):
        pass


def _work(settings: Settings) -> None:
    uvloop.run(_serve(settings))
