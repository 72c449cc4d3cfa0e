"""A plugin that is loaded, and fails in every way when it is used."""

import asyncio
import os
import time
from pathlib import Path
from typing import Any

import msgspec

from teamspace.sdk import Artifact, BlobStoreSpec, JobSpec, Permission, PluginRoute, Settings, Tool


class Cargo(msgspec.Struct, frozen=True):
    text: str


# fmt: off
TOOLS = (
    Tool("rogue_crash", "crash",   "Fail.",                     Permission.CHAT_USE),
    Tool("rogue_thing", "a_thing", "Return what is not JSON.",  Permission.CHAT_USE),
    Tool("rogue_card",  "a_card",  "Return another artifact.",  Permission.CHAT_USE, artifacts=("document",)),
)
ROUTES = (
    PluginRoute("GET",  "/crash", Permission.CHAT_USE, "crash", "Fail."),
    PluginRoute("GET",  "/leave", Permission.CHAT_USE, "leave", "Try to end the server."),
    PluginRoute("GET",  "/hang",  Permission.CHAT_USE, "hang",  "Never answer."),
    PluginRoute("GET",  "/block", Permission.CHAT_USE, "block", "Block the server."),
    PluginRoute("GET",  "/kill",  Permission.CHAT_USE, "kill",  "End the server."),
    PluginRoute("GET",  "/fine",  Permission.CHAT_USE, "fine",  "Answer."),
)
JOBS = (
    JobSpec("x.rogue.leave", "leave_job", "Try to end the server.", callable=True, max_attempts=1),
    JobSpec("x.rogue.judge", None, "Has a check that fails.", callable=True, remote=True, check="judge", input=Cargo, result=Cargo),
    JobSpec("x.rogue.count", None, "Has a check that returns a number.", callable=True, remote=True, check="count", input=Cargo, result=Cargo),
)
BLOB_STORES = (
    BlobStoreSpec("rogue-forgets", "open_forgetful", "Forgets everything."),
    BlobStoreSpec("rogue-raises",  "open_raising",   "Raises for what is missing."),
    BlobStoreSpec("rogue-mixes",   "open_mixing",    "Mixes up companies."),
    BlobStoreSpec("rogue-nothing", "open_nothing",   "Is no store."),
)
# fmt: on


async def crash() -> Cargo:
    raise ZeroDivisionError("secret detail")


async def a_thing() -> Any:
    return object()


async def a_card() -> Artifact:
    return Artifact(kind="image", title="A picture")


async def leave() -> Cargo:
    raise SystemExit(3)


async def hang() -> Cargo:
    await asyncio.sleep(3600)
    return Cargo("late")


async def block() -> Cargo:
    time.sleep(3600)  # noqa: ASYNC251 - that is the point
    return Cargo("late")


async def kill() -> Cargo:
    os._exit(3)


async def fine() -> Cargo:
    return Cargo("fine")


async def leave_job(input: Cargo) -> Cargo:
    raise SystemExit(3)


def judge(input: Cargo, result: Cargo) -> str | None:
    raise ZeroDivisionError("no judgement")


def count(input: Cargo, result: Cargo) -> int:
    return 7


class Folder:
    """Files in a folder, almost as it should be."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def put(self, org_id: str, digest: str, data: bytes) -> None:
        self.path(org_id, digest).write_bytes(data)

    def get(self, org_id: str, digest: str) -> bytes | None:
        path = self.path(org_id, digest)
        return path.read_bytes() if path.exists() else None

    def delete(self, org_id: str, digest: str) -> None:
        self.path(org_id, digest).unlink(missing_ok=True)

    def stat(self, org_id: str, digest: str) -> int | None:
        path = self.path(org_id, digest)
        return path.stat().st_size if path.exists() else None

    def path(self, org_id: str, digest: str) -> Path:
        return self._folder / f"{org_id}-{digest}"


class Forgetful(Folder):
    def put(self, org_id: str, digest: str, data: bytes) -> None:
        pass


class Raising(Folder):
    def get(self, org_id: str, digest: str) -> bytes | None:
        return self.path(org_id, digest).read_bytes()


class Mixing(Folder):
    def path(self, org_id: str, digest: str) -> Path:
        return self._folder / digest


def open_forgetful(settings: Settings) -> Forgetful:
    return Forgetful(settings.data / "forgets")


def open_raising(settings: Settings) -> Raising:
    return Raising(settings.data / "raises")


def open_mixing(settings: Settings) -> Mixing:
    return Mixing(settings.data / "mixes")


def open_nothing(settings: Settings) -> object:
    return object()
