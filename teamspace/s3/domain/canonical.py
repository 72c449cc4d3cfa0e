"""A request in the form that is signed, made from the very bytes that arrived."""

import re
from collections.abc import Mapping, Sequence
from urllib.parse import quote, unquote_to_bytes

import msgspec

from teamspace.s3.domain.faults import Fault

_NOT_ENCODED = re.compile(rb"%(?![0-9A-Fa-f]{2})")
# Of ASCII alone: a byte beyond it is part of a letter, and no space.
_SPACES = re.compile(r"[ \t\n\v\f\r]+")


class Asked(msgspec.Struct, frozen=True):
    """A request as it came over the wire: header names in lower case, repeated headers kept."""

    method: str
    path: bytes
    query: bytes
    headers: Sequence[tuple[bytes, bytes]]


class Plain(msgspec.Struct, frozen=True):
    """A request decoded once: what is signed and what is acted upon are both taken from here."""

    method: str
    path: str
    query: Sequence[tuple[str, str]]
    headers: Mapping[str, str]


def plain(asked: Asked) -> Plain:
    if not asked.path.startswith(b"/"):
        raise _unreadable()
    return Plain(asked.method, _decoded(asked.path), _pairs(asked.query), _joined(asked.headers))


def canonical(request: Plain, signed: Sequence[str], digest: str) -> bytes:
    """The canonical request of Signature Version 4; headers count as Latin-1, which keeps every byte."""
    headers = [f"{name}:{_SPACES.sub(' ', request.headers[name])}" for name in signed]
    query = sorted(encoded_pair(*pair) for pair in request.query if pair[0] != "X-Amz-Signature")
    return "\n".join(
        (request.method, encoded_path(request.path), "&".join(f"{name}={value}" for name, value in query),
         *headers, "", ";".join(signed), digest)
    ).encode("latin-1")  # fmt: skip


def encoded_path(path: str) -> str:
    return quote(path, safe="/")


def encoded_pair(name: str, value: str) -> tuple[str, str]:
    return quote(name, safe=""), quote(value, safe="")


def single(query: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Each parameter once; one that says two things says nothing."""
    values: dict[str, str] = {}
    for name, value in query:
        if values.setdefault(name, value) != value:
            raise Fault("InvalidArgument", f"The parameter {name} was given with two values.")
    return values


def _pairs(query: bytes) -> list[tuple[str, str]]:
    parts = (part.partition(b"=") for part in query.replace(b"+", b" ").split(b"&") if part)
    return [(_decoded(name), _decoded(value)) for name, _, value in parts]


def _decoded(text: bytes) -> str:
    if not _NOT_ENCODED.search(text):
        try:
            return unquote_to_bytes(text).decode()
        except UnicodeDecodeError:
            pass
    raise _unreadable()


def _unreadable() -> Fault:
    return Fault("InvalidURI", "Couldn't parse the specified URI.")


def _joined(headers: Sequence[tuple[bytes, bytes]]) -> dict[str, str]:
    joined: dict[str, str] = {}
    for raw, content in headers:
        name, value = raw.decode("latin-1"), content.strip().decode("latin-1")
        joined[name] = f"{joined[name]},{value}" if name in joined else value
    return joined
