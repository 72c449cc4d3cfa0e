"""Every route is a method with the right request, or is left out for a reason; the generated files are current."""

import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from client import generate
from client.methods import METHODS, OMITTED, Method
from teamspace.app import list_endpoints
from teamspace.client import TeamspaceError, aio, blocking
from teamspace.client.aio.api import AsyncApi
from teamspace.client.blocking.api import Api
from teamspace.client.calls import Call
from teamspace.client.errors import read_error
from teamspace.core import errors
from teamspace.core.ids import new_id
from teamspace.core.routing import Router

ROOT = Path(__file__).parents[2]
ENDPOINTS = list_endpoints()


class Recorder:
    """A transport that only records what it should send."""

    def __init__(self) -> None:
        self.calls: list[Call[Any]] = []

    def send(self, call: Call[Any]) -> None:
        self.calls.append(call)


class AsyncRecorder(Recorder):
    async def send(self, call: Call[Any]) -> None:  # type: ignore[override]
        self.calls.append(call)


@pytest.mark.sampled(1)
def test_the_generated_files_are_current() -> None:
    found = subprocess.run(
        [sys.executable, "client/generate.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr


@pytest.mark.sampled(1)
def test_a_new_or_removed_route_fails_with_its_name() -> None:
    routes = {endpoint.route.name for endpoint in ENDPOINTS}
    generate.check_table(routes)
    with pytest.raises(generate.StaleTable, match="must name or omit: GET /api/new"):
        generate.check_table(routes | {"GET /api/new"})
    with pytest.raises(generate.StaleTable, match="do not exist: GET /api/notes"):
        generate.check_table(routes - {"GET /api/notes"})


@pytest.mark.sampled(1)
def test_what_is_left_out_has_a_reason() -> None:
    assert all(OMITTED.values())
    assert not OMITTED.keys() & {method.route for method in METHODS}


_SPECIAL: dict[str, Any] = {"content": b"bytes", "spec": {"slug": "a"}}


def arguments(function: Any) -> tuple[list[Any], dict[str, Any]]:
    """Return some value for each required parameter."""
    required = [one for one in inspect.signature(function).parameters.values() if one.default is one.empty]
    positional = [
        _SPECIAL.get(one.name, f"a {one.name}/%") for one in required if one.kind is one.POSITIONAL_OR_KEYWORD
    ]
    return positional, {one.name: "text" for one in required if one.kind is one.KEYWORD_ONLY}


async def request_of(api: Any, recorder: Recorder, method: Method) -> Call[Any]:
    area, _, name = method.name.partition(".")
    function = getattr(getattr(api, area), name)
    positional, keywords = arguments(function)
    result = function(*positional, **keywords)
    if inspect.isawaitable(result):
        await result
    if recorder.calls:
        return recorder.calls.pop()
    call: Call[Any] = result._call
    return call


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
async def test_a_method_calls_its_route(method: Method) -> None:
    router = Router(ENDPOINTS)
    found = []
    for api, recorder in ((Api, Recorder()), (AsyncApi, AsyncRecorder())):
        call = await request_of(api(recorder), recorder, method)  # type: ignore[arg-type]
        endpoint, _, _ = router.match(call.method, call.path)
        assert endpoint is not None, call.path
        assert endpoint.route.name == method.route
        keyed = "idempotency-key" in call.headers
        assert keyed == (
            endpoint.takes_key and endpoint.route.auth.value != "P" and not method.once and not method.harmless
        )
        found.append(msgspec.structs.replace(call, headers={name: "" for name in call.headers}))
    assert found[0] == found[1]


def test_a_claim_is_never_repeated_and_other_writes_of_a_worker_are_harmless() -> None:
    flags = {method.name: (method.once, method.harmless) for method in METHODS if method.once or method.harmless}
    assert flags == {
        "workers.claim": (True, False),
        **{f"workers.{name}": (False, True) for name in ("heartbeat", "complete", "fail")},
        "workflows.check": (False, True),
    }


def test_both_clients_have_the_same_methods() -> None:
    def shape(module: Any) -> dict[str, list[str]]:
        return {
            name.removeprefix("Async"): sorted(vars(value))
            for name, value in vars(module).items()
            if inspect.isclass(value) and value.__module__ == module.__name__
        }

    assert shape(aio.api) == shape(blocking.api)


def refusals(kind: type[errors.Refusal]) -> list[type[errors.Refusal]]:
    own = [child for child in kind.__subclasses__() if child.__module__ == errors.__name__]
    return own + [below for child in own for below in refusals(child)]


@pytest.mark.parametrize("kind", refusals(errors.Refusal), ids=lambda kind: kind.__name__)
def test_every_documented_error_has_a_class(kind: type[errors.Refusal]) -> None:
    problem = errors.Problem(
        type="", title=kind.title, status=kind.status, detail="Why.", code=kind.code, key="some.key", params={},
        request_id=new_id(), retry_after=3,
    )  # fmt: skip
    fault = read_error(kind.status, msgspec.json.encode(problem), "")
    assert type(fault) is not TeamspaceError
    assert (fault.status, fault.code, fault.retry_after) == (kind.status, kind.code, 3)
    assert re.fullmatch(rf"{kind.status} {kind.code}: Why\.", str(fault))
