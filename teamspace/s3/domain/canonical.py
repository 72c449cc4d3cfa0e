"""The canonical form of a request, which is signed; built from the received bytes."""

import re
from collections.abc import Mapping, Sequence
from urllib.parse import quote, unquote_to_bytes

import msgspec

from teamspace.s3.domain.errors import S3Error

_NOT_ENCODED = re.compile(rb"%(?![0-9A-Fa-f]{2})")
# ASCII only: other bytes are parts of characters.
_SPACES = re.compile(r"[ \t\n\v\f\r]+")


class RawRequest(msgspec.Struct, frozen=True):
    """A request as received: header names in lower case, repeated headers kept."""

    method: str
    path: bytes
    query: bytes
    headers: Sequence[tuple[bytes, bytes]]


class ParsedRequest(msgspec.Struct, frozen=True):
    """A request decoded once. Both the verified and the executed request come from here, so they cannot differ."""

    method: str
    path: str
    query: Sequence[tuple[str, str]]
    headers: Mapping[str, str]


def parse(raw: RawRequest) -> ParsedRequest:
    if not raw.path.startswith(b"/"):
        raise _invalid_uri()
    return ParsedRequest(raw.method, _decode(raw.path), _parse_query(raw.query), _join_headers(raw.headers))


def canonical_request(request: ParsedRequest, signed: Sequence[str], digest: str) -> bytes:
    """Return the canonical request of Signature Version 4. Headers are Latin-1, which preserves every byte."""
    headers = [f"{name}:{_single_spaced(request.headers[name])}" for name in signed]
    query = sorted(encode_pair(*pair) for pair in request.query if pair[0] != "X-Amz-Signature")
    return "\n".join(
        (request.method, encode_path(request.path), "&".join(f"{name}={value}" for name, value in query),
         *headers, "", ";".join(signed), digest)
    ).encode("latin-1")  # fmt: skip


def _single_spaced(value: str) -> str:
    return value if value.isprintable() and "  " not in value else _SPACES.sub(" ", value)


def encode_path(path: str) -> str:
    return quote(path, safe="/")


def encode_pair(name: str, value: str) -> tuple[str, str]:
    return quote(name, safe=""), quote(value, safe="")


def single_values(query: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return the parameters as a dict; refuse one with two different values."""
    values: dict[str, str] = {}
    for name, value in query:
        if values.setdefault(name, value) != value:
            raise S3Error("InvalidArgument", f"The parameter {name} was given with two values.")
    return values


def _parse_query(query: bytes) -> list[tuple[str, str]]:
    if not query:
        return []
    parts = (part.partition(b"=") for part in query.replace(b"+", b" ").split(b"&") if part)
    return [(_decode(name), _decode(value)) for name, _, value in parts]


def _decode(text: bytes) -> str:
    if not _NOT_ENCODED.search(text):
        try:
            return unquote_to_bytes(text).decode()
        except UnicodeDecodeError:
            pass
    raise _invalid_uri()


def _invalid_uri() -> S3Error:
    return S3Error("InvalidURI", "Couldn't parse the specified URI.")


def _join_headers(headers: Sequence[tuple[bytes, bytes]]) -> dict[str, str]:
    joined: dict[str, str] = {}
    for raw, content in headers:
        name, value = raw.decode("latin-1"), content.strip().decode("latin-1")
        joined[name] = f"{joined[name]},{value}" if name in joined else value
    return joined
