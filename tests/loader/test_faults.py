"""A bad row of a plugin fails that plugin alone, with the reason; a bad row of ours stops the start."""

import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import msgspec
import pytest

from teamspace import wiring
from teamspace.app import Assembly, assemble
from teamspace.core.limits import Stopping
from teamspace.core.loader import Package, TableType
from teamspace.core.tables import BootError
from teamspace.settings import Settings, SettingsError, load
from teamspace.tenancy import CompanySuspended
from tests.loader.help import SAMPLE, failures, world_with, write_package

ROUTE = """
from teamspace.core.permissions import Permission
from teamspace.core.routing import *
ROUTES = (Route({row}),)
"""
HANDLERS = {
    "show": "", "one": "id: str", "rest": "path: str", "pair": "a: str, b: str", "odd": "clock: int",
    "broken": "body: 'Missing'",
}  # fmt: skip
JOB = """
import msgspec
from teamspace.core.tables import JobSpec
class Nothing(msgspec.Struct): pass
JOBS = (JobSpec({row}),)
async def run(input: Nothing) -> Nothing: ...
async def run_text(input: str) -> Nothing: ...
"""
TOOL = """
import msgspec
from teamspace.core.permissions import Permission
from teamspace.core.tables import Tool
class Tree(msgspec.Struct, forbid_unknown_fields=True):
    left: "Tree | None" = None
class Loose(msgspec.Struct):
    a: int
class Wide(msgspec.Struct, forbid_unknown_fields=True):
    a: __import__("typing").Literal[tuple("%05d" % n for n in range(3000))]
TOOLS = (Tool({row}),)
async def plain(a: int): ...
async def untyped(a): ...
async def strange(a: type): ...
async def deep(arguments: Tree): ...
async def loose(arguments: Loose): ...
async def wide(arguments: Wide): ...
async def several(arguments: Wide, b: int): ...
async def any_number(*a: int): ...
def blocking(a: int): ...
"""
LISTENER = """
from teamspace.core.tables import On
from teamspace.tenancy import CompanySuspended
class Unheard: pass
LISTENERS = (On({row}),)
async def hear(tx, event): ...
async def hear_nothing(): ...
"""
STORE = """
from teamspace.core.tables import BlobStoreSpec
BLOB_STORES = (BlobStoreSpec({row}),)
def open_it(settings): return object()
"""


def route(row: str, more: str = "") -> dict[str, str]:
    used = [f"async def {name}({arguments}): ..." for name, arguments in HANDLERS.items() if f'"{name}"' in row + more]
    return {"routes": "\n".join([ROUTE.format(row=row), *used, more])}


def job(row: str) -> dict[str, str]:
    return {"jobs": JOB.format(row=row)}


def tool(row: str) -> dict[str, str]:
    return {"tools": TOOL.format(row=row)}


def listener(row: str) -> dict[str, str]:
    return {"listeners": LISTENER.format(row=row)}


