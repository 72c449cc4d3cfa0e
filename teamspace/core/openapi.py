"""The OpenAPI description, generated from the route table and the types."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from http import HTTPStatus
from types import UnionType
from typing import Any, Union, get_args, get_origin

import msgspec

from teamspace import __version__
from teamspace.core import errors, pools
from teamspace.core.openapi_page import render
from teamspace.core.permissions import Permission
from teamspace.core.replies import Content, CsvLines, Download, EventStream, Feed, JsonLines, Reply, StoredContent
from teamspace.core.routing import PROVISION, PUBLIC, Endpoint, Own

_JSON = "application/json"
_REF = "#/components/schemas/{name}"
_PROBLEM = {"application/problem+json": {"schema": {"$ref": _REF.format(name="Problem")}}}
_AUTH = {
    "P": "No credential.",
    "B": "A session or API token.",
    "PV": "The provisioning token of hosted mode.",
    "SA": "An operator's token.",
    "OA": "A token of a person with a company role.",
}
_TEXT = {"schema": {"type": "string"}}
_EVENT = {"type": "object", "properties": {name: {"type": "string"} for name in ("id", "event", "data")}}
"""One server-sent event."""
# fmt: off
_BYTES: dict[Any, tuple[str, dict[str, Any]]] = {
    Content:   ("*/*",                      {}),
    Download:  ("application/octet-stream", {}),
    StoredContent:    ("*/*",                      {}),
    Feed:           ("text/event-stream",        _EVENT),
    EventStream:    ("text/event-stream",        _EVENT),
    JsonLines: ("application/x-ndjson",     _TEXT),
    CsvLines:  ("text/csv",                 _TEXT),
}
# fmt: on


class Description:
    """Built on first use, in a thread: it takes longer than a request may block the event loop."""

    def __init__(self) -> None:
        self._endpoints: Sequence[Endpoint] = ()

    def describe(self, endpoints: Sequence[Endpoint]) -> None:
        self._endpoints = endpoints

    async def json(self) -> Content:
        body = await pools.TEXT.run(lambda: self._json)
        return Content(body, "application/json", {"cache-control": "public, max-age=60"})

    async def page(self) -> Content:
        page, style_hash = await pools.TEXT.run(lambda: self._page)
        policy = (
            f"default-src 'none'; style-src '{style_hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        headers = {"content-security-policy": policy, "cache-control": "public, max-age=60"}
        return Content(page, "text/html; charset=utf-8", headers)

    @cached_property
    def _document(self) -> dict[str, Any]:
        return document(self._endpoints)

    @cached_property
    def _json(self) -> bytes:
        return msgspec.json.format(msgspec.json.encode(self._document), indent=2)

    @cached_property
    def _page(self) -> tuple[bytes, str]:
        return render(self._document)


def document(endpoints: Sequence[Endpoint]) -> dict[str, Any]:
    shapes = [shape for endpoint in endpoints for shape in _shapes(endpoint)]
    schemas, components = _with_open_objects(
        msgspec.json.schema_components([errors.Problem, *shapes], ref_template=_REF)
    )
    by_shape = dict(zip([errors.Problem, *shapes], schemas, strict=True))
    paths: dict[str, Any] = {}
    for endpoint in endpoints:
        path = "/".join(
            f"{{{part[1:]}}}" if part[:1] in (":", "*") else part for part in endpoint.route.path.split("/")
        )
        paths.setdefault(path, {})[endpoint.route.method.lower()] = _operation(endpoint, by_shape, components)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Teamspace", "version": __version__, "description": "A workspace server for many teams."},
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    }


def _with_open_objects(schema: Any) -> Any:
    """Add `additionalProperties: true` to objects without properties: some tools would read them as empty."""
    if isinstance(schema, list | tuple):
        return [_with_open_objects(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    result = {name: _with_open_objects(part) for name, part in schema.items()}
    if result.get("type") == "object" and not result.keys() & {"properties", "additionalProperties"}:
        result["additionalProperties"] = True
    return result


def _operation(endpoint: Endpoint, by_shape: dict[Any, Any], components: dict[str, Any]) -> dict[str, Any]:
    route = endpoint.route
    operation: dict[str, Any] = {
        "operationId": f"{_package(endpoint)}.{route.handler}",
        "tags": [_package(endpoint)],
        "summary": route.doc,
        "description": _describe_access(endpoint),
        "parameters": _parameters(endpoint, by_shape, components),
        "responses": _responses(endpoint, by_shape),
    }
    if route.auth is not PUBLIC:
        operation["security"] = [{"bearer": []}]
    if endpoint.body is not None:
        content = {_JSON: {"schema": by_shape[endpoint.body]}}
        required = bool(_resolve(by_shape[endpoint.body], components).get("required"))
        operation["requestBody"] = {"required": required, "content": content}
    elif "upload" in endpoint.wants:
        operation["requestBody"] = {"content": {"application/octet-stream": {"schema": {"type": "string"}}}}
    return operation


def _describe_access(endpoint: Endpoint) -> str:
    route = endpoint.route
    sentences = [_AUTH[route.auth]]
    if isinstance(route.permission, Permission):
        sentences.append(f"Requires `{route.permission}`.")
    elif isinstance(route.permission, Own):
        sentences.append("Concerns the caller's own account: scoped tokens are refused.")
    elif route.needs is not None:
        sentences.append(f"Requires `{route.needs}`, by role, ownership or grant.")
    if route.feature is not None:
        sentences.append(f"Requires the feature `{route.feature}`.")
    return " ".join(sentences)


def _parameters(endpoint: Endpoint, by_shape: dict[Any, Any], components: dict[str, Any]) -> list[dict[str, Any]]:
    parameters: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for name in endpoint.route.parameters()
    ]
    if endpoint.query is not None:
        schema = _resolve(by_shape[endpoint.query], components)
        required = schema.get("required", ())
        parameters += [
            {"name": name, "in": "query", "required": name in required, "schema": _query_schema(field)}
            for name, field in schema["properties"].items()
        ]
    if "match" in endpoint.wants:
        parameters.append({"name": "If-Match", "in": "header", "schema": {"type": "string"}})
    if endpoint.takes_key and endpoint.route.auth is not PUBLIC:
        key = {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"}
        parameters.append({"name": "Idempotency-Key", "in": "header", "schema": key})
    return parameters


def _query_schema(field: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a query parameter: it can be omitted, but not null."""
    choices = [choice for choice in field.get("anyOf", ()) if choice.get("type") != "null"]
    bare = {name: value for name, value in field.items() if name not in ("anyOf", "default")}
    if len(choices) == 1:
        bare |= choices[0]
    if "enum" in bare:
        bare["enum"] = [value for value in bare["enum"] if value is not None]
    return bare


