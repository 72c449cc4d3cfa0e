"""Decide who is told about which event: those who can read the thing now, and those who no longer can.

All callers of a company are decided together: callers whose fences have the same SQL share one statement.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence

from teamspace.core.db import Db, Fence
from teamspace.core.permissions import Permission
from teamspace.core.principal import Principal
from teamspace.events import store
from teamspace.events.schemas import Change, Event, EventSubject

MAX_PAIRS = 4000
"""Callers times rows of one statement. SQLite runs it on the event loop, at 1 to 5 µs per pair."""

_EVENTS_PER_TURN = 16

Subjects = Mapping[str, EventSubject]


class Rights:
    """What a caller can read. Callers with equal rights share one, and are decided once."""

    __slots__ = ("__weakref__", "fences", "who")

    def __init__(self, who: Principal, subjects: Subjects) -> None:
        self.who = who
        self.fences: dict[str, tuple[Fence, ...]] = {
            kind: subject.fences(who) for kind, subject in subjects.items() if subject.fences
        }


def key_of(who: Principal) -> tuple[object, ...]:
    """Return a value that is equal for callers with equal rights."""
    return (
        who.user_id, who.team_id, who.org_id, who.permissions, who.scope, who.features, who.operator,
        who.org_suspended, who.tenant_suspended,
    )  # fmt: skip


class Readers:
    """The readers that an event names when a thing goes: a person, everyone in a team, those whose role in a team
    allows it, and those with a role in the company."""

    @staticmethod
    def user(user_id: str) -> str:
        return f"user:{user_id}"

    @staticmethod
    def team(team_id: str) -> str:
        return f"team:{team_id}"

    @staticmethod
    def role(team_id: str) -> str:
        return f"role:{team_id}"

    @staticmethod
    def org(org_id: str) -> str:
        return f"org:{org_id}"


Told = dict[Rights, list[tuple[Event, Change]]]


async def decide(db: Db, subjects: Subjects, events: Sequence[Event], callers: Iterable[Rights]) -> Told:
    """Return what each caller is told, in the order of the events."""
    callers = list(callers)
    admitted = await _admitted(db, subjects, events, callers)
    by_reader: dict[str, dict[str, list[Rights]]] = {}
    newest = {(event.kind, event.subject_id): event for event in events}
    told: Told = {}
    for number, event in enumerate(events):
        subject = subjects.get(event.kind)
        if subject is None:
            continue
        if subject.fences is None:
            # It has no row, only a current state: one event is enough.
            if newest[event.kind, event.subject_id] is event:
                _tell(told, event, event.change, (rights for rights in callers if rights.who.team_id == event.team_id))
            continue
        now = admitted.get((event.kind, event.subject_id), set())
        # If it was deleted and is there again, another event says so; this one must not claim that it is gone.
        _tell(told, event, Change.UPDATED if event.change is Change.DELETED else event.change, now)
        if event.readers and subject.permission:
            index = by_reader.get(event.kind) or by_reader.setdefault(
                event.kind, _by_reader(callers, subject.permission)
            )
            before = {rights for reader in event.readers for rights in index.get(reader, ())} - now
            gone = (rights for rights in before if rights.who.in_scope(subject.permission, event.path))
            _tell(told, event, Change.DELETED, gone)
        if number % _EVENTS_PER_TURN == 0:
            await asyncio.sleep(0)
    return told


def _tell(told: Told, event: Event, change: Change, audience: Iterable[Rights]) -> None:
    for rights in audience:
        told.setdefault(rights, []).append((event, change))


def _by_reader(callers: Sequence[Rights], permission: Permission) -> dict[str, list[Rights]]:
    """Return the callers by each reader they are; `permission` is what access by role needs."""
    index: dict[str, list[Rights]] = {}
    for rights in callers:
        who = rights.who
        readers = [Readers.user(who.user_id), Readers.team(who.team_id)]
        if permission in who.permissions:
            readers.append(Readers.role(who.team_id))
        if who.has_permission(Permission.ORG_READ):
            readers.append(Readers.org(who.org_id))
        for reader in readers:
            index.setdefault(reader, []).append(rights)
    return index


async def _admitted(
    db: Db, subjects: Subjects, events: Sequence[Event], callers: Sequence[Rights]
) -> dict[tuple[str, str], set[Rights]]:
    """Return who can read the events' things now, by kind and id."""
    ids: dict[str, dict[str, None]] = {}
    for event in events:
        if event.kind in subjects and subjects[event.kind].fences:
            ids.setdefault(event.kind, {})[event.subject_id] = None
    admitted: dict[tuple[str, str], set[Rights]] = {}
    for kind, wanted in ids.items():
        for group in _by_sql(kind, callers):
            async for rights, id in _decide_group(db, group, list(wanted)):
                admitted.setdefault((kind, id), set()).add(rights)
    return admitted


def _by_sql(kind: str, callers: Sequence[Rights]) -> Iterable[list[tuple[Rights, Fence]]]:
    groups: dict[tuple[str, str], list[tuple[Rights, Fence]]] = {}
    for rights in callers:
        for fence in rights.fences[kind]:
            if not fence.is_empty:
                groups.setdefault((fence.table, fence.sql), []).append((rights, fence))
    return groups.values()


async def _decide_group(db: Db, group: list[tuple[Rights, Fence]], ids: list[str]) -> AsyncIterator[tuple[Rights, str]]:
    """Yield who can read which of the rows; the group's fences have the same SQL."""
    rows = min(len(ids), MAX_PAIRS)
    size = max(1, MAX_PAIRS // rows)
    for first_id in range(0, len(ids), rows):
        for first in range(0, len(group), size):
            part = group[first : first + size]
            callers = [{"caller": number, **fence.params} for number, (_, fence) in enumerate(part)]
            for row in await store.select_admitted(db, part[0][1], callers, ids[first_id : first_id + rows]):
                yield part[row.caller][0], row.id
            await asyncio.sleep(0)  # other requests take turns with a long list of callers
