"""An HTTP request: parsed headers, and a body that is read within limits of size and time."""

import asyncio
import contextlib
import re
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, MutableMapping, Sequence
from itertools import chain
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from teamspace.core import accept, json_body
from teamspace.core.disconnect import Disconnected, DisconnectWatch
from teamspace.core.errors import BadRequest, HeadersTooLarge, TooLarge, Unauthenticated, UnsupportedType
from teamspace.core.ids import new_id
from teamspace.core.sender import Sender

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]

MAX_HEADER_BYTES = 16 * 1024
MAX_URL_BYTES = 8 * 1024
MAX_LANGUAGES = MAX_ENCODINGS = 10
STALL_SECONDS, SLOWEST_BYTES = 30.0, 1024
"""How many bytes per second a body must deliver, after the first seconds. The HTTP server ends one that pauses."""
MAX_DRAINED, DRAIN_SECONDS = 16 * 1024 * 1024, 2.0
_REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,128}")
_HOST = re.compile(rb"([a-z0-9.-]{1,253}?|\[[0-9a-f:.]+\])\.?(?::\d+)?")
_QUALITY = re.compile(r"\bq=([01](?:\.\d{0,3})?)")
_SENT_ONCE = frozenset({b"authorization", b"content-length", b"content-type", b"idempotency-key", b"host"})


