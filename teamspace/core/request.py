"""One HTTP request: headers read once, a body read within its limits, and the caller's address."""

import asyncio
import contextlib
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping, Sequence
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from teamspace.core import json_body
from teamspace.core.departure import Departure, Disconnected
from teamspace.core.errors import BadRequest, HeadersTooLarge, TooLarge, Unauthenticated, UnsupportedType
from teamspace.core.ids import new_id

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]

MOST_HEADER_BYTES = 16 * 1024
MOST_URL_BYTES = 8 * 1024
STALL_SECONDS, SLOWEST_BYTES = 30.0, 1024
"""How long a body may pause, and how many bytes a second it must bring beyond that."""
MOST_DRAINED, DRAIN_SECONDS = 16 * 1024 * 1024, 2.0
_SANE_ID = re.compile(rb"[A-Za-z0-9._-]{1,128}")
_HOST = re.compile(rb"([a-z0-9.-]{1,253}?|\[[0-9a-f:.]+\])\.?(?::\d+)?")
_QUALITY = re.compile(r"\bq=([01](?:\.\d{0,3})?)")
_SINGLE = frozenset({b"authorization", b"content-length", b"content-type", b"idempotency-key", b"host"})


class Match(msgspec.Struct, frozen=True):
    """The caller's preconditions on a write."""

    if_match: frozenset[str] | None = None
    if_none_match: frozenset[str] | None = None

    @property
    def version(self) -> int | None:
        """The version the write depends on; 0, which nothing has, when no version could satisfy the caller."""
        if self.if_none_match is not None and "*" in self.if_none_match:
            return 0
        if self.if_match is None or "*" in self.if_match:
            return None
        versions = [int(tag) for tag in self.if_match if tag.isascii() and tag.isdigit() and len(tag) < 16]
        return versions[0] if len(versions) == 1 else 0


