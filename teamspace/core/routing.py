"""The route table: its rows, the checks against their handlers, and the router.

The server does not start if a row does not match its handler or is hidden by an earlier row (`wiring.py`). All
mismatches are listed at once.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache
from types import ModuleType
from typing import Any, get_type_hints
from urllib.parse import unquote_to_bytes

import msgspec

from teamspace.core.errors import BadRequest, Refusal
from teamspace.core.permissions import Feature, Permission, Row

JSON_LIMIT = 1024 * 1024
SMALL_LIMIT = 64 * 1024
"""For public routes whose short bodies are expensive to process: password hashing, strength checks."""
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_PATH = re.compile(r"(/(:[a-z_]+|(?!\.{1,2}(/|$))[\w.~-]*))*(/\*[a-z_]+)?", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_GATE_ARGUMENTS = (
    "db", "who", "body", "query", "match", "accept", "encodings", "upload", "content_type", "length", "disconnect",
    "languages", "last_event_id", "origin", "cookies", "sender", "replay_of",
)  # fmt: skip


class Auth(StrEnum):
    PUBLIC = "P"
    BEARER = "B"
    PROVISION = "PV"
    SUPERADMIN = "SA"
    ORGADMIN = "OA"


PUBLIC, BEARER, PROVISION, SUPERADMIN, ORGADMIN = Auth


class Cors(StrEnum):
    """Which other origins may read a route's responses in a browser."""

    ANY_ORIGIN = "*"
    """All, without credentials."""


class ErrorFormat(msgspec.Struct, frozen=True):
    """How another protocol writes errors, instead of problem bodies."""

    shape: type[msgspec.Struct]
    render: Callable[[Refusal], msgspec.Struct]
    code: Callable[[type[Refusal]], str]
    """Returns the code of a class; for the API description."""


class Own(msgspec.Struct, frozen=True):
    """The caller's own account: needs no permission, and scoped tokens are refused."""


def row(permission: Permission) -> Row:
    return Row(permission)


OWN = Own()


class Route(msgspec.Struct, frozen=True):
    method: str
    path: str
    auth: Auth
    permission: Permission | Row | Own | None
    feature: Feature | None
    handler: str
    doc: str
    refuses: tuple[type[Refusal], ...] = ()
    """Errors besides those that all routes share; for the API description."""
    while_suspended: bool = False
    """Open in a suspended company or tenant: signing in and out, revoking, one's own password, and reads by POST."""
    dry_run: bool = False
    """Can be a read, by `dry_run` in its body: then open while suspended. The write handle refuses the others."""
    offers: tuple[str, ...] = ()
    """The media types that it can answer with, first the default. Its handler gets the one that the client prefers as
    `accept`."""
    limit: int = JSON_LIMIT
    """The maximum size of the body, in bytes."""
    optional_credential: bool = False
    """A public route whose response differs for callers with a valid credential."""
    unlimited: bool = False
    """A public route without load shedding and rate limit: liveness, and the console's files, which many people behind
    one address load at the same time and which are useless if one is missing."""
    cors: Cors | None = None
    """Whether pages of other origins may call it, with which the gate also answers their preflight requests; None:
    only our own pages may."""
    errors: ErrorFormat | None = None
    """For routes of another protocol; None: problem bodies."""
    for_browsers: bool = False
    """Whether people open it in a browser: what its handler refuses is a page, not a problem body."""

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def needs(self) -> Permission | None:
        return self.permission.permission if isinstance(self.permission, Row) else (
            self.permission if isinstance(self.permission, Permission) else None
        )  # fmt: skip

    @property
    def writes(self) -> bool:
        return self.method not in ("GET", "OPTIONS")

    def parameters(self) -> list[str]:
        return [part[1:] for part in self.path.split("/") if part[:1] in (":", "*")]


class Endpoint(msgspec.Struct, frozen=True):
    """A route bound to its handler, with everything that is known before a request arrives."""

    route: Route
    handler: Callable[..., Any]
    parameters: tuple[str, ...]
    wants: frozenset[str]
    provided: dict[str, Any]
    body: type[msgspec.Struct] | None
    query: type[msgspec.Struct] | None
    returns: Any

    @property
    def takes_key(self) -> bool:
        """Whether an idempotency key makes repeats take effect once: also of a save that names the version it changes."""
        return self.route.method == "POST" or (self.route.method == "PUT" and {"match", "body"} <= self.wants)


