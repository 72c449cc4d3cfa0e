"""The tables of this folder cover exactly the routes, fields and permissions of the product."""

import re
from collections import Counter

import msgspec
import pytest

from teamspace.app import list_endpoints
from teamspace.core.permissions import Permission
from teamspace.core.permissions import Row as RowRoute
from teamspace.core.routing import ORGADMIN, PROVISION, SUPERADMIN, Endpoint
from teamspace.core.routing import PUBLIC as PUBLIC_ROUTE
from teamspace.core.routing import Own as OwnRoute
from tests.isolation.contract import KINDS, PERMISSIONS
from tests.isolation.foreign import NOT_IDS, SLOTS
from tests.isolation.table import ANYONE, BY_ROUTE, CASES, HOST, OWN, PUBLIC, Needs, company, instance, role, row


@pytest.fixture(scope="module")
def routes() -> dict[str, Endpoint]:
    return {endpoint.route.name: endpoint for endpoint in list_endpoints()}


def test_every_route_has_one_row_in_the_matrix(routes: dict[str, Endpoint]) -> None:
    rows = Counter(case.route for case in CASES)
    first = {name: times for name, times in rows.items() if "?" not in name}
    faults = [
        f"{name}: a route without a row: add a Case to tests/isolation/table.py" for name in routes.keys() - first
    ]
    faults += [
        f"{name}: a row without a route: remove its Case from table.py"
        for name in rows
        if name.partition("?")[0] not in routes
    ]
    faults += [f"{name}: {times} rows" for name, times in rows.items() if times > 1]
    assert not faults, "\n" + "\n".join(sorted(faults))


def test_every_route_needs_the_permission_of_its_row(routes: dict[str, Endpoint]) -> None:
    declared = {name: (_declared(endpoint), endpoint.route.while_suspended) for name, endpoint in routes.items()}
    expected = {case.route: (case.needs, case.open) for case in CASES}
    faults = [
        f"{name}: the product declares {declared[name]}, the row says {expected[name]}"
        for name in declared.keys() & expected
        if declared[name] != expected[name]
    ]
    assert not faults, "\n" + "\n".join(sorted(faults))


def test_rows_send_a_body_exactly_when_the_route_takes_one(routes: dict[str, Endpoint]) -> None:
    faults = [
        f"{name}: the row {'sends' if BY_ROUTE[name].body is not None else 'does not send'} a body"
        for name in routes.keys() & BY_ROUTE
        if (routes[name].body is not None) != (BY_ROUTE[name].body is not None)
    ]
    assert not faults, "\n" + "\n".join(sorted(faults))


def test_every_id_field_is_tested_with_foreign_ids(routes: dict[str, Endpoint]) -> None:
    fields = {f"{name} {field}" for name, endpoint in routes.items() for field in _fields(endpoint)}
    tried = {f"{slot.route.partition('?')[0]} {slot.field}" for slot in SLOTS}
    known = {location for location in fields if location in NOT_IDS or re.split(r"[ .]", location)[-1] in NOT_IDS}
    faults = [
        f"{location}: add a Slot to tests/isolation/foreign.py, or name it in NOT_IDS"
        for location in fields - tried - known
    ]
    faults += [f"{location}: a Slot for a field that no route has" for location in tried - fields]
    faults += [f"{location}: both a Slot and in NOT_IDS" for location in tried & known]
    assert not faults, "\n" + "\n".join(sorted(faults))


def test_every_permission_has_a_line_in_the_grid() -> None:
    assert {permission.value for permission in Permission} == PERMISSIONS


def test_caller_names_are_unique() -> None:
    assert len({kind.name for kind in KINDS}) == len(KINDS)


def _declared(endpoint: Endpoint) -> Needs:
    route = endpoint.route
    if isinstance(route.permission, RowRoute):
        return row(route.permission.permission.value)
    if isinstance(route.permission, OwnRoute):
        return OWN
    if isinstance(route.permission, Permission):
        by = {SUPERADMIN: instance, ORGADMIN: company}.get(route.auth, role)
        return by(route.permission.value)
    return {PUBLIC_ROUTE: PUBLIC, PROVISION: HOST}.get(route.auth, ANYONE)


def _fields(endpoint: Endpoint) -> list[str]:
    """Return the names of all path, query and body fields of a route."""
    # A body that is no struct has no fields of its own: a workflow spec names nothing that exists but tools.
    shapes = [shape for shape in (endpoint.body, endpoint.query) if isinstance(shape, type(msgspec.Struct))]
    return [*endpoint.route.parameters(), *(name for shape in shapes for name in _names(shape))]


def _names(shape: type[msgspec.Struct], within: str = "") -> list[str]:
    names: list[str] = []
    for field in msgspec.structs.fields(shape):
        inner = field.type
        is_struct = isinstance(inner, type) and issubclass(inner, msgspec.Struct)
        names += _names(inner, f"{within}{field.name}.") if is_struct else [within + field.name]
    return names
