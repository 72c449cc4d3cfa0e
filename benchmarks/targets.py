"""The common interface of the measured servers."""

import json
import random
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any, Protocol

from benchmarks.load import request
from benchmarks.processes import Server

PAGE_SIZE = 50


@dataclass(frozen=True)
class Operation:
    """An endless supply of requests and the status, or one of those, that each must be answered with."""

    requests: Iterator[bytes]
    status: int | tuple[int, ...] = 200


class Target(Protocol):
    """A server that can be seeded, started and asked for notes."""

    name: str
    server: Server

    def prepare(self, rows: int) -> float | None:
        """Store the rows, leaving the server stopped.

        Returns the creates per second, if they were made over its API.
        """

    def operations(self) -> dict[str, Operation]:
        """The operations the running server can be measured by."""


def call(port: int, method: str, path: str, token: str = "", body: object = None) -> Any:
    """One JSON call outside any measurement."""
    message = urllib.request.Request(f"http://127.0.0.1:{port}{path}", method=method)
    message.add_header("Content-Type", "application/json")
    if token:
        message.add_header("Authorization", f"Bearer {token}")
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(message, data, timeout=30) as answer:
        return json.load(answer)


def reads(path: str, ids: Sequence[str], token: str) -> Operation:
    """Reads of random rows."""
    ready = [request("GET", f"{path}/{row}", token) for row in ids]
    return Operation(iter(lambda: random.choice(ready), b""))


def creates(path: str, notes: Sequence[object], token: str, status: int) -> Operation:
    """Creates of the notes, over and over."""
    ready = [request("POST", path, token, json.dumps(note).encode()) for note in notes]
    return Operation(cycle(ready), status)


def mixed(operations: Mapping[str, Operation], status: int) -> Operation:
    """Seven reads, two lists and a create, over and over; `status` is that of a create."""
    order = cycle(["read", "read", "list", "read", "read", "create", "read", "read", "list", "read"])
    return Operation((next(operations[name].requests) for name in order), (200, status))


def require_full_page(port: int, path: str, token: str) -> None:
    """Raise if the list returns fewer rows than requested."""
    found = len(call(port, "GET", path, token)["items"])
    if found != PAGE_SIZE:
        raise RuntimeError(f"{path} listed {found} rows instead of {PAGE_SIZE}")
