"""Plain requests to an app in this process, in half the time that httpx2's client takes to prepare one."""

import asyncio
import json
import re
from collections.abc import Mapping
from typing import Any

import httpx2

_PLAIN_ADDRESS = re.compile(r"/[\w/.~-]*(\?[\w/.~=&-]*)?", re.ASCII)
_WITH_BODY = ("POST", "PUT", "PATCH")


class PlainResponse(httpx2.Response):
    """A response whose request is made only if a test asks for it."""

    asked: tuple[str, str]
    path: str

    @property  # type: ignore[misc]
    def request(self) -> httpx2.Request:
        return httpx2.Request(*self.asked)


def path_of(response: httpx2.Response) -> str:
    """The path that was asked for, without parsing the URL of a plain request."""
    return response.path if isinstance(response, PlainResponse) else response.request.url.path


def is_plain(path: str, headers: Mapping[str, str], options: Mapping[str, Any]) -> bool:
    """Whether nothing has to be quoted, encoded or followed."""
    return not options and bool(_PLAIN_ADDRESS.fullmatch(path)) and "".join(headers.values()).isascii()


async def send_plain(
    client: httpx2.AsyncClient, method: str, path: str, body: Any, headers: Mapping[str, str]
) -> httpx2.Response:
    """Send what the client would send to its app: JSON, or nothing."""
    transport = client._transport
    assert isinstance(transport, httpx2.ASGITransport)
    content = b"" if body is None else json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    address, _, query = path.partition("?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "headers": _headers(client, method, headers, None if body is None else content),
        "scheme": client.base_url.scheme,
        "path": address,
        "raw_path": address.encode(),
        "query_string": query.encode(),
        "server": (client.base_url.host, client.base_url.port),
        "client": transport.client,
        "root_path": "",
    }
    exchange = _Exchange(content)
    await transport.app(scope, exchange.receive, exchange.send)
    assert exchange.ended.is_set()
    received = httpx2.ByteStream(b"" if method == "HEAD" else b"".join(exchange.parts))
    response = PlainResponse(exchange.start["status"], headers=exchange.start["headers"], stream=received)
    response.path = address
    response.asked = (method, f"{client.base_url.scheme}://{client.base_url.host}{path}")
    response.read()
    return response


def _headers(
    client: httpx2.AsyncClient, method: str, given: Mapping[str, str], content: bytes | None
) -> list[tuple[bytes, bytes]]:
    headers = {b"host": client.base_url.netloc, **{name.lower(): value for name, value in client.headers.raw}}
    if content is not None or method in _WITH_BODY:
        headers[b"content-length"] = str(len(content or b"")).encode()
    if content is not None:
        headers[b"content-type"] = b"application/json"
    return list((headers | {name.lower().encode(): value.encode() for name, value in given.items()}).items())


class _Exchange:
    """One request and its response, as ASGI messages."""

    def __init__(self, content: bytes) -> None:
        self.start: dict[str, Any] = {}
        self.parts: list[bytes] = []
        self.ended = asyncio.Event()
        self._content: bytes | None = content

    async def receive(self) -> dict[str, Any]:
        if self._content is None:
            await self.ended.wait()
            return {"type": "http.disconnect"}
        content, self._content = self._content, None
        return {"type": "http.request", "body": content, "more_body": False}

    async def send(self, message: Any) -> None:
        assert not self.ended.is_set()
        if message["type"] == "http.response.start":
            assert not self.start
            self.start = message
            return
        self.parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            self.ended.set()
