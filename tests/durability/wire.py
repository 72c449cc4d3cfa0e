"""A minimal HTTP/1.1 client that knows whether a request was sent and whether its answer is complete."""

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.support.served import HOST

PATIENCE = 30.0
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


class Unreachable(Exception):
    """There was no connection: nothing was sent."""


class Unanswered(Exception):
    """The request was sent, at least in part, and the connection ended before the answer was complete."""


class Silent(Exception):
    """The request was sent, the connection is open, and there was no answer within the time limit."""


@dataclass(frozen=True)
class Answer:
    status: int
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body) if self.body else None

    def __str__(self) -> str:
        return f"{self.status} {self.body[:400].decode(errors='replace')}"


class Connection:
    """One keep-alive connection, with one request on it at a time."""

    def __init__(self, port: int, token: str = "") -> None:
        self.token = token
        self.port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def open(self) -> None:
        if self._streams is None:
            try:
                self._streams = await asyncio.open_connection(HOST, self.port)
            except OSError as fault:
                raise Unreachable from fault

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].transport.abort()
            self._streams = None

    async def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        await self.open()
        assert self._streams is not None
        reader, writer = self._streams
        try:
            async with asyncio.timeout(PATIENCE):
                writer.write(self._request(method, path, body, headers or {}))
                return await _answer(reader)
        except TimeoutError as fault:
            self.close()
            raise Silent from fault
        except (OSError, asyncio.IncompleteReadError) as fault:
            self.close()
            raise Unanswered from fault
        except BaseException:
            self.close()
            raise

    def _request(self, method: str, path: str, body: Any, headers: Mapping[str, str]) -> bytes:
        """Send bytes as they are, anything else as JSON."""
        raw = isinstance(body, bytes)
        content = body if raw else b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} {path} HTTP/1.1", f"host: {HOST}", f"content-length: {len(content)}"]
        if content:
            lines.append(f"content-type: application/{'octet-stream' if raw else 'json'}")
        if self.token:
            lines.append(f"authorization: Bearer {self.token}")
        lines += [f"{name}: {value}" for name, value in headers.items()]
        return "\r\n".join([*lines, "", ""]).encode() + content


async def _answer(reader: asyncio.StreamReader) -> Answer:
    head = await reader.readuntil(b"\r\n\r\n")
    length = _LENGTH.search(head)
    body = await reader.readexactly(int(length[1])) if length else b""
    return Answer(int(head[9:12]), body)
