"""Heads of requests and responses: nothing is smuggled into the one, and the other is read as h11 reads it, or refused."""

import h11
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from teamspace.core.egress.heads import ResponseHead, read_head, write_head
from teamspace.core.egress.requests import ConnectionBroken

HOSTILE = ["a\r\nb: c", "a\nb", "a\rb", "a\0b", "\u00e4", " a", "a ", "\u2028"]


def as_h11(head: bytes) -> h11.Response | None:
    """Return what h11 reads in a head; None if it refuses it, or waits for another."""
    http = h11.Connection(h11.CLIENT)
    http.send(h11.Request(method="GET", target="/", headers=[("host", "x")]))
    try:
        http.receive_data(head)
        event = http.next_event()
    except h11.RemoteProtocolError:
        return None
    return event if isinstance(event, h11.Response) else None


def test_a_head_is_what_h11_writes() -> None:
    headers = {"host": "x:80", "content-type": "application/json", "x-empty": "", "content-length": "0"}
    expected = h11.Connection(h11.CLIENT).send(
        h11.Request(method="POST", target="/a?b=c", headers=list(headers.items()))
    )
    assert expected is not None
    assert write_head("POST", "/a?b=c", headers).lower() == expected.lower()


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_is_smuggled_into_a_request(text: str) -> None:
    for method, target, headers in (
        ("GET", "/", {"x": text}), ("GET", "/", {text: "x"}), ("GET", f"/{text}", {}), (text, "/", {}),
    ):  # fmt: skip
        with pytest.raises(ConnectionBroken):
            write_head(method, target, headers)


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: +1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: identity\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nbad name: x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nx: a\0b\r\n\r\n",
        b"HTTP/1.1 20 OK\r\n\r\n",
        b"HTTP/2 200 OK\r\n\r\n",
        b"220 smtp.example ready\r\n\r\n",
        b"\x16\x03\x01\r\n\r\n",
        b"\r\n\r\n",
    ],
)
def test_heads_that_could_be_read_in_two_ways_are_refused(head: bytes) -> None:
    with pytest.raises(ConnectionBroken):
        read_head(head)


@pytest.mark.parametrize(
    ("head", "keeps"),
    [
        (b"HTTP/1.1 200 OK\r\n\r\n", True),
        (b"HTTP/1.1 200 OK\r\nConnection: Close\r\n\r\n", False),
        (b"HTTP/1.0 200 OK\r\n\r\n", False),
        (b"HTTP/1.0 200 OK\r\nconnection: keep-alive\r\n\r\n", False),
    ],
)
def test_a_connection_is_kept_only_if_the_response_lets_it(head: bytes, keeps: bool) -> None:
    assert read_head(head).keeps_alive is keeps


PARTS = st.sampled_from(
    [b"HTTP/1.1 200 OK", b"HTTP/1.0 404 No", b"\r\n", b"\n", b"x: y", b"X-Y:z", b":", b" ", b"\t", b"content-length: 3",
     b"transfer-encoding: chunked", b"\0", b"a", b"\xff"]
)  # fmt: skip


@given(st.lists(PARTS, max_size=12).map(b"".join))
@example(b"HTTP/1.1 200 OK\r\nx: y\r\n z\r\n")
def test_what_is_read_in_a_head_is_what_h11_reads(lines: bytes) -> None:
    head = lines + b"\r\n\r\n"
    head = head[: head.index(b"\r\n\r\n") + 4]
    try:
        found: ResponseHead = read_head(head)
    except ConnectionBroken:
        return
    expected = as_h11(head)
    assert expected is not None, "h11 refuses it"
    assert found.status == expected.status_code
    assert found.headers == [(name, value) for name, value in expected.headers]
