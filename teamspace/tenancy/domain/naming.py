"""Slugs and hostnames."""

import re
from collections.abc import Awaitable, Callable, Iterator

import idna

from teamspace.core.db import Duplicate, SerializationFailure
from teamspace.core.errors import BadRequest, Conflict
from teamspace.core.ids import new_id

IsTaken = Callable[[str], Awaitable[bool]]
_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])")
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_NOT_IN_SLUG = re.compile(r"[^a-z0-9]+")
_NUMERIC = re.compile(r"[0-9]+|0x[0-9a-f]*")
"""Browsers treat a hostname that ends in a number as an IP address."""
_MAX_LENGTH = 48


def make_slug(name: str) -> str:
    """Return a slug for the name: lower case letters, digits and dashes."""
    slug = _NOT_IN_SLUG.sub("-", name.lower()).strip("-")[:_MAX_LENGTH].strip("-")
    return slug if len(slug) > 1 and not _ID.fullmatch(slug) else with_random_suffix("x")


def slug_variants(slug: str) -> Iterator[str]:
    yield slug
    yield from (f"{slug[: _MAX_LENGTH - 3]}-{number}" for number in range(2, 20))


def with_random_suffix(slug: str) -> str:
    return f"{slug[: _MAX_LENGTH - 9]}-{new_id()[-8:]}"


def check_slug(slug: str) -> str:
    """Return a requested slug, or raise BadRequest. It must not look like an id, since paths accept both."""
    if not _SLUG.fullmatch(slug) or _ID.fullmatch(slug):
        raise BadRequest.at("/slug", "tenancy.slug")
    return slug


def parse_hostname(text: str, own: str) -> str:
    """Return a company's hostname as browsers send it: lower case, IDNA-encoded, not the instance's own."""
    host = _encode(text)
    if host is None:
        raise BadRequest.at("/domain", "tenancy.domain")
    if _NUMERIC.fullmatch(host.rpartition(".")[2]):
        raise BadRequest.at("/domain", "tenancy.domain_address")
    if host == _encode(own):
        raise Conflict("tenancy.own_domain", at="/domain")
    return host


def _encode(name: str) -> str | None:
    try:
        return idna.encode(name.strip(), uts46=True).decode().rstrip(".") or None
    except idna.IDNAError:
        return None


def duplicate_error(fault: Duplicate, *, slug_requested: bool) -> Exception:
    """Translate a violated unique column of `orgs`."""
    if "domain" in str(fault):
        return Conflict("tenancy.domain_taken", at="/domain")
    if slug_requested:
        return Conflict("tenancy.slug_taken", at="/slug")
    return SerializationFailure("another transaction used the slug first")