def _responses(endpoint: Endpoint, by_shape: dict[Any, Any]) -> dict[str, Any]:
    answers: dict[str, Any] = {}
    for status, shape in _answers(endpoint.returns):
        answer = answers.setdefault(str(status), {"description": HTTPStatus(status).phrase})
        if shape is not None:
            kind, content = _BYTES[shape] if shape in _BYTES else (_JSON, {"schema": by_shape[shape]})
            bodies = answer.setdefault("content", {})
            bodies[kind] = {"schema": _either(bodies[kind]["schema"], by_shape[shape])} if kind in bodies else content
    own = endpoint.route.errors
    refusals: dict[str, list[str]] = {}
    for refusal in _refusals(endpoint):
        code = refusal.code if own is None else own.code(refusal)
        refusals.setdefault(str(refusal.status), []).append(f"`{code}`")
    content = _PROBLEM if own is None else {_JSON: {"schema": by_shape[own.shape]}}
    described = {
        status: {"description": ", ".join(dict.fromkeys(codes)), "content": content}
        for status, codes in refusals.items()
    }
    return {**answers, **dict(sorted(described.items()))}


def _either(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [*one.get("anyOf", [one]), other]}


def _refusals(endpoint: Endpoint) -> Iterable[type[errors.Refusal]]:
    route = endpoint.route
    yield from (errors.BadRequest, errors.RateLimited, errors.HeadersTooLarge, errors.Overloaded)
    if route.auth is PROVISION:
        yield errors.Unauthenticated
    elif route.auth is not PUBLIC:
        yield from (errors.Unauthenticated, errors.TokenExpired, errors.Forbidden, errors.OutOfScope)
        yield from (errors.TenantSuspended, errors.OrgSuspended) if route.writes and not route.while_suspended else ()
    if route.parameters() or endpoint.body is not None or route.auth is PROVISION:
        yield errors.NotFound
    if route.feature is not None:
        yield errors.FeatureDisabled
    if endpoint.body is not None or "upload" in endpoint.wants:
        yield from (errors.TooLarge, errors.UnsupportedType)
    if route.writes:
        yield errors.StorageFull
        if endpoint.takes_key and route.auth is not PUBLIC:
            yield errors.IdempotencyConflict
    yield from route.refuses


def _answers(returns: Any) -> list[tuple[int, Any]]:
    """Return every success status with the type of its body, from a handler's return annotation."""
    if get_origin(returns) in (Union, UnionType):
        return [_answer(part) for part in get_args(returns)]
    return [_answer(returns)]


def _answer(returns: Any) -> tuple[int, Any]:
    if returns is None or returns is type(None):
        return 204, None
    origin = get_origin(returns)
    if isinstance(origin, type) and issubclass(origin, Reply):
        (shape,) = get_args(returns)
        return origin.status, None if shape is type(None) else shape
    return 200, returns


def _shapes(endpoint: Endpoint) -> Iterable[Any]:
    answers = [shape for _, shape in _answers(endpoint.returns)]
    error = endpoint.route.errors.shape if endpoint.route.errors else None
    return [
        shape for shape in (endpoint.body, endpoint.query, error, *answers) if shape is not None and shape not in _BYTES
    ]


def _resolve(schema: dict[str, Any], components: dict[str, Any]) -> dict[str, Any]:
    reference = schema.get("$ref")
    resolved: dict[str, Any] = components[reference.rsplit("/", 1)[1]] if reference else schema
    return resolved


def _package(endpoint: Endpoint) -> str:
    return endpoint.handler.__module__.split(".")[1]