class Match(msgspec.Struct, frozen=True):
    """The preconditions of a request."""

    if_match: frozenset[str] | None = None
    if_none_match: frozenset[str] | None = None

    @property
    def version(self) -> int | None:
        """The version that a write requires; 0, which never exists, if no version can satisfy the preconditions."""
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
        "address",
        "disconnect",
        "headers",
        "id",
        "method",
        "path",
        "query",
        "raw_headers",
        "received",
        "waited",
    )

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self.method: str = scope["method"]
        raw: bytes = scope.get("raw_path") or scope["path"].encode()
        self.path = raw.partition(b"?")[0].decode("latin-1")
        self.query: bytes = scope["query_string"]
        self.raw_headers: Sequence[tuple[bytes, bytes]] = scope["headers"]
        """All headers as received, including repeated ones."""
        self.headers: dict[bytes, bytes] = dict(self.raw_headers)
        self.address: str = scope["client"][0] if scope.get("client") else ""
        self._receive = receive
        self.disconnect = DisconnectWatch(receive)
        """Use it only after the body was read: watching discards the rest of the body."""
        self._more = scope["method"] not in ("GET", "HEAD")
        self._begun = False
        self.received = 0
        """How many bytes of the body have arrived."""
        self.waited: float = scope.get("waited", 0.0)
        """Seconds from its arrival to its turn."""
        request_id = self.headers.get(b"x-request-id")
        self.id = request_id.decode() if request_id and _REQUEST_ID.fullmatch(request_id) else new_id()

    def check(self) -> None:
        """Refuse repeated headers, and headers or a URL that are too long, before processing the request."""
        if len(self.headers) < len(self.raw_headers):
            self._check_repeated()
        if sum(map(len, chain.from_iterable(self.raw_headers))) > MAX_HEADER_BYTES:
            raise HeadersTooLarge("request.headers_too_long", limit=MAX_HEADER_BYTES)
        if len(self.path) + len(self.query) > MAX_URL_BYTES:
            raise BadRequest("request.url_too_long", limit=MAX_URL_BYTES)

    def _check_repeated(self) -> None:
        names = Counter(name for name, _ in self.raw_headers)
        for name in _SENT_ONCE:
            if names[name] > 1:
                raise BadRequest("request.repeated_header", header=name.decode())

    def bearer(self) -> str:
        """Return the token of the Authorization header, the only place for one."""
        header = self.headers.get(b"authorization")
        if header is None:
            raise Unauthenticated()
        scheme, _, token = header.decode("latin-1").partition(" ")
        if scheme.lower() != "bearer" or not token or " " in token or "," in token:
            raise Unauthenticated()
        return token

    @property
    def host(self) -> str:
        """The hostname of the request, in lower case and without a port."""
        return _hostname(self.headers.get(b"host", b""))

    @property
    def forwarded_host(self) -> str:
        """The hostname in X-Forwarded-Host; use it only if the proxy is trusted."""
        return _hostname(self.headers.get(b"x-forwarded-host", b"").partition(b",")[0])

    def prefers(self, offered: Sequence[str]) -> str:
        """Return which of these media types the client prefers; the first one if it names none of them."""
        sent = b",".join(value for name, value in self.raw_headers if name == b"accept")
        return accept.choose(sent.decode("latin-1"), offered)

    @property
    def languages(self) -> list[str]:
        """The languages that the client prefers, best first, without the one for any other."""
        header = self.headers.get(b"accept-language", b"").decode("latin-1")
        parts = [part.partition(";") for part in header.split(",", MAX_LANGUAGES)[:MAX_LANGUAGES]]
        weighed = [(_quality(parameters), name.strip()) for name, _, parameters in parts]
        ranked = sorted((each for each in weighed if each[0] > 0), key=lambda each: -each[0])
        return [name for _, name in ranked if name not in ("", "*")]

    @property
    def encodings(self) -> frozenset[str]:
        """The content encodings that the client accepts."""
        header = self.headers.get(b"accept-encoding", b"").decode("latin-1").lower()
        parts = [part.partition(";") for part in header.split(",", MAX_ENCODINGS)[:MAX_ENCODINGS]]
        return frozenset(name.strip() for name, _, parameters in parts if _quality(parameters) > 0)

    @property
    def cookies(self) -> dict[str, str]:
        pairs = (part.partition("=") for part in self.headers.get(b"cookie", b"").decode("latin-1").split(";"))
        return {name.strip(): value.strip() for name, _, value in pairs}

    @property
    def sender(self) -> Sender:
        names = (b"origin", b"sec-fetch-site", b"host", b"x-requested-by", b"content-type")
        return Sender(*(self.headers.get(name, b"").decode("latin-1").strip().lower() for name in names))

    @property
    def agent(self) -> str:
        return self.headers.get(b"user-agent", b"").decode("latin-1")

    @property
    def length(self) -> int | None:
        """The declared size of the body in bytes; None if it is not declared."""
        declared = self.headers.get(b"content-length", b"")
        return int(declared) if declared.isdigit() and len(declared) < 20 else None

    def parameters(self) -> dict[str, list[str]]:
        values: dict[str, list[str]] = {}
        try:
            pairs = parse_qsl(self.query.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=100)
        except ValueError:
            raise BadRequest("request.query") from None
        for name, value in pairs:
            if "\0" in value:
                raise BadRequest.at(name, "value.nul")
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

    async def chunks(self, limit: int) -> AsyncGenerator[bytes, None]:
        """Yield the body as it arrives; refuse more than `limit` bytes, and disconnect a client that stalls."""
        declared = self.headers.get(b"content-length", b"0")
        if declared.isdigit() and int(declared) > limit:
            raise TooLarge("request.body_too_large", limit=limit)
        total, started = 0, time.monotonic()
        while self._more:
            chunk = await self._next()
            total += len(chunk)
            if time.monotonic() - started > STALL_SECONDS + total / SLOWEST_BYTES:
                raise Disconnected
            if total > limit:
                raise TooLarge("request.body_too_large", limit=limit)
            if chunk:
                yield chunk

    async def _next(self) -> bytes:
        self._begun = True
        message = await self._receive()
        if message["type"] == "http.disconnect":
            raise Disconnected
        self._more = message.get("more_body", False)
        chunk: bytes = message.get("body", b"")
        self.received += len(chunk)
        return chunk

    @property
    def expects_continue(self) -> bool:
        """Whether the client waits for `100 Continue` and has not sent the body yet."""
        return b"expect" in self.headers and self._more and not self._begun

    async def drain(self) -> None:
        """Read the rest of a refused body, within limits: if the connection closes while the client still
        writes, it does not get the response."""
        if not self._more or self.expects_continue:
            return
        left = MAX_DRAINED
        with contextlib.suppress(Disconnected, TimeoutError):
            async with asyncio.timeout(DRAIN_SECONDS):
                while self._more and left > 0:
                    left -= len(await self._next())
        self._more = False

    async def json(self, limit: int) -> bytes:
        """Return the JSON body; an empty one counts as an empty object."""
        kind = self.headers.get(b"content-type", b"application/json").partition(b";")[0].strip().lower()
        body = b"".join([chunk async for chunk in self.chunks(limit)])
        if body and kind != b"application/json":
            raise UnsupportedType("request.content_type")
        if body:
            await json_body.check(body)
        return body or b"{}"


def _quality(parameters: str) -> float:
    match = _QUALITY.search(parameters)
    return float(match[1]) if match else 1.0


def _hostname(header: bytes) -> str:
    match = _HOST.fullmatch(header.strip().lower())
    return match[1].decode() if match else ""
