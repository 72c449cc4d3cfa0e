"""Architecture rules that the import contracts cannot express."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from teamspace import (
    activity,
    agents,
    ai,
    audit,
    blobs,
    branding,
    console,
    conversations,
    documents,
    events,
    executors,
    extraction,
    favourites,
    fulltext,
    identity,
    instance,
    jobs,
    knowledge,
    links,
    localization,
    mcp,
    notes,
    onboarding,
    oop,
    openai_api,
    pipeline,
    plugins,
    presence,
    quota,
    references,
    repository,
    s3,
    search,
    sharing,
    tenancy,
    tools,
    translation,
    trash,
    triggers,
    wiring,
    workflows,
)
from teamspace.core.db.migrate import bundled_migrations
from teamspace.settings import SETTINGS, Settings
from tests.architecture.source import ROOT, modules, nodes

PACKAGES = {
    "activity": activity, "agents": agents, "ai": ai, "audit": audit, "blobs": blobs, "branding": branding, "console": console, "conversations": conversations, "documents": documents,
    "events": events, "executors": executors, "extraction": extraction, "favourites": favourites, "fulltext": fulltext, "identity": identity, "instance": instance, "jobs": jobs, "knowledge": knowledge, "links": links,
    "localization": localization, "mcp": mcp, "notes": notes, "onboarding": onboarding, "oop": oop, "openai_api": openai_api, "pipeline": pipeline, "plugins": plugins, "presence": presence, "quota": quota, "references": references, "repository": repository, "s3": s3, "search": search, "sharing": sharing, "tenancy": tenancy,
    "tools": tools, "translation": translation, "trash": trash, "triggers": triggers, "workflows": workflows,
}  # fmt: skip
SQL = re.compile(r"\b(SELECT .+ FROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM|CREATE TABLE)\b", re.DOTALL)
WITHOUT_COMPANY = {
    "pow_spent",
    "sign_up_rates",
    "event_log",
    "quota_history",
    "instance",
    "idempotency",
    "l10n_drafting",
    "l10n_entries",
    "l10n_locales",
    "l10n_messages",
    "l10n_namespaces",
    "l10n_policy",
    "l10n_retired",
    "l10n_words",
    "login_attempts",
    "migrations",
    "oop_grants",
    "orgs",
    "processes",
}
"""Tables whose rows belong to no company; all others have an org_id."""


def files() -> Iterator[tuple[str, Path]]:
    for name in PACKAGES:
        for path in sorted((ROOT / name).rglob("*.py")):
            yield name, path


def imported(path: Path) -> Iterator[str]:
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def is_internal(module: str, package: str) -> bool:
    """Whether a module or name belongs to another package than `package`, which does not export it."""
    parts = module.split(".")
    if parts[0] != "teamspace" or len(parts) < 3 or parts[1] not in PACKAGES or parts[1] == package:
        return False
    return parts[2] not in PACKAGES[parts[1]].__all__


def test_packages_use_only_each_others_public_names() -> None:
    uses = [
        f"{path.relative_to(ROOT)} imports {module}"
        for package, path in files()
        for module in imported(path)
        if is_internal(module, package)
    ]
    assert uses == []


def test_every_package_is_loaded_lowest_level_first() -> None:
    contract = tomllib.loads((ROOT.parent / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]
    levels = [set(level.split(" | ")) for level in reversed(contract["layers"])]
    loaded = [package.name.removeprefix("teamspace.").split(".")[0] for package in wiring.PACKAGES]
    assert set(loaded) == {"core", *PACKAGES}
    positions = [next(position for position, level in enumerate(levels) if name in level) for name in loaded]
    assert positions == sorted(positions)


def contains_sql(path: Path) -> bool:
    constants = [node.value for node in nodes(path) if isinstance(node, ast.Constant)]
    return any(isinstance(value, str) and SQL.search(value) for value in constants)


def test_only_stores_contain_sql() -> None:
    assert [path for _, path in files() if path.name != "store.py" and contains_sql(path)] == []


def store_functions() -> Iterator[tuple[str, ast.AsyncFunctionDef]]:
    for name, path in files():
        if path.name == "store.py":
            for node in modules()[path].body:
                if isinstance(node, ast.AsyncFunctionDef):
                    yield name, node


def text_of(function: ast.AsyncFunctionDef) -> str:
    constants = [node.value for node in ast.walk(function) if isinstance(node, ast.Constant)]
    return " ".join(value for value in constants if isinstance(value, str))


def writes(function: ast.AsyncFunctionDef) -> bool:
    return bool(re.search(r"\b(INSERT INTO|UPDATE \w+ SET|DELETE FROM)\b", text_of(function)))


def takes_transaction(function: ast.AsyncFunctionDef) -> bool:
    first = function.args.args[0]
    return (first.arg, ast.unparse(first.annotation or ast.Constant(""))) == ("tx", "Tx")


def test_a_store_function_that_writes_takes_a_transaction() -> None:
    writing = [(package, function) for package, function in store_functions() if writes(function)]
    assert len(writing) > 100
    assert [f"{package}.{function.name}" for package, function in writing if not takes_transaction(function)] == []


def is_unaudited_write(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "write"
        and len(node.args) > 1
        and ast.unparse(node.args[1]) == "None"
    )


def test_only_what_nobody_else_sees_is_written_without_an_audit_row() -> None:
    packages = {name for name, path in files() if any(map(is_unaudited_write, nodes(path)))}
    assert packages == {"favourites"}


COUNTED = {
    "audit": "one index walk per action, and there are only as many actions as the code has",
    "localization": "a condition per word of a search, of which there are eight at most",
}
"""Stores whose texts depend on the length of a list, and why."""


def test_a_statement_has_one_text_for_every_length() -> None:
    """Every text is parsed and planned anew, so a list goes in as one parameter: `in_strings`, `json_table`."""
    counted = {
        name for name, path in files() if path.name == "store.py" and re.search(r"\b(enumerate|range)\(", path.read_text())
    }  # fmt: skip
    assert counted <= COUNTED.keys()


@pytest.mark.parametrize("module", PACKAGES.values(), ids=PACKAGES)
def test_the_public_names_are_sorted_and_exist(module: ModuleType) -> None:
    public = getattr(module, "__all__", [])
    assert list(public) == sorted(set(public), key=lambda name: (name.upper() != name, name[0].islower(), name))
    assert all(hasattr(module, name) for name in public)
    assert (module.__doc__ or "").strip()


def docstring(path: Path) -> str:
    module = modules()[path]
    return (ast.get_docstring(module) or "").strip()


def test_every_module_has_a_docstring() -> None:
    assert [path for path in modules() if not docstring(path)] == []


def test_every_table_has_an_org_id() -> None:
    for migration in bundled_migrations():
        for name, columns in re.findall(r"CREATE TABLE (\w+) \((.*?)\n\) STRICT", migration.sql, re.DOTALL):
            if name not in WITHOUT_COMPANY:
                assert re.search(r"\n\s+org_id TEXT NOT NULL", columns), f"{name} has no org_id"


def test_the_settings_table_matches_the_struct() -> None:
    assert [setting.field for setting in SETTINGS] == list(Settings.__struct_fields__)
    assert all(setting.doc for setting in SETTINGS)


def test_only_the_settings_read_the_environment() -> None:
    """And the client, which is for other programs."""
    readers = {
        str(path.relative_to(ROOT))
        for path in modules()
        if "os.environ" in path.read_text() or "getenv" in path.read_text()
    }
    assert readers == {"settings.py", "client/options.py"}


DEFAULT_EXECUTOR = re.compile(r"\bto_thread\b|run_in_executor\(\s*None|loop\(\)\.getaddrinfo|set_default_executor")
"""Uses of the loop's default executor."""
THREADS = {"core/pools.py", "core/db/commit_thread.py", "client/worker.py", "authoring/checking.py"}
"""Files that start threads: the pools and SQLite's commit thread, and programs beside the server: worker and plugin check."""


