"""Ids of other companies, ids one must not reach, and ids that nobody has: the same answer to each."""

import httpx2
import msgspec
import pytest

from teamspace.core import paging
from tests.isolation.contract import Kind
from tests.isolation.foreign import SLOTS, Slot, stranger
from tests.isolation.outcomes import Outcome, faults
from tests.isolation.stage import Ask, Stage
from tests.isolation.table import BY_ROUTE, Case, at_the_gate
from tests.isolation.things import filled
from tests.support.world import Caller

pytestmark = pytest.mark.asyncio(loop_scope="session")


class Pair(msgspec.Struct, frozen=True):
    """Two requests that must be answered alike: one names what the caller must not reach, one what nobody has."""

    whose: str
    theirs: Ask
    nobodys: Ask


@pytest.mark.parametrize("slot", SLOTS, ids=[f"{slot.route} {slot.field}" for slot in SLOTS])
async def test_what_is_not_yours_and_what_is_nobodys_look_alike(stage: Stage, slot: Slot) -> None:
    await _tried_by_all(stage, slot)


@pytest.mark.parametrize("slot", SLOTS, ids=[f"{slot.route} {slot.field}" for slot in SLOTS])
async def test_they_look_alike_in_a_suspended_tenant_too(suspended_stage: Stage, slot: Slot) -> None:
    await _tried_by_all(suspended_stage, slot)


async def _tried_by_all(stage: Stage, slot: Slot) -> None:
    case = BY_ROUTE[slot.route]
    pairs = {kind: await _pairs(stage, slot, kind) for kind in slot.callers}
    callers = {kind: await stage.caller(kind, case.needs.permission) for kind in slot.callers}
    found: list[str] = []
    for kind, caller in callers.items():
        outcome = _expected(slot, case, kind, hosted=stage.hosted)
        mark = await stage.writes.mark()
        wrong = [fault for pair in pairs[kind] for fault in await _compared(stage, slot, caller, pair, outcome)]
        if outcome.refused or not case.writes:
            changed = await stage.writes.since(mark)
            wrong += [f"wrote to {table}" for table in changed if table not in (slot.counted, case.books)]
        found += [f"{slot.route} x {kind.name}, {slot.field}: {fault}" for fault in wrong]
    assert not found, "\n" + "\n".join(found)


async def _pairs(stage: Stage, slot: Slot, kind: Kind) -> list[Pair]:
    values = {"another company's": await slot.foreign(stage, kind)}
    if slot.hidden:
        values["a hidden one"] = await slot.hidden(stage, kind)
    ask = await BY_ROUTE[slot.route].ask(stage, kind, named=slot.place if slot.in_path else "")
    body = {**(ask.body or {}), **await filled(slot.given, stage, kind)}
    ask = msgspec.structs.replace(ask, body=body or None)
    return [
        Pair(whose, _naming(stage, slot, ask, value), _naming(stage, slot, ask, stranger(slot, value)))
        for whose, value in values.items()
    ]


def _naming(stage: Stage, slot: Slot, ask: Ask, value: str) -> Ask:
    if slot.field == "cursor":  # else both would be refused for the signature alone
        value = paging.sign_cursor(stage.world.db.vault, value)
    if slot.in_path:
        return msgspec.structs.replace(ask, path=ask.path.replace(slot.place, value))
    if ask.method == "GET":
        return msgspec.structs.replace(ask, query={**ask.query, slot.field: value})
    return msgspec.structs.replace(ask, body={**(ask.body or {}), slot.field: value})


def _expected(slot: Slot, case: Case, kind: Kind, *, hosted: bool) -> Outcome:
    by_the_thing = None if slot.in_path else case.about.rule(kind, case.needs.permission)
    return at_the_gate(case, kind, hosted=hosted) or by_the_thing or slot.answer


async def _compared(stage: Stage, slot: Slot, caller: Caller, pair: Pair, expected: Outcome) -> list[str]:
    theirs, nobodys = await stage.send(caller, pair.theirs), await stage.send(caller, pair.nobodys)
    found = faults(theirs, expected) + stage.undescribed(slot.route, theirs)
    if _shown(theirs) != _shown(nobodys):
        found.append(f"differs from an unknown one: {_shown(theirs)} and {_shown(nobodys)}")
    return [f"{pair.whose}: {fault}" for fault in found]


def _shown(answer: httpx2.Response) -> tuple[int, bytes, list[tuple[str, str]]]:
    return answer.status_code, answer.content, [pair for pair in answer.headers.multi_items() if pair[0] != "date"]
