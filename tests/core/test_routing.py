"""The boot check: any mismatch of route table and code stops the start; all are listed."""

from types import ModuleType
from typing import Any

import msgspec
import pytest

from teamspace import wiring
from teamspace.app import assemble
from teamspace.core.limits import Stopping
from teamspace.core.permissions import Feature, Permission
from teamspace.core.routing import BEARER, PUBLIC, SUPERADMIN, Endpoint, ErrorFormat, Route, Router, bind, find_hiding
from teamspace.core.tables import BootError
from teamspace.settings import load
from tests.support.touched import changed


def module(*rows: Route, **handlers: Any) -> ModuleType:
    built = ModuleType("built")
    for name, handler in handlers.items():
        handler.__module__ = "built"
        setattr(built, name, handler)
    built.ROUTES = rows  # type: ignore[attr-defined]
    return built


FORMAT = ErrorFormat(msgspec.Struct, lambda _: msgspec.Struct(), lambda _: "")


async def plain() -> None: ...


async def one(id: str) -> None: ...


async def with_body(body: msgspec.Struct) -> None: ...


def faults(*rows: Route, **handlers: Any) -> list[str]:
    return bind([module(*rows, **handlers)], {})[1]


def test_a_row_that_matches_its_handler_has_no_fault() -> None:
    assert faults(Route("GET", "/a/:id", BEARER, Permission.SEARCH, None, "one", "One."), one=one) == []


@pytest.mark.parametrize(
    ("row", "handlers", "words"),
    [
        (Route("GET", "/a", PUBLIC, None, None, "gone", "x"), {}, "no handler named gone"),
        (Route("GET", "/a", PUBLIC, None, None, "plain", "x"), {"plain": plain, "extra": one}, "extra has no route"),
        (Route("GET", "/a/:name", PUBLIC, None, None, "one", "x"), {"one": one}, "the path has ['name']"),
        (Route("GET", "/a", PUBLIC, Permission.SEARCH, None, "plain", "x"), {"plain": plain}, "cannot require"),
        (Route("GET", "/a", PUBLIC, None, Feature.CHAT, "plain", "x"), {"plain": plain}, "cannot require"),
        (Route("GET", "/a", SUPERADMIN, None, None, "plain", "x"), {"plain": plain}, "needs a permission"),
        (Route("GET", "/a", PUBLIC, None, None, "with_body", "x"), {"with_body": with_body}, "has no body"),
        (Route("GET", "a", PUBLIC, None, None, "plain", "x"), {"plain": plain}, "malformed"),
        (Route("GET", "/a b", PUBLIC, None, None, "plain", "x"), {"plain": plain}, "malformed"),
        (Route("GET", "/*id/a", PUBLIC, None, None, "one", "x"), {"one": one}, "malformed"),
        (Route("GET", "/:id/:id", PUBLIC, None, None, "one", "x"), {"one": one}, "malformed"),
        (Route("FETCH", "/a", PUBLIC, None, None, "plain", "x"), {"plain": plain}, "unknown method"),
        (Route("GET", "/a", PUBLIC, None, None, "plain", ""), {"plain": plain}, "no doc line"),
        (Route("GET", "/:id", PUBLIC, None, None, "one", "x", errors=FORMAT), {"one": one}, "error format"),
    ],
)
def test_a_mismatch_is_reported(row: Route, handlers: dict[str, Any], words: str) -> None:
    assert any(words in fault for fault in faults(row, **handlers))


def test_all_mismatches_are_reported_together() -> None:
    rows = [Route("GET", "/a", PUBLIC, None, None, "gone", "x"), Route("GET", "/b", PUBLIC, None, None, "away", "x")]
    assert len(faults(*rows, extra=plain)) == 3


def bound(*paths: str) -> list[Endpoint]:
    rows = [Route("GET", path, PUBLIC, None, None, "plain", "x") for path in paths]
    return [Endpoint(row, plain, tuple(row.parameters()), frozenset(), {}, None, None, None) for row in rows]


@pytest.mark.parametrize(
    ("earlier", "later"),
    [("/a/:id", "/a/list"), ("/a/*rest", "/a/b/c"), ("/:a/x", "/y/:b"), ("/*all", "/a"), ("/a/:x", "/a/:y")],
)
def test_a_row_hidden_by_an_earlier_one_is_found(earlier: str, later: str) -> None:
    first, second = (endpoint.route for endpoint in bound(earlier, later))
    assert list(find_hiding(second, [first])) == [first]
    assert list(find_hiding(first, [second])) == ([second] if earlier == "/a/:x" else [])


def test_rows_of_different_methods_hide_nothing() -> None:
    (row,) = (endpoint.route for endpoint in bound("/a"))
    assert list(find_hiding(msgspec.structs.replace(row, method="PUT"), [row])) == []


def test_the_router_matches_as_the_declared_order_would() -> None:
    paths = ["/a/list", "/a/:id", "/a/:id/b", "/a/*rest", "/", "/c/:x/d/:y"]
    router = Router(bound(*paths))
    for path, expected in {
        "/a/list": "/a/list", "/a/7": "/a/:id", "/a/7/b": "/a/:id/b", "/a/7/z": "/a/*rest", "/": "/",
        "/a/": "/a/*rest", "/c/1/d/2": "/c/:x/d/:y", "/c/1/d": None, "/nothing": None,
    }.items():  # fmt: skip
        endpoint, _, _ = router.match("GET", path)
        assert (endpoint and endpoint.route.path) == expected, path


def test_an_altered_row_of_the_product_stops_the_boot(monkeypatch: pytest.MonkeyPatch, thorough: bool) -> None:
    settings = load({})
    modules = [each.modules[Route] for each in wiring.SHIPPED.contributions if Route in each.rows]
    for module in [each for each in modules if each.__name__.startswith("teamspace.")]:
        all_rows = thorough or changed() & {"core", module.__name__.split(".")[1]}
        for position, row in enumerate(module.ROUTES if all_rows else module.ROUTES[:1]):
            altered = [*module.ROUTES]
            altered[position] = msgspec.structs.replace(row, path=row.path + "/altered/:more")
            with monkeypatch.context() as patch:
                patch.setattr(module, "ROUTES", tuple(altered))
                with pytest.raises(BootError, match="altered"):
                    assemble(settings, Stopping(), wiring.load_shipped())
