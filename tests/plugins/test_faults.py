"""A bad manifest or row of a plugin fails that plugin alone, with the reason; a bad row of ours stops the start."""

import importlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from teamspace import plugins, wiring
from teamspace.app import Assembly, assemble
from teamspace.core import loader
from teamspace.core.limits import Stopping
from teamspace.core.loader import Package, TableType
from teamspace.core.tables import BootError
from teamspace.settings import Settings, SettingsError, load
from tests.plugins.help import SAMPLE, failures, load_folders, world_with, write_plugin

GOOD = """
import msgspec
from typing import Literal
from teamspace.sdk import *

class Nothing(msgspec.Struct): pass
class Tree(msgspec.Struct, forbid_unknown_fields=True):
    left: "Tree | None" = None
class Loose(msgspec.Struct):
    a: int
class Wide(msgspec.Struct, forbid_unknown_fields=True):
    a: Literal[tuple("%05d" % n for n in range(3000))]

async def show(): ...
async def odd(clock: int): ...
async def broken(request: "Missing"): ...
async def run(input: Nothing) -> Nothing: ...
async def run_text(input: str) -> Nothing: ...
async def plain(a: int): ...
async def untyped(a): ...
async def strange(a: type): ...
async def deep(arguments: Tree): ...
async def loose(arguments: Loose): ...
async def wide(arguments: Wide): ...
async def several(arguments: Wide, b: int): ...
async def any_number(*a: int): ...
def blocking(a: int = 0): ...
def open_it(settings): return object()

ROUTES = (PluginRoute("GET", "/fine", None, "show", "x"),)
JOBS = (JobSpec("x.bad.fine", "run", "x"),)
TOOLS = (Tool("bad_but_fine", "plain", "x", Permission.SEARCH),)
BLOB_STORES = (BlobStoreSpec("bad-store", "open_it", "x"),)
EMAIL = {"name": "email", "type": "email", "required": True, "label": {"en": "E-mail"}}
ONBOARDING = (OnboardingExperience({"fields": [EMAIL], "copy": {"en": {"title": "Join"}}}),)
"""


def route(row: str) -> str:
    return f"{GOOD}\nROUTES = (PluginRoute({row}),)"


def job(row: str) -> str:
    return f"{GOOD}\nJOBS = (JobSpec({row}),)"


def tool(row: str) -> str:
    return f"{GOOD}\nTOOLS = (Tool({row}),)"


def store(row: str) -> str:
    return f"{GOOD}\nBLOB_STORES = (BlobStoreSpec({row}),)"


def experience(document: str) -> str:
    return f"{GOOD}\nONBOARDING = (OnboardingExperience({document}),)"


def workflow(spec: str) -> str:
    return f"{GOOD}\nWORKFLOWS = (Workflow({spec}),)"


