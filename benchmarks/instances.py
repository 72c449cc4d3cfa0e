"""Instances in this process, for benchmarks that send requests through the gate one at a time."""

import time
from collections.abc import AsyncIterator, Coroutine, MutableMapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from benchmarks.processes import cpu_seconds, ended_seconds, family
from teamspace.app import prepare_folder
from teamspace.core.db import connect, migrate
from teamspace.settings import Settings, load
from tests.support.postgres import Postgres
from tests.support.world import Caller, World, world

HOST = "teamspace.test"


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


class S3Client:
    """A caller with an access key, in the bucket of their team."""

    def __init__(self, made: World, key: dict[str, Any]) -> None:
        self._gate, self._bucket = made.app.gate, key["bucket"]
        self._credentials = Credentials(key["access_key_id"], key["secret_access_key"])

    def ask(
        self, method: str, key: str = "", *, query: str = "", body: bytes = b""
    ) -> Coroutine[Any, Any, tuple[int, bytes]]:
        """Sign a request; awaiting it sends it, and returns status and body of the response."""
        path = f"/{self._bucket}/{key}" if key else f"/{self._bucket}"
        asked = AWSRequest(method, f"http://{HOST}{path}?{query}", {"Host": HOST}, body)
        S3SigV4Auth(self._credentials, "s3", "us-east-1").add_auth(asked)
        headers = [(name.lower().encode(), str(value).encode()) for name, value in asked.headers.items()]
        headers += [(b"content-length", b"%d" % len(body))] if body else []
        scope = {
            "type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": query.encode(),
            "headers": headers, "client": ("127.0.0.1", 50000),
        }  # fmt: skip
        return self._send(scope, body)

    async def _send(self, scope: dict[str, Any], body: bytes) -> tuple[int, bytes]:
        status, answer = [0], bytearray()

        async def receive() -> MutableMapping[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: MutableMapping[str, Any]) -> None:
            status[0] = message.get("status", status[0])
            answer.extend(message.get("body", b""))

        await self._gate(scope, receive, send)
        return status[0], bytes(answer)


async def s3_client(made: World, caller: Caller) -> S3Client:
    return S3Client(made, (await caller.post("/api/s3/credentials", {"name": "benchmark"})).json())
