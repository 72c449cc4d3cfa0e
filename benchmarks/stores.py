"""S3 servers, each on its own folder: Teamspace, SeaweedFS and `rclone serve s3`."""

import json
import sys
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from obstore.exceptions import BaseError
from obstore.store import S3Store

from benchmarks.processes import Server, free_port
from benchmarks.subject import FIRST_USER, environment
from benchmarks.targets import call

KEY_ID, SECRET = "benchmark-key", "benchmark-secret-of-forty-characters-000"
BUCKET = "benchmark"
PATIENCE = 60.0
_PROGRAMS = Path(sysconfig.get_path("scripts"))


class Store(Protocol):
    name: str
    server: Server
    bucket: str
    key_id: str
    secret: str

    def prepare(self) -> None:
        """Start the server and create a bucket."""
        ...


class Teamspace:
    def __init__(self, folder: Path, name: str, processes: int, database_url: str) -> None:
        self.name, port = name, free_port()
        command = [sys.executable, "-m", "teamspace", "serve"]
        settings = environment(folder / "data", port, database_url, processes)
        self.server = Server(command, port, "/health", folder / "log", settings)
        self.bucket = self.key_id = self.secret = ""

    def prepare(self) -> None:
        self.server.start()
        first = call(self.server.port, "POST", "/api/bootstrap", body=FIRST_USER)
        key = call(self.server.port, "POST", "/api/s3/credentials", first["token"], {})
        self.bucket, self.key_id, self.secret = key["bucket"], key["access_key_id"], key["secret_access_key"]


class SeaweedFs:
    name = "seaweedfs"
    bucket, key_id, secret = BUCKET, KEY_ID, SECRET

    def __init__(self, folder: Path) -> None:
        port = free_port()
        may = {"name": "all", "credentials": [{"accessKey": KEY_ID, "secretKey": SECRET}], "actions": ["Admin"]}
        access = folder / "access.json"
        access.write_text(json.dumps({"identities": [may]}))
        ports = [f"-{name}.port={free_port()}" for name in ("master", "volume", "filer")]
        ports += [f"-{name}.port.grpc={free_port()}" for name in ("master", "volume", "filer", "s3")]
        command = [
            str(_PROGRAMS / "weed"), "-logtostderr", "server", *ports, f"-s3.port={port}", f"-dir={folder}",
            "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-s3", "-s3.port.iceberg=0", "-s3.port.lance=0",
            f"-s3.config={access}", "-volume.max=50",
        ]  # fmt: skip
        self.server = Server(command, port, "/status", folder / "log")

    def prepare(self) -> None:
        self.server.start()
        wait_for_bucket(self)


class Rclone:
    name = "rclone"
    bucket, key_id, secret = BUCKET, KEY_ID, SECRET

    def __init__(self, folder: Path) -> None:
        port = free_port()
        (folder / BUCKET).mkdir()
        command = [
            str(_PROGRAMS / "rclone"), "serve", "s3", "--addr", f"127.0.0.1:{port}", "--auth-key", f"{KEY_ID},{SECRET}",
            "--config", str(folder / "none"), "--vfs-cache-mode", "off", str(folder),
        ]  # fmt: skip
        self.server = Server(command, port, "/", folder / "log", answers=frozenset({200, 400, 403}))

    def prepare(self) -> None:
        self.server.start()


PEERS: dict[str, Callable[[Path], Store]] = {"seaweedfs": SeaweedFs, "rclone": Rclone}


def wait_for_bucket(store: Store) -> None:
    """Wait until the server accepts the first object; a cluster takes a while."""
    objects = S3Store(
        store.bucket, endpoint=f"http://127.0.0.1:{store.server.port}", region="us-east-1",
        access_key_id=store.key_id, secret_access_key=store.secret, client_options={"allow_http": True},
        retry_config={"max_retries": 0},
    )  # fmt: skip
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            objects.put("first", b"")
            return
        except (BaseError, OSError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