GOOD = route('"GET", "/api/x/bad/a", BEARER, None, None, "show", "x"')["routes"]
# fmt: off
FAULTS: dict[str, tuple[Mapping[str, str], str]] = {
    "route elsewhere":      (route('"GET", "/api/notes/mine", BEARER, None, None, "show", "x"'), "routes are below /api/x/bad/"),
    "route of another":     (route('"GET", "/api/x/sample/mine", BEARER, None, None, "show", "x"'), "routes are below /api/x/bad/"),
    "route of the prefix":  (route('"GET", "/api/x/bad", BEARER, None, None, "show", "x"'), "routes are below /api/x/bad/"),
    "path with dots":       (route('"GET", "/api/x/bad/../../notes", BEARER, None, None, "show", "x"'), "malformed"),
    "path with a space":    (route('"GET", "/api/x/bad/a b", BEARER, None, None, "show", "x"'), "malformed"),
    "path of a bundle":     (route('"GET", "/api/x/bad/bundle/a.js", BEARER, None, None, "show", "x"'), "bundle/ is reserved"),
    "rest of a bundle":     (route('"GET", "/api/x/bad/*path", BEARER, None, None, "rest", "x"'), "bundle/ is reserved"),
    "parameter of bundles": (route('"GET", "/api/x/bad/:a/:b", BEARER, None, None, "pair", "x"'), "bundle/ is reserved"),
    "route shadows":        (route('"GET", "/api/notes", BEARER, None, None, "show", "x"'), "would take requests from GET /api/notes"),
    "public route":         (route('"GET", "/api/x/bad/a", PUBLIC, None, None, "show", "x"'), "bearer token"),
    "operators' route":     (route('"GET", "/api/x/bad/a", SUPERADMIN, Permission.SEARCH, None, "show", "x"'), "bearer token"),
    "route's method":       (route('"FETCH", "/api/x/bad/a", BEARER, None, None, "show", "x"'), "unknown method"),
    "route's handler":      (route('"GET", "/api/x/bad/a", BEARER, None, None, "gone", "x"'), "no handler named gone"),
    "route's permission":   (route('"GET", "/api/x/bad/a", BEARER, "notes:fly", None, "show", "x"'), "permission is 'notes:fly'"),
    "route's feature":      (route('"GET", "/api/x/bad/a", BEARER, None, "teleport", "show", "x"'), "feature is 'teleport'"),
    "route's parameter":    (route('"GET", "/api/x/bad/:name", BEARER, None, None, "one", "x"'), "the path has ['name']"),
    "route's dependency":   (route('"GET", "/api/x/bad/a", BEARER, None, None, "odd", "x"'), "the handler takes ['clock']"),
    "route's annotation":   (route('"POST", "/api/x/bad/a", BEARER, None, None, "broken", "x"'), "name 'Missing' is not defined"),
    "two equal routes":     (route('"GET", "/api/x/bad/a", BEARER, None, None, "show", "x"', "ROUTES *= 2"), "GET /api/x/bad/a: declared twice"),
    "hidden route":         (route('"GET", "/api/x/bad/:id", BEARER, None, None, "one", "x"', 'ROUTES += (Route("GET", "/api/x/bad/a", BEARER, None, None, "show", "x"),)'), "hidden by GET /api/x/bad/:id"),
    "kind of ours":         (job('"ai.chat", "run", "x"'), "named x.bad.<name>"),
    "kind of another":      (job('"x.sample.shout", "run", "x"'), "named x.bad.<name>"),
    "kind without a name":  (job('"x.bad.", "run", "x"'), "named x.bad.<name>"),
    "kind's handler":       (job('"x.bad.a", "gone", "x"'), "has no gone"),
    "kind's input":         (job('"x.bad.a", "run_text", "x"'), "its input is not a struct"),
    "unchecked result":     (job('"x.bad.a", "run", "x", remote=True'), "a remote kind needs a check"),
    "kind's doc":           (job('"x.bad.a", "run", ""'), "no doc line"),
    "tool of ours":         (tool('"search", "plain", "x", Permission.SEARCH'), "search: declared twice"),
    "tool of another":      (tool('"sample_sum", "plain", "x", Permission.SEARCH'), "sample_sum: declared twice"),
    "tool's name":          (tool('"Bad Tool", "plain", "x", Permission.SEARCH'), "lower-case letters"),
    "tool's handler":       (tool('"bad", "gone", "x", Permission.SEARCH'), "no async function gone"),
    "blocking tool":        (tool('"bad", "blocking", "x", Permission.SEARCH'), "no async function blocking"),
    "tool's permission":    (tool('"bad", "plain", "x", "search"'), "permission is 'search'"),
    "no permission":        (tool('"bad", "plain", "x", None'), "permission is None"),
    "tool's artifacts":     (tool('"bad", "plain", "x", Permission.SEARCH, artifacts=("hologram",)'), "artifacts is ('hologram',)"),
    "tool's doc":           (tool('"bad", "plain", "", Permission.SEARCH'), "no doc line"),
    "argument's type":      (tool('"bad", "untyped", "x", Permission.SEARCH'), "the parameter a has no type"),
    "no JSON type":         (tool('"bad", "strange", "x", Permission.SEARCH'), "bad: "),
    "recursive schema":     (tool('"bad", "deep", "x", Permission.SEARCH'), "Tree contains itself"),
    "loose schema":         (tool('"bad", "loose", "x", Permission.SEARCH'), "must forbid unknown fields"),
    "large schema":         (tool('"bad", "wide", "x", Permission.SEARCH'), "more than 16384"),
    "two sorts of args":    (tool('"bad", "several", "x", Permission.SEARCH'), "no value for b"),
    "variable arguments":   (tool('"bad", "any_number", "x", Permission.SEARCH'), "the parameter a has no type"),
    "unknown event":        (listener('Unheard, "hear", "x"'), "Unheard: not an event"),
    "event's name":         (listener('"CompanySuspended", "hear", "x"'), "event is 'CompanySuspended'"),
    "listener's handler":   (listener('CompanySuspended, "gone", "x"'), "no async function gone(tx, event)"),
    "listener's arguments": (listener('CompanySuspended, "hear_nothing", "x"'), "no async function hear_nothing(tx, event)"),
    "store of ours":        ({"blob_stores": STORE.format(row='"rs3", "open_it", "x"')}, "rs3: declared twice"),
    "store's opener":       ({"blob_stores": STORE.format(row='"bad-store", "gone", "x"')}, "no function gone(settings)"),
    "table of lists":       ({"routes": "ROUTES = []"}, "bad_plugin.routes has no tuple ROUTES"),
    "no table":             ({"tools": ""}, "bad_plugin.tools has no tuple TOOLS"),
    "other rows":           ({"jobs": "from teamspace.core.tables import Invariant\nJOBS = (Invariant('a', 'b', 'c'),)"}, "JOBS[0] is not a JobSpec"),
    "no rows":              ({"tools": "TOOLS = ('search',)"}, "TOOLS[0] is not a Tool"),
    "rows of two types":    ({"routes": f"{GOOD}\nROUTES = ('a', *ROUTES, 7)"}, "ROUTES[0] is not a Route; bad_plugin.routes.ROUTES[2] is not a Route"),
    "rows without fields":  ({"routes": f"{GOOD}\nROUTES = (Route(None, None, None, None, None, None, None), *ROUTES)"}, "method is None, path is None"),
    "odd row":              ({"listeners": LISTENER.format(row='CompanySuspended, "hear", "x"') + "hear.__signature__ = 7"}, "TypeError"),
    "exception at import":  ({"routes": "1 / 0"}, "it cannot be loaded: ZeroDivisionError"),
    "syntax error":         ({"__init__": "def"}, "it cannot be loaded: SyntaxError"),
    "exit at import":       ({"tools": "raise SystemExit(3)"}, "it cannot be loaded: SystemExit: 3"),
    "missing import":       ({"jobs": "import no_such_module"}, "it cannot be loaded: ModuleNotFoundError"),
    "invariant of ours":    ({"__init__": "from teamspace.notes import INVARIANTS"}, "notes.company: declared twice"),
    "column of ours":       ({"__init__": "from teamspace.branding import BLOB_COLUMNS"}, "branding.logo: declared twice"),
}
# fmt: on
OTHERS = {
    "routes": "from teamspace.core.routing import *\n"
    'ROUTES = (Route("GET", "/api/x/bad/fine", BEARER, None, None, "fine", "x"),)\nasync def fine(): ...',
    "listeners": LISTENER.format(row='CompanySuspended, "hear", "x"'),
    "tools": TOOL.format(row='"bad_but_fine", "plain", "x", Permission.SEARCH'),
    "blob_stores": STORE.format(row='"bad-store", "open_it", "x"'),
    "jobs": JOB.format(row='"x.bad.fine", "run", "x"'),
}
"""Rows of the bad plugin that have no fault."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder from which packages are imported, and forgotten after the test."""
    monkeypatch.syspath_prepend(tmp_path / "plugins")
    before = set(sys.modules)
    yield tmp_path / "plugins"
    for name in set(sys.modules) - before:
        if name.startswith("bad_plugin"):
            del sys.modules[name]


