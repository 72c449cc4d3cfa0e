"""Binds the routes of plugins: their handlers get the request as one value, and are called under guard."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import Any, get_type_hints

from teamspace.core.errors import UserError
from teamspace.core.loader import Package
from teamspace.core.plugin_calls import PluginGuard
from teamspace.core.routing import BEARER, Endpoint, Route, find_faults
from teamspace.plugins.schemas import PluginRequest, PluginRoute

_REQUEST = "request"
_OFFERED = frozenset({"db", "who"})


def to_route(row: PluginRoute, package: Package) -> Route:
    """Return the row as the server's own tables have it."""
    path = f"/api/x/{package.source}{row.path if row.path.startswith('/') else f'/{row.path}'}"
    return Route(
        row.method, path, BEARER, row.permission, row.feature, row.handler, row.doc, refuses=(UserError,)
    )  # fmt: skip


def bind_routes(
    modules: Iterable[ModuleType], provided: Mapping[type, Any], package: Package
) -> tuple[list[Endpoint], list[str]]:
    """Bind every route to its handler; return the endpoints and all mismatches."""
    endpoints, faults = list[Endpoint](), list[str]()
    for module in modules:
        for row in module.ROUTES:
            route, handler = to_route(row, package), getattr(module, row.handler, None)
            if not inspect.iscoroutinefunction(handler):
                faults.append(f"{route.name}: {module.__name__} has no async function {row.handler}")
                continue
            endpoint = _bind_route(row, route, handler, provided, package)
            unknown = set(inspect.signature(handler).parameters) - endpoint.wants - set(endpoint.provided) - {_REQUEST}
            if unknown:
                faults.append(f"{route.name}: no value for the handler's parameter {', '.join(sorted(unknown))}")
            faults += find_faults(endpoint)
            endpoints.append(endpoint)
    return endpoints, faults


def _bind_route(
    row: PluginRoute, route: Route, handler: Callable[..., Any], provided: Mapping[type, Any], package: Package
) -> Endpoint:
    hints, names = get_type_hints(handler), inspect.signature(handler).parameters
    guard: PluginGuard = provided[PluginGuard]
    parameters = tuple(route.parameters())

    async def call(**arguments: Any) -> Any:
        params = {name: arguments.pop(name) for name in parameters}
        request = PluginRequest(params, arguments.pop("query", None), arguments.pop("body", None))
        given = {_REQUEST: request} if _REQUEST in names else {}
        return await guard.call(package.source, route.name, lambda: handler(**given, **arguments))

    return Endpoint(
        route=route, handler=call, parameters=parameters,
        wants=frozenset(parameters) | (_OFFERED & set(names)) | ({"body"} if row.body else set()),
        provided={name: provided[hints[name]] for name in names if hints.get(name) in provided},
        body=row.body, query=row.query, returns=hints.get("return"),
    )  # fmt: skip
