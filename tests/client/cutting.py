"""A TCP proxy that cuts connections at a chosen byte."""

import contextlib
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, NamedTuple

Direction = Literal["request", "response"]


class Cut(NamedTuple):
    """Where a connection breaks: after this many bytes of one direction."""

    direction: Direction
    after: int


class CuttingProxy:
    """Forwards to a port. Each of the next connections breaks where `cuts` says; later ones are not cut."""

    def __init__(self, target: int) -> None:
        self._target = target
        self.cuts: list[Cut] = []
        self.connections = 0
        self.passed = {"request": 0, "response": 0}
        """Bytes forwarded in each direction, by all connections."""
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                self.connections += 1
                far = socket.create_connection(("127.0.0.1", self._target))
                cut = self.cuts.pop(0) if self.cuts else None
                for source, sink, direction in ((near, far, "request"), (far, near, "response")):
                    budget = cut.after if cut and cut.direction == direction else None
                    threading.Thread(target=self._copy, args=(source, sink, direction, budget), daemon=True).start()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _copy(self, source: socket.socket, sink: socket.socket, direction: str, budget: int | None) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                allowed = data if budget is None else data[:budget]
                sink.sendall(allowed)
                self.passed[direction] += len(allowed)
                if budget is not None:
                    budget -= len(allowed)
                    if budget <= 0:
                        _reset(source)
                        _reset(sink)
                        return
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_WR)


def _reset(connection: socket.socket) -> None:
    """Close with a reset, so that both ends notice at once."""
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()


@contextmanager
def cutting(target: int) -> Iterator[CuttingProxy]:
    proxy = CuttingProxy(target)
    thread = threading.Thread(target=proxy.serve, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.close()
        thread.join()
