"""A request whose client can disconnect at any moment."""

import asyncio
from collections.abc import MutableMapping
from typing import Any

import msgspec

from tests.support.world import World

Message = MutableMapping[str, Any]


class LeavingClient:
    """Sends one POST over ASGI."""

    def __init__(self, world: World, token: str | None, path: str, body: Any) -> None:
        self.gone, self.sent = asyncio.Event(), list[Message]()
        self._body: bytes | None = msgspec.json.encode(body)
        scope = {
            "type": "http", "method": "POST", "path": path, "query_string": b"",
            "headers": [(b"authorization", f"Bearer {token}".encode())], "client": ("127.0.0.1", 50000),
        }  # fmt: skip
        self.task = asyncio.create_task(world.app.gate(scope, self._receive, self._send))

    async def _receive(self) -> Message:
        if (body := self._body) is not None:
            self._body = None
            return {"type": "http.request", "body": body, "more_body": False}
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        self.sent.append(message)
