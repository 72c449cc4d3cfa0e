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
        self.free = limit
        """The slots that no handler occupies."""

    @property
    def available(self) -> int:
        """How many jobs can start. Results that are being written occupy no slot, up to `limit` of them."""
        return max(0, min(self.free, self.free + self._limit - self._writing))

    @property
    def most_at_once(self) -> int:
        """How many jobs to claim at most: as many as one company can start. A second claim finds those of others."""
        return min(self.available, (self.free + 1) // 2)

    @property
    def orgs_at_share(self) -> tuple[str, ...]:
        """The companies that have their share: the free slots are for others."""
        return tuple(sorted(org_id for org_id, used in self._used.items() if used >= self.free))

    @property
    def is_short(self) -> bool:
        """Whether jobs can have been skipped for lack of a slot."""
        return not self.available or any(used >= self.free for used in self._used.values())

    def admits(self, org_id: str) -> bool:
        return self.available > 0 and self._used[org_id] < self.free

    def take(self, org_id: str) -> None:
        self._used[org_id] += 1
        self.free -= 1

    def start_writing(self, org_id: str) -> None:
        """The handler has finished and its result is being written."""
        self.release(org_id)
        self._writing += 1

    def finish_writing(self) -> None:
        self._writing -= 1

    def release(self, org_id: str) -> None:
        self._used[org_id] -= 1
        self.free += 1
        if not self._used[org_id]:
            del self._used[org_id]


class JobSlots:
    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kinds: dict[str, KindSlots] = {}

    def of(self, kind: str) -> KindSlots:
        slots = self._kinds.get(kind)
        if slots is None:
            slots = self._kinds[kind] = KindSlots(self._limit)
        return slots

    def claim_slots(self, channels: Sequence[str], limit: int) -> list[ClaimSlot]:
        """Return the channels with free slots, and for each the companies that have their share."""
        found = [(channel, self.of(kind_of(channel))) for channel in channels]
        return [
            ClaimSlot(channel, min(limit, slots.most_at_once), slots.orgs_at_share)
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
