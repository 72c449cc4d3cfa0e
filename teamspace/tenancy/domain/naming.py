"""Names that addresses are made of: slugs and hostnames."""

import re
from collections.abc import Awaitable, Callable, Iterator

import idna

from teamspace.core.db import Collision, Duplicate
from teamspace.core.errors import BadRequest, Conflict
from teamspace.core.ids import new_id

IsTaken = Callable[[str], Awaitable[bool]]
_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])")
_LIKE_AN_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_NOT_IN_SLUG = re.compile(r"[^a-z0-9]+")
_NUMERIC = re.compile(r"[0-9]+|0x[0-9a-f]*")
"""Browsers take a name that ends in a number for an address."""
_LENGTH = 48


def slug_of(name: str) -> str:
    """A short name for addresses: lower case letters, digits and dashes."""
    slug = _NOT_IN_SLUG.sub("-", name.lower()).strip("-")[:_LENGTH].strip("-")
    return slug if len(slug) > 1 and not _LIKE_AN_ID.fullmatch(slug) else unlike_any("x")


def variants(slug: str) -> Iterator[str]:
    yield slug
    yield from (f"{slug[: _LENGTH - 3]}-{number}" for number in range(2, 20))


def unlike_any(slug: str) -> str:
    return f"{slug[: _LENGTH - 9]}-{new_id()[-8:]}"


def check_slug(slug: str) -> str:
    """A slug that somebody chose: a path may hold an id or a slug, so none may look like an id."""
    if not _SLUG.fullmatch(slug) or _LIKE_AN_ID.fullmatch(slug):
        raise BadRequest.at("/slug", "must be 2 to 48 lower case letters, digits or dashes, and not look like an id")
    return slug


def hostname(text: str, own: str) -> str:
    """A company's hostname as browsers send it: lower case, international names encoded, not the instance's own."""
    host = _encoded(text)
    if host is None:
        raise BadRequest.at("/domain", "must be a hostname such as work.example.com, without a port or path")
    if _NUMERIC.fullmatch(host.rpartition(".")[2]):
        raise BadRequest.at("/domain", "must be a name, not a network address")
    if host == _encoded(own):
        raise Conflict("This is the instance's own hostname.", at="/domain")
    return host


def _encoded(name: str) -> str | None:
    try:
        return idna.encode(name.strip(), uts46=True).decode().rstrip(".") or None
    except idna.IDNAError:
        return None


def taken(fault: Duplicate, *, asked_for_slug: bool) -> Exception:
    """What a unique column of the companies says to whoever came second."""
    if "domain" in str(fault):
        return Conflict("Another company has this hostname.", at="/domain")
    if asked_for_slug:
        return Conflict("Another company has this slug.", at="/slug")
    return Collision("somebody took the slug first")
