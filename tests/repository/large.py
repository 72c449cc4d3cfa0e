"""A large upload and download through a real server, measuring its memory.

`python -m tests.repository.large --mib 5120` transfers that much and prints the server's peak memory.
"""

import argparse
import hashlib
import random
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from teamspace.client import Client
from tests.support.served import Served

PASSWORD = "correct horse battery"
MIB = 1 << 20


def blocks(mib: int) -> Iterator[bytes]:
    """Blocks of one MiB, all different."""
    block = random.Random(7).randbytes(MIB)
    for number in range(mib):
        yield number.to_bytes(8) + block[8:]


class MemoryWatch:
    """The peak memory of a process while it is watched."""

    def __init__(self, pid: int) -> None:
        self.peak = 0
        self._status = Path(f"/proc/{pid}/status")
        self._stopped = threading.Event()

    def poll(self) -> None:
        while not self._stopped.wait(0.05):
            for line in self._status.read_text().splitlines():
                if line.startswith("VmRSS:"):
                    self.peak = max(self.peak, int(line.split()[1]) * 1024)

    @classmethod
    @contextmanager
    def on(cls, pid: int) -> "Iterator[MemoryWatch]":
        watch = cls(pid)
        thread = threading.Thread(target=watch.poll)
        thread.start()
        try:
            yield watch
        finally:
            watch._stopped.set()
            thread.join()


class Transfer:
    """Hashes of the sent and received bytes, and the time both took."""

    def __init__(self, served: Served, token: str, mib: int) -> None:
        self._client, self._mib = Client(served.url, token), mib
        self.sent, self.received = hashlib.sha256(), hashlib.sha256()
        self.upload_seconds = self.download_seconds = 0.0

    def upload(self, key: str) -> str:
        """Upload; return the name for `download`, here the object's id."""
        started = time.perf_counter()
        stored = self._client.repo.put(key, self._hashed_blocks())
        self.upload_seconds = time.perf_counter() - started
        assert stored.sha256 == self.sent.hexdigest()
        return stored.id

    def _hashed_blocks(self) -> Iterator[bytes]:
        for block in blocks(self._mib):
            self.sent.update(block)
            yield block

    def download(self, name: str) -> None:
        started = time.perf_counter()
        with self._client.repo.content(name) as download:
            for chunk in download:
                self.received.update(chunk)
        self.download_seconds = time.perf_counter() - started


def run_transfer(settings: dict[str, str], mib: int, kind: type[Transfer] = Transfer) -> tuple[Transfer, int]:
    """Upload and download; return the transfer and the server's peak memory."""
    with Served(settings) as served:
        token = served.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})["token"]
        assert served.process is not None
        transfer = kind(served, token, mib)
        with MemoryWatch.on(served.process.pid) as watch:
            transfer.download(transfer.upload("large.bin"))
    return transfer, watch.peak


def main(kind: type[Transfer] = Transfer) -> None:
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument("--mib", type=int, default=5120)
    mib = parser.parse_args().mib
    with tempfile.TemporaryDirectory() as folder:
        transfer, peak = run_transfer({"SERVICE_DATA": f"{folder}/data"}, mib, kind)
    assert transfer.received.digest() == transfer.sent.digest()
    print(
        f"{mib} MiB: up in {transfer.upload_seconds:.1f} s ({mib / transfer.upload_seconds:.0f} MiB/s), down in {transfer.download_seconds:.1f} s"
        f" ({mib / transfer.download_seconds:.0f} MiB/s), peak memory of the server {peak / MIB:.0f} MiB"
    )


if __name__ == "__main__":
    main()
