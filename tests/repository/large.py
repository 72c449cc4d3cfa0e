"""A large file through a real server, with an eye on its memory.

`python -m tests.repository.large --mib 5120` uploads that much, downloads it, and says what the server held at most.
"""

import argparse
import hashlib
import http.client
import random
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.served import HOST, Served

PASSWORD = "correct horse battery"
MIB = 1 << 20


def blocks(mib: int) -> Iterator[bytes]:
    """Different bytes in each."""
    block = random.Random(7).randbytes(MIB)
    for number in range(mib):
        yield number.to_bytes(8) + block[8:]


class Watch:
    """The most memory that a process has held while it was looked at."""

    def __init__(self, pid: int) -> None:
        self.most = 0
        self._status = Path(f"/proc/{pid}/status")
        self._over = threading.Event()

    def look(self) -> None:
        while not self._over.wait(0.05):
            for line in self._status.read_text().splitlines():
                if line.startswith("VmRSS:"):
                    self.most = max(self.most, int(line.split()[1]) * 1024)

    @classmethod
    @contextmanager
    def on(cls, pid: int) -> "Iterator[Watch]":
        watch = cls(pid)
        thread = threading.Thread(target=watch.look)
        thread.start()
        try:
            yield watch
        finally:
            watch._over.set()
            thread.join()


class Passage:
    """What went up, what came down, and what it took."""

    def __init__(self, served: Served, token: str, mib: int) -> None:
        self._served, self._mib = served, mib
        self._headers = {"authorization": f"Bearer {token}"}
        self.sent, self.came = hashlib.sha256(), hashlib.sha256()
        self.up = self.down = 0.0

    def upload(self, key: str) -> str:
        """By what it can be downloaded: the new object's id."""
        began = time.perf_counter()
        connection = http.client.HTTPConnection(HOST, self._served.port, timeout=600)
        connection.putrequest("PUT", f"/api/repo/{key}")
        for name, value in {**self._headers, "content-length": str(self._mib * MIB)}.items():
            connection.putheader(name, value)
        connection.endheaders()
        for block in blocks(self._mib):
            self.sent.update(block)
            connection.send(block)
        answer = connection.getresponse()
        text = answer.read().decode()
        assert answer.status == 201, text
        self.up = time.perf_counter() - began
        assert self.sent.hexdigest() in text
        return text.split('"id":"')[1].split('"')[0]

    def download(self, name: str) -> None:
        began = time.perf_counter()
        connection = http.client.HTTPConnection(HOST, self._served.port, timeout=600)
        connection.request("GET", f"/api/repo-obj/{name}/content", headers=self._headers)
        answer = connection.getresponse()
        while chunk := answer.read(MIB):
            self.came.update(chunk)
        self.down = time.perf_counter() - began


def passed(settings: dict[str, str], mib: int, kind: type[Passage] = Passage) -> tuple[Passage, int]:
    """The passage, and the most memory that the server has held during it."""
    with Served(settings) as served:
        token = served.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})["token"]
        assert served.process is not None
        passage = kind(served, token, mib)
        with Watch.on(served.process.pid) as watch:
            passage.download(passage.upload("large.bin"))
    return passage, watch.most


def main(kind: type[Passage] = Passage) -> None:
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument("--mib", type=int, default=5120)
    mib = parser.parse_args().mib
    with tempfile.TemporaryDirectory() as folder:
        passage, most = passed({"SERVICE_DATA": f"{folder}/data"}, mib, kind)
    assert passage.came.digest() == passage.sent.digest()
    print(
        f"{mib} MiB: up in {passage.up:.1f} s ({mib / passage.up:.0f} MiB/s), down in {passage.down:.1f} s"
        f" ({mib / passage.down:.0f} MiB/s), the server held at most {most / MIB:.0f} MiB"
    )


if __name__ == "__main__":
    main()
