"""A model server that answers every chat at once with the same text: what is measured in front of it is the gateway.

`python -m benchmarks.upstream PORT`.
"""

import asyncio
import json
import sys
from typing import Any, cast

import uvloop

from benchmarks.load import HEAD_END, whole

MODEL = "constant"
WORDS = 20
"""Tokens of a streamed answer."""
GAP = 0.005
"""Seconds between two of them, so that each arrives alone, as those of a model do."""
_ABOUT = {"id": "chatcmpl-1", "created": 1_700_000_000, "model": MODEL}
_USAGE = {"prompt_tokens": 20, "completion_tokens": WORDS, "total_tokens": 20 + WORDS}


def _response(body: bytes) -> bytes:
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}"
    return head.encode() + HEAD_END + body


def _event(data: bytes) -> bytes:
    """One server-sent event, as a chunk of a response."""
    return b"%x\r\ndata: %s\n\n\r\n" % (len(data) + 8, data)


def _chunk(choices: list[dict[str, Any]], **more: Any) -> bytes:
    return _event(json.dumps({**_ABOUT, "object": "chat.completion.chunk", "choices": choices, **more}).encode())


def _delta(delta: dict[str, str], finish_reason: str | None = None) -> bytes:
    return _chunk([{"index": 0, "delta": delta, "finish_reason": finish_reason}])


_MESSAGE = {"role": "assistant", "content": " word" * WORDS}
ANSWER = _response(
    json.dumps(
        {**_ABOUT, "object": "chat.completion", "usage": _USAGE,
         "choices": [{"index": 0, "message": _MESSAGE, "finish_reason": "stop"}]}
    ).encode()
)  # fmt: skip
MODELS = _response(json.dumps({"object": "list", "data": [{"id": MODEL, "object": "model"}]}).encode())
STREAM_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked" + HEAD_END
STREAM = [
    _delta({"role": "assistant", "content": ""}),
    *[_delta({"content": " word"}) for _ in range(WORDS)],
    _delta({}, "stop") + _chunk([], usage=_USAGE) + _event(b"[DONE]") + b"0\r\n\r\n",
]


class Connection(asyncio.Protocol):
    def __init__(self) -> None:
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._received += data
        head = self._received.find(HEAD_END)
        if head < 0 or len(self._received) < (whole(self._received) or head):
            return
        request, self._received = self._received, b""
        if request.startswith(b"GET"):
            self._transport.write(MODELS)
        elif b'"stream":true' in request.replace(b'"stream": true', b'"stream":true'):
            self._transport.write(STREAM_HEAD)
            self._send(0)
        else:
            self._transport.write(ANSWER)

    def _send(self, number: int) -> None:
        self._transport.write(STREAM[number])
        if number + 1 < len(STREAM):
            asyncio.get_running_loop().call_later(GAP, self._send, number + 1)


async def serve(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(serve(int(sys.argv[1])))
