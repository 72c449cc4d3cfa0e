"""A client that waits for a word before it sends a body, and what becomes of its connection."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.served import HOST, Served

PASSWORD = "a cautious first passphrase"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder: Path = tmp_path_factory.mktemp("expect")
    with Served({"SERVICE_DATA": str(folder / "data"), "SERVICE_SQLITE_SYNC": "normal"}) as running:
        yield running


def announce(line: socket.socket, path: str, authorization: str) -> bytes:
    """Headers without their body; the head of what is said to them."""
    line.sendall(
        f"PUT {path} HTTP/1.1\r\nHost: x\r\nAuthorization: {authorization}\r\nExpect: 100-continue\r\n"
        "Content-Length: 4\r\n\r\n".encode()
    )
    return head(line)


def head(line: socket.socket) -> bytes:
    heard = b""
    while b"\r\n\r\n" not in heard:
        heard += line.recv(1)
    return heard.lower()


@pytest.mark.parametrize(
    ("path", "authorization"), [("/api/repo/plan", "Bearer ts_nobody"), ("/bucket/plan", "AWS4-HMAC-SHA256 nobody")]
)
def test_a_refusal_before_the_body_ends_the_connection(served: Served, path: str, authorization: str) -> None:
    """Else the next request would be taken for the body that never came. Which it was now and then, so: many times."""
    for _ in range(30):
        with socket.create_connection((HOST, served.port), timeout=10) as line:
            told = announce(line, path, authorization)
            assert told.startswith(b"http/1.1 4")
            assert b"\r\nconnection: close\r\n" in told


def test_a_body_that_was_asked_for_leaves_the_connection_open(served: Served) -> None:
    token = served.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})["token"]
    with socket.create_connection((HOST, served.port), timeout=10) as line:
        for answer in (b"http/1.1 201", b"http/1.1 200"):
            assert announce(line, "/api/repo/plan", f"Bearer {token}").startswith(b"http/1.1 100")
            line.sendall(b"plan")
            told = head(line)
            assert told.startswith(answer) and b"connection: close" not in told
            line.recv(int(told.partition(b"content-length: ")[2].split()[0]), socket.MSG_WAITALL)