def bind(modules: Iterable[ModuleType], provided: Mapping[type, Any]) -> tuple[list[Endpoint], list[str]]:
    """Bind every route to its handler; return the endpoints and all mismatches."""
    endpoints: list[Endpoint] = []
    faults: list[str] = []
    types = frozenset(provided)
    for module in modules:
        rows: Sequence[Route] = module.ROUTES
        handlers = _handlers(module)
        for route in rows:
            handler = handlers.get(route.handler)
            if handler is None:
                faults.append(f"{route.name}: {module.__name__} has no handler named {route.handler}")
                continue
            plan = _plan(route, handler, types)
            objects = {name: provided[kind] for name, kind in plan.provided.items()}
            endpoints.append(msgspec.structs.replace(plan.endpoint, provided=objects))
            faults += plan.faults
        unused = set(handlers) - {route.handler for route in rows}
        faults += [f"{module.__name__}.{name} has no route" for name in sorted(unused)]
    return endpoints, faults


def _handlers(module: ModuleType) -> dict[str, Callable[..., Any]]:
    return {
        name: value
        for name, value in vars(module).items()
        if getattr(value, "__module__", "") == module.__name__
        and not name.startswith("_")
        and inspect.iscoroutinefunction(value)
    }


class _Plan(msgspec.Struct, frozen=True):
    """How a route is bound, without the objects that its handler is given."""

    endpoint: Endpoint
    provided: dict[str, type]
    faults: list[str]


@cache
def _plan(route: Route, handler: Callable[..., Any], types: frozenset[type]) -> _Plan:
    """Cached, since a test process builds the application thousands of times."""
    hints, names = inspect_function(handler)
    endpoint = Endpoint(
        route=route,
        handler=handler,
        parameters=tuple(route.parameters()),
        wants=frozenset(name for name in names if hints.get(name) not in types),
        provided={},
        body=hints.get("body"),
        query=hints.get("query"),
        returns=hints.get("return"),
    )
    provided = {name: hints[name] for name in names if hints.get(name) in types}
    return _Plan(endpoint, provided, find_faults(endpoint))