@cache
def sample_alone() -> Assembly:
    return assemble(load({}), Stopping(), wiring.load([SAMPLE]))


@pytest.mark.parametrize("fault", FAULTS)
def test_a_bad_row_fails_its_plugin_alone(folder: Path, fault: str) -> None:
    modules, reason = FAULTS[fault]
    write_package(folder, "bad_plugin", {**OTHERS, **modules})
    tables = wiring.load([SAMPLE, Package("bad_plugin", "bad")])
    assembly = assemble(load({}), Stopping(), tables)
    assert reason in failures(assembly.tables)["bad"]
    assert [result.package.source for result in assembly.tables.results if result.state == "failed"] == ["bad"]

    without = sample_alone()
    assert [row.route for row in assembly.endpoints] == [row.route for row in without.endpoints]
    for table in wiring.TABLES:
        assert assembly.tables.rows(table.row) == without.tables.rows(table.row)


@pytest.mark.parametrize("fault", ["public route", "tool's handler"])
async def test_a_server_runs_without_the_bad_plugin(
    folder: Path, settings: Settings, sqlite_template: Path, caplog: pytest.LogCaptureFixture, fault: str
) -> None:
    """The first fault is found when the plugin is loaded, the second when its rows are bound."""
    modules, reason = FAULTS[fault]
    write_package(folder, "bad_plugin", {**OTHERS, **modules})
    async with world_with(settings, sqlite_template, Package("bad_plugin", "bad"), SAMPLE) as world:
        ann = await world.bootstrap()
        assert (await ann.get("/api/x/sample/greeting/Bob")).status_code == 200
        assert (await ann.get("/api/x/bad/fine")).status_code == 404
        assert world.app.queue.kinds.get("x.bad.fine") is None
        assert "bad_but_fine" not in [tool["name"] for tool in (await ann.get("/api/tools")).json()["items"]]
        assert not any(each.__module__.startswith("bad_plugin") for each in world.db.listeners[CompanySuspended])
    assert [message for message in caplog.messages if "the plugin bad was not loaded" in message and reason in message]


