"""Conditional and range requests for stored bytes, as in RFC 9110."""

import re
from collections.abc import AsyncGenerator
from email.utils import formatdate, parsedate_to_datetime
from functools import lru_cache

import msgspec

from teamspace.core.errors import InvalidRange, PreconditionFailed
from teamspace.core.replies import StoredContent
from teamspace.core.request import Request
from teamspace.core.sending import Response

_RANGE = re.compile(rb"bytes=(\d{0,18})-(\d{0,18})")


def respond(request: Request, stored: StoredContent) -> Response:
    headers = {
        "etag": f'"{stored.tag}"', "last-modified": _http_date(int(stored.modified)), "accept-ranges": "bytes",
        **stored.headers,
    }  # fmt: skip
    _check(request, stored)
    if _is_unchanged(request, stored):
        return Response(304, content_type=None, headers=headers)
    span = stored.span or _span(request, stored)
    if span is None:
        return _content_response(200, stored, 0, stored.size, headers)
    start, end = span
    headers["content-range"] = f"bytes {start}-{end - 1}/{stored.size}"
    return _content_response(206, stored, start, end - start, headers)


@lru_cache(1024)
def _http_date(seconds: int) -> str:
    return formatdate(seconds, usegmt=True)


def _content_response(status: int, stored: StoredContent, start: int, length: int, headers: dict[str, str]) -> Response:
    if not length:
        return Response(status, b"", stored.content_type, headers, payer=stored.payer)
    headers["content-length"] = str(length)
    return Response(status, stored.read(start, length), stored.content_type, headers, payer=stored.payer)


async def with_first_chunk(response: Response) -> Response:
    """Read the first chunk before the headers are sent, so that an early error becomes an error response."""
    if isinstance(response.body, bytes):
        return response
    first = await anext(response.body, b"")
    if response.headers.get("content-length") == str(len(first)):  # there is nothing to stream
        async for _ in response.body:
            pass  # lets the generator finish now, not when it is garbage-collected
        headers = {name: value for name, value in response.headers.items() if name != "content-length"}
        return msgspec.structs.replace(response, body=first, headers=headers)
    return msgspec.structs.replace(response, body=_prepend(first, response.body))


async def _prepend(first: bytes, rest: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    yield first
    async for chunk in rest:
        yield chunk


def _check(request: Request, stored: StoredContent) -> None:
    required = request.match().if_match
    if required is not None:
        if not {"*", stored.tag} & required:
            raise PreconditionFailed("content.if_match")
    elif (since := _date(request, b"if-unmodified-since")) is not None and int(stored.modified) > since:
        raise PreconditionFailed("content.if_unmodified_since")


def _is_unchanged(request: Request, stored: StoredContent) -> bool:
    known = request.match().if_none_match
    if known is not None:
        return bool({"*", stored.tag} & known)
    since = _date(request, b"if-modified-since")
    return since is not None and int(stored.modified) <= since


def _span(request: Request, stored: StoredContent) -> tuple[int, int] | None:
    """Return start and end offset; None for the whole content, also if the request is not a single range."""
    match = _RANGE.fullmatch(request.headers.get(b"range", b"").strip())
    if match is None or match.group(0) == b"bytes=-" or not _if_range_matches(request, stored):
        return None
    first, last = match.groups()
    if not first:
        start, end = max(0, stored.size - int(last)), stored.size
    else:
        start, end = int(first), min(stored.size, int(last) + 1) if last else stored.size
        if last and int(last) < int(first):
            return None
    if start >= stored.size:
        raise InvalidRange("content.range", size=stored.size).with_headers({"content-range": f"bytes */{stored.size}"})
    return start, end


def _if_range_matches(request: Request, stored: StoredContent) -> bool:
    """Check If-Range: the client wants a part only if its other parts are of the same content."""
    validator = request.headers.get(b"if-range", b"").decode("latin-1").strip()
    if not validator:
        return True
    if validator.startswith('"'):
        return validator.strip('"') == stored.tag
    return _date(request, b"if-range") == int(stored.modified)


def _date(request: Request, name: bytes) -> float | None:
    """Return the date of a header; None if it is missing or malformed."""
    header = request.headers.get(name)
    try:
        return parsedate_to_datetime(header.decode("latin-1")).timestamp() if header else None
    except (ValueError, OverflowError):
        return None
