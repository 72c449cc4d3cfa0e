"""Model servers that this server calls: push executors, those of the settings, and the local executor's own model.

The runner works for them. It is told of those that are worth asking, and a company's own take no more than a part
of its hands: one that never answers must not hold up everybody else.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial

import msgspec

from teamspace import completions, jobs
from teamspace.completions import Endpoint
from teamspace.core import clock, crypto
from teamspace.core.db import Db, Fence, Reads
from teamspace.core.egress import Egress, Reach
from teamspace.core.errors import ExecutorFailed
from teamspace.core.principal import system
from teamspace.executors import store
from teamspace.executors.domain.offers import offered_to, taken_by
from teamspace.executors.domain.presence import Presence, places
from teamspace.executors.domain.pulse import Pulse
from teamspace.executors.schemas import ExecutorRow, Health, Mode, SeenRow
from teamspace.settings import PushExecutor, Settings

_REMEMBERED = 1.0
_PROBES = 8


class Fleet:
    def __init__(self, settings: Settings, queue: jobs.Queue, egress: Egress) -> None:
        self.queue, self.egress = queue, egress
        self.local = _local(settings)
        """The local executor's model; None is the simulated one."""
        self._named = {f"env:{executor.name}": executor for executor in settings.executors}
        self._slots = settings.job_slots
        self._pulses: dict[str, Pulse] = {}
        self._presence = Presence()
        self._under_way: Counter[str] = Counter()
        self._rows: list[ExecutorRow] = []
        self._read_at = float("-inf")
        self._probing = asyncio.Semaphore(_PROBES)

    # Which there are

    @property
    def names(self) -> set[str]:
        """Taken by the settings."""
        return {executor.name.casefold() for executor in self._named.values()}

    def is_named(self, executor_id: str) -> bool:
        return executor_id in self._named

    def names_serve(self, place: str) -> bool:
        """Whether one of the settings does, which works for all."""
        how, which = jobs.served_by(place)
        if not self._named or jobs.kind_of(place) not in offered_to(Mode.PUSH, self.queue.kinds):
            return False
        return how == "push" or any(
            which == (id if how == "on" else one.model or "") for id, one in self._named.items()
        )

    def pulse(self, executor_id: str) -> Pulse:
        return self._pulses.setdefault(executor_id, Pulse())

    async def select(self, db: Reads, fence: Fence) -> list[SeenRow]:
        """Those of the settings, which all may use, then those within the fence."""
        named = [await self._seen(db, id, executor) for id, executor in self._named.items()]
        rows = await store.select(db, fence)
        return [*named, *(msgspec.structs.replace(row, health=self._health(row)) for row in rows)]

    def _health(self, row: SeenRow) -> Health:
        return self.pulse(row.id).health(row.health) if row.mode is Mode.PUSH else row.health

    async def _seen(self, db: Reads, id: str, executor: PushExecutor) -> SeenRow:
        pulse = self.pulse(id)
        row = msgspec.structs.asdict(self._row(id, executor))
        row["last_seen_at"] = None if pulse.seen_at is None else clock.stamp(pulse.seen_at)
        return SeenRow(**row, health=pulse.own_health, running=await store.count_running(db, id))

    def _row(self, id: str, executor: PushExecutor) -> ExecutorRow:
        return ExecutorRow(
            id, "", executor.name, Mode.PUSH, executor.model, [], None, executor.url,
            fingerprint(executor.key), Reach.LISTED, None, None,
        )  # fmt: skip

    async def _push_rows(self, db: Db) -> list[ExecutorRow]:
        if time.monotonic() - self._read_at > _REMEMBERED:
            self._read_at = time.monotonic()
            self._rows = [*(self._row(*item) for item in self._named.items()), *await store.select_push(db)]
        return self._rows

    def forget(self) -> None:
        """What is remembered of which there are: it has changed."""
        self._read_at = float("-inf")

    # Working for them

    async def stations(self, db: Db) -> Sequence[jobs.Station]:
        return [station for row in await self._push_rows(db) if (station := await self._station(db, row))]

    async def _station(self, db: Db, row: ExecutorRow) -> jobs.Station | None:
        pulse, room = self.pulse(row.id), self._room(row.org_id)
        if room <= 0 or not pulse.open:
            return None
        models = (row.model,) if row.model else tuple(pulse.models)
        where = places(row, taken_by(row, self.queue.kinds), models)
        await self._presence.note(db, self.queue, row.id, where, row.org_id)
        still = None if self.is_named(row.id) else partial(store.is_active, id=row.id)
        return jobs.Station(row.id, where, row.org_id or None, room, still, models or None)

    def _room(self, org_id: str) -> int:
        return self._slots if not org_id else max(1, self._slots // 4) - self._under_way[org_id]

    async def recover(self, db: Db) -> None:
        """When the only server there is starts: whatever it was doing, for itself or for them, is done anew."""
        await jobs.recover(db, elsewhere=frozenset(await store.select_pull(db)))

    @asynccontextmanager
    async def calling(self, db: Db, executor_id: str) -> AsyncIterator[Endpoint]:
        """Where to call it. How the call ends is remembered of it."""
        org_id, endpoint = await self._endpoint(db, executor_id)
        pulse = self.pulse(executor_id)
        if endpoint.model is None and pulse.models:
            endpoint = msgspec.structs.replace(endpoint, model=pulse.models[0])
        self._under_way[org_id] += 1
        try:
            yield endpoint
        except completions.Fault as fault:
            pulse.told(not fault.ailing)
            raise
        else:
            pulse.told(True)
        finally:
            self._under_way[org_id] -= 1

    async def _endpoint(self, db: Db, executor_id: str) -> tuple[str, Endpoint]:
        if executor_id == jobs.LOCAL and self.local:
            return "", self.local
        if named := self._named.get(executor_id):
            return "", Endpoint(named.url, Reach.LISTED, named.key, named.model)
        row = await store.get_push(db, executor_id)
        if row is None:
            raise ExecutorFailed("The executor has been retired.")
        key = None if row.secret is None else db.vault.open(place(executor_id), row.secret).decode()
        return row.org_id, Endpoint(row.url, row.reach, key, row.model)

    # Looking after them

    async def probe(self, db: Db) -> None:
        """Those whose turn it is."""
        ids = [row.id for row in await self._push_rows(db)]
        due = [id for id in (*([jobs.LOCAL] if self.local else []), *ids) if self.pulse(id).due]
        await asyncio.gather(*(self._probe(db, id) for id in due))

    async def _probe(self, db: Db, executor_id: str) -> None:
        pulse = self.pulse(executor_id)
        pulse.planned()
        async with self._probing:
            try:
                _, endpoint = await self._endpoint(db, executor_id)
            except ExecutorFailed:
                self._pulses.pop(executor_id, None)
                return
            pulse.probed(await completions.models(self.egress, endpoint))
        if pulse.answers and executor_id != jobs.LOCAL and not self.is_named(executor_id):
            async with db.upkeep(system()) as tx:
                await store.touch(tx, executor_id)


def place(executor_id: str) -> str:
    """To which a key is sealed."""
    return f"executors|secret|{executor_id}"


def fingerprint(key: str | None) -> str | None:
    return None if key is None else crypto.digest(key)[:8]


def _local(settings: Settings) -> Endpoint | None:
    if not settings.model_url:
        return None
    return Endpoint(settings.model_url, Reach.LISTED, settings.model_key or None, settings.model or None)
