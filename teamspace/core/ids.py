"""Ids: UUIDv7 text, so that sorting by id is sorting by age."""

import os
import time

_COUNTER_BITS = 12
_TAIL = (1 << 62) - 1


class _Ticks:
    """Milliseconds with a counter below them, always rising."""

    last = 0

    def next(self) -> int:
        self.last = max((time.time_ns() // 1_000_000) << _COUNTER_BITS, self.last + 1)
        return self.last


_ticks = _Ticks()


def new_id() -> str:
    """A fresh id, greater than every id this process made before."""
    tick = _ticks.next()
    millis, counter = tick >> _COUNTER_BITS, tick & 0xFFF
    tail = int.from_bytes(os.urandom(8)) & _TAIL | (0b10 << 62)
    text = f"{millis:012x}{0x7000 | counter:04x}{tail:016x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
