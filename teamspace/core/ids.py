"""Ids: UUIDv7 text, so that ids sort by creation time."""

import random
import time

_COUNTER_BITS = 12
_VARIANT = 1 << 63


class _Ticks:
    """Milliseconds followed by a counter; strictly increasing."""

    last = 0

    def next(self) -> int:
        now = time.time_ns() // 1_000_000 << _COUNTER_BITS
        self.last = now if now > self.last else self.last + 1
        return self.last


_ticks = _Ticks()
_random = random.Random()  # ids are not secrets, and the system's random bits are slow


def lower_bound(seconds: float) -> str:
    """Return a text that sorts before all ids made from that time on, and after all earlier ids."""
    millis = int(seconds * 1000)
    return f"{millis >> 16:08x}-{millis & 0xFFFF:04x}"


def new_id() -> str:
    """Return a new id, greater than every id this process made before."""
    digits = f"{_ticks.next():015x}{_VARIANT | _random.getrandbits(62):016x}"
    return f"{digits[:8]}-{digits[8:12]}-7{digits[12:15]}-{digits[15:19]}-{digits[19:]}"
