"""What is known of a visitor: the network as a hash that changes every day, and the host of the page."""

import re

from teamspace.core import clock
from teamspace.core.addresses import rate_limit_key
from teamspace.core.crypto import Vault
from teamspace.core.principal import Call

OPAQUE = "null"
"""The origin of a sandboxed page."""
_ORIGIN = re.compile(r"https?://([a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?", re.ASCII | re.IGNORECASE)


def hash_prefix(vault: Vault, address: str) -> str:
    """Return what stands for the network of an address today. The address itself is not stored."""
    today = clock.stamp()[:10]
    return vault.mac("sign-up network", f"{today} {rate_limit_key(address)}".encode())[:16].hex()


def find_origin(header: str, call: Call) -> str:
    """Return the host of the page that sends a request.

    Browsers name the origin in every request but a GET of our own pages; so without one it is the host that was asked.
    """
    if not header:
        return call.host
    match = _ORIGIN.fullmatch(header)
    return match[1].lower() if match else OPAQUE
