"""The routes that change people, asked by every kind of caller about an operator."""

import pytest

from teamspace.tenancy.schemas import Role
from tests.isolation.contract import KINDS, Kind
from tests.isolation.outcomes import FORBIDDEN, Outcome, faults
from tests.isolation.stage import Stage
from tests.isolation.table import BY_ROUTE, Case, at_the_gate, expected

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
async def test_an_operator_is_changed_by_operators_alone(stage: Stage, route: str) -> None:
    case, found = BY_ROUTE[route], []
    asks = [
        (
            kind,
            await stage.caller(kind, case.needs.permission),
            await case.ask(stage, kind, await _operator(stage, kind)),
        )
        for kind in KINDS
    ]
    for kind, caller, ask in asks:
        outcome = _expected(case, kind)
        mark = await stage.writes.mark()
        wrong = faults(await stage.send(caller, ask), outcome)
        changed = await stage.writes.since(mark)
        wrong += [f"wrote to {table}" for table in changed if outcome.refused]
        found += [f"{route} x {kind.name}: {fault}" for fault in wrong]
    assert not found, "\n" + "\n".join(found)


async def _operator(stage: Stage, kind: Kind) -> str:
    spot = stage.within_reach(kind)
    return (await stage.world.person(spot.org, spot.team, Role.MEMBER, operator=True)).user_id


def _expected(case: Case, kind: Kind) -> Outcome:
    refused = at_the_gate(case, kind, hosted=False) or case.about.rule(kind, case.needs.permission)
    return refused or (expected(case, kind, hosted=False) if "operator" in kind.roles else FORBIDDEN)
