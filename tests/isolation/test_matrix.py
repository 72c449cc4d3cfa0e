"""Every route, called by every type of caller."""

import re

import pytest

from teamspace.core.ids import new_id
from tests.isolation.contract import INVALID, KINDS, WORKER, Kind, held, scope
from tests.isolation.outcomes import faults, invalid
from tests.isolation.stage import Request, Stage
from tests.isolation.table import CASES, Case, expected, gate_outcome

pytestmark = pytest.mark.asyncio(loop_scope="session")

_BODY_CASES = [case for case in CASES if case.body is not None]
_PEOPLE = [kind for kind in KINDS if kind.credential not in (*INVALID, WORKER)]


@pytest.mark.parametrize("case", CASES, ids=[case.route for case in CASES])
async def test_every_caller_gets_the_outcome_of_the_contract(stage: Stage, case: Case) -> None:
    await _check_all_callers(stage, case)


@pytest.mark.sampled(6)
@pytest.mark.about("core", "tenancy")
@pytest.mark.parametrize("case", CASES, ids=[case.route for case in CASES])
async def test_a_suspended_tenant_can_read_but_not_write(suspended_stage: Stage, case: Case) -> None:
    await _check_all_callers(suspended_stage, case)


@pytest.mark.parametrize("case", _BODY_CASES, ids=[case.route for case in _BODY_CASES])
async def test_a_body_is_validated_after_the_caller_and_before_the_target(stage: Stage, case: Case) -> None:
    await _check_forged_bodies(stage, case)


@pytest.mark.sampled(6)
@pytest.mark.about("core", "tenancy")
@pytest.mark.parametrize("case", _BODY_CASES, ids=[case.route for case in _BODY_CASES])
async def test_a_body_is_validated_after_the_suspension_of_the_tenant(suspended_stage: Stage, case: Case) -> None:
    await _check_forged_bodies(suspended_stage, case)


async def _check_forged_bodies(stage: Stage, case: Case) -> None:
    request = Request(case.method, re.sub(r":\w+", new_id(), case.path), body={"forged": True})
    callers = [(kind, await stage.caller(kind, case.needs.permission)) for kind in KINDS]
    found: list[str] = []
    mark = await stage.writes.mark()
    for kind, caller in callers:
        # OpenAI's protocol ignores unknown fields, but requires others.
        wrong = "model" if case.path.startswith("/v1/") else "forged"
        outcome = gate_outcome(case, kind, hosted=stage.hosted) or case.unknown_field or invalid(wrong)
        found += [
            f"{case.route} x {kind.name}: {fault}" for fault in faults(await stage.send(caller, request), outcome)
        ]
    found += [f"wrote to {table}" for table in await stage.writes.since(mark)]
    assert not found, "\n" + "\n".join(found)


async def _check_all_callers(stage: Stage, case: Case) -> None:
    requests = [
        (kind, await stage.caller(kind, case.needs.permission), await case.request(stage, kind)) for kind in KINDS
    ]
    found: list[str] = []
    for kind, caller, request in requests:
        outcome = expected(case, kind, hosted=stage.hosted)
        mark = await stage.writes.mark()
        answer = await stage.send(caller, request)
        wrong = faults(answer, outcome, cached=case.cached) + stage.undocumented(case.route, answer)
        if outcome.refused or not case.writes:
            changed = await stage.writes.since(mark)
            wrong += [
                f"wrote to {table}" for table in changed if outcome.refused or table not in case.side_effect.split()
            ]
        found += [f"{case.route} x {kind.name}: {fault}" for fault in wrong]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize("kind", _PEOPLE, ids=[kind.name for kind in _PEOPLE])
async def test_whoami_lists_exactly_the_callers_permissions(stage: Stage, kind: Kind) -> None:
    caller = await stage.caller(kind, "notes:read")
    permissions = (await caller.get("/api/whoami")).json()["permissions"]
    assert permissions == sorted(held(kind.roles) & scope(kind, "notes:read"))
