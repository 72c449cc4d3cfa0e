"""What keeps the server quick when more is asked of it than it can give: rates, slots and shedding."""

import asyncio
import math
import random
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from teamspace.core.departure import Departure
from teamspace.core.errors import Overloaded, RateLimited

_MOST_BUCKETS = 50_000


class Rate:
    """Token buckets, one a key: `per_minute` on the long run, `burst` at once. Zero turns it off."""

    def __init__(self, per_minute: int, burst: int) -> None:
        self._per_second = per_minute / 60
        self._burst = float(min(burst, per_minute))
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def spend(self, key: str) -> None:
        if not self._per_second:
            return
        now = time.monotonic()
        level, since = self._buckets.get(key, (self._burst, now))
        level = min(self._burst, level + (now - since) * self._per_second)
        if level < 1:
            wait = math.ceil((1 - level) / self._per_second)
            raise RateLimited(f"Too many requests: wait {wait} s.", wait)
        self._buckets[key] = (level - 1, now)
        self._buckets.move_to_end(key)
        if len(self._buckets) > _MOST_BUCKETS:
            self._buckets.popitem(last=False)


class Slots:
    """At most `most` at a time; `queue` more may wait; whoever comes after is told to come back."""

    def __init__(self, what: str, most: int, queue: int = 0) -> None:
        self._what = what
        self._most, self._queue = most, queue
        self._taken = 0
        self._free = asyncio.Semaphore(most)

    @asynccontextmanager
    async def take(self) -> AsyncIterator[None]:
        if self._taken >= self._most + self._queue:
            raise Overloaded(f"Too many {self._what} at once.", 2)
        self._taken += 1
        try:
            async with self._free:
                yield
        finally:
            self._taken -= 1


class Shares:
    """At most so many at a time by each token, each company, each address, or whatever else it is counted by."""

    def __init__(self, what: str, **most: int) -> None:
        self._what, self._most = what, most
        self._taken: Counter[tuple[str, str]] = Counter()

    @contextmanager
    def take(self, **by: str) -> Iterator[None]:
        """One of each share, or none and a refusal; an empty name is not counted."""
        keys = [(share, name) for share, name in by.items() if name]
        for share, name in keys:
            if self._taken[share, name] >= self._most[share]:
                raise RateLimited(f"Too many {self._what} of one {share} at once: {self._most[share]} are allowed.", 2)
        self._taken.update(keys)
        try:
            yield
        finally:
            self._taken.subtract(keys)
            for key in keys:
                if not self._taken[key]:
                    del self._taken[key]


class Shedder:
    """Refuses a growing share of requests while the event loop runs late, so that the rest stay quick.

    The delay of a timer is the queue that every request stands in. While it stays above the target the
    share refused grows by how far above it is; below the target it shrinks step by step. One late timer
    is a hiccup and refuses nobody.
    """

    TICK, TARGET = 0.02, 0.1
    GROW, SHRINK, MOST = 0.5, 0.02, 0.98

    def __init__(self, watch: Callable[[float], None] | None = None) -> None:
        """`watch` is told how late the loop was at every tick."""
        self.share = 0.0
        self._watch = watch
        self._due = 0.0
        self._was_late = False
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        self._plan()

    def stop(self) -> None:
        if self._timer:
            self._timer.cancel()

    def admit(self) -> None:
        if self.share and random.random() < self.share:
            raise Overloaded("The server is at its limit.")

    def _plan(self) -> None:
        loop = asyncio.get_running_loop()
        self._due = loop.time() + self.TICK
        self._timer = loop.call_at(self._due, self._tick)

    def _tick(self) -> None:
        late = asyncio.get_running_loop().time() - self._due
        if self._watch:
            self._watch(late)
        was_late, self._was_late = self._was_late, late > self.TARGET
        if self._was_late and was_late:
            self.share += (self.MOST - self.share) * self.GROW * (1 - self.TARGET / late)
        elif not self._was_late:
            self.share = max(0.0, self.share - self.SHRINK)
        self._plan()


class Stopping:
    """Set once, when the server begins to stop: streams end and waits return."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def __bool__(self) -> bool:
        return self._event.is_set()

    def begin(self) -> None:
        self._event.set()

    async def wait(self) -> None:
        await self._event.wait()


class Wake:
    """Lets a long poll sleep until a topic has news, its time is up, its client has gone, or the server stops."""

    def __init__(self, stopping: Stopping, *, most: int = 1000, of_token: int = 32, of_company: int = 64) -> None:
        self._stopping = stopping
        self._slots = Slots("waiting requests", most)
        self._shares = Shares("waiting requests", token=of_token, company=of_company)
        self._topics: dict[str, set[asyncio.Event]] = {}
        self.relay: Callable[[str], None] | None = None
        """Carries news to other servers."""

    @property
    def stopping(self) -> bool:
        return bool(self._stopping)

    def tell(self, topic: str) -> None:
        """There is news; call it after the commit that made it."""
        self.hear(topic)
        if self.relay:
            self.relay(topic)

    def hear(self, topic: str) -> None:
        """There is news from elsewhere."""
        for news in self._topics.get(topic, ()):
            news.set()

    @contextmanager
    def listening(self, topics: Collection[str]) -> Iterator[asyncio.Event]:
        """News of any of them, from here on: who looks for what there is only now misses nothing."""
        news = asyncio.Event()
        for topic in topics:
            self._topics.setdefault(topic, set()).add(news)
        try:
            yield news
        finally:
            for topic in topics:
                self._forget(topic, news)

    @asynccontextmanager
    async def place(self, *, token: str = "", company: str = "") -> AsyncIterator[None]:
        """For requests, of which only so many may wait: in all, of one token and of one company."""
        with self._shares.take(token=token, company=company):
            async with self._slots.take():
                yield

    async def wait(self, news: asyncio.Event, seconds: float, departure: Departure | None = None) -> bool:
        """True when there was news, which is thereby heard."""
        ends: list[asyncio.Future[Any]] = [
            asyncio.ensure_future(news.wait()),
            asyncio.ensure_future(self._stopping.wait()),
        ]
        gone: list[asyncio.Future[Any]] = [departure.watched()] if departure else []
        try:
            await asyncio.wait([*ends, *gone], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            return news.is_set()
        finally:
            news.clear()
            for end in ends:
                end.cancel()

    def _forget(self, topic: str, news: asyncio.Event) -> None:
        listeners = self._topics[topic]
        listeners.discard(news)
        if not listeners:
            del self._topics[topic]
