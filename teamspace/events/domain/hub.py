"""Delivery: one task per process reads new events once, and decides for all subscribers of a company together."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from weakref import WeakValueDictionary

import msgspec

from teamspace.core import clock
from teamspace.core.counts import Counts
from teamspace.core.db import Db
from teamspace.core.disconnect import DisconnectWatch
from teamspace.core.errors import Refusal
from teamspace.core.limits import KeyedConcurrencyLimit, Notifier
from teamspace.core.principal import Principal
from teamspace.events import store
from teamspace.events.domain import visibility
from teamspace.events.domain.cursors import Cursors, open_cursors
from teamspace.events.domain.recording import TOPIC
from teamspace.events.domain.subscribers import Subscriber
from teamspace.events.domain.visibility import Rights, Told
from teamspace.events.schemas import Change, CurrentCaller, Event, EventSubject, Position

log = logging.getLogger("teamspace.events")

POLL_SECONDS = 2.0
"""How long a lost notification can delay an event, and how long an ended credential can keep its stream."""
GATHER_SECONDS = 0.02
UNSETTLED_SECONDS = 0.1
PAGE = 200
OF_TOKEN, OF_COMPANY, MAX_STREAMS = 20, 1000, 4000
_STREAMS_PER_TURN = 100
_TOKENS_PER_QUERY = 200
_JOINING_AT_ONCE = 4
"""When a server restarts, everyone reconnects at once: they wait here, not for the database's connections."""

Identify = Callable[[Db, Sequence[str]], Awaitable[Mapping[str, CurrentCaller]]]
"""Returns the callers of the credentials (by id) that are still valid."""


