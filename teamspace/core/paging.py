"""Lists: newest first, by keyset, so that page 10,000 costs what page 1 costs.

Inside, a cursor is a place in a list. Outside it is signed, so that whoever carries it cannot make one up. The gate
signs and verifies: no list can forget to.
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
DEFAULT, MOST = 50, 200
_AFTER_ALL_IDS = "~"
_SIGNATURE_BYTES = 16


class Paging(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The query of every list; a capability's own filters extend it."""

    limit: int = DEFAULT
    cursor: str | None = None

    @property
    def size(self) -> int:
        if self.limit < 1:
            raise BadRequest.at("limit", "must be a positive number")
        return min(self.limit, MOST)

    @property
    def before(self) -> str:
        """The id below which the page begins."""
        return _AFTER_ALL_IDS if self.cursor is None else opened(self.cursor)


def page(rows: list[T], query: Paging, key: Callable[[T], str]) -> Page[T]:
    """`rows` were asked for with one more than the page's size: its presence says that there is more."""
    items = rows[: query.size]
    more = len(rows) > query.size
    return Page(items, sealed(key(items[-1])) if more else None)


def sealed(text: str) -> str:
    """A place in a list, as the client carries it."""
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def signed(vault: Vault, cursor: str) -> str:
    """A cursor as it leaves the server."""
    return f"{cursor}.{_signature(vault, cursor)}"


def verified(vault: Vault, given: str) -> str:
    """A cursor as it came, without its signature; one that this server did not give is refused."""
    cursor, _, signature = given.rpartition(".")
    if not hmac.compare_digest(_signature(vault, cursor).encode(), signature.encode()):
        raise BadRequest.at("cursor", "is not a cursor of this list")
    return cursor


def _signature(vault: Vault, cursor: str) -> str:
    mac = vault.mac("cursor", cursor.encode())
    return base64.urlsafe_b64encode(mac[:_SIGNATURE_BYTES]).decode().rstrip("=")


def opened(cursor: str) -> str:
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    except (ValueError, binascii.Error):
        text = ""
    if not text.isprintable() or sealed(text) != cursor or not text:
        raise BadRequest.at("cursor", "is not a cursor of this list")
    return text