@cache
def inspect_function(function: Callable[..., Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the parameters' types and names."""
    return get_type_hints(function), tuple(inspect.signature(function).parameters)


def find_faults(endpoint: Endpoint) -> list[str]:
    """Return what is wrong with a route and its handler."""
    route, faults = endpoint.route, []
    parameters, taken = set(route.parameters()), endpoint.wants - set(_GATE_ARGUMENTS)
    if parameters != taken:
        faults.append(f"{route.name}: the path has {sorted(parameters)}, the handler takes {sorted(taken)}")
    if route.method not in METHODS:
        faults.append(f"{route.name}: unknown method")
    if not _PATH.fullmatch(route.path) or len(parameters) < len(endpoint.parameters):
        faults.append(f"{route.name}: the path is malformed")
    if route.auth is PUBLIC and (route.permission is not None or route.feature is not None):
        faults.append(f"{route.name}: a public route cannot require a permission or a feature")
    if route.optional_credential and route.auth is not PUBLIC:
        faults.append(f"{route.name}: only a public route can have an optional credential")
    if route.cors is not None and (route.auth is not PUBLIC or route.optional_credential):
        faults.append(f"{route.name}: only a public route without a credential can be open to other origins")
    if route.errors is not None and parameters:
        faults.append(f"{route.name}: a path with parameters cannot have an error format of its own")
    if route.unlimited and (route.auth is not PUBLIC or route.writes):
        faults.append(f"{route.name}: only a public read can be unlimited")
    if route.auth in (SUPERADMIN, ORGADMIN) and not isinstance(route.permission, Permission):
        faults.append(f"{route.name}: an operator or company route needs a permission")
    if {"body", "upload"} & endpoint.wants and not route.writes:
        faults.append(f"{route.name}: a {route.method} has no body")
    if bool(route.offers) != ("accept" in endpoint.wants):
        faults.append(f"{route.name}: a route that offers media types takes `accept`, and no other does")
    if not route.doc:
        faults.append(f"{route.name}: no doc line")
    return faults


def find_hiding(route: Route, earlier: Iterable[Route]) -> Iterator[Route]:
    """Return earlier rows that make a row partly unreachable: both match a path, and the earlier one is as general."""
    for other in earlier:
        if overlap(other, route) and _generality(other.path) >= _generality(route.path):
            yield other


def overlap(one: Route, other: Route) -> bool:
    """Return whether a request exists that matches both."""
    return one.method == other.method and paths_overlap(one.path, other.path)


def paths_overlap(one: str, other: str) -> bool:
    """Return whether a path exists that matches both patterns."""
    left, right = one.split("/"), other.split("/")
    for mine, theirs in zip(left, right, strict=False):
        if mine.startswith("*") or theirs.startswith("*"):
            return True
        if mine != theirs and not mine.startswith(":") and not theirs.startswith(":"):
            return False
    return len(left) == len(right)


def _generality(path: str) -> list[int]:
    return [(":*".find(part[:1]) + 1 if part else 0) for part in path.split("/")]


class _Node:
    __slots__ = ("endpoints", "fixed", "parameter", "rest")

    def __init__(self) -> None:
        self.fixed: dict[str, _Node] = {}
        self.parameter: _Node | None = None
        self.rest: dict[str, Endpoint] = {}
        self.endpoints: dict[str, Endpoint] = {}


class Router:
    """A trie over path segments: the cost of a match does not depend on the number of routes.

    Fixed segments take precedence over parameters, and parameters over wildcards. That equals the declared
    order, since the boot check refuses a row that overlaps with an earlier, more general one.
    """

    def __init__(self, endpoints: Iterable[Endpoint]) -> None:
        self._root = _Node()
        for endpoint in endpoints:
            self._add(endpoint)

    def _add(self, endpoint: Endpoint) -> None:
        node, route = self._root, endpoint.route
        for part in route.path.split("/")[1:]:
            if part.startswith("*"):
                node.rest[route.method] = endpoint
                return
            if part.startswith(":"):
                node.parameter = node.parameter or _Node()
                node = node.parameter
            else:
                node = node.fixed.setdefault(part, _Node())
        node.endpoints[route.method] = endpoint

    def match(self, method: str, path: str) -> tuple[Endpoint | None, list[str], set[str]]:
        """Return the endpoint, its path parameters, and, if there is none, the methods that the path allows."""
        parts, allowed = path.split("/"), set[str]()
        found = self._descend(parts, method) or self._walk(self._root, parts, 1, method, [], allowed)
        return (*found, allowed) if found else (None, [], allowed)

    def _descend(self, parts: list[str], method: str) -> tuple[Endpoint, list[str]] | None:
        """Find what `_walk` finds first, unless it would have to turn back; most requests need no more."""
        node, values = self._root, list[str]()
        for part in parts[1:]:
            below = node.fixed.get(part)
            if below is None:
                if node.parameter is None or not part:
                    return None
                below = node.parameter
                values.append(part)
            node = below
        endpoint = node.endpoints.get(method)
        return (endpoint, values) if endpoint else None

    def _walk(
        self, node: _Node, parts: list[str], at: int, method: str, values: list[str], allowed: set[str]
    ) -> tuple[Endpoint, list[str]] | None:
        if at == len(parts):
            allowed.update(node.endpoints)
            endpoint = node.endpoints.get(method)
            return (endpoint, values) if endpoint else None
        part = parts[at]
        below = node.fixed.get(part)
        if below and (found := self._walk(below, parts, at + 1, method, values, allowed)):
            return found
        if node.parameter and part and (
            found := self._walk(node.parameter, parts, at + 1, method, [*values, part], allowed)
        ):  # fmt: skip
            return found
        if node.rest:
            allowed.update(node.rest)
            if endpoint := node.rest.get(method):
                return endpoint, [*values, "/".join(parts[at:])]
        return None


def decode_parameter(value: str) -> str:
    """Return a path parameter as text, percent-decoded exactly once."""
    try:
        text = unquote_to_bytes(value).decode() if "%" in value else value
    except UnicodeDecodeError:
        raise BadRequest("request.path_utf8") from None
    if not text.isprintable() and _CONTROL.search(text):
        raise BadRequest("request.path_control")
    return text