class Request:
    __slots__ = (
        "_begun",
        "_more",
        "_receive",
        "_repeated",
        "_size",
        "address",
        "departure",
        "headers",
        "id",
        "method",
        "path",
        "query",
        "sent",
    )

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self.method: str = scope["method"]
        raw: bytes = scope.get("raw_path") or scope["path"].encode()
        self.path = raw.partition(b"?")[0].decode("latin-1")
        self.query: bytes = scope["query_string"]
        self.sent: Sequence[tuple[bytes, bytes]] = scope["headers"]
        """Every header as it came, one that was repeated as often as it was."""
        self.headers: dict[bytes, bytes] = {}
        self.address: str = scope["client"][0] if scope.get("client") else ""
        self._receive = receive
        self.departure = Departure(receive)
        """For when the body is read: what is left of it would be lost."""
        self._more = scope["method"] not in ("GET", "HEAD")
        self._begun, self._size, self._repeated = False, 0, b""
        for name, value in scope["headers"]:
            if name in self.headers and name in _SINGLE:
                self._repeated = name
            self.headers[name] = value
            self._size += len(name) + len(value)
        given = self.headers.get(b"x-request-id")
        self.id = given.decode() if given and _SANE_ID.fullmatch(given) else new_id()

    def check(self) -> None:
        """Refuse what no honest client sends, before anything is done with it."""
        if self._repeated:
            raise BadRequest(f"The header {self._repeated.decode()} was sent more than once.")
        if self._size > MOST_HEADER_BYTES:
            raise HeadersTooLarge(f"The headers may hold {MOST_HEADER_BYTES} bytes.")
        if len(self.path) + len(self.query) > MOST_URL_BYTES:
            raise BadRequest(f"The address may hold {MOST_URL_BYTES} bytes.")

    def bearer(self) -> str:
        """The token of the Authorization header; there is no other place for one."""
        header = self.headers.get(b"authorization")
        if header is None:
            raise Unauthenticated()
        scheme, _, token = header.decode("latin-1").partition(" ")
        if scheme.lower() != "bearer" or not token or " " in token or "," in token:
            raise Unauthenticated()
        return token

    @property
    def host(self) -> str:
        """The hostname the client asked for, in lower case and without a port."""
        return _hostname(self.headers.get(b"host", b""))

    @property
    def forwarded_host(self) -> str:
        """The same, as a proxy tells it; only for a proxy that is trusted."""
        return _hostname(self.headers.get(b"x-forwarded-host", b"").partition(b",")[0])

    @property
    def accept(self) -> str:
        """The media type that the client would like best, without parameters; empty when any will do."""
        best, weight = "", 0.0
        for part in self.headers.get(b"accept", b"").decode("latin-1").lower().split(","):
            kind, _, parameters = part.partition(";")
            quality = _quality(parameters)
            if quality > weight:
                best, weight = kind.strip(), quality
        return "" if best == "*/*" else best

    @property
    def agent(self) -> str:
        return self.headers.get(b"user-agent", b"").decode("latin-1")

    @property
    def length(self) -> int | None:
        """How many bytes the body is to have; None when nobody says."""
        declared = self.headers.get(b"content-length", b"")
        return int(declared) if declared.isdigit() and len(declared) < 20 else None

    def parameters(self) -> dict[str, list[str]]:
        values: dict[str, list[str]] = {}
        try:
            pairs = parse_qsl(self.query.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=100)
        except ValueError:
            raise BadRequest("The query is not valid: percent-encoded UTF-8, at most 100 fields.") from None
        for name, value in pairs:
            if "\0" in value:
                raise BadRequest.at(name, "holds a NUL character")
            values.setdefault(name, []).append(value)
        return values

    def match(self) -> Match:
        return Match(self._tags(b"if-match"), self._tags(b"if-none-match"))

    def _tags(self, name: bytes) -> frozenset[str] | None:
        header = self.headers.get(name)
        if header is None:
            return None
        tags = (tag.strip().removeprefix("W/").strip('"') for tag in header.decode("latin-1").split(","))
        return frozenset(tags)

    async def chunks(self, limit: int) -> AsyncIterator[bytes]:
        """The body as it comes: never more than `limit` bytes, never slower than a stall allows."""
        declared = self.headers.get(b"content-length", b"0")
        if declared.isdigit() and int(declared) > limit:
            raise TooLarge(f"The body may hold {limit} bytes.")
        total, started = 0, time.monotonic()
        while self._more:
            chunk = await self._next(STALL_SECONDS)
            total += len(chunk)
            if time.monotonic() - started > STALL_SECONDS + total / SLOWEST_BYTES:
                raise Disconnected
            if total > limit:
                raise TooLarge(f"The body may hold {limit} bytes.")
            if chunk:
                yield chunk

    async def _next(self, patience: float) -> bytes:
        self._begun = True
        try:
            async with asyncio.timeout(patience):
                message = await self._receive()
        except TimeoutError:
            raise Disconnected from None
        if message["type"] == "http.disconnect":
            raise Disconnected
        self._more = message.get("more_body", False)
        chunk: bytes = message.get("body", b"")
        return chunk

    @property
    def is_awaited(self) -> bool:
        """Whether the client has sent no body yet and waits for a word before it does."""
        return b"expect" in self.headers and self._more and not self._begun

    async def drain(self) -> None:
        """Take in what is left of a refused body, within reason: a connection cut while the client still
        writes would cost it the answer."""
        if self.is_awaited:
            return
        left = MOST_DRAINED
        with contextlib.suppress(Disconnected, TimeoutError):
            async with asyncio.timeout(DRAIN_SECONDS):
                while self._more and left > 0:
                    left -= len(await self._next(DRAIN_SECONDS))
        self._more = False

    async def json(self, limit: int) -> bytes:
        """The body of a JSON route; nothing at all counts as an empty object."""
        kind = self.headers.get(b"content-type", b"application/json").partition(b";")[0].strip().lower()
        body = b"".join([chunk async for chunk in self.chunks(limit)])
        if body and kind != b"application/json":
            raise UnsupportedType("Send the body as application/json.")
        if body:
            await json_body.check(body)
        return body or b"{}"


def _quality(parameters: str) -> float:
    match = _QUALITY.search(parameters)
    return float(match[1]) if match else 1.0


def _hostname(header: bytes) -> str:
    match = _HOST.fullmatch(header.strip().lower())
    return match[1].decode() if match else ""
