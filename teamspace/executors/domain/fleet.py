"""Model servers that this server calls: push executors, those of the settings, and the local executor's model.

The runner runs their jobs. Executors that are unhealthy get none. A company's own executors get at most a quarter of
the slots: a model server that never answers must not block the others.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial

import msgspec

from teamspace import completions, jobs
from teamspace.completions import ModelEndpoint
from teamspace.core import clock, crypto
from teamspace.core.db import Db, Fence, Reads
from teamspace.core.egress import INSTANCE, Egress, NetworkReach
from teamspace.core.errors import ExecutorFailed
from teamspace.core.principal import system
from teamspace.executors import store
from teamspace.executors.domain.health import HealthTracker
from teamspace.executors.domain.offers import accepted_kinds, offered_kinds
from teamspace.executors.domain.presence import Presence, channels_of
from teamspace.executors.schemas import ExecutorRow, ExecutorStatusRow, Health, Mode, ModelRole, OfferedRow
from teamspace.settings import PushExecutor, Settings

_CACHE_SECONDS = 1.0
_MAX_PROBES = 8


class Fleet:
    def __init__(self, settings: Settings, queue: jobs.Queue, egress: Egress) -> None:
        self.queue, self.egress = queue, egress
        self.local = _local_endpoint(settings)
        """The local executor's model; None means the simulated model."""
        self.role_defaults = {
            ModelRole.CHAT: settings.model_role_chat,
            ModelRole.UTILITY: settings.model_role_utility,
        }
        """The name of the instance's default executor per role; empty if there is none."""
        self._configured = {f"env:{executor.name}": executor for executor in settings.executors}
        self._configured_rows = [_row(*item) for item in self._configured.items()]
        self._configured_offers = [_offer(row) for row in self._configured_rows]
        self._slots = settings.job_slots
        self._trackers: dict[str, HealthTracker] = {}
        self._presence = Presence()
        self._active_calls: Counter[str] = Counter()
        self._rows: list[ExecutorRow] = []
        self._read_at = float("-inf")
        self._probing = asyncio.Semaphore(_MAX_PROBES)

    # Executors

    @property
    def configured_names(self) -> set[str]:
        """Names of executors in the settings, which cannot be used for others."""
        return {executor.name.casefold() for executor in self._configured.values()}

    def is_configured(self, executor_id: str) -> bool:
        return executor_id in self._configured

    def configured_serve(self, channel: str) -> bool:
        """Whether an executor of the settings serves the channel. Those work for all companies."""
        how, which = jobs.served_by(channel)
        if not self._configured or jobs.kind_of(channel) not in offered_kinds(Mode.PUSH, self.queue.kinds):
            return False
        return how == "push" or any(
            which == (id if how == "on" else one.model or "") for id, one in self._configured.items()
        )

    def health_of(self, executor_id: str) -> HealthTracker:
        return self._trackers.setdefault(executor_id, HealthTracker())

    async def select(self, db: Reads, fence: Fence) -> list[ExecutorStatusRow]:
        """Select the executors of the settings, which all companies can use, then those within the fence."""
        configured = [await self._status_row(db, row) for row in self._configured_rows]
        rows = await store.select(db, fence)
        return [*configured, *(msgspec.structs.replace(row, health=self._health(row)) for row in rows)]

    async def select_offered(self, db: Reads, fence: Fence) -> list[OfferedRow]:
        """Like `select`, without what only people read."""
        return [*self._configured_offers, *await store.select_offered(db, fence)]

    def _health(self, row: ExecutorStatusRow) -> Health:
        return self.health_of(row.id).adjust_health(row.health) if row.mode is Mode.PUSH else row.health

    async def _status_row(self, db: Reads, configured: ExecutorRow) -> ExecutorStatusRow:
        tracker = self.health_of(configured.id)
        row = msgspec.structs.asdict(configured)
        row["last_seen_at"] = None if tracker.seen_at is None else clock.stamp(tracker.seen_at)
        running = await store.count_running(db, configured.id)
        return ExecutorStatusRow(**row, health=tracker.health_by_probe, running=running)

    async def _push_rows(self, db: Db) -> list[ExecutorRow]:
        if time.monotonic() - self._read_at > _CACHE_SECONDS:
            self._read_at = time.monotonic()
            self._rows = [*self._configured_rows, *await store.select_push(db)]
        return self._rows

    def invalidate(self) -> None:
        """Drop the cached rows: executors have changed."""
        self._read_at = float("-inf")

    # Jobs

    async def work_sources(self, db: Db) -> Sequence[jobs.WorkSource]:
        return [source for row in await self._push_rows(db) if (source := await self._work_source(db, row))]

    async def _work_source(self, db: Db, row: ExecutorRow) -> jobs.WorkSource | None:
        tracker, free = self.health_of(row.id), self._free_slots(row.org_id)
        if free <= 0 or not tracker.is_available:
            return None
        models = (row.model,) if row.model else tuple(tracker.models)
        channels = channels_of(row, accepted_kinds(row, self.queue.kinds), models)
        await self._presence.record(db, self.queue, row.id, channels, row.org_id)
        still_valid = None if self.is_configured(row.id) else partial(store.is_active, id=row.id)
        return jobs.WorkSource(row.id, channels, row.org_id or None, free, still_valid, models or None)

    def _free_slots(self, org_id: str) -> int:
        return self._slots if not org_id else max(1, self._slots // 4) - self._active_calls[org_id]

    @asynccontextmanager
    async def endpoint_for_call(self, db: Db, executor_id: str, *, on_behalf_of: str) -> AsyncIterator[ModelEndpoint]:
        """Yield the endpoint for one call with a company's data, and record how the call ends."""
        org_id, endpoint = await self._endpoint(db, executor_id)
        tracker = self.health_of(executor_id)
        model = endpoint.model or next(iter(tracker.models), None)
        endpoint = msgspec.structs.replace(endpoint, model=model, on_behalf_of=on_behalf_of)
        self._active_calls[org_id] += 1
        try:
            yield endpoint
        except completions.CompletionError as fault:
            tracker.record_call(not fault.unhealthy, on_behalf_of)
            raise
        else:
            tracker.record_call(True, on_behalf_of)
        finally:
            self._active_calls[org_id] -= 1

    async def _endpoint(self, db: Db, executor_id: str) -> tuple[str, ModelEndpoint]:
        if executor_id == jobs.LOCAL and self.local:
            return "", self.local
        if configured := self._configured.get(executor_id):
            return "", ModelEndpoint(configured.url, NetworkReach.LISTED, configured.key, configured.model)
        row = await store.get_push(db, executor_id)
        if row is None:
            raise ExecutorFailed("executors.retired")
        key = None if row.secret is None else db.vault.decrypt(secret_place(executor_id), row.secret).decode()
        return row.org_id, ModelEndpoint(row.url, row.reach, key, row.model, row.org_id or INSTANCE)

    # Probes

    async def probe(self, db: Db) -> None:
        """Probe the executors whose probe is due."""
        ids = [row.id for row in await self._push_rows(db)]
        due = [id for id in (*([jobs.LOCAL] if self.local else []), *ids) if self.health_of(id).is_probe_due]
        await asyncio.gather(*(self._probe(db, id) for id in due))

    async def _probe(self, db: Db, executor_id: str) -> None:
        tracker = self.health_of(executor_id)
        tracker.schedule_probe()
        async with self._probing:
            try:
                _, endpoint = await self._endpoint(db, executor_id)
            except ExecutorFailed:
                self._trackers.pop(executor_id, None)
                return
            tracker.record_probe(await completions.list_models(self.egress, endpoint))
        if tracker.answers and executor_id != jobs.LOCAL and not self.is_configured(executor_id):
            async with db.maintenance(system()) as tx:
                await store.touch(tx, executor_id)


def _row(id: str, executor: PushExecutor) -> ExecutorRow:
    return ExecutorRow(
        id, "", executor.name, Mode.PUSH, executor.model, [], None, executor.url,
        fingerprint(executor.key), NetworkReach.LISTED, None, None,
    )  # fmt: skip


def _offer(row: ExecutorRow) -> OfferedRow:
    return OfferedRow(**msgspec.structs.asdict(row), health=Health.NEW, is_busy=False)


def secret_place(executor_id: str) -> str:
    """The place to which an executor's key is bound when encrypted."""
    return f"executors|secret|{executor_id}"


def fingerprint(key: str | None) -> str | None:
    return None if key is None else crypto.digest(key)[:8]


def _local_endpoint(settings: Settings) -> ModelEndpoint | None:
    if not settings.model_url:
        return None
    return ModelEndpoint(settings.model_url, NetworkReach.LISTED, settings.model_key or None, settings.model or None)


async def recover(db: Db) -> None:
    """Requeue what this server was running when it stopped; for when the only server starts."""
    await jobs.recover(db, remote_executors=frozenset(await store.select_pull(db)))