class Hub:
    """The open streams of this process."""

    def __init__(
        self, subjects: Iterable[EventSubject], notifier: Notifier, identify: Identify, counts: Counts | None = None
    ) -> None:
        self._subjects = {subject.kind: subject for subject in subjects}
        self._notifier = notifier
        self._identify = identify
        self._limits = KeyedConcurrencyLimit(
            "busy.event_streams", counts, token=OF_TOKEN, company=OF_COMPANY, server=MAX_STREAMS
        )
        self._open: set[Subscriber] = set()
        """All subscribers, including those that still catch up."""
        self._joined = asyncio.Event()
        self._live: dict[str, set[Subscriber]] = {}
        """Subscribers by company that have seen everything up to the position."""
        self._rights: WeakValueDictionary[tuple[object, ...], Rights] = WeakValueDictionary()
        self._position: Position | None = None
        self._cursors: Cursors | None = None
        self._check_due = 0.0
        self._advancing = asyncio.Lock()
        self._joining = asyncio.Semaphore(_JOINING_AT_ONCE)

    @property
    def size(self) -> int:
        return len(self._open)

    # Subscribers

    def check_room(self, who: Principal) -> None:
        """Raise RateLimited if this caller cannot open another stream."""
        with self._take(who):
            pass

    def _take(self, who: Principal) -> AbstractContextManager[None]:
        return self._limits.take(token=who.token_id, company=who.org_id, server="this server")

    async def listen(
        self, db: Db, who: Principal, cursor: str | None, disconnect: DisconnectWatch | None = None
    ) -> AsyncGenerator[bytes, None]:
        """Yield the caller's events as they happen, first those after `cursor`; ends when the credential does."""
        subscriber = Subscriber(who)
        try:
            with self._take(who):
                self._open.add(subscriber)
                self._joined.set()
                if self._notifier.stopping or not await self._admit(db, subscriber):
                    return
                if disconnect is not None:
                    disconnect.watch().add_done_callback(lambda _: subscriber.close())
                async for chunk in self._catch_up(db, subscriber, cursor):
                    yield chunk
                async for chunk in subscriber.chunks():
                    yield chunk
        except Refusal as refusal:
            # Too late for an error response: the client connects again, and is told then.
            log.warning("an event stream ended: %s", refusal)
        finally:
            self._leave(subscriber)

    async def _admit(self, db: Db, subscriber: Subscriber) -> bool:
        async with self._joining:
            await self._refresh(db, [subscriber])
        if subscriber.closed:
            return False
        async with self._advancing:
            if self._cursors is None:
                self._cursors = await open_cursors(db)
            if self._position is None:
                self._position = await store.get_newest(db)
        return True

    async def _catch_up(self, db: Db, subscriber: Subscriber, cursor: str | None) -> AsyncGenerator[bytes, None]:
        """Yield `ready` and what was missed since the cursor; then the subscriber is live, without a gap."""
        org_id = subscriber.org_id
        position = await self._resume_at(db, subscriber, cursor) if cursor else self._now
        if position is None:
            self._join_at(subscriber, self._now)
            yield self._encode("ready", org_id, self._now) + self._encode("reset", org_id, self._now)
            return
        yield self._encode("ready", org_id, position)
        while not subscriber.closed and not self._join_at(subscriber, position):
            async with self._joining:
                missed, position = await self._read_missed(db, subscriber, position)
            if missed:
                yield missed

    async def _read_missed(self, db: Db, subscriber: Subscriber, after: Position) -> tuple[bytes, Position]:
        """Return what the subscriber is told of a page of events, and the position after them."""
        org_id, until = subscriber.org_id, self._now
        events = await store.select_of_org(db, org_id, after, until, PAGE)
        if after < await store.get_floor(db, org_id):
            return self._encode("reset", org_id, until), until
        await self._refresh_if_changed(db, [subscriber])
        told = await visibility.decide(db, self._subjects, events, [subscriber.rights])
        chunks = self._encode_told(told).get(subscriber.rights, [])
        return b"".join(chunks), events[-1].position if len(events) == PAGE else until

    async def _resume_at(self, db: Db, subscriber: Subscriber, cursor: str) -> Position | None:
        """Return the position of a cursor; None if it is not one, or events after it were deleted."""
        assert self._cursors is not None
        position = self._cursors.decode(subscriber.org_id, cursor)
        if position is None or position < await store.get_floor(db, subscriber.org_id):
            return None
        if position > self._now:
            await self._advance(db)  # another process may have been ahead of this one
        return position if position <= self._now else None

    @property
    def _now(self) -> Position:
        assert self._position is not None
        return self._position

    def _join_at(self, subscriber: Subscriber, position: Position) -> bool:
        """Make the subscriber live, if it has seen everything up to the hub's position."""
        if position != self._now:
            return False
        self._live.setdefault(subscriber.org_id, set()).add(subscriber)
        return True

    def _leave(self, subscriber: Subscriber) -> None:
        subscriber.close()
        self._open.discard(subscriber)
        live = self._live.get(subscriber.org_id, set())
        live.discard(subscriber)
        if not live:
            self._live.pop(subscriber.org_id, None)

    # Delivery

    async def run(self, db: Db) -> None:
        """Deliver events until the server stops; then close all streams."""
        try:
            while not self._notifier.stopping:
                await self._notifier.wait(self._joined, POLL_SECONDS)
                await self._deliver_while_open(db)
        finally:
            for subscriber in tuple(self._open):
                subscriber.close()

    async def _deliver_while_open(self, db: Db) -> None:
        """Deliver events until nobody listens: without readers, no commit wakes this process."""
        with self._notifier.subscribe([TOPIC]) as news:
            while self._open and not self._notifier.stopping:
                seconds = await self._run_once(db)
                if await self._notifier.wait(news, seconds) and not self._notifier.stopping:
                    await asyncio.sleep(GATHER_SECONDS)
        if not self._open:
            self._position = None

    async def _run_once(self, db: Db) -> float:
        """Deliver what there is; return how long to wait for more."""
        try:
            await self._check_credentials(db)
            await self._advance(db)
            return UNSETTLED_SECONDS if await store.has_unsettled(db) else POLL_SECONDS
        except Exception:
            log.exception("events could not be delivered; retrying")
            return POLL_SECONDS

    async def _advance(self, db: Db) -> None:
        async with self._advancing:
            newest = await store.get_newest(db)
            if self._position is None or newest <= self._position:
                return
            # Without a pause in between: whoever joins from now on has read up to the new position itself.
            since, self._position = self._position, newest
            targets = {org_id: tuple(subscribers) for org_id, subscribers in self._live.items()}
            try:
                await self._deliver(db, targets, since, newest)
            except Exception:
                log.exception("events could not be delivered; the subscribers will fetch everything again")
                for subscribers in targets.values():
                    for subscriber in subscribers:
                        self._reset(subscriber)

    async def _deliver(
        self, db: Db, targets: Mapping[str, Sequence[Subscriber]], since: Position, until: Position
    ) -> None:
        while targets:
            events = await store.select_between(db, list(targets), since, until, PAGE)
            by_company: dict[str, list[Event]] = {}
            for event in events:
                by_company.setdefault(event.org_id, []).append(event)
            for org_id, happened in by_company.items():
                await self._deliver_to_company(db, targets[org_id], happened)
            if len(events) < PAGE:
                return
            since = events[-1].position

    async def _deliver_to_company(self, db: Db, subscribers: Sequence[Subscriber], events: Sequence[Event]) -> None:
        await self._refresh_if_changed(db, subscribers)
        told = await visibility.decide(db, self._subjects, events, {subscriber.rights for subscriber in subscribers})
        chunks = self._encode_told(told)
        reset = self._encode("reset", events[-1].org_id, events[-1].position)
        for number, subscriber in enumerate(subscribers):
            if (news := chunks.get(subscriber.rights)) and not subscriber.closed:
                subscriber.push(news, reset)
            if number % _STREAMS_PER_TURN == 0:
                await asyncio.sleep(0)

    # Rights

    async def _refresh_if_changed(self, db: Db, subscribers: Sequence[Subscriber]) -> None:
        epoch = await db.rights_epoch(fresh=True)
        if changed := [subscriber for subscriber in subscribers if subscriber.epoch != epoch and not subscriber.closed]:
            await self._refresh(db, changed)

    async def _check_credentials(self, db: Db) -> None:
        """End streams whose credential has ended. Whoever is told something is checked again, just before."""
        if time.monotonic() < self._check_due:
            return
        self._check_due = time.monotonic() + POLL_SECONDS
        await self._refresh_if_changed(db, tuple(self._open))
        now = clock.now()
        if expired := [
            subscriber for subscriber in self._open if subscriber.expires_at <= now and not subscriber.closed
        ]:
            await self._refresh(db, expired)

    async def _refresh(self, db: Db, subscribers: Sequence[Subscriber]) -> None:
        """Read the rights of the subscribers again: end those without any, reset those with others."""
        for first in range(0, len(subscribers), _TOKENS_PER_QUERY):
            part = subscribers[first : first + _TOKENS_PER_QUERY]
            epoch = await db.rights_epoch(fresh=True)
            callers = await self._identify(db, [subscriber.token_id for subscriber in part])
            for subscriber in part:
                subscriber.epoch = epoch
                self._apply(subscriber, callers.get(subscriber.token_id))
            await asyncio.sleep(0)

    def _apply(self, subscriber: Subscriber, caller: CurrentCaller | None) -> None:
        if caller is None:
            return subscriber.close()
        rights = self._share_rights(caller.principal)
        before = getattr(subscriber, "rights", None)
        subscriber.rights, subscriber.expires_at = rights, caller.expires_at
        if before is None or before is rights:
            return None
        if _is_suspended(rights.who) and not _is_suspended(before.who):
            return subscriber.close()
        return self._reset(subscriber)

    def _share_rights(self, who: Principal) -> Rights:
        key = visibility.key_of(who)
        rights = self._rights.get(key)
        if rights is None:
            rights = self._rights[key] = Rights(who, self._subjects)
        return rights

    # Encoding

    def _reset(self, subscriber: Subscriber) -> None:
        if self._position is not None:  # otherwise nothing has been sent yet
            reset = self._encode("reset", subscriber.org_id, self._position)
            subscriber.push([reset], reset)

    def _encode(self, name: str, org_id: str, position: Position, data: bytes = b"{}") -> bytes:
        assert self._cursors is not None
        cursor = self._cursors.encode(org_id, position)
        return b"id: %s\nevent: %s\ndata: %s\n\n" % (cursor.encode(), name.encode(), data)

    def _encode_told(self, told: Told) -> dict[Rights, list[bytes]]:
        """Encode each event once, however many are told."""
        encoded: dict[tuple[int, Change], bytes] = {}

        def encode(event: Event, change: Change) -> bytes:
            chunk = encoded.get((event.id, change))
            if chunk is None:
                data = msgspec.json.encode({"type": event.kind, "id": event.subject_id, "change": change})
                chunk = encoded[event.id, change] = self._encode("change", event.org_id, event.position, data)
            return chunk

        return {rights: [encode(event, change) for event, change in heard] for rights, heard in told.items()}


def _is_suspended(who: Principal) -> bool:
    return who.org_suspended or who.tenant_suspended
