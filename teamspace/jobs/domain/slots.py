"""Slots of this process: so many jobs of each kind at a time, and of those a share for each company.

A company may begin another job of a kind while it holds fewer slots of it than are free. One company alone comes to
half of them, the next to half of what is left, and so on: a few companies whose work hangs do not hold up the others,
and work of one kind never waits for another kind.
"""

from collections import Counter
from collections.abc import Sequence

from teamspace.jobs.domain.places import kind_of
from teamspace.jobs.schemas import Opening, Turn


class Slots:
    """Of one kind."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: Counter[str] = Counter()
        self._landing = 0

    @property
    def free(self) -> int:
        return self._most - self._held.total()

    @property
    def room(self) -> int:
        """The next begin while results are on their way to the disk, but no more than as many again."""
        return max(0, min(self.free, self.free + self._most - self._landing))

    @property
    def at_share(self) -> tuple[str, ...]:
        """The companies that must leave what is free to others."""
        return tuple(sorted(org_id for org_id, held in self._held.items() if held >= self.free))

    @property
    def is_short(self) -> bool:
        return not self.room or bool(self.at_share)

    def admits(self, org_id: str) -> bool:
        return self.room > 0 and self._held[org_id] < self.free

    def take(self, org_id: str) -> None:
        self._held[org_id] += 1

    def worked(self, org_id: str) -> None:
        """The work is done, and its result on its way to the disk."""
        self.leave(org_id)
        self._landing += 1

    def landed(self) -> None:
        self._landing -= 1

    def leave(self, org_id: str) -> None:
        self._held[org_id] -= 1
        if not self._held[org_id]:
            del self._held[org_id]


class SlotsByKind:
    def __init__(self, most: int) -> None:
        self._most = most
        self._kinds: dict[str, Slots] = {}

    def of(self, kind: str) -> Slots:
        return self._kinds.setdefault(kind, Slots(self._most))

    def openings(self, places: Sequence[str], most: int) -> list[Opening]:
        """Where there is room now, and for whose jobs there is none."""
        found = [(place, self.of(kind_of(place))) for place in places]
        return [Opening(place, min(most, slots.room), slots.at_share) for place, slots in found if slots.room]

    def take(self, turns: Sequence[Turn], most: int) -> list[Turn]:
        """Those of them, in their order, that get a slot; it is theirs until they leave it."""
        taken: list[Turn] = []
        for turn in turns:
            if len(taken) < most and self.of(turn.kind).admits(turn.org_id):
                self.of(turn.kind).take(turn.org_id)
                taken.append(turn)
        return taken
