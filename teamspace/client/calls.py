"""A call of the API: what is sent, and how the response is read. No input or output happens here."""

import uuid
from collections.abc import Mapping
from typing import Any, Generic, TypeVar
from urllib.parse import quote, urlencode

import msgspec
from msgspec import UNSET, UnsetType

from teamspace.client.errors import BadResponse

T = TypeVar("T")
JSON = "application/json"
EVENTS = "text/event-stream"
ACCEPT_EVENTS = {"accept": EVENTS}


class Call(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """One call. A value that is UNSET is not sent, so that the server's default holds."""

    method: str
    path: str
    """Percent-encoded, without the query."""
    answer: Any = None
    """The type of the response body: what its JSON is decoded to, bytes for other content, None if there is none."""
    query: Mapping[str, Any] = {}
    body: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = {}
    upload: Any = None
    """A body of bytes, instead of `body`."""
    one_shot: bool = False
    """The upload can only be read once."""
    harmless: bool = False
    """A second time has no effect, although the method does not promise that."""

    @property
    def repeatable(self) -> bool:
        """Whether it may be sent again if nobody knows whether it took effect.

        With `If-Match` it may not: the repeat of a write that took effect would be refused because of it.
        """
        if self.method == "GET":
            return True
        if self.one_shot or "if-match" in self.headers or "if-none-match" in self.headers:
            return False
        return self.method in ("PUT", "DELETE") or "idempotency-key" in self.headers or self.harmless

    @property
    def target(self) -> str:
        """Path and query."""
        pairs = [
            (name, _text(one))
            for name, value in self.query.items()
            if value is not UNSET and value is not None
            for one in (value if isinstance(value, list | tuple) else (value,))
        ]
        return f"{self.path}?{urlencode(pairs)}" if pairs else self.path

    def encode(self) -> bytes | None:
        """Return the JSON body; None if there is none."""
        if self.body is None:
            return None
        return msgspec.json.encode({name: value for name, value in self.body.items() if value is not UNSET})

    def with_headers(self, headers: Mapping[str, str]) -> "Call[T]":
        return msgspec.structs.replace(self, headers={**self.headers, **headers})

    def with_query(self, **query: Any) -> "Call[T]":
        return msgspec.structs.replace(self, query={**self.query, **query})

    def read(self, status: int, body: bytes) -> T:
        """Return the decoded response body."""
        if self.answer is None or status == 204:
            return None  # type: ignore[return-value]
        if self.answer is bytes:
            return body  # type: ignore[return-value]
        try:
            decoded: T = _decoder(self.answer).decode(body)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as fault:
            raise BadResponse(f"the response is not what the API sends: {fault}", status=status) from None
        return decoded


_decoders: dict[Any, msgspec.json.Decoder[Any]] = {}


def _decoder(answer: Any) -> msgspec.json.Decoder[Any]:
    if answer not in _decoders:
        _decoders[answer] = msgspec.json.Decoder(answer)
    return _decoders[answer]


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def segment(value: str) -> str:
    """Encode one part of a path."""
    if not value:
        raise ValueError("a part of the path is empty")
    # Dots alone would be resolved, and the request would go to another path.
    return value.replace(".", "%2E") if value in (".", "..") else quote(value, safe="")


def rest(value: str) -> str:
    """Encode the end of a path, which may contain slashes."""
    return "/".join(segment(part) if part else "" for part in value.split("/"))


def keyed(key: str | None) -> dict[str, str]:
    """Return the header with which a repeat takes effect once: with the caller's key, or a new one."""
    return {"idempotency-key": key or uuid.uuid4().hex}


def matching(version: int | None) -> dict[str, str]:
    """Return the header of a write that requires a version."""
    return {} if version is None else {"if-match": f'"{version}"'}


def unless_exists(only_new: bool) -> dict[str, str]:
    """Return the header of a write that must not replace anything."""
    return {"if-none-match": "*"} if only_new else {}


def flag(value: bool) -> str | UnsetType:
    """Return a query parameter that is present or not."""
    return "1" if value else UNSET
