"""Ids: UUIDv7 text, so that sorting by id is sorting by age."""

import random
import time

_COUNTER_BITS = 12


class _Ticks:
    """Milliseconds with a counter below them, always rising."""

    last = 0

    def next(self) -> int:
        self.last = max((time.time_ns() // 1_000_000) << _COUNTER_BITS, self.last + 1)
        return self.last


_ticks = _Ticks()
_random = random.Random()  # an id is a name and not a secret; asking the system for bits is slow


def began(seconds: float) -> str:
    """Comes before every id that was made at that moment or later, and after all others."""
    millis = int(seconds * 1000)
    return f"{millis >> 16:08x}-{millis & 0xFFFF:04x}"


def new_id() -> str:
    """A fresh id, greater than every id this process made before."""
    tick = _ticks.next()
    millis, chance = tick >> _COUNTER_BITS, _random.getrandbits(62)
    return (
        f"{millis >> 16:08x}-{millis & 0xFFFF:04x}-7{tick & 0xFFF:03x}"
        f"-{0x8000 | chance >> 48:04x}-{chance & 0xFFFFFFFFFFFF:012x}"
    )
