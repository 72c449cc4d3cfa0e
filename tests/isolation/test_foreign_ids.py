"""Ids of other companies, inaccessible ids and unknown ids get the same response."""

import httpx2
import msgspec
import pytest

from teamspace.core import paging
from tests.isolation.contract import Kind
from tests.isolation.foreign import SLOTS, Slot, unknown_id
from tests.isolation.outcomes import Outcome, faults
from tests.isolation.stage import Request, Stage
from tests.isolation.table import BY_ROUTE, Case, gate_outcome
from tests.isolation.targets import resolve_values
from tests.support.world import Caller

pytestmark = pytest.mark.asyncio(loop_scope="session")


class Pair(msgspec.Struct, frozen=True):
    """Two requests that must get the same response: one with an inaccessible id, one with an unknown id."""

    label: str
    inaccessible: Request
    unknown: Request


@pytest.mark.parametrize("slot", SLOTS, ids=[f"{slot.route} {slot.field}" for slot in SLOTS])
async def test_inaccessible_and_unknown_ids_get_the_same_response(stage: Stage, slot: Slot) -> None:
    await _check_all_callers(stage, slot)


@pytest.mark.sampled(6)
@pytest.mark.about("core", "tenancy")
@pytest.mark.parametrize("slot", SLOTS, ids=[f"{slot.route} {slot.field}" for slot in SLOTS])
async def test_inaccessible_and_unknown_ids_get_the_same_response_in_a_suspended_tenant(
    suspended_stage: Stage, slot: Slot
) -> None:
    await _check_all_callers(suspended_stage, slot)


async def _check_all_callers(stage: Stage, slot: Slot) -> None:
    case = BY_ROUTE[slot.route]
    pairs = {kind: await _pairs(stage, slot, kind) for kind in slot.callers}
    callers = {kind: await stage.caller(kind, case.needs.permission) for kind in slot.callers}
    found: list[str] = []
    for kind, caller in callers.items():
        outcome = _expected(slot, case, kind, hosted=stage.hosted)
        mark = await stage.writes.mark()
        wrong = [fault for pair in pairs[kind] for fault in await _compare(stage, slot, caller, pair, outcome)]
        if outcome.refused or not case.writes:
            changed = await stage.writes.since(mark)
            wrong += [
                f"wrote to {table}" for table in changed if table not in (slot.counted, *case.side_effect.split())
            ]
        found += [f"{slot.route} x {kind.name}, {slot.field}: {fault}" for fault in wrong]
    assert not found, "\n" + "\n".join(found)


async def _pairs(stage: Stage, slot: Slot, kind: Kind) -> list[Pair]:
    values = {"another company's": await slot.foreign(stage, kind)}
    if slot.hidden:
        values["a hidden one"] = await slot.hidden(stage, kind)
    request = await BY_ROUTE[slot.route].request(stage, kind, named=slot.placeholder if slot.in_path else "")
    body = {**(request.body or {}), **await resolve_values(slot.body, stage, kind)}
    request = msgspec.structs.replace(request, body=body or None)
    return [
        Pair(label, _with_id(stage, slot, request, value), _with_id(stage, slot, request, unknown_id(slot, value)))
        for label, value in values.items()
    ]


def _with_id(stage: Stage, slot: Slot, request: Request, value: str) -> Request:
    if slot.field == "cursor":  # unsigned, both would be refused
        value = paging.sign_cursor(stage.world.db.vault, value)
    if slot.in_path:
        return msgspec.structs.replace(request, path=request.path.replace(slot.placeholder, value))
    if request.method == "GET":
        return msgspec.structs.replace(request, query={**request.query, slot.field: value})
    return msgspec.structs.replace(request, body={**(request.body or {}), slot.field: value})


def _expected(slot: Slot, case: Case, kind: Kind, *, hosted: bool) -> Outcome:
    rule_outcome = None if slot.in_path else case.target.rule(kind, case.needs.permission)
    return gate_outcome(case, kind, hosted=hosted) or rule_outcome or slot.answer


async def _compare(stage: Stage, slot: Slot, caller: Caller, pair: Pair, expected: Outcome) -> list[str]:
    inaccessible, unknown = await stage.send(caller, pair.inaccessible), await stage.send(caller, pair.unknown)
    found = faults(inaccessible, expected) + stage.undocumented(slot.route, inaccessible)
    if _comparable(inaccessible) != _comparable(unknown):
        found.append(f"differs from an unknown one: {_comparable(inaccessible)} and {_comparable(unknown)}")
    return [f"{pair.label}: {fault}" for fault in found]


def _comparable(answer: httpx2.Response) -> tuple[int, bytes, list[tuple[str, str]]]:
    return answer.status_code, answer.content, [pair for pair in answer.headers.multi_items() if pair[0] != "date"]
