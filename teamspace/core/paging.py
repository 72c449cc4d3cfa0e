"""Keyset pagination, newest first: page 10,000 costs the same as page 1.

Internally a cursor is a position in a list. Outside the server it is signed, so that clients cannot make one up. The
gate signs and verifies all cursors, so no list can forget to.
"""

import base64
import binascii
import hmac
from collections.abc import Callable
from typing import TypeVar

import msgspec

from teamspace.core.crypto import Vault
from teamspace.core.errors import BadRequest
from teamspace.core.replies import Page

T = TypeVar("T")
DEFAULT_LIMIT, MAX_LIMIT = 50, 200
_AFTER_ALL_IDS = "~"
_SIGNATURE_BYTES = 16


class Paging(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The query parameters of every list; packages extend it with their filters."""

    limit: int = DEFAULT_LIMIT
    cursor: str | None = None

    @property
    def size(self) -> int:
        if self.limit < 1:
            raise BadRequest.at("limit", "value.page_size")
        return min(self.limit, MAX_LIMIT)

    @property
    def before(self) -> str:
        """The page starts below this id."""
        return _AFTER_ALL_IDS if self.cursor is None else decode_cursor(self.cursor)


def page(rows: list[T], query: Paging, key: Callable[[T], str]) -> Page[T]:
    """Build a page from up to `size + 1` rows: the extra row shows that there are more."""
    items = rows[: query.size]
    more = len(rows) > query.size
    return Page(items, encode_cursor(key(items[-1])) if more else None)


def encode_cursor(text: str) -> str:
    """Encode a position in a list."""
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def sign_cursor(vault: Vault, cursor: str) -> str:
    """Add the signature to a cursor that leaves the server."""
    return f"{cursor}.{_signature(vault, cursor)}"


def verify_cursor(vault: Vault, signed: str) -> str:
    """Return the cursor without its signature; refuse one that this server did not sign."""
    cursor, _, signature = signed.rpartition(".")
    if not hmac.compare_digest(_signature(vault, cursor).encode(), signature.encode()):
        raise BadRequest.at("cursor", "value.cursor")
    return cursor


def _signature(vault: Vault, cursor: str) -> str:
    mac = vault.mac("cursor", cursor.encode())
    return base64.urlsafe_b64encode(mac[:_SIGNATURE_BYTES]).decode().rstrip("=")


def decode_cursor(cursor: str) -> str:
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    except (ValueError, binascii.Error):
        text = ""
    if not text.isprintable() or encode_cursor(text) != cursor or not text:
        raise BadRequest.at("cursor", "value.cursor")
    return text
