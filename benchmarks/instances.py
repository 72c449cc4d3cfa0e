"""Instances in this process, for benchmarks that send requests through the gate one at a time."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from benchmarks.processes import cpu_seconds, ended_seconds, family
from teamspace.app import prepare_folder
from teamspace.core.db import connect, migrate
from teamspace.settings import Settings, load
from tests.support.postgres import Postgres
from tests.support.world import World, world


def settings_of(folder: Path, url: str) -> Settings:
    wish = {"SERVICE_DATA": str(folder), "SERVICE_DATABASE_URL": url, "SERVICE_SQLITE_SYNC": "normal"}
    return load({**wish, "SERVICE_RATE_TOKEN": "0", "SERVICE_RATE_ANONYMOUS": "0"}, file=folder / "no.env")


@asynccontextmanager
async def new_world(settings: Settings) -> AsyncIterator[World]:
    prepare_folder(settings.data)
    engine = await connect(settings.database, pool=1)
    await migrate(engine)
    await engine.close()
    async with world(settings) as made:
        yield made


class CpuClock:
    """CPU seconds of this process, and of PostgreSQL if that is what the instance uses."""

    def __init__(self, made: World, server: Postgres) -> None:
        self._on_sqlite = made.db.dialect.name == "sqlite"
        self._postmaster = int((server.folder / "data/postmaster.pid").read_text().split()[0])

    def __call__(self) -> float:
        used = time.process_time()
        if self._on_sqlite:
            return used
        return used + cpu_seconds(family(self._postmaster)) + ended_seconds(self._postmaster)
