"""Limits that keep the server responsive under load: rates, concurrency and load shedding."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from teamspace.core.buckets import Buckets, LocalBuckets
from teamspace.core.counts import Counts, LocalCounts
from teamspace.core.disconnect import DisconnectWatch
from teamspace.core.errors import Overloaded, RateLimited
from teamspace.core.signals import Signal


class Rate:
    """A rate limit with one token bucket per key: `per_minute` sustained, `burst` at once. Zero turns it off."""

    def __init__(self, per_minute: int, burst: int, buckets: Buckets | None = None) -> None:
        self._per_second = per_minute / 60
        self._burst = float(min(burst, per_minute))
        self._buckets = buckets or LocalBuckets()

    def spend(self, key: str) -> None:
        if not self._per_second:
            return
        now = time.monotonic()
        level, since = self._buckets.read(key) or (self._burst, now)
        # After a restart of the machine, shared memory has times of an earlier clock.
        level = min(self._burst, level + (now - since) * self._per_second) if since <= now else self._burst
        if level < 1:
            wait = math.ceil((1 - level) / self._per_second)
            raise RateLimited("request.too_many", wait, seconds=wait)
        self._buckets.write(key, level - 1, now)


class TokenRate(Rate):
    """The rate of requests per credential. Handlers that identify callers by something else than the header spend it."""

    def keep_in(self, buckets: Buckets | None) -> None:
        """Count in memory that the server's processes share; None if there is only one."""
        self._buckets = buckets or self._buckets


class ConcurrencyLimit:
    """Admits `limit` at a time and lets `queue` more wait; refuses the rest with Overloaded."""

    def __init__(self, key: str, limit: int, queue: int = 0) -> None:
        """`key` names the text of the refusal."""
        self._key = key
        self._limit, self._queue = limit, queue
        self._taken = 0
        self._free = asyncio.Semaphore(limit)

    @asynccontextmanager
    async def take(self) -> AsyncIterator[None]:
        if self._taken >= self._limit + self._queue:
            raise Overloaded(self._key, 2)
        self._taken += 1
        try:
            async with self._free:
                yield
        finally:
            self._taken -= 1


class KeyedConcurrencyLimit:
    """Limits concurrency per key: per token, per company, per address, or by any other name.

    With `counts` that the processes share, the limits hold for all of them together; that of `server` is for each.
    """

    def __init__(self, key: str, counts: Counts | None = None, /, **limits: int) -> None:
        """`key` names the text of the refusal, with the parameters `by` and `limit`."""
        self._key, self._limits = key, limits
        self._own = LocalCounts()
        self._counts = counts or self._own

    @contextmanager
    def take(self, **by: str) -> Iterator[None]:
        """Take a slot for every key, or raise RateLimited and take none; empty keys do not count."""
        self.check(**by)
        with self.count(**by):
            yield

    def check(self, **by: str) -> None:
        """Raise RateLimited if a key has no slot left."""
        for kind, name in by.items():
            if name and self._counts_of(kind).read(self._name(kind, name)) >= self._limits[kind]:
                raise RateLimited(self._key, 2, by=kind, limit=self._limits[kind])

    @contextmanager
    def count(self, **by: str) -> Iterator[None]:
        """Take a slot for every key, also beyond the limit: for what was checked before it began."""
        taken = []
        for kind, name in by.items():
            if name:
                counts, key = self._counts_of(kind), self._name(kind, name)
                taken.append((counts, key, counts.take(key)))
        try:
            yield
        finally:
            for counts, key, place in taken:
                counts.release(key, place)

    def _counts_of(self, kind: str) -> Counts:
        return self._own if kind == "server" else self._counts

    def _name(self, kind: str, name: str) -> str:
        return f"{self._key} {kind} {name}"


