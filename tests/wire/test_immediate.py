"""What a monitor asks is answered as soon as it is read, before everything that has arrived earlier."""

import asyncio
import logging
from typing import Any

import pytest

from teamspace import server
from teamspace.core.metrics import route_figures
from teamspace.core.wire import WireLimits
from teamspace.core.wire.connection import Connection
from teamspace.core.wire.start_queue import StartQueue
from tests.support.world import World
from tests.wire.help import EchoApp
from tests.wire.offline import FakeTransport, Observer

HEAD = b"GET %b HTTP/1.1\r\nHost: a\r\n\r\n"
PATHS = frozenset({b"/ignore", b"/watch"})


class Immediate(Observer):
    """The server of one connection, with the paths of `EchoApp`."""

    limits = WireLimits(urgent=PATHS, immediate=PATHS)

    def __init__(self, app: Any) -> None:
        super().__init__()
        self.app = app  # type: ignore[method-assign]
        self.starts = StartQueue(0)


def connect(acceptor: Observer) -> tuple[Connection, FakeTransport]:
    connection = Connection(acceptor, asyncio.get_running_loop())
    transport = FakeTransport(connection)
    connection.connection_made(transport)
    return connection, transport


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_a_plain_read_is_answered_before_anything_else_happens() -> None:
    connection, transport = connect(Immediate(EchoApp()))
    for _ in range(2):
        transport.written.clear()
        connection.data_received((HEAD % b"/ignore")[:20])
        assert not transport.written
        connection.data_received((HEAD % b"/ignore")[20:])
        assert transport.written.startswith(b"HTTP/1.1 200 ") and transport.written.endswith(b"done")
        assert not transport.ended
    connection.connection_lost(None)


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(b"GET /ignore?a=b HTTP/1.1\r\nHost: a\r\n\r\n", id="a query"),
        pytest.param(b"GET /ignore HTTP/1.1\r\nHost: a\r\nAuthorization: x\r\n\r\n", id="a credential"),
        pytest.param(b"POST /ignore HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na", id="a write"),
        pytest.param(b"GET /ignore HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n", id="a body that is to come"),
    ],
)
async def test_another_request_for_the_path_is_answered_in_a_task(sent: bytes) -> None:
    connection, transport = connect(Immediate(EchoApp()))
    connection.data_received(sent)
    assert not transport.written
    await settle()
    assert transport.written.startswith(b"HTTP/1.1 200 ")
    connection.connection_lost(None)


async def test_requests_that_come_with_it_are_answered_in_order() -> None:
    app = EchoApp()
    connection, transport = connect(Immediate(app))
    connection.data_received(HEAD % b"/ignore" * 3)
    assert transport.written.count(b"HTTP/1.1 200 ") == 1
    await settle()
    assert transport.written.count(b"HTTP/1.1 200 ") == 3
    connection.data_received(HEAD % b"/ignore" + b"\0")
    assert transport.written.count(b"HTTP/1.1 200 ") == 4
    assert b"HTTP/1.1 400 " in transport.written and transport.ended
    await settle()


async def test_an_application_that_waits_after_all_is_a_fault_of_ours(caplog: pytest.LogCaptureFixture) -> None:
    app = EchoApp()
    connection, transport = connect(Immediate(app))
    with caplog.at_level(logging.ERROR):
        connection.data_received(HEAD % b"/watch")
    assert transport.written.startswith(b"HTTP/1.1 500 ") and transport.ended
    assert "the answer to /watch must not wait" in caplog.text
    assert not app.running
    await settle()


@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_health_never_waits(world: World, method: str) -> None:
    """Also not for what a client adds to it."""
    app = world.app
    acceptor = Immediate(app.gate)
    acceptor.limits = server._server(app, app.settings).limits
    assert b"/health" in acceptor.limits.immediate <= acceptor.limits.urgent
    connection, transport = connect(acceptor)
    for extra in (b"", b"Cookie: a=b\r\nOrigin: http://b\r\n", b"Expect: 100-continue\r\n", b"X: a\r\n" * 20):
        transport.written.clear()
        connection.data_received(
            f"{method} /health HTTP/1.1\r\nHost: a\r\nX-Request-Id: seven\r\n".encode() + extra + b"\r\n"
        )
        assert transport.written.startswith(b"HTTP/1.1 200 ")
        assert b"x-request-id: seven\r\n" in transport.written and not transport.ended
        assert not app.gate.active
    (counted,) = [row for row in route_figures([app.metrics.families()]) if row.route == "/health"]
    assert counted.count == 4
    connection.connection_lost(None)
