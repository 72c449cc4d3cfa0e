"""Network addresses: the client's address behind proxies, the key for rate limits, and public addresses."""

import ipaddress
from collections.abc import Sequence
from functools import lru_cache

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_UNICAST = ipaddress.IPv6Network("2000::/3")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_SPECIAL = tuple(map(ipaddress.ip_network, ("192.0.0.0/24", "192.88.99.0/24", "3fff::/20")))
"""Not assigned to public hosts, although the standard library counts them as global."""


@lru_cache(4096)
def _parse(address: str) -> Address | None:
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return None
    # A dual-stack socket reports an IPv4 peer as an IPv4-mapped IPv6 address.
    return parsed.ipv4_mapped or parsed if isinstance(parsed, ipaddress.IPv6Address) else parsed


def client_address(peer: str, forwarded: str, trusted: Sequence[Network]) -> str:
    """Return the client's address: the nearest hop that is not a trusted proxy."""
    hops = forwarded.split(",") if trusted and forwarded else []
    address = peer
    for hop in reversed(hops):
        if not is_trusted(address, trusted):
            break
        address = hop.strip()
    return address if _parse(address) else peer


def is_trusted(address: str, trusted: Sequence[Network]) -> bool:
    parsed = _parse(address)
    return parsed is not None and any(parsed in network for network in trusted)


def rate_limit_key(address: str) -> str:
    """Return what a rate limit counts by: the IPv4 address, or the /64 network of an IPv6 address."""
    parsed = _parse(address)
    if isinstance(parsed, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return address


def is_public(address: Address) -> bool:
    """Return whether the address is public, and every address embedded in it too."""
    return all(_is_global(embedded) for embedded in _destinations(address))


def _is_global(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address) and address not in _UNICAST:
        return False
    return address.is_global and not address.is_multicast and not any(address in network for network in _SPECIAL)


def _destinations(address: Address) -> list[Address]:
    """Return where a packet may end: an IPv6 address can embed IPv4 addresses."""
    if isinstance(address, ipaddress.IPv4Address):
        return [address]
    if address.ipv4_mapped:
        return [address.ipv4_mapped]
    if address in _NAT64:
        return [ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)]
    return [address, *(address.teredo or ()), *([address.sixtofour] if address.sixtofour else ())]
