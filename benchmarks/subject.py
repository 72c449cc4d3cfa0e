"""Teamspace itself, on SQLite or on PostgreSQL."""

import json
import sys
from itertools import islice, repeat
from pathlib import Path

from benchmarks.load import Load, Result, request, run
from benchmarks.notes import samples
from benchmarks.processes import Server, free_port
from benchmarks.targets import PAGE_SIZE, Operation, call, creates, mixed, reads, require_full_page
from tests.support.postgres import vacuum

NOTES = "/api/notes"
NEWEST = f"{NOTES}?limit={PAGE_SIZE}"
FIRST_USER = {
    "username": "member",
    "password": "a benchmark passphrase",
    "display_name": "Member",
}
SEED_LIMIT = 600.0


class Teamspace:
    """Teamspace with its rate limits off, seeded over its own API."""

    def __init__(self, directory: Path, database_url: str = "", *, name: str = "teamspace", processes: int = 0) -> None:
        """Without a number of `processes`, it is the default of this machine."""
        self.name = name
        port = free_port()
        command = [sys.executable, "-m", "teamspace", "serve"]
        settings = environment(directory / "data", port, database_url, processes)
        self.server = Server(command, port, "/health", directory / "log", settings)
        self.database_url = database_url
        self.token = ""
        self.ids: list[str] = []

    def prepare(self, rows: int) -> float:
        self.server.start()
        try:
            first = call(self.server.port, "POST", "/api/bootstrap", body=FIRST_USER)
            self.token = first["token"]
            return self.seed(rows)
        finally:
            self.server.stop()
            if self.database_url:
                vacuum(self.database_url)

    def creates(self) -> Operation:
        # PocketBase's notes have no tags either, so both store the same.
        notes = [{**note, "tags": []} for note in samples()]
        return creates(NOTES, notes, self.token, status=201)

    def seed(self, rows: int) -> float:
        """Create the rows as any client would, and return how many a second."""
        operation = self.creates()
        seen = run(
            Load(
                self.server.port,
                islice(operation.requests, rows),
                seconds=SEED_LIMIT,
                warmup=0,
                status=operation.status,
                keep=note_id,
            )
        )
        require_seeded(seen, rows)
        self.ids = seen.kept
        return round(seen.rate, 1)

    def operations(self) -> dict[str, Operation]:
        require_full_page(self.server.port, NEWEST, self.token)
        operations = {
            "read": reads(NOTES, self.ids, self.token),
            "list": Operation(repeat(request("GET", NEWEST, self.token))),
            "create": self.creates(),
        }
        return operations | {"mix": mixed(operations, status=201)}


def environment(data: Path, port: int, database_url: str, processes: int = 0) -> dict[str, str]:
    settings = {
        "SERVICE_DATA": str(data),
        "SERVICE_HOST": "127.0.0.1",
        "SERVICE_PORT": str(port),
        "SERVICE_RATE_TOKEN": "0",
        "SERVICE_RATE_ANONYMOUS": "0",
        "SERVICE_LOG": "text",
    }
    if processes:
        settings["SERVICE_WORKERS"] = str(processes)
    if database_url:
        settings["SERVICE_DATABASE_URL"] = database_url
    return settings


def note_id(body: bytes) -> str:
    return str(json.loads(body)["id"])


def require_seeded(seen: Result, rows: int) -> None:
    if seen.errors or len(seen.kept) != rows:
        raise RuntimeError(f"seeded {len(seen.kept)} of {rows} rows: {seen.first_error}")