def test_threads_belong_to_a_pool_with_a_purpose() -> None:
    """A full pool must not block unrelated work; see core/pools.py."""
    sources = {str(path.relative_to(ROOT)): path.read_text() for path in modules()}
    assert [name for name, source in sources.items() if DEFAULT_EXECUTOR.search(source)] == []
    starting = {
        name for name, source in sources.items() if re.search(r"run_in_executor|ThreadPoolExecutor|\bThread\(", source)
    }
    assert starting <= THREADS


_BY_CODE = re.compile(r"type\[.*\]|Any|bool|P|Callable\[.*\]|Route|Tool|tuple\[Route, \.\.\.\]|frozenset\[type\]")
"""Argument types whose values are limited by the code: types, functions, permissions."""


def test_unbounded_caches_have_keys_that_the_code_limits() -> None:
    """An unbounded cache must not be keyed by user input, such as list lengths, prefixes or texts."""
    unbounded = []
    for path in modules():
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef) and any(ast.unparse(each) == "cache" for each in node.decorator_list):
                arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                kinds = [ast.unparse(argument.annotation) for argument in arguments if argument.annotation]
                unbounded += [f"{path.name}: {node.name}({kind})" for kind in kinds if not _BY_CODE.fullmatch(kind)]
    assert unbounded == []
