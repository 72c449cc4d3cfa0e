"""The server put together: settings in, an ASGI application out, or a refusal to start."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from teamspace import identity, routes, tenancy, wiring
from teamspace.core import crypto, idempotency
from teamspace.core.db import Db, audit, connect, migrate
from teamspace.core.http import Gate
from teamspace.core.limits import Rate, Stopping, Wake
from teamspace.core.logs import Lines
from teamspace.core.openapi import Description
from teamspace.core.principal import system
from teamspace.core.routing import BootError, Endpoint, bind, ordered
from teamspace.core.tables import collected
from teamspace.settings import Settings

log = logging.getLogger("teamspace")
TOKEN_BURST = 200


class StartError(Exception):
    """The server cannot start; the message is the one line that says why."""


class App:
    """What a running server holds."""

    def __init__(self, settings: Settings, db: Db, lines: Lines | None) -> None:
        self.db = db
        self.stopping = Stopping()
        self.last_use = identity.LastUse()
        self.endpoints = endpoints(settings, Wake(self.stopping))
        self.gate = Gate(
            self.endpoints,
            db,
            tenancy.Callers(self.last_use).identify,
            stopping=self.stopping,
            lines=lines,
            token_rate=Rate(settings.rate_token, TOKEN_BURST),
            anonymous_rate=Rate(settings.rate_anonymous, settings.rate_anonymous),
            trusted=settings.trusted_proxies,
            provision_token=settings.provision_token or None,
            tls=settings.base_url.startswith("https://"),
        )

    async def upkeep(self) -> None:
        """What is not urgent: sealing the audit trail, times of last use, old keys and credentials."""
        chores: tuple[tuple[float, Callable[[], Awaitable[object]]], ...] = (
            (1, partial(audit.seal, self.db)),
            (5, partial(self.last_use.save, self.db)),
            (600, partial(idempotency.forget_old, self.db, system())),
            (3600, partial(identity.clean, self.db)),
        )
        await asyncio.gather(*(_repeat(every, chore) for every, chore in chores))

    async def finish(self) -> None:
        await self.last_use.save(self.db)
        await audit.seal(self.db)


async def _repeat(every: float, chore: Callable[[], Awaitable[object]]) -> None:
    while True:
        await asyncio.sleep(every)
        try:
            await chore()
        except Exception:
            log.exception("upkeep failed; it is tried again")


def endpoints(settings: Settings, wake: Wake) -> list[Endpoint]:
    """All routes bound and in order; every disagreement at once, or none."""
    description = Description()
    bound, faults = bind(routes.MODULES.values(), {Settings: settings, Description: description, Wake: wake})
    order = [" ".join(name.split()) for name, _ in routes.ORDER]
    arranged, misplaced = ordered(bound, order)
    faults += misplaced + _misowned(arranged)
    if faults:
        raise BootError("the route tables and the code disagree:\n  " + "\n  ".join(faults))
    description.describe(arranged)
    return arranged


def _misowned(arranged: list[Endpoint]) -> list[str]:
    owners = {" ".join(name.split()): owner for name, owner in routes.ORDER}
    return [
        f"{endpoint.route.name}: the order gives it to {owners[endpoint.route.name]}"
        for endpoint in arranged
        if routes.MODULES[owners[endpoint.route.name]].__name__ != endpoint.handler.__module__
    ]


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[Db]:
    """The database: reached, migrated, and proven to belong to the secret key."""
    prepare_folder(settings.data)
    vault = crypto.Vault(crypto.load_key(settings.secret_key or None, settings.data))
    engine = await connect(settings.database, sync=settings.sqlite_sync, pool=settings.database_pool)
    db = Db(engine, vault, guard=tenancy.guard, listeners=collected(wiring.LISTENERS), rights=tenancy.RIGHTS)
    try:
        await migrate(engine)
        await _prove_key(db)
        yield db
    finally:
        await db.close()


def prepare_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        probe = folder / ".probe"
        probe.write_text("")
        probe.unlink()
    except OSError as fault:
        raise StartError(f"the data folder {folder} cannot be written: {os.strerror(fault.errno or 0)}") from None


async def _prove_key(db: Db) -> None:
    """A canary sealed at the first start opens only with the same key."""
    place, words = "instance|value|canary", b"teamspace"
    async with db.upkeep(system()) as tx:
        await tx.run(
            "INSERT INTO instance (name, value) VALUES ('canary', :value) ON CONFLICT (name) DO NOTHING",
            value=tx.vault.seal(place, words),
        )
    sealed = await db.one(str, "SELECT value FROM instance WHERE name = 'canary'")
    db.vault.open(place, sealed or "")