# fmt: off
FAULTS: dict[str, tuple[str, str]] = {
    "path with dots":       (route('"GET", "/../../notes", None, "show", "x"'), "malformed"),
    "path with a space":    (route('"GET", "/a b", None, "show", "x"'), "malformed"),
    "path of a bundle":     (route('"GET", "/bundle/a.js", None, "show", "x"'), "bundle/ is reserved"),
    "the bundle itself":    (route('"GET", "/bundle", None, "show", "x"'), "bundle/ is reserved"),
    "rest of a bundle":     (route('"GET", "/*path", None, "show", "x"'), "bundle/ is reserved"),
    "parameter of bundles": (route('"GET", "/:a/:b", None, "show", "x"'), "bundle/ is reserved"),
    "twice in a path":      (route('"GET", "/a/:b/x/:b", None, "show", "x"'), "malformed"),
    "route's method":       (route('"FETCH", "/a", None, "show", "x"'), "unknown method"),
    "route's handler":      (route('"GET", "/a", None, "gone", "x"'), "no async function gone"),
    "blocking handler":     (route('"GET", "/a", None, "blocking", "x"'), "no async function blocking"),
    "route's permission":   (route('"GET", "/a", "notes:fly", "show", "x"'), "permission is 'notes:fly'"),
    "route's feature":      (route('"GET", "/a", None, "show", "x", feature="teleport"'), "feature is 'teleport'"),
    "route's dependency":   (route('"GET", "/a", None, "odd", "x"'), "no value for the handler's parameter clock"),
    "route's annotation":   (route('"POST", "/a", None, "broken", "x"'), "name 'Missing' is not defined"),
    "body of a read":       (route('"GET", "/a", None, "show", "x", body=Nothing'), "a GET has no body"),
    "body's type":          (route('"POST", "/a", None, "show", "x", body=dict'), "body is <class 'dict'>"),
    "route's doc":          (route('"GET", "/a", None, "show", ""'), "no doc line"),
    "two equal routes":     (route('"GET", "/a", None, "show", "x"') + "\nROUTES *= 2", "hidden by GET /api/x/bad/a"),
    "hidden route":         (f'{GOOD}\nROUTES = tuple(PluginRoute("GET", path, None, "show", "x") for path in ("/:id", "/a"))', "hidden by GET /api/x/bad/:id"),
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
    "name of a workflow":   (tool('"run_bad", "plain", "x", Permission.SEARCH'), "begins with run_"),
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
    "store of ours":        (store('"rs3", "open_it", "x"'), "rs3: declared twice"),
    "store's opener":       (store('"bad-store", "gone", "x"'), "no function gone(settings)"),
    "no experience":        (experience("{}"), "the experience is not valid"),
    "experience's fields":  (experience('{"fields": []}'), "fields"),
    "experience's list":    (experience("[]"), "document is []"),
    "field's type":         (experience('{"fields": [EMAIL | {"type": "password"}]}'), "password"),
    "field twice":          (experience('{"fields": [EMAIL, EMAIL]}'), "/fields/1/name"),
    "field's label":        (experience('{"fields": [EMAIL | {"label": {"en": "x" * 500}}]}'), "/fields/0/label/en"),
    "experience's key":     (experience('{"fields": [EMAIL], "script": "alert(1)"}'), "unknown field `script`"),
    "experience's locale":  (experience('{"fields": [EMAIL], "copy": {"no locale": {"title": "x"}}}'), "/copy/no locale"),
    "experience's colours": (experience('{"fields": [EMAIL], "theme": {"accent": "red"}}'), "accent"),
    "experience's logo":    (experience('{"fields": [EMAIL], "theme": {"logo": "x"}}'), "/theme/logo"),
    "experience unpaired":  (experience('{"fields": [EMAIL], "copy": {"en": {"title": "\\ud800"}}}'), "the experience is not valid"),
    "no workflow":          (workflow("{}"), "the workflow"),
    "table of lists":       ("ROUTES = []", "has no tuple ROUTES"),
    "other rows":           (f"{GOOD}\nJOBS = TOOLS", "JOBS[0] is not a JobSpec"),
    "no rows":              ("TOOLS = ('search',)", "TOOLS[0] is not a Tool"),
    "rows of two types":    (f"{GOOD}\nROUTES = ('a', *ROUTES, 7)", "plugin.ROUTES[0] is not a PluginRoute; plugin.ROUTES[2] is not a PluginRoute"),
    "rows without fields":  (f"{GOOD}\nROUTES = (PluginRoute(None, None, None, None, None), *ROUTES)", "method is None, path is None"),
    "exception at import":  ("1 / 0", "it cannot be loaded: ZeroDivisionError"),
    "syntax error":         ("def", "it cannot be loaded: SyntaxError"),
    "exit at import":       ("raise SystemExit(3)", "it cannot be loaded: SystemExit: 3"),
    "missing import":       ("import no_such_module", "it cannot be loaded: ModuleNotFoundError"),
    "endless import":       ("while True: pass", "importing it takes longer than"),
    "import that waits":    ("import time; time.sleep(3600)", "importing it takes longer than"),
    "deep recursion":       ("def f(): f()\nf()", "it cannot be loaded: RecursionError"),
}
MANIFESTS: dict[str, tuple[Any, str]] = {
    "no JSON":        ("{", "plugin.json is not a manifest"),
    "a list":         ([], "plugin.json is not a manifest"),
    "no bytes":       (b"\xff\xfe\x00", "plugin.json is not a manifest"),
    "no id":          ({"id": None}, "plugin.json is not a manifest: Expected `str`, got `null` - at `$.id`"),
    "id of a path":   ({"id": "../notes"}, "$.id"),
    "id in capitals": ({"id": "Bad"}, "$.id"),
    "long id":        ({"id": "x" * 65}, "$.id"),
    "id of ours":     ({"id": "shipped"}, "the id shipped is reserved"),
    "no version":     ({"version": "new"}, "$.version"),
    "entry outside":  ({"entry": "../other/plugin.py"}, "$.entry"),
    "entry missing":  ({"entry": "gone.py"}, "there is no file gone.py"),
    "unknown field":  ({"author": "Ann"}, "unknown field `author`"),
    "control marks":  ({"name": "a\nb"}, "$.name"),
    "huge":           (" " * 70_000, "plugin.json has more than 65536 bytes"),
}
# fmt: on


def _link(files: Path) -> None:
    files.symlink_to("/etc")


def _link_beside(files: Path) -> None:
    (files.parent / "other").mkdir()
    files.symlink_to(files.parent / "other")


def _broken_link(files: Path) -> None:
    files.symlink_to("/nowhere")


