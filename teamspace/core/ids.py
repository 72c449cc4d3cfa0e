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


def new_id() -> str:
    """A fresh id, greater than every id this process made before."""
    tick = _ticks.next()
    millis, counter = tick >> _COUNTER_BITS, tick & 0xFFF
    tail = _random.getrandbits(62) | (0b10 << 62)
    text = f"{millis:012x}{0x7000 | counter:04x}{tail:016x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
