"""The house checks itself: what the import contracts cannot say."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import teamspace
from teamspace import (
    ai,
    audit,
    blobs,
    branding,
    console,
    documents,
    executors,
    extraction,
    fulltext,
    identity,
    instance,
    jobs,
    localization,
    notes,
    quota,
    repository,
    s3,
    search,
    tenancy,
)
from teamspace.core.db.migrate import shipped
from teamspace.settings import SETTINGS, Settings

ROOT = Path(teamspace.__file__).parent
CAPABILITIES = {
    "ai": ai, "audit": audit, "blobs": blobs, "branding": branding, "console": console, "documents": documents,
    "executors": executors, "extraction": extraction, "fulltext": fulltext, "identity": identity, "instance": instance, "jobs": jobs,
    "localization": localization, "notes": notes, "quota": quota, "repository": repository, "s3": s3, "search": search, "tenancy": tenancy,
}  # fmt: skip
SQL = re.compile(r"\b(SELECT .+ FROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM|CREATE TABLE)\b", re.DOTALL)
WITHOUT_COMPANY = {"instance", "idempotency", "login_attempts", "migrations", "orgs", "processes"}
"""Tables that hold no row of a single company; every other one names it in org_id."""


def files() -> Iterator[tuple[str, Path]]:
    for name in CAPABILITIES:
        for path in sorted((ROOT / name).rglob("*.py")):
            yield name, path


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize(
    ("capability", "path"), list(files()), ids=lambda value: str(value).rsplit("teamspace/", 1)[-1]
)
def test_a_neighbour_is_entered_by_its_front_door(capability: str, path: Path) -> None:
    for module in imported(path):
        parts = module.split(".")
        if parts[0] == "teamspace" and len(parts) > 2 and parts[1] in CAPABILITIES and parts[1] != capability:
            assert parts[2] in CAPABILITIES[parts[1]].__all__, f"{path.name} reaches into {module}"


def strings(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


@pytest.mark.parametrize(
    ("capability", "path"), list(files()), ids=lambda value: str(value).rsplit("teamspace/", 1)[-1]
)
def test_sql_stands_in_stores_alone(capability: str, path: Path) -> None:
    if path.name != "store.py":
        assert not [text for text in strings(path) if SQL.search(text)]


def store_functions() -> Iterator[tuple[str, ast.AsyncFunctionDef]]:
    for name, path in files():
        if path.name == "store.py":
            for node in ast.parse(path.read_text()).body:
                if isinstance(node, ast.AsyncFunctionDef):
                    yield name, node


def text_of(function: ast.AsyncFunctionDef) -> str:
    constants = [node.value for node in ast.walk(function) if isinstance(node, ast.Constant)]
    return " ".join(value for value in constants if isinstance(value, str))


@pytest.mark.parametrize(
    ("capability", "function"), list(store_functions()), ids=lambda value: getattr(value, "name", value)
)
def test_a_store_function_that_writes_takes_a_transaction(capability: str, function: ast.AsyncFunctionDef) -> None:
    if re.search(r"\b(INSERT INTO|UPDATE \w+ SET|DELETE FROM)\b", text_of(function)):
        first = function.args.args[0]
        assert (first.arg, ast.unparse(first.annotation or ast.Constant(""))) == ("tx", "Tx")


@pytest.mark.parametrize(
    ("capability", "function"), list(store_functions()), ids=lambda value: getattr(value, "name", value)
)
def test_every_read_of_notes_takes_a_fence(capability: str, function: ast.AsyncFunctionDef) -> None:
    if re.search(r"SELECT .*FROM notes\b", text_of(function), re.DOTALL):
        assert "fence" in [argument.arg for argument in function.args.args]


@pytest.mark.parametrize("module", CAPABILITIES.values(), ids=CAPABILITIES)
def test_the_front_door_is_exact(module: ModuleType) -> None:
    offered = getattr(module, "__all__", [])
    assert list(offered) == sorted(set(offered), key=lambda name: (name.upper() != name, name[0].islower(), name))
    assert all(hasattr(module, name) for name in offered)
    assert (module.__doc__ or "").strip()


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_begins_with_what_it_is_for(path: Path) -> None:
    assert (ast.get_docstring(ast.parse(path.read_text())) or "").strip()


def test_every_table_names_its_company() -> None:
    for migration in shipped():
        for name, columns in re.findall(r"CREATE TABLE (\w+) \((.*?)\n\) STRICT", migration.sql, re.DOTALL):
            if name not in WITHOUT_COMPANY:
                assert re.search(r"\n\s+org_id TEXT NOT NULL", columns), f"{name} has no org_id"


def test_the_settings_table_and_the_struct_are_one() -> None:
    assert [setting.field for setting in SETTINGS] == list(Settings.__struct_fields__)
    assert all(setting.doc for setting in SETTINGS)


def test_nobody_but_the_settings_reads_the_environment() -> None:
    readers = [
        path.name for path in ROOT.rglob("*.py") if "os.environ" in path.read_text() or "getenv" in path.read_text()
    ]
    assert readers == ["settings.py"]


DEFAULT_EXECUTOR = re.compile(r"\bto_thread\b|run_in_executor\(\s*None|loop\(\)\.getaddrinfo|set_default_executor")
"""The pool that all would share."""
EXECUTORS = {"core/pools.py", "core/db/sqlite.py"}
"""Where executors are made: the table of pools, and SQLite's one thread that commits."""


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_threads_are_those_of_a_pool_with_a_purpose(path: Path) -> None:
    """One full pool must not hold up what has nothing to do with it; see core/pools.py."""
    source = path.read_text()
    assert not DEFAULT_EXECUTOR.search(source)
    if str(path.relative_to(ROOT)) not in EXECUTORS:
        assert "run_in_executor" not in source and "ThreadPoolExecutor" not in source


_BY_CODE = re.compile(r"type\[.*\]|Any|bool|P|Callable\[.*\]|tuple\[Route, \.\.\.\]")
"""Arguments of which there are as many as the code has: types, functions, permissions."""


def test_what_is_remembered_for_ever_is_named_by_the_code() -> None:
    """A cache without a bound grows with whatever people can vary: lengths of lists, prefixes, texts."""
    unbounded = []
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and any(ast.unparse(each) == "cache" for each in node.decorator_list):
                arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                kinds = [ast.unparse(argument.annotation) for argument in arguments if argument.annotation]
                unbounded += [f"{path.name}: {node.name}({kind})" for kind in kinds if not _BY_CODE.fullmatch(kind)]
    assert unbounded == []
