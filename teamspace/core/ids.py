"""Ids: UUIDv7 text, so that ids sort by creation time."""

import random
import time

_COUNTER_BITS = 12


class _Ticks:
    """Milliseconds followed by a counter; strictly increasing."""

    last = 0

    def next(self) -> int:
        self.last = max((time.time_ns() // 1_000_000) << _COUNTER_BITS, self.last + 1)
        return self.last


_ticks = _Ticks()
_random = random.Random()  # ids are not secrets, and the system's random bits are slow


def lower_bound(seconds: float) -> str:
    """Return a text that sorts before all ids made from that time on, and after all earlier ids."""
    millis = int(seconds * 1000)
    return f"{millis >> 16:08x}-{millis & 0xFFFF:04x}"


def new_id() -> str:
    """Return a new id, greater than every id this process made before."""
    tick = _ticks.next()
    millis, bits = tick >> _COUNTER_BITS, _random.getrandbits(62)
    return (
        f"{millis >> 16:08x}-{millis & 0xFFFF:04x}-7{tick & 0xFFF:03x}"
        f"-{0x8000 | bits >> 48:04x}-{bits & 0xFFFFFFFFFFFF:012x}"
    )
