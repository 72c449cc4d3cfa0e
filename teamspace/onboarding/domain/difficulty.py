"""How hard a challenge is: harder for a network that signs up or asks often, and while many ask."""

import time
from collections import OrderedDict

from teamspace.onboarding.domain.challenges import MAX_DIFFICULTY

_WINDOW = 60.0
"""Seconds in which challenges are counted."""
_MAX_PREFIXES = 20_000
_PER_STEP_ASKED, _PER_STEP_SIGNED_UP, _PER_STEP_LOAD = 20, 4, 600
"""How many challenges of a network, sign-ups of a network and challenges in all make it one step harder."""


class Difficulty:
    """Counts the challenges of the last minute, in this process."""

    def __init__(self) -> None:
        self._asked: OrderedDict[str, tuple[float, int]] = OrderedDict()

    def choose(self, prefix: str, signed_up: int) -> int:
        """Count a challenge, and return how hard it should be."""
        asked, load = self._count(prefix), self._count("")
        steps = asked // _PER_STEP_ASKED + signed_up // _PER_STEP_SIGNED_UP + load // _PER_STEP_LOAD
        return min(1 + steps, MAX_DIFFICULTY)

    def _count(self, key: str) -> int:
        now = time.monotonic()
        since, count = self._asked.get(key, (now, 0))
        if now - since > _WINDOW:
            since, count = now, 0
        self._asked[key] = (since, count + 1)
        self._asked.move_to_end(key)
        if len(self._asked) > _MAX_PREFIXES:
            self._asked.popitem(last=False)
        return count
