"""The health of a model server as this process has seen it, and a circuit breaker for failing calls."""

import random
import time

from teamspace.core import clock
from teamspace.executors.schemas import Health

PROBE_SECONDS = 30
FAILURES_BEFORE_PAUSE = 3
"""Consecutive failed calls before the circuit breaker opens."""
_FIRST_PAUSE, _MAX_PAUSE, _MAX_DOUBLINGS = 5.0, 300.0, 6


class HealthTracker:
    def __init__(self) -> None:
        self.models: tuple[str, ...] = ()
        """The models it lists."""
        self.seen_at: float | None = None
        self.answers: bool | None = None
        """Whether it answered the last probe."""
        self._failures = 0
        self._failed_for: set[str] = set()
        """The companies whose calls were the consecutive failures."""
        self._last_caller: str | None = None
        self._is_shared = False
        """Whether several companies have called it."""
        self._pauses = 0
        """Since the last call that succeeded."""
        self._paused_until = 0.0
        self._probe_at = 0.0

    @property
    def is_available(self) -> bool:
        """Whether to call it: it answered the last probe, and the circuit breaker is closed."""
        return self.answers is not False and time.monotonic() >= self._paused_until

    @property
    def is_probe_due(self) -> bool:
        return time.monotonic() >= self._probe_at

    def record_call(self, succeeded: bool, company: str) -> None:
        """Count consecutive failures. Calls that fail while the breaker is open had started before: they do not count.

        One company's calls alone do not pause what others use too: what it asks can be the reason.
        """
        self._is_shared = self._is_shared or self._last_caller not in (None, company)
        self._last_caller = company
        if succeeded:
            self._failures = self._pauses = 0
            self._failed_for.clear()
        elif time.monotonic() >= self._paused_until:
            self._failures += 1
            self._failed_for.add(company)
            if self._failures >= FAILURES_BEFORE_PAUSE and (len(self._failed_for) > 1 or not self._is_shared):
                pause = min(_MAX_PAUSE, _FIRST_PAUSE * 2.0 ** min(self._pauses, _MAX_DOUBLINGS))
                self._pauses += 1
                self._paused_until = time.monotonic() + pause * random.uniform(0.75, 1.25)

    def schedule_probe(self) -> None:
        """Set the time of the next probe, with jitter, so that probes do not synchronise."""
        self._probe_at = time.monotonic() + PROBE_SECONDS * random.uniform(0.75, 1.25)

    def record_probe(self, models: list[str] | None) -> None:
        self.answers = models is not None
        if models is not None:
            self.models, self.seen_at = tuple(models), clock.now()

    def adjust_health(self, by_time: Health) -> Health:
        """Downgrade the health by last-seen time if the last probe failed."""
        if self.answers is False:
            return {Health.NEW: Health.DOWN, Health.UP: Health.STALE}.get(by_time, by_time)
        return by_time

    @property
    def health_by_probe(self) -> Health:
        """The health of an executor without a row in the database."""
        if self.seen_at is None:
            return self.adjust_health(Health.NEW)
        age = clock.now() - self.seen_at
        return self.adjust_health(Health.UP if age < 60 else Health.STALE if age < 3600 else Health.DOWN)
