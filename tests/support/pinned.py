"""Connections to a server of several processes, each held by a process that is known."""

import http.client
import json
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from threading import Barrier
from typing import Any, Self

from tests.support.served import ANSWER_LIMIT, HOST, Served

_TRIES = 300


class PinnedConnection:
    """One connection, kept open, so that one process answers everything sent over it."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection(HOST, port, timeout=ANSWER_LIMIT)
        self._connection.request("GET", "/health")
        self._connection.getresponse().read()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def call(self, method: str, path: str, body: Any = None, token: str = "", **headers: str) -> tuple[int, Any]:
        """Return the status and the decoded body."""
        content = None if body is None else json.dumps(body).encode()
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        self._connection.request(
            method, path, content, {"content-type": "application/json", "authorization": f"Bearer {token}", **given}
        )
        answer = self._connection.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if text else None

    @property
    def process(self) -> int:
        """The process at the other end, found by the address of its socket."""
        ours: socket.socket = self._connection.sock
        inode = _inode(ours.getpeername()[1], ours.getsockname()[1])
        for link in Path("/proc").glob("[0-9]*/fd/*"):
            try:
                if str(link.readlink()) == f"socket:[{inode}]":
                    return int(link.parts[2])
            except OSError:  # it has just been closed
                continue
        raise LookupError(f"no process holds socket {inode}")


def _inode(local: int, remote: int) -> str:
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        parts = line.split()
        if (int(parts[1].split(":")[1], 16), int(parts[2].split(":")[1], 16)) == (local, remote):
            return parts[9]
    raise LookupError("no such connection")


def connect_to_each(served: Served, processes: int, stack: ExitStack) -> list[PinnedConnection]:
    """One connection to every process; the kernel chooses who accepts, so some are tried."""
    found: dict[int, PinnedConnection] = {}
    for _ in range(_TRIES):
        connection = stack.enter_context(PinnedConnection(served.port))
        found.setdefault(connection.process, connection)
        if len(found) == processes:
            return list(found.values())
    raise RuntimeError(f"only {len(found)} of {processes} processes accept connections")


def at_once(connections: list[PinnedConnection], *requests: tuple[Any, ...], **headers: str) -> list[tuple[int, Any]]:
    """Send a request over each connection at the same moment; return the answers in that order."""
    barrier = Barrier(len(connections))

    def send(connection: PinnedConnection, request: tuple[Any, ...]) -> tuple[int, Any]:
        barrier.wait()
        return connection.call(*request, **headers)

    with ThreadPoolExecutor(len(connections)) as pool:
        return list(pool.map(send, connections, requests))
