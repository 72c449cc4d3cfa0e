"""Slots of this process: a limit of running jobs per kind, with a fair share for each company.

A company can start another job of a kind while it occupies fewer slots than are free. One company alone gets half of
the slots, the next one half of the rest, and so on: a few companies with hanging jobs do not block the others, and
jobs of one kind never wait for another kind.
"""

from collections import Counter
from collections.abc import Sequence

from teamspace.jobs.domain.channels import kind_of
from teamspace.jobs.schemas import ClaimSlot, ReadyJob


class KindSlots:
    """The slots of one kind."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._used: Counter[str] = Counter()
        self._writing = 0

    @property
    def free(self) -> int:
        return self._limit - self._used.total()

    @property
    def available(self) -> int:
        """How many jobs can start. Results that are being written occupy no slot, up to `limit` of them."""
        return max(0, min(self.free, self.free + self._limit - self._writing))

    @property
    def orgs_at_share(self) -> tuple[str, ...]:
        """The companies that have their share: the free slots are for others."""
        return tuple(sorted(org_id for org_id, used in self._used.items() if used >= self.free))

    @property
    def is_short(self) -> bool:
        return not self.available or bool(self.orgs_at_share)

    def admits(self, org_id: str) -> bool:
        return self.available > 0 and self._used[org_id] < self.free

    def take(self, org_id: str) -> None:
        self._used[org_id] += 1

    def start_writing(self, org_id: str) -> None:
        """The handler has finished and its result is being written."""
        self.release(org_id)
        self._writing += 1

    def finish_writing(self) -> None:
        self._writing -= 1

    def release(self, org_id: str) -> None:
        self._used[org_id] -= 1
        if not self._used[org_id]:
            del self._used[org_id]


class JobSlots:
    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kinds: dict[str, KindSlots] = {}

    def of(self, kind: str) -> KindSlots:
        return self._kinds.setdefault(kind, KindSlots(self._limit))

    def claim_slots(self, channels: Sequence[str], limit: int) -> list[ClaimSlot]:
        """Return the channels with free slots, and for each the companies that have their share."""
        found = [(channel, self.of(kind_of(channel))) for channel in channels]
        return [
            ClaimSlot(channel, min(limit, slots.available), slots.orgs_at_share)
            for channel, slots in found
            if slots.available
        ]

    def take(self, ready: Sequence[ReadyJob], limit: int) -> list[ReadyJob]:
        """Give slots to the jobs in order; return those that got one. Each slot must be released."""
        taken: list[ReadyJob] = []
        for job in ready:
            if len(taken) < limit and self.of(job.kind).admits(job.org_id):
                self.of(job.kind).take(job.org_id)
                taken.append(job)
        return taken