FILES: dict[str, Callable[[Path], None]] = {
    "a file": Path.touch,
    "a link": _link,
    "a link beside it": _link_beside,
    "a broken link": _broken_link,
    "a pipe": os.mkfifo,
}
"""What `bundle` and `landing` must not be."""


@pytest.fixture(autouse=True)
def fast_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loader, "IMPORT_SECONDS", 0.3)


@cache
def sample_alone() -> Assembly:
    return assemble(load({}), Stopping(), load_folders(SAMPLE))


@pytest.mark.parametrize("fault", FAULTS)
def test_a_bad_row_fails_its_plugin_alone(tmp_path: Path, fault: str) -> None:
    source, reason = FAULTS[fault]
    assembly = assemble(load({}), Stopping(), load_folders(SAMPLE, write_plugin(tmp_path / "bad", source)))
    assert list(failures(assembly.tables)) == ["bad"]
    assert reason in failures(assembly.tables)["bad"]
    assert "teamspace_plugins" not in failures(assembly.tables)["bad"], "the author does not know this name"

    without = sample_alone()
    assert [row.route for row in assembly.endpoints] == [row.route for row in without.endpoints]
    for table in wiring.PLUGIN_TABLES:
        assert assembly.tables.rows(table.stored_as) == without.tables.rows(table.stored_as)


@pytest.mark.parametrize("fault", MANIFESTS)
def test_a_bad_manifest_fails_its_plugin_alone(tmp_path: Path, fault: str) -> None:
    content, reason = MANIFESTS[fault]
    folder = write_plugin(tmp_path / "bad", GOOD, **(content if isinstance(content, dict) else {}))
    if not isinstance(content, dict):
        (folder / "plugin.json").write_bytes(content if isinstance(content, bytes) else str(content).encode())
    found = failures(load_folders(SAMPLE, folder))
    assert len(found) == 1
    assert reason in next(iter(found.values()))


@pytest.mark.parametrize("name", ["bundle", "landing"])
@pytest.mark.parametrize("fault", FILES)
def test_files_that_could_not_be_served_fail_their_plugin_alone(tmp_path: Path, name: str, fault: str) -> None:
    folder = write_plugin(tmp_path / "bad", GOOD)
    FILES[fault](folder / name)
    assert failures(load_folders(SAMPLE, folder)) == {"bad": f"{name} is not a folder"}


async def test_a_server_starts_with_all_of_them(
    settings: Settings, sqlite_template: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ids = {fault: f"bad-{number}" for number, fault in enumerate(FAULTS)}
    for fault, (source, _) in FAULTS.items():
        write_plugin(tmp_path / "plugins" / ids[fault], source.replace("x.bad.", f"x.{ids[fault]}."))
    async with world_with(settings, sqlite_template, tmp_path / "plugins", SAMPLE) as world:
        ann = await world.bootstrap()
        assert (await ann.get("/api/x/sample/greeting/Bob")).status_code == 200
        assert (await ann.get("/api/x/bad-0/fine")).status_code == 404
        items = {item["id"]: item for item in (await ann.get("/api/plugins")).json()["items"]}
        assert all((items[id]["state"], bool(items[id]["error"])) == ("failed", True) for id in ids.values())
        assert items["sample"]["state"] == "loaded"
        bob = await world.person(ann.org, ann.team)
        seen = {item["id"]: item["error"] for item in (await bob.get("/api/plugins")).json()["items"]}
        assert seen["bad-0"] == "It cannot be loaded; an operator of the instance can see why."
    assert len([each for each in caplog.messages if "was not loaded" in each]) == len(FAULTS)


def test_the_faultless_rows_of_the_bad_plugin_are_loaded_on_their_own(tmp_path: Path) -> None:
    assembly = assemble(load({}), Stopping(), load_folders(write_plugin(tmp_path / "bad", GOOD)))
    assert failures(assembly.tables) == {}


def test_all_faults_of_a_plugin_are_reported(tmp_path: Path) -> None:
    source = job('"ai.chat", "run", "x"') + "\nBLOB_STORES = 1\nTOOLS = 1"
    error = failures(load_folders(write_plugin(tmp_path / "bad", source)))["bad"]
    assert "named x.bad.<name>" in error and "no tuple TOOLS" in error and "no tuple BLOB_STORES" in error


def test_the_second_plugin_of_an_id_fails(tmp_path: Path) -> None:
    tables = load_folders(SAMPLE, write_plugin(tmp_path / "other", GOOD, id="sample"))
    assert failures(tables) == {"sample": "there are two plugins with the id sample"}
    assert [result.state for result in tables.results if result.package.source == "sample"] == ["loaded", "failed"]


def test_a_plugin_cannot_take_the_id_of_one_that_ships(tmp_path: Path) -> None:
    tables = load_folders(write_plugin(tmp_path / "rs3", GOOD))
    assert failures(tables) == {"rs3": "there are two plugins with the id rs3"}


def test_a_folder_can_contain_plugins_and_other_things(tmp_path: Path) -> None:
    write_plugin(tmp_path / "bad", GOOD)
    (tmp_path / ".git").mkdir()
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "README.md").touch()
    (tmp_path / "empty").mkdir()
    assert failures(load_folders(tmp_path)) == {"empty": "plugin.json cannot be read: No such file or directory"}


