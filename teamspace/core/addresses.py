"""Network addresses: where a request came from, which ones count as one neighbour, and which are everybody's."""

import ipaddress
from collections.abc import Sequence
from functools import lru_cache

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_UNICAST = ipaddress.IPv6Network("2000::/3")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_SPECIAL = tuple(map(ipaddress.ip_network, ("192.0.0.0/24", "192.88.99.0/24", "3fff::/20")))
"""Assigned to no host of the internet, though the standard library counts them as global."""


@lru_cache(4096)
def _parsed(address: str) -> Address | None:
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


def is_public(address: Address) -> bool:
    """Whether it is a host of the internet, and so is every address that it carries inside."""
    return all(_is_global(one) for one in _meanings(address))


def _is_global(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address) and address not in _UNICAST:
        return False
    return address.is_global and not address.is_multicast and not any(address in network for network in _SPECIAL)


def _meanings(address: Address) -> list[Address]:
    """Where a packet may end: an address of one family can be a wrapping of one of the other."""
    if isinstance(address, ipaddress.IPv4Address):
        return [address]
    if address.ipv4_mapped:
        return [address.ipv4_mapped]
    if address in _NAT64:
        return [ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)]
    return [address, *(address.teredo or ()), *([address.sixtofour] if address.sixtofour else ())]