def test_the_faultless_rows_of_the_bad_plugin_are_loaded_on_their_own(folder: Path) -> None:
    write_package(folder, "bad_plugin", OTHERS)
    assembly = assemble(load({}), Stopping(), wiring.load([Package("bad_plugin", "bad")]))
    assert failures(assembly.tables) == {}


def test_all_faults_of_a_plugin_are_reported(folder: Path) -> None:
    write_package(
        folder, "bad_plugin", {"blob_stores": "BLOB_STORES = 1", **job('"ai.chat", "run", "x"'), "tools": "TOOLS = 1"}
    )
    error = failures(wiring.load([Package("bad_plugin", "bad")]))["bad"]
    assert "named x.bad.<name>" in error and "no tuple TOOLS" in error and "no tuple BLOB_STORES" in error


@pytest.mark.parametrize("plugin", ["", "../notes", "Bad", "a.b", "a/b", "x" * 65])
def test_an_id_must_be_a_plain_name(plugin: str) -> None:
    assert "the id" in failures(wiring.load([Package("tests.loader.sample_plugin", plugin)]))[plugin]


def test_the_second_plugin_of_an_id_fails() -> None:
    tables = wiring.load([SAMPLE, SAMPLE])
    assert failures(tables) == {"sample": "there are two plugins with the id sample"}
    assert sum(contribution.package == SAMPLE for contribution in tables.contributions) == 1


def test_a_package_that_does_not_exist_fails() -> None:
    assert "ModuleNotFoundError" in failures(wiring.load([Package("no_such_package", "gone")]))["gone"]