class LoadShedder:
    """Refuses requests that have waited too long for their turn, so that others need not.

    A server that answered them would be late for all that came after them. What it refuses takes it little time, so the
    wait of the next ones is shorter again.
    """

    TICK, TICKS_OF_SHARE = 0.05, 20
    """Seconds. With a shorter one, the ticks of a server that has nothing to do are most of its work."""

    def __init__(self, on_tick: Callable[[float], None] | None = None, *, longest_wait: float = 0.4) -> None:
        """`on_tick` is called at every tick with its delay in seconds."""
        self.longest_wait = longest_wait
        self.share = 0.0
        """The share of the requests of the last second that were refused."""
        self._asked = self._refused = self._ticks = 0
        self._on_tick = on_tick
        self._due = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        self._schedule()

    def stop(self) -> None:
        if self._timer:
            self._timer.cancel()

    def is_late(self, waited: float) -> bool:
        return waited > self.longest_wait

    def count_refusal(self) -> None:
        self._asked += 1
        self._refused += 1

    def admit(self, waited: float) -> None:
        """Count a request; raise Overloaded if it is late."""
        if self.is_late(waited):
            self.count_refusal()
            raise Overloaded("server.overloaded")
        self._asked += 1

    def _schedule(self) -> None:
        loop = asyncio.get_running_loop()
        self._due = loop.time() + self.TICK
        self._timer = loop.call_at(self._due, self._tick)

    def _tick(self) -> None:
        if self._on_tick:
            self._on_tick(asyncio.get_running_loop().time() - self._due)
        self._ticks += 1
        if self._ticks == self.TICKS_OF_SHARE:
            self.share = self._refused / max(self._asked, 1)
            self._asked = self._refused = self._ticks = 0
        self._schedule()


class Stopping:
    """A flag that is set once, when the server begins to stop: streams end and waits return."""

    def __init__(self) -> None:
        self.announced = False
        """Whether it will be set soon, and load balancers should choose another server."""
        self.signal = Signal()

    def __bool__(self) -> bool:
        return self.signal.is_set()

    def begin(self) -> None:
        self.announced = True
        self.signal.set()

    async def wait(self) -> None:
        await self.signal.wait()


class Notifier:
    """Wakes long polls when a topic is notified, the time is up, the client disconnects, or the server stops."""

    def __init__(
        self, stopping: Stopping, counts: Counts | None = None, *, max_waiting: int = 1000, max_per_token: int = 32,
        max_per_company: int = 64,
    ) -> None:  # fmt: skip
        self._stopping = stopping
        self._slots = ConcurrencyLimit("busy.waiting", max_waiting)
        self._shares = KeyedConcurrencyLimit("busy.waiting_by", counts, token=max_per_token, company=max_per_company)
        self._topics: dict[str, set[asyncio.Event]] = {}
        self.relay: Callable[[str], None] | None = None
        """Sends topics to the other servers."""

    @property
    def stopping(self) -> bool:
        return bool(self._stopping)

    def notify(self, topic: str) -> None:
        """Wake the waiters of a topic, here and on other servers; call it after the commit."""
        self.receive(topic)
        self.notify_others(topic)

    def notify_others(self, topic: str) -> None:
        """Wake the waiters of a topic on other servers only."""
        if self.relay:
            self.relay(topic)

    def receive(self, topic: str) -> None:
        """Wake the waiters of a topic on this server."""
        for event in self._topics.get(topic, ()):
            event.set()

    @contextmanager
    def subscribe(self, topics: Collection[str]) -> Iterator[asyncio.Event]:
        """Return an event that is set when any of the topics is notified; subscribe before reading, to miss nothing."""
        event = asyncio.Event()
        for topic in topics:
            self._topics.setdefault(topic, set()).add(event)
        try:
            yield event
        finally:
            for topic in topics:
                self._unsubscribe(topic, event)

    @asynccontextmanager
    async def poll_slot(self, *, token: str = "", company: str = "") -> AsyncIterator[None]:
        """Take a slot for a waiting request; their number is limited in total, per token and per company."""
        with self._shares.take(token=token, company=company):
            async with self._slots.take():
                yield

    async def wait(self, event: asyncio.Event, seconds: float, disconnect: DisconnectWatch | None = None) -> bool:
        """Wait for the event and clear it; return whether it was set."""
        ends: list[asyncio.Future[Any]] = [
            asyncio.ensure_future(event.wait()),
            asyncio.ensure_future(self._stopping.wait()),
        ]
        gone: list[asyncio.Future[Any]] = [disconnect.watch()] if disconnect else []
        try:
            await asyncio.wait([*ends, *gone], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            return event.is_set()
        finally:
            event.clear()
            for end in ends:
                end.cancel()

    def _unsubscribe(self, topic: str, event: asyncio.Event) -> None:
        listeners = self._topics[topic]
        listeners.discard(event)
        if not listeners:
            del self._topics[topic]
