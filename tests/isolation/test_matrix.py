"""Every route, asked by every kind of caller."""

import re

import pytest

from teamspace.core.ids import new_id
from tests.isolation.contract import DEAD, KINDS, WORKER, Kind, held, scope
from tests.isolation.outcomes import faults, invalid
from tests.isolation.stage import Ask, Stage
from tests.isolation.table import CASES, Case, at_the_gate, expected

pytestmark = pytest.mark.asyncio(loop_scope="session")

_WITH_A_BODY = [case for case in CASES if case.body is not None]
_PEOPLE = [kind for kind in KINDS if kind.credential not in (*DEAD, WORKER)]


@pytest.mark.parametrize("case", CASES, ids=[case.route for case in CASES])
async def test_every_caller_gets_what_the_contract_gives_them(stage: Stage, case: Case) -> None:
    await _tried_by_all(stage, case)


@pytest.mark.parametrize("case", CASES, ids=[case.route for case in CASES])
async def test_a_suspended_tenant_reads_as_ever_and_writes_nothing(suspended_stage: Stage, case: Case) -> None:
    await _tried_by_all(suspended_stage, case)


@pytest.mark.parametrize("case", _WITH_A_BODY, ids=[case.route for case in _WITH_A_BODY])
async def test_a_body_is_judged_after_its_sender_and_before_what_it_is_about(stage: Stage, case: Case) -> None:
    await _forged_by_all(stage, case)


@pytest.mark.parametrize("case", _WITH_A_BODY, ids=[case.route for case in _WITH_A_BODY])
async def test_a_body_is_judged_after_the_suspension_of_the_tenant(suspended_stage: Stage, case: Case) -> None:
    await _forged_by_all(suspended_stage, case)


async def _forged_by_all(stage: Stage, case: Case) -> None:
    ask = Ask(case.method, re.sub(r":\w+", new_id(), case.path), body={"forged": True})
    callers = [(kind, await stage.caller(kind, case.needs.permission)) for kind in KINDS]
    found: list[str] = []
    mark = await stage.writes.mark()
    for kind, caller in callers:
        outcome = at_the_gate(case, kind, hosted=stage.hosted) or invalid("forged")
        found += [f"{case.route} x {kind.name}: {fault}" for fault in faults(await stage.send(caller, ask), outcome)]
    found += [f"wrote to {table}" for table in await stage.writes.since(mark)]
    assert not found, "\n" + "\n".join(found)


async def _tried_by_all(stage: Stage, case: Case) -> None:
    asks = [(kind, await stage.caller(kind, case.needs.permission), await case.ask(stage, kind)) for kind in KINDS]
    found: list[str] = []
    for kind, caller, ask in asks:
        outcome = expected(case, kind, hosted=stage.hosted)
        mark = await stage.writes.mark()
        answer = await stage.send(caller, ask)
        wrong = faults(answer, outcome, public=case.cached) + stage.undescribed(case.route, answer)
        if outcome.refused or not case.writes:
            changed = await stage.writes.since(mark)
            wrong += [f"wrote to {table}" for table in changed if outcome.refused or table != case.books]
        found += [f"{case.route} x {kind.name}: {fault}" for fault in wrong]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize("kind", _PEOPLE, ids=[kind.name for kind in _PEOPLE])
async def test_whoami_tells_everybody_exactly_what_they_may_do(stage: Stage, kind: Kind) -> None:
    caller = await stage.caller(kind, "notes:read")
    told = (await caller.get("/api/whoami")).json()["permissions"]
    assert told == sorted(held(kind.roles) & scope(kind, "notes:read"))
