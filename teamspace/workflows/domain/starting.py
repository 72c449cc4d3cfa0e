"""Starts runs, in the transaction of whoever wants one."""

import re
from collections.abc import Container, Iterator, Sequence
from typing import Any

import msgspec

from teamspace.core.db import Tx
from teamspace.core.errors import TooLarge
from teamspace.core.ids import new_id
from teamspace.core.messages import DEFAULT
from teamspace.core.principal import Principal
from teamspace.jobs import Authority, JobBatch, Queue
from teamspace.quota import QuotaAccount
from teamspace.workflows import store
from teamspace.workflows.domain import advancing
from teamspace.workflows.domain.definitions import Definition
from teamspace.workflows.domain.language.transitions import Begin, Fail, Finish, Following, begin, measure_input
from teamspace.workflows.domain.language.validation import check_input
from teamspace.workflows.schemas import MAX_OBJECTS, NewRun, NewStep, RunState

MAX_INPUT = 1024 * 1024
"""In bytes of JSON."""
_LONG_INPUT = 32 * 1024
"""In characters."""
_MAX_JOBS = 1000
"""In one statement, unless one run has more."""
_ID = re.compile(rb'"([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})"')


class PreparedRun(msgspec.Struct, frozen=True):
    """A run that can be started: its input is valid, encoded and measured."""

    definition: Definition
    input: str
    """As JSON."""
    counts: dict[str, int]
    objects: tuple[str, ...]
    """Ids in the input that could be documents."""


def prepare(definition: Definition, input: dict[str, Any]) -> PreparedRun:
    """Check and encode the input of a run, before its transaction; raise BadRequest naming what is wrong with it."""
    check_input(definition.spec, input)
    encoded = msgspec.json.encode(input)
    if len(encoded) > MAX_INPUT:
        raise TooLarge("workflows.input_too_large", limit=MAX_INPUT)
    return PreparedRun(definition, encoded.decode(), measure_input(definition.spec, input), find_ids(encoded))


class RunOrder(msgspec.Struct, frozen=True, kw_only=True):
    """A run to start: what, and on whose behalf."""

    authority: Authority
    prepared: PreparedRun
    locale: str
    trigger_id: str | None = None
    objects: tuple[str, ...] = ()
    """Documents that it is about, besides those that its input names."""

    @property
    def named(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.objects, *self.prepared.objects)))


async def start(
    tx: Tx, queue: Queue, authority: Authority, prepared: PreparedRun, *, locale: str, trigger_id: str | None = None,
    objects: Sequence[str] = (),
) -> str:  # fmt: skip
    """Start a run and return its id. `objects` are documents that it is about, besides those that its input names."""
    order = RunOrder(
        authority=authority, prepared=prepared, locale=locale, trigger_id=trigger_id, objects=tuple(objects)
    )  # fmt: skip
    (run_id,) = await start_many(tx, queue, [order])
    return run_id


def count_jobs(prepared: PreparedRun) -> int:
    """Return with how many jobs a run begins."""
    spec = prepared.definition.spec
    following = begin(spec, spec.start, 0, prepared.counts)
    return following.jobs if isinstance(following, Begin) else 0


async def start_many(tx: Tx, queue: Queue, orders: Sequence[RunOrder]) -> list[str]:
    """Start runs of one account and return their ids, in order. The number of statements does not depend on theirs.

    They need no lock: no one else sees them before the commit.
    """
    plans = [_plan(order) for order in orders]
    for group in _split(plans):
        await _insert(tx, queue, group)
    return [plan.id for plan in plans]


class _Plan(msgspec.Struct, frozen=True):
    """A run with what it begins with."""

    id: str
    order: RunOrder
    following: Following
    steps: list[NewStep]
    jobs: JobBatch | None

    @property
    def size(self) -> int:
        return len(self.jobs.items) if self.jobs else 0

    def to_row(self, documents: Container[str]) -> NewRun:
        order, definition, following = self.order, self.order.prepared.definition, self.following
        named = sum(id in documents for id in order.named)
        return NewRun(
            id=self.id, authority=order.authority, slug=definition.slug, version=definition.version,
            digest=definition.digest, max_steps=definition.spec.max_steps, counts=order.prepared.counts,
            locale=order.locale, trigger_id=order.trigger_id, state=_state_of(following), steps_used=self.size,
            step=None if isinstance(following, Finish) else following.step_id, objects=min(named, MAX_OBJECTS + 1),
            error=self.steps[-1].error if isinstance(following, Fail) else None,
        )  # fmt: skip


def _plan(order: RunOrder) -> _Plan:
    spec, id = order.prepared.definition.spec, new_id()
    following = begin(spec, spec.start, 0, order.prepared.counts)
    jobs = None
    if isinstance(following, Begin):
        jobs = advancing.new_jobs(order.authority, id, spec, following.step_id, range(following.jobs))
    return _Plan(id, order, following, advancing.plan_steps(id, following, 0), jobs)


def _state_of(following: Following) -> RunState:
    match following:
        case Begin():
            return RunState.RUNNING
        case Finish():
            return RunState.SUCCEEDED
        case Fail():
            return RunState.FAILED


def _split(plans: Sequence[_Plan]) -> Iterator[list[_Plan]]:
    """Yield groups that are inserted together: of many runs with many jobs, a bounded number."""
    group, size = list[_Plan](), 0
    for plan in plans:
        if group and size + plan.size > _MAX_JOBS:
            yield group
            group, size = [], 0
        group.append(plan)
        size += plan.size
    if group:
        yield group


async def _insert(tx: Tx, queue: Queue, plans: Sequence[_Plan]) -> None:
    account = plans[0].order.authority.account
    named = {id for plan in plans for id in plan.order.named}
    documents = frozenset(await store.select_documents(tx, account.org_id, list(named))) if named else frozenset()
    await store.insert_runs(tx, account, [plan.to_row(documents) for plan in plans])
    await _insert_inputs(tx, account, {plan.id: plan.order.prepared.input for plan in plans})
    if documents:
        listed = {plan.id: [id for id in plan.order.named if id in documents] for plan in plans}
        await store.insert_objects(tx, account, listed)
    if steps := [step for plan in plans for step in plan.steps]:
        await store.insert_steps(tx, account, steps)
    batches = {plan.id: plan.jobs for plan in plans if plan.jobs}
    ids = await queue.enqueue_many(tx, account, advancing.KIND, list(batches.values()))
    items = {id: advancing.new_items(jobs, made) for (id, jobs), made in zip(batches.items(), ids, strict=True)}
    if items:
        await store.insert_items(tx, account, items)
    await advancing.record_new(tx, account, *(plan.id for plan in plans))


async def _insert_inputs(tx: Tx, account: QuotaAccount, inputs: dict[str, str]) -> None:
    """Long ones each on its own: SQLite would parse a list of them once for each column."""
    short = {run_id: input for run_id, input in inputs.items() if len(input) <= _LONG_INPUT}
    if len(short) > 1:
        await store.insert_inputs(tx, account, short)
    for run_id, input in inputs.items():
        if len(short) <= 1 or run_id not in short:
            await store.insert_input(tx, account, run_id, input)


def locale_of(who: Principal) -> str:
    """Return the locale of a run that someone starts: that of their account, else the instance's."""
    return who.locale or DEFAULT


def find_ids(encoded: bytes) -> tuple[str, ...]:
    """Return the texts in JSON that look like ids; one more than are listed, if there are so many."""
    found = dict[str, None]()
    for match in _ID.finditer(encoded):
        found[match[1].decode()] = None
        if len(found) > MAX_OBJECTS:
            break
    return tuple(found)
