"""Plugins for tests: the sample, and packages written to a folder."""

import importlib
import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from teamspace import wiring
from teamspace.app import prepare_folder
from teamspace.core.loader import Package, Tables
from teamspace.settings import Settings
from tests.support.world import World
from tests.support.world import world as open_world

SAMPLE = Package("tests.loader.sample_plugin", "sample")


@asynccontextmanager
async def world_with(settings: Settings, sqlite_template: Path, *plugins: Package) -> AsyncIterator[World]:
    """An instance with the plugins."""
    if settings.on_sqlite:
        prepare_folder(settings.data)
        shutil.copyfile(sqlite_template, settings.database.removeprefix("sqlite:"))
    async with open_world(settings, wiring.load(plugins)) as world:
        yield world


def write_package(folder: Path, name: str, modules: Mapping[str, str]) -> None:
    """Write a package with these modules."""
    package = folder / name
    package.mkdir(parents=True)
    for module, source in {"__init__": "", **modules}.items():
        (package / f"{module}.py").write_text(source)
    importlib.invalidate_caches()


def failures(tables: Tables) -> dict[str, str]:
    """The error of every plugin that failed, by its id."""
    return {result.package.source: result.error or "" for result in tables.results if result.state == "failed"}
