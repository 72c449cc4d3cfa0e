"""A model server that follows a script: it speaks OpenAI's protocol over HTTP, streamed or not, and can fail like real ones.

    async with ModelServer() as server:
        server.script([calls(("search", {"query": "boats"})), says("Three boats."), rate_limited(), stalls("Half")])

Each chat request takes the next step; after the last one the server says "Hi". `server.requests` has what was received.
"""

import asyncio
import json
from collections.abc import Iterable
from typing import Any

from tests.support.upstream import (
    DONE,
    Behaviour,
    ReceivedRequest,
    Upstream,
    chunks,
    completion,
    cut_off,
    delta,
    event,
    reply,
    silent,
    status,
)

_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
Tokens = dict[str, int]
_USAGE: Tokens = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}


class ModelServer(Upstream):
    def __init__(self, **more: Any) -> None:
        super().__init__(self._next, **more)
        self._steps: list[Behaviour] = []

    def script(self, steps: Iterable[Behaviour]) -> None:
        """Replace the steps that are left."""
        self._steps = list(steps)

    @property
    def bodies(self) -> list[Any]:
        """The bodies of the chat requests."""
        return [json.loads(request.body) for request in self.chat_requests()]

    @property
    def images(self) -> list[str]:
        """The URLs of the images that were received."""
        contents = [message.get("content") for body in self.bodies for message in body["messages"]]
        parts = [part for content in contents if isinstance(content, list) for part in content]
        return [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]

    async def _next(self, request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
        step = self._steps.pop(0) if self._steps and request.method == "POST" else completion()
        await step(request, writer)


def says(text: str, *, usage: Tokens | None = _USAGE, pause: float = 0.0, finish: str = "stop") -> Behaviour:
    """Answer with a text, word by word if the request is streamed; `pause` makes the tokens slow."""
    message = {"role": "assistant", "content": text}
    return _answer(message, [delta(word) for word in _words(text)], finish, usage=usage, pause=pause)


def writes(value: Any) -> Behaviour:
    """Answer with JSON."""
    return says(json.dumps(value))


def calls(
    *wanted: tuple[str, Any], text: str = "", fragment: int = 6, usage: Tokens | None = _USAGE
) -> Behaviour:  # fmt: skip
    """Call tools by name and arguments, after a text; streamed arguments come in fragments, as real servers send them."""
    whole, events = [], [delta(word) for word in _words(text)]
    for index, (name, arguments) in enumerate(wanted):
        written = arguments if isinstance(arguments, str) else json.dumps(arguments)
        function = {"name": name, "arguments": written}
        whole.append({"id": f"call_{name}_{index}", "type": "function", "function": function})
        events.append(_called({"index": index, **whole[-1], "function": {"name": name, "arguments": ""}}))
        for start in range(0, len(written), fragment):
            events.append(_called({"index": index, "function": {"arguments": written[start : start + fragment]}}))
    message = {"role": "assistant", "content": text or None, "tool_calls": whole}
    return _answer(message, events, "tool_calls", usage=usage)


def translates() -> Behaviour:
    """Translate the segments of the prompt: each comes back marked with the language."""

    async def behave(request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
        prompt = str(json.loads(request.body)["messages"][-1]["content"])
        task = json.loads(prompt[prompt.index("{") : prompt.rindex("}") + 1])
        segments = [{"id": one["id"], "text": f"[{task['target']}] {one['text']}"} for one in task["segments"]]
        await writes({"segments": segments})(request, writer)

    return behave


def rate_limited(retry_after: int = 1) -> Behaviour:
    return status(429, {"error": {"message": "Slow down."}}, f"retry-after: {retry_after}\r\n")


def fails(code: int = 500) -> Behaviour:
    return status(code, {"error": {"message": "Out of memory."}})


def wrong_type() -> Behaviour:
    """Answer with a page for people, as a proxy does."""
    return status(200, b"<html>Sign in</html>", "content-type: text/html\r\n")


def stalls(text: str) -> Behaviour:
    """Stream a text and then nothing more, with the connection open."""
    return _streamed_or(silent, _then(text, silent))


def cuts(text: str) -> Behaviour:
    """Stream a text and cut the connection."""

    async def close(request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
        writer.close()

    return _streamed_or(cut_off, _then(text, close))


def garbage(text: str) -> Behaviour:
    """Stream a text and then a chunk that is no JSON."""
    broken = status(200, b'{"choices": [')
    return _streamed_or(broken, chunks(*map(delta, _words(text)), b"data: {not json}\n\n", DONE, pause=0))


def endless() -> Behaviour:
    """Stream until the client has enough."""

    async def forever(request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
        while True:
            await _send(writer, delta("word " * 100))

    return _streamed_or(silent, _then("", forever))


def _answer(
    message: dict[str, Any], events: list[bytes], finish: str, *, usage: Tokens | None = _USAGE, pause: float = 0.0
) -> Behaviour:  # fmt: skip
    async def whole(request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(pause * len(events))
        choice = {"index": 0, "message": message, "finish_reason": finish}
        reported = {"usage": usage} if usage else {}
        await reply(writer, 200, {"model": "tiny", "choices": [choice], **reported})

    spent = [event({"choices": [], "usage": usage})] if usage else []
    streamed = chunks(*events, delta(finish_reason=finish), *spent, DONE, pause=pause)
    return _streamed_or(whole, streamed)


def _streamed_or(whole: Behaviour, streamed: Behaviour) -> Behaviour:
    async def behave(request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
        await (streamed if json.loads(request.body).get("stream") else whole)(request, writer)

    return behave


def _then(text: str, end: Behaviour) -> Behaviour:
    """Begin to stream, then behave."""

    async def behave(request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
        writer.write(_HEAD)
        for word in _words(text):
            await _send(writer, delta(word))
        await end(request, writer)

    return behave


async def _send(writer: asyncio.StreamWriter, piece: bytes) -> None:
    writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
    await writer.drain()


def _called(call: dict[str, Any]) -> bytes:
    return event({"model": "tiny", "choices": [{"index": 0, "delta": {"tool_calls": [call]}}]})


def _words(text: str) -> list[str]:
    first, *others = text.split(" ")
    return [first, *(f" {word}" for word in others)] if text else []
