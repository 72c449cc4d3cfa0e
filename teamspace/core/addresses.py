"""Network addresses: which one a request came from, and which ones count as one neighbour."""

import ipaddress
from collections.abc import Sequence
from functools import lru_cache

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@lru_cache(4096)
def _parsed(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return None
    # On a socket for both families an IPv4 peer comes in the clothes of the other.
    return parsed.ipv4_mapped or parsed if isinstance(parsed, ipaddress.IPv6Address) else parsed


def client_address(peer: str, forwarded: str, trusted: Sequence[Network]) -> str:
    """The caller's address: the nearest hop that is not one of our own proxies."""
    hops = forwarded.split(",") if trusted and forwarded else []
    address = peer
    for hop in reversed(hops):
        if not is_trusted(address, trusted):
            break
        address = hop.strip()
    return address if _parsed(address) else peer


def is_trusted(address: str, trusted: Sequence[Network]) -> bool:
    parsed = _parsed(address)
    return parsed is not None and any(parsed in network for network in trusted)


def neighbourhood(address: str) -> str:
    """What a rate is counted against: one IPv4 address, or the /64 that one IPv6 user has."""
    parsed = _parsed(address)
    if isinstance(parsed, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return address
