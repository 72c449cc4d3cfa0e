"""Requests with `Expect: 100-continue`, and whether their connection stays open."""

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


def send_headers(connection: socket.socket, path: str, authorization: str) -> bytes:
    """Send headers without the body, and return the head of the response."""
    connection.sendall(
        f"PUT {path} HTTP/1.1\r\nHost: x\r\nAuthorization: {authorization}\r\nExpect: 100-continue\r\n"
        "Content-Length: 4\r\n\r\n".encode()
    )
    return head(connection)


def head(connection: socket.socket) -> bytes:
    received = b""
    while b"\r\n\r\n" not in received:
        received += connection.recv(1)
    return received.lower()


@pytest.mark.parametrize(
    ("path", "authorization"), [("/api/repo/plan", "Bearer ts_nobody"), ("/bucket/plan", "AWS4-HMAC-SHA256 nobody")]
)
def test_a_refusal_before_the_body_ends_the_connection(served: Served, path: str, authorization: str) -> None:
    """Otherwise the next request would be read as the body. That happened only sometimes, hence the repetitions."""
    for _ in range(30):
        with socket.create_connection((HOST, served.port), timeout=10) as connection:
            response = send_headers(connection, path, authorization)
            assert response.startswith(b"http/1.1 4")
            assert b"\r\nconnection: close\r\n" in response


def test_a_requested_body_leaves_the_connection_open(served: Served) -> None:
    token = served.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})["token"]
    with socket.create_connection((HOST, served.port), timeout=10) as connection:
        for answer in (b"http/1.1 201", b"http/1.1 200"):
            assert send_headers(connection, "/api/repo/plan", f"Bearer {token}").startswith(b"http/1.1 100")
            connection.sendall(b"plan")
            response = head(connection)
            assert response.startswith(answer) and b"connection: close" not in response
            connection.recv(int(response.partition(b"content-length: ")[2].split()[0]), socket.MSG_WAITALL)
