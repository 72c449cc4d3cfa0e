"""The routes that change people, called by every type of caller about an operator."""

import pytest

from teamspace.tenancy.schemas import Role
from tests.isolation.contract import KINDS, Kind
from tests.isolation.outcomes import FORBIDDEN, Outcome, faults
from tests.isolation.stage import Stage
from tests.isolation.table import BY_ROUTE, Case, expected, gate_outcome

pytestmark = pytest.mark.asyncio(loop_scope="session")

_ROUTES = (
    "PATCH /api/members/:id",
    "DELETE /api/members/:id",
    "POST /api/members/:id/transfer",
    "PATCH /api/org/members/:id",
    "PATCH /api/admin/users/:id",
    "DELETE /api/admin/users/:id/2fa",
)


@pytest.mark.parametrize("route", _ROUTES)
async def test_only_operators_can_change_an_operator(stage: Stage, route: str) -> None:
    case, found = BY_ROUTE[route], []
    requests = [
        (
            kind,
            await stage.caller(kind, case.needs.permission),
            await case.request(stage, kind, await _operator(stage, kind)),
        )
        for kind in KINDS
    ]
    for kind, caller, request in requests:
        outcome = _expected(case, kind)
        mark = await stage.writes.mark()
        wrong = faults(await stage.send(caller, request), outcome)
        changed = await stage.writes.since(mark)
        wrong += [f"wrote to {table}" for table in changed if outcome.refused]
        found += [f"{route} x {kind.name}: {fault}" for fault in wrong]
    assert not found, "\n" + "\n".join(found)


async def _operator(stage: Stage, kind: Kind) -> str:
    setup = stage.target_team(kind)
    return (await stage.world.person(setup.org, setup.team, Role.MEMBER, operator=True)).user_id


def _expected(case: Case, kind: Kind) -> Outcome:
    refused = gate_outcome(case, kind, hosted=False) or case.target.rule(kind, case.needs.permission)
    return refused or (expected(case, kind, hosted=False) if "operator" in kind.roles else FORBIDDEN)
