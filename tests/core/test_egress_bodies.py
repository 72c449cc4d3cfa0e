"""Bodies of responses: whatever their division into packets, their content is what was sent, or they are refused."""

import itertools
import re

import h11
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from teamspace.core.egress.bodies import Body, body_of
from teamspace.core.egress.heads import ResponseHead
from teamspace.core.egress.requests import ConnectionBroken

CHUNKED = ResponseHead(200, [(b"transfer-encoding", b"chunked")], keeps_alive=True)
SIZED = ResponseHead(200, [(b"content-length", b"9")], keeps_alive=True)


def received(body: Body, *packets: bytes) -> bytes:
    content = b""
    for packet in packets:
        body.rest += packet
        while piece := body.read():
            content += piece
    return content


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(edges)]


@given(
    st.lists(st.tuples(st.binary(min_size=1, max_size=40), st.sampled_from([b"", b";x", b" ;a=b\t"])), max_size=8),
    st.sampled_from([b"", b"x: y\r\n", b"x: y\r\nz: \r\n"]), st.lists(st.integers(0, 1000), max_size=30),
)  # fmt: skip
def test_chunks_are_read_in_any_division(chunks: list[tuple[bytes, bytes]], trailer: bytes, places: list[int]) -> None:
    sent = b"".join(b"%X%s\r\n%s\r\n" % (len(chunk), more, chunk) for chunk, more in chunks) + b"0\r\n" + trailer
    body = body_of("GET", CHUNKED, b"")
    assert received(body, *cut(sent + b"\r\nnext", places)) == b"".join(chunk for chunk, _ in chunks)
    assert (body.is_complete, body.rest) == (True, b"next")


@given(st.binary(max_size=60) | st.lists(st.sampled_from([b"1", b"a", b"\r\n", b"\n", b";", b"0", b" "])).map(b"".join))
@example(b"0" * 17 + b"\r\n\r\n")
@example(b"1\r\na\r\n0\r\n\r\nmore\r\n\r\n")
def test_what_is_read_of_chunks_is_what_h11_reads(sent: bytes) -> None:
    assume(not re.search(rb"[0-9A-Fa-f][ \t]+;", sent))  # refused by h11, but allowed by RFC 9112
    http = h11.Connection(h11.CLIENT)
    http.send(h11.Request(method="GET", target="/", headers=[("host", "x")]))
    http.receive_data(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n" + sent)
    assert isinstance(http.next_event(), h11.Response)
    expected, is_complete = b"", False
    try:
        while isinstance(event := http.next_event(), h11.Data):
            expected += event.data
        is_complete = isinstance(event, h11.EndOfMessage)
    except h11.RemoteProtocolError:
        pass
    body = body_of("GET", CHUNKED, b"")
    try:
        assert expected.startswith(received(body, sent))
        assert is_complete or not body.is_complete
    except ConnectionBroken:
        # h11 takes a bare line feed in a trailer, and a bare carriage return in an extension.
        assert not is_complete or re.search(rb"(?<!\r)\n|\r(?!\n)", sent)


@pytest.mark.parametrize(
    "sent",
    [
        b"x\r\n",
        b"-1\r\n",
        b"+1\r\n",
        b"0x1\r\n",
        b"\r\n\r\n",
        b"1\na",
        b"0\r\n\0\r\n\r\n",
        b"0\r\nno colon\r\n\r\n",
        b"1\r\nabcd",
        b"1\r\na\n1",
        b"1;" + b"x" * 20_000,
    ],
)
def test_malformed_chunks_are_refused(sent: bytes) -> None:
    with pytest.raises(ConnectionBroken):
        received(body_of("GET", CHUNKED, b""), sent)


def test_only_a_body_without_a_size_may_end_with_its_connection() -> None:
    unsized = body_of("GET", ResponseHead(200, [], keeps_alive=True), b"all")
    assert received(unsized, b" of it") == b"all of it"
    unsized.end()
    assert unsized.is_complete
    for head in (CHUNKED, SIZED):
        with pytest.raises(ConnectionBroken):
            body_of("GET", head, b"").end()
    assert body_of("HEAD", SIZED, b"").is_complete
