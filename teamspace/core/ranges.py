"""Conditions and ranges of stored bytes, as RFC 9110 orders them."""

import re
from collections.abc import AsyncIterator
from email.utils import formatdate, parsedate_to_datetime

import msgspec

from teamspace.core.errors import InvalidRange, PreconditionFailed
from teamspace.core.replies import Stored
from teamspace.core.request import Request
from teamspace.core.sending import Outgoing

_RANGE = re.compile(rb"bytes=(\d{0,18})-(\d{0,18})")


def answered(request: Request, stored: Stored) -> Outgoing:
    headers = {
        "etag": f'"{stored.tag}"', "last-modified": formatdate(stored.modified, usegmt=True), "accept-ranges": "bytes",
        **stored.headers,
    }  # fmt: skip
    _check(request, stored)
    if _unchanged(request, stored):
        return Outgoing(304, content_type=None, headers=headers)
    span = stored.only or _span(request, stored)
    if span is None:
        return _outgoing(200, stored, 0, stored.size, headers)
    start, end = span
    headers["content-range"] = f"bytes {start}-{end - 1}/{stored.size}"
    return _outgoing(206, stored, start, end - start, headers)


def _outgoing(status: int, stored: Stored, start: int, length: int, headers: dict[str, str]) -> Outgoing:
    if not length:
        return Outgoing(status, b"", stored.content_type, headers)
    headers["content-length"] = str(length)
    return Outgoing(status, stored.read(start, length), stored.content_type, headers)


async def begun(answer: Outgoing) -> Outgoing:
    """With the first piece of it read: what turns out wrong by then is refused, and not cut off."""
    if isinstance(answer.body, bytes):
        return answer
    first = await anext(answer.body, b"")
    if answer.headers.get("content-length") == str(len(first)):  # there is nothing to stream
        async for _ in answer.body:
            pass  # it comes to its end by itself, and not when it is collected
        headers = {name: value for name, value in answer.headers.items() if name != "content-length"}
        return msgspec.structs.replace(answer, body=first, headers=headers)
    return msgspec.structs.replace(answer, body=_after(first, answer.body))


async def _after(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for chunk in rest:
        yield chunk


def _check(request: Request, stored: Stored) -> None:
    wanted = request.match().if_match
    if wanted is not None:
        if not {"*", stored.tag} & wanted:
            raise PreconditionFailed("It has changed since: this is not the content that If-Match asks for.")
    elif (since := _date(request, b"if-unmodified-since")) is not None and int(stored.modified) > since:
        raise PreconditionFailed("It has changed since the date of If-Unmodified-Since.")


def _unchanged(request: Request, stored: Stored) -> bool:
    known = request.match().if_none_match
    if known is not None:
        return bool({"*", stored.tag} & known)
    since = _date(request, b"if-modified-since")
    return since is not None and int(stored.modified) <= since


def _span(request: Request, stored: Stored) -> tuple[int, int] | None:
    """From and up to where; None for all of it, which also answers what is no single range."""
    match = _RANGE.fullmatch(request.headers.get(b"range", b"").strip())
    if match is None or match.group(0) == b"bytes=-" or not _still_the_same(request, stored):
        return None
    first, last = match.groups()
    if not first:
        start, end = max(0, stored.size - int(last)), stored.size
    else:
        start, end = int(first), min(stored.size, int(last) + 1) if last else stored.size
        if last and int(last) < int(first):
            return None
    if start >= stored.size:
        raise InvalidRange(f"There are {stored.size} bytes.", headers={"content-range": f"bytes */{stored.size}"})
    return start, end


def _still_the_same(request: Request, stored: Stored) -> bool:
    """If-Range: a part is of no use to whoever has parts of something else."""
    given = request.headers.get(b"if-range", b"").decode("latin-1").strip()
    if not given:
        return True
    if given.startswith('"'):
        return given.strip('"') == stored.tag
    return _date(request, b"if-range") == int(stored.modified)


def _date(request: Request, name: bytes) -> float | None:
    """A date that cannot be read counts as none."""
    header = request.headers.get(name)
    try:
        return parsedate_to_datetime(header.decode("latin-1")).timestamp() if header else None
    except (ValueError, OverflowError):
        return None
