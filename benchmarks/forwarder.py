"""Teamspace's HTTP server and its HTTP client, with nothing between them: the least that a chat could take.

`python -m benchmarks.forwarder PORT UPSTREAM_PORT`. It forwards every request to the model server as it is, and knows
no tokens, limits, jobs or database.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import uvloop

from teamspace.core.egress import INSTANCE, Egress, NetworkReach, OutgoingRequest
from teamspace.core.wire import Server, WireLimits

Call = Callable[..., Awaitable[Any]]


class Forwarder:
    def __init__(self, upstream: int) -> None:
        self._address = f"http://127.0.0.1:{upstream}"
        self._egress = Egress()

    async def __call__(self, scope: MutableMapping[str, Any], receive: Call, send: Call) -> None:
        if scope["type"] != "http":
            return
        request = OutgoingRequest(
            scope["method"], self._address + scope["raw_path"].decode(), NetworkReach.ANY, INSTANCE,
            {"content-type": "application/json"}, await _read_body(scope["method"], receive),
        )  # fmt: skip
        async with self._egress.stream(request) as response:
            kept = [(name.encode(), value.encode()) for name, value in response.headers.items() if name in _KEPT]
            await send({"type": "http.response.start", "status": response.status, "headers": kept})
            async for piece in response:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b""})


_KEPT = frozenset({"content-type", "content-length"})


async def _read_body(method: str, receive: Call) -> bytes:
    body, more = b"", method == "POST"
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body


async def main(port: int, upstream: int) -> None:
    await Server(Forwarder(upstream), limits=WireLimits()).listen("127.0.0.1", port)
    await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(main(int(sys.argv[1]), int(sys.argv[2])))