def test_a_folder_that_does_not_exist_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="SERVICE_PLUGINS: there is no folder /nowhere"):
        load({"SERVICE_PLUGINS": f"{tmp_path}, /nowhere"})


# Ours


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder from which `bad_package` is imported, and forgotten after the test."""
    monkeypatch.syspath_prepend(tmp_path / "packages")
    yield tmp_path / "packages" / "bad_package"
    for name in [name for name in sys.modules if name.startswith("bad_package")]:
        del sys.modules[name]


def load_ours(folder: Path, modules: Mapping[str, str], types: tuple[TableType, ...] = wiring.TABLES) -> loader.Tables:
    """Load a package with these modules like the shipped ones."""
    folder.mkdir(parents=True)
    for module, source in {"__init__": "", **modules}.items():
        (folder / f"{module}.py").write_text(source)
    importlib.invalidate_caches()
    return loader.load([Package("bad_package")], types, wiring.SHIPPED)


LISTENER = """
from teamspace.core.tables import On
class Unheard: pass
LISTENERS = (On(Unheard, "gone", "x"),)
"""


def test_all_faults_of_ours_stop_the_start(package: Path) -> None:
    kind = f'{GOOD}\nJOBS = (JobSpec("x.notes.a", "run", "x"),)'
    with pytest.raises(BootError) as error:
        load_ours(package, {"tools": "TOOLS = 1", "jobs": kind, "listeners": LISTENER})
    for reason in ("no tuple TOOLS", "kinds begin with x.", "Unheard: not an event", "no async function"):
        assert reason in str(error.value)


def test_a_module_of_ours_that_cannot_be_imported_stops_the_start(package: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        load_ours(package, {"routes": "1 / 0"})


def test_a_shipped_tool_without_a_handler_stops_the_start(package: Path) -> None:
    tables = load_ours(package, {"tools": tool('"bad", "gone", "x", Permission.SEARCH')})
    with pytest.raises(BootError, match="has no async function gone"):
        assemble(load({}), Stopping(), tables)


def test_a_core_route_below_the_plugins_is_not_taken(package: Path, tmp_path: Path) -> None:
    core = (
        "from teamspace.core.routing import *\n"
        'ROUTES = (Route("GET", "/api/x/:id/things/*path", BEARER, None, None, "things", "x"),)\n'
        "async def things(id: str, path: str): ..."
    )
    ours = load_ours(package, {"routes": core})
    folder = write_plugin(tmp_path / "bad", route('"GET", "/things/a", None, "show", "x"'))
    tables = loader.load(plugins.find([folder]), wiring.PLUGIN_TABLES, ours)
    assert "would take requests from GET /api/x/:id/things/*path" in failures(tables)["bad"]


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
        ("Recipe('soup', ['boil'])", r"steps is \['boil'\]"),
        ("Recipe('soup', (1,))", r"steps is \(1,\)"),
        ("Recipe('soup', (), 'two')", "serves is 'two'"),
    ],
)
def test_a_further_table_is_declared_in_one_line(package: Path, rows: str, reason: str) -> None:
    modules = {"recipes": f"from {__name__} import Recipe\nRECIPES = ({rows},)"}
    if reason:
        with pytest.raises(BootError, match=reason):
            load_ours(package, modules, (*wiring.TABLES, RECIPES))
    else:
        tables = load_ours(package, modules, (*wiring.TABLES, RECIPES))
        assert [row.name for row in tables.rows(Recipe)] == ["soup", "tea"]


# Blob stores


async def test_without_its_plugin_the_chosen_blob_store_is_unknown(
    tmp_path: Path, settings: Settings, sqlite_template: Path
) -> None:
    chosen = msgspec.structs.replace(settings, blob_store="bad-store")
    with pytest.raises(SettingsError, match="SERVICE_BLOB_STORE: must be one of s3, rs3"):
        async with world_with(chosen, sqlite_template, write_plugin(tmp_path / "bad", f"{GOOD}\nTOOLS = 1")):
            pass


async def test_what_is_no_blob_store_is_refused(tmp_path: Path, settings: Settings, sqlite_template: Path) -> None:
    chosen = msgspec.structs.replace(settings, blob_store="bad-store")
    with pytest.raises(BootError, match="bad-store: object is not a blob store"):
        async with world_with(chosen, sqlite_template, write_plugin(tmp_path / "bad", GOOD)):
            pass