def test_a_core_route_below_the_plugins_is_not_taken(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = ROUTE.format(row='"GET", "/api/x/:id/things/*path", BEARER, None, None, "things", "x"')
    write_package(folder, "bad_plugin_core", {"routes": source + "async def things(id: str, path: str): ..."})
    write_package(folder, "bad_plugin", route('"GET", "/api/x/bad/things/a", BEARER, None, None, "show", "x"'))
    monkeypatch.setattr(wiring, "PACKAGES", (*wiring.PACKAGES, Package("bad_plugin_core")))
    assert (
        "would take requests from GET /api/x/:id/things/*path"
        in failures(wiring.load([Package("bad_plugin", "bad")]))["bad"]
    )


# Ours


def test_all_faults_of_ours_stop_the_start(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_package(
        folder,
        "bad_plugin",
        {"tools": "TOOLS = 1", **job('"x.notes.a", "run", "x"'), **listener('Unheard, "gone", "x"')},
    )
    monkeypatch.setattr(wiring, "PACKAGES", (*wiring.PACKAGES, Package("bad_plugin")))
    with pytest.raises(BootError) as error:
        wiring.load()
    for reason in (
        "no tuple TOOLS",
        "only a plugin's kinds begin with x.",
        "Unheard: not an event",
        "no async function",
    ):
        assert reason in str(error.value)


def test_a_module_of_ours_that_cannot_be_imported_stops_the_start(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_package(folder, "bad_plugin", {"routes": "1 / 0"})
    monkeypatch.setattr(wiring, "PACKAGES", (*wiring.PACKAGES, Package("bad_plugin")))
    with pytest.raises(ZeroDivisionError):
        wiring.load()


def test_a_shipped_tool_without_a_handler_stops_the_start(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_package(folder, "bad_plugin", tool('"bad", "gone", "x", Permission.SEARCH'))
    monkeypatch.setattr(wiring, "PACKAGES", (*wiring.PACKAGES, Package("bad_plugin")))
    with pytest.raises(BootError, match="has no async function gone"):
        assemble(load({}), Stopping(), wiring.load())


# Further tables


class Recipe(msgspec.Struct, frozen=True):
    name: str
    steps: tuple[str, ...]
    serves: int | None = None


RECIPES = TableType("RECIPES", Recipe, "recipes", key="name")


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ("Recipe('soup', ('boil',)), Recipe('tea', (), 2)", ""),
        ("Recipe('soup', ('boil',)), Recipe('soup', ())", "soup: declared twice"),
        ("Recipe('soup', ['boil'])", "steps is ['boil']"),
        ("Recipe('soup', (1,))", "steps is (1,)"),
        ("Recipe('soup', (), 'two')", "serves is 'two'"),
    ],
)
def test_a_further_table_is_declared_in_one_line(folder: Path, rows: str, reason: str) -> None:
    write_package(
        folder, "bad_plugin", {"recipes": f"from {__name__} import Recipe\nRECIPES = ({rows},)", "routes": GOOD}
    )
    tables = wiring.load([Package("bad_plugin", "bad")], (*wiring.TABLES, RECIPES))
    assert [row.name for row in tables.rows(Recipe)] == ([] if reason else ["soup", "tea"])
    assert reason in failures(tables).get("bad", "")


# Blob stores


async def test_without_its_plugin_the_chosen_blob_store_is_unknown(
    folder: Path, settings: Settings, sqlite_template: Path
) -> None:
    write_package(folder, "bad_plugin", {**OTHERS, "tools": "TOOLS = 1"})
    chosen = msgspec.structs.replace(settings, blob_store="bad-store")
    with pytest.raises(SettingsError, match="SERVICE_BLOB_STORE: must be one of rs3, s3"):
        async with world_with(chosen, sqlite_template, Package("bad_plugin", "bad")):
            pass


async def test_what_is_no_blob_store_is_refused(folder: Path, settings: Settings, sqlite_template: Path) -> None:
    write_package(folder, "bad_plugin", OTHERS)
    chosen = msgspec.structs.replace(settings, blob_store="bad-store")
    with pytest.raises(BootError, match="bad-store: object is not a blob store"):
        async with world_with(chosen, sqlite_template, Package("bad_plugin", "bad")):
            pass
