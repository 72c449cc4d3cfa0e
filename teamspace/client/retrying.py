"""When a call is sent again, and after how long."""

import random
import time

import msgspec

from teamspace.client.calls import Call
from teamspace.client.errors import (
    PROXY_STATUSES,
    ConnectionFailed,
    NotFound,
    QuotaExceeded,
    RateLimited,
    TeamspaceError,
    Unavailable,
)

_IN_PROGRESS = "idempotency.no_response"
"""The first request with the key took effect and may still run."""
_MAX_DOUBLINGS = 30


class Retry(msgspec.Struct, frozen=True, kw_only=True):
    """How often and how long to retry what may succeed later. `Retry(attempts=1)` never does."""

    attempts: int = 5
    deadline: float = 30.0
    """Seconds from the first attempt; no attempt begins later."""
    first_pause: float = 0.5
    max_pause: float = 10.0
    """Pauses are random, up to a limit that doubles each time."""
    quota: bool = False
    """Also wait for an exhausted quota to start anew, if that is before the deadline."""


class Attempts:
    """The attempts of one call."""

    def __init__(self, call: Call[object], retry: Retry) -> None:
        self._call, self._retry = call, retry
        self._began = time.monotonic()
        self._failed = 0
        self._in_doubt = False
        """Whether an attempt may have taken effect although its response was lost."""

    def took_effect(self, fault: TeamspaceError) -> bool:
        """Return whether a refusal only says that an earlier attempt took effect: what it deleted is not there."""
        return self._in_doubt and self._call.method == "DELETE" and isinstance(fault, NotFound)

    def pause_after(self, fault: TeamspaceError) -> float:
        """Return the seconds to wait before the next attempt, or raise the fault if there is none."""
        self._failed += 1
        in_doubt = _leaves_doubt(fault)
        self._in_doubt |= in_doubt
        allowed = self._call.repeatable if in_doubt else self._may_succeed_later(fault)
        if not allowed or self._failed >= self._retry.attempts:
            raise fault
        pause = self._pause(fault)
        if time.monotonic() + pause > self._began + self._retry.deadline:
            raise fault
        return pause

    def _may_succeed_later(self, fault: TeamspaceError) -> bool:
        """Return whether the server said, or it is certain, that nothing was done and a repeat can succeed."""
        if self._call.one_shot:
            return False
        if isinstance(fault, QuotaExceeded):
            return fault.is_slot or (self._retry.quota and fault.retry_after is not None)
        if isinstance(fault, RateLimited):
            return fault.retry_after is not None
        not_sent = isinstance(fault, ConnectionFailed) and not fault.sent
        return not_sent or isinstance(fault, Unavailable) or (fault.key == _IN_PROGRESS and self._call.repeatable)

    def _pause(self, fault: TeamspaceError) -> float:
        doublings = min(self._failed - 1, _MAX_DOUBLINGS)
        most = min(self._retry.max_pause, self._retry.first_pause * 2.0**doublings)
        return (fault.retry_after or 0.0) + random.uniform(0, most)


def _leaves_doubt(fault: TeamspaceError) -> bool:
    if isinstance(fault, ConnectionFailed):
        return fault.sent
    return fault.problem is None and fault.status in PROXY_STATUSES
