"""How a model server fares, as far as this process has seen: what it last said, and whether to leave it alone."""

import random
import time

from teamspace.core import clock
from teamspace.executors.schemas import Health

PROBE_SECONDS = 30
SHUT_AFTER = 3
"""Failed calls in a row."""
_FIRST_PAUSE, _LONGEST_PAUSE = 5.0, 300.0


class Pulse:
    def __init__(self) -> None:
        self.models: tuple[str, ...] = ()
        """Those it lists."""
        self.seen_at: float | None = None
        self.answers: bool | None = None
        """Whether it answered the last probe."""
        self._failures = 0
        self._shut_until = 0.0
        self._probe_at = 0.0

    @property
    def open(self) -> bool:
        """Whether it is worth asking: it answered the last probe, and its last calls did not all fail."""
        return self.answers is not False and time.monotonic() >= self._shut_until

    @property
    def due(self) -> bool:
        return time.monotonic() >= self._probe_at

    def told(self, well: bool) -> None:
        """How a call ended. What began before it was shut and fails now tells nothing new."""
        if well:
            self._failures = 0
        elif time.monotonic() >= self._shut_until:
            self._failures += 1
            if self._failures >= SHUT_AFTER:
                pause = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** (self._failures - SHUT_AFTER))
                self._shut_until = time.monotonic() + pause * random.uniform(0.75, 1.25)

    def planned(self) -> None:
        """A probe begins; the next comes after a while that differs, so that many do not keep in step."""
        self._probe_at = time.monotonic() + PROBE_SECONDS * random.uniform(0.75, 1.25)

    def probed(self, models: list[str] | None) -> None:
        self.answers = models is not None
        if models is not None:
            self.models, self.seen_at = tuple(models), clock.now()

    def health(self, by_time: Health) -> Health:
        """What time says, unless it is known better."""
        if self.answers is False:
            return {Health.NEW: Health.DOWN, Health.UP: Health.STALE}.get(by_time, by_time)
        return by_time

    @property
    def own_health(self) -> Health:
        """Of what no table has a row for."""
        if self.seen_at is None:
            return self.health(Health.NEW)
        age = clock.now() - self.seen_at
        return self.health(Health.UP if age < 60 else Health.STALE if age < 3600 else Health.DOWN)
