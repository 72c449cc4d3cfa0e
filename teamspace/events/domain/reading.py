"""Which things a caller can read, for packages that refer to things of packages above them."""

from collections.abc import Collection, Iterable

from teamspace.core.db import Reads
from teamspace.core.principal import Principal
from teamspace.events import store
from teamspace.events.schemas import EventSubject


class ReadableSubjects:
    def __init__(self, subjects: Iterable[EventSubject]) -> None:
        self._subjects = {subject.kind: subject for subject in subjects}

    async def select(self, db: Reads, who: Principal, kind: str, ids: Collection[str]) -> set[str]:
        """Return those of the ids that the caller can read, by the fences of the things' own package."""
        subject = self._subjects.get(kind)
        if subject is None or subject.fences is None:
            return set()
        found: set[str] = set()
        for fence in subject.fences(who):
            found.update(
                row.id for row in await store.select_admitted(db, fence, [{"caller": 0, **fence.params}], [*ids])
            )
        return found
