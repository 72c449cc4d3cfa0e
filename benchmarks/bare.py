"""The baseline: a minimal ASGI application that answers one fixed note."""

from collections.abc import Awaitable, Callable
from typing import Any

from benchmarks.notes import ANSWER

Send = Callable[[dict[str, Any]], Awaitable[None]]

START = {
    "type": "http.response.start",
    "status": 200,
    "headers": [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(ANSWER)).encode()),
    ],
}
BODY = {"type": "http.response.body", "body": ANSWER}


async def app(scope: dict[str, Any], receive: object, send: Send) -> None:
    await send(START)
    await send(BODY)
