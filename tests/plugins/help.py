"""Plugins for tests: the sample, and folders written by a test."""

import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from teamspace import plugins, wiring
from teamspace.app import prepare_folder
from teamspace.core.loader import Tables
from teamspace.settings import Settings
from tests.support.world import World
from tests.support.world import world as open_world

SAMPLE = Path(__file__).parent / "sample"
"""Does everything right."""
ROGUE = Path(__file__).parent / "rogue"
"""Is loaded, and fails in every way when it is used."""


@asynccontextmanager
async def world_with(settings: Settings, sqlite_template: Path, *folders: Path) -> AsyncIterator[World]:
    """An instance with the plugins in these folders."""
    if settings.on_sqlite:
        prepare_folder(settings.data)
        shutil.copyfile(sqlite_template, settings.database.removeprefix("sqlite:"))
    async with open_world(msgspec.structs.replace(settings, plugins=folders)) as world:
        yield world


def write_plugin(folder: Path, source: str, **manifest: Any) -> Path:
    """Write a plugin whose id is the folder's name, and return the folder."""
    folder.mkdir(parents=True)
    described = {
        "id": folder.name,
        "name": "Plugin",
        "version": "0.1.0",
        "description": "For a test.",
        "entry": "plugin.py",
    }
    (folder / "plugin.json").write_text(json.dumps(described | manifest))
    (folder / "plugin.py").write_text(source)
    return folder


def load_folders(*folders: Path) -> Tables:
    return wiring.add(plugins.find(folders))


def failures(tables: Tables) -> dict[str, str]:
    """The error of every plugin that failed, by its id."""
    return {result.package.source: result.error or "" for result in tables.results if result.state == "failed"}
