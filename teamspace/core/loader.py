"""The loader: finds the tables that packages contribute, and checks every row.

A package contributes a table by having it: ROUTES in `notes/routes.py`, INVARIANTS in `notes`. Shipped packages and
plugins are loaded in the same way. A fault of a shipped package stops the start; a fault of a plugin leaves out that
plugin with all its rows.
"""

import contextlib
import re
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType, NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from teamspace.core.tables import BootError

R = TypeVar("R")
SHIPPED = "shipped"
IMPORT_SECONDS = 10.0
"""The time that importing a plugin may take."""
_PLUGIN_ID = re.compile(r"[a-z][a-z0-9-]{0,63}")


class Package(msgspec.Struct, frozen=True):
    """A contributor of tables."""

    name: str
    """Its import name."""
    source: str = SHIPPED
    """`shipped`, or the id of a plugin."""
    is_ours: bool = True
    """Whether it comes with the server: then its tools are on for every team."""
    fault: str | None = None
    """Why it cannot be loaded, if that is known before."""

    @property
    def is_plugin(self) -> bool:
        return self.source != SHIPPED


class Candidate(msgspec.Struct, frozen=True):
    """A row that is being checked, and where it comes from."""

    row: Any
    package: Package
    module: ModuleType
    earlier: Sequence[Any]
    """The rows of the same table before it: of packages before this one, then its own."""


class TableType(msgspec.Struct, frozen=True):
    """A table that packages can contribute."""

    name: str
    row: type[msgspec.Struct]
    """The type of its rows. No other table has it, so that a table is looked up by it."""
    module: str = ""
    """The module of a package that contains it; empty for the package itself."""
    key: str | None = None
    """The attribute that no two rows share."""
    check: Callable[[Candidate], Iterable[str]] | None = None
    """Returns what else is wrong with a row."""
    convert: Callable[[Any, Package], msgspec.Struct] | None = None
    """Converts a row of a plugin to the type of the server's own rows."""
    converted: type[msgspec.Struct] | None = None
    """That type."""

    @property
    def stored_as(self) -> type[msgspec.Struct]:
        """The type by which its rows are looked up."""
        return self.converted or self.row


class Contribution(msgspec.Struct, frozen=True):
    """The tables of one package, by row type."""

    package: Package
    rows: dict[type, tuple[Any, ...]] = {}
    modules: dict[type, ModuleType] = {}


class Loaded(msgspec.Struct, frozen=True):
    """Whether a package was loaded; if not, why."""

    package: Package
    state: Literal["loaded", "failed"] = "loaded"
    error: str | None = None


class Tables:
    """All tables of the packages that were loaded."""

    def __init__(self, contributions: Sequence[Contribution] = (), failed: Sequence[Loaded] = ()) -> None:
        self.contributions = tuple(contributions)
        self.failed = tuple(failed)

    @property
    def results(self) -> list[Loaded]:
        """The outcome for every package."""
        return [*(Loaded(contribution.package) for contribution in self.contributions), *self.failed]

    def rows(self, row: type[R]) -> tuple[R, ...]:
        return tuple(each for contribution in self.contributions for each in contribution.rows.get(row, ()))

    def located(self, row: type[R]) -> Iterator[tuple[ModuleType, R]]:
        """Iterate over the rows, each with the module that has its functions."""
        for contribution in self.contributions:
            for each in contribution.rows.get(row, ()):
                yield contribution.modules[row], each

    def without(self, failures: Mapping[Package, str]) -> "Tables":
        """Return the tables of all other packages, with the reasons why these have failed."""
        kept = [contribution for contribution in self.contributions if contribution.package not in failures]
        failed = [Loaded(package, "failed", error) for package, error in failures.items()]
        return Tables(kept, [*self.failed, *failed])


def load(packages: Iterable[Package], types: Sequence[TableType], before: Tables | None = None) -> Tables:
    """Return the packages' tables after those that were loaded `before`.

    Raises BootError with all faults of shipped packages.
    """
    before = before or Tables()
    contributions, failed, faults = list(before.contributions), list(before.failed), list[str]()
    for package in packages:
        contribution, found = _try_to_collect(package, types, Tables(contributions, failed))
        if found and package.is_plugin:
            failed.append(Loaded(package, "failed", explain(package, found)))
        else:
            contributions.append(contribution)
            faults += found
    if faults:
        raise BootError("the tables are not valid:\n  " + "\n  ".join(faults))
    return Tables(contributions, failed)


def explain(package: Package, faults: Iterable[str]) -> str:
    """Return the faults of a plugin for its author, who does not know under which name its module is imported."""
    told, module = "; ".join(faults), package.name.rpartition(".")[2]
    return told.replace(package.name, module) if module else told


def _try_to_collect(package: Package, types: Sequence[TableType], before: Tables) -> tuple[Contribution, list[str]]:
    """Like `_collect`; whatever a plugin raises is a fault of the plugin."""
    try:
        return _collect(package, types, before)
    except (Exception, SystemExit) as fault:
        if not package.is_plugin:
            raise
        return Contribution(package), [f"it cannot be loaded: {type(fault).__name__}: {fault}"]


def _collect(package: Package, types: Sequence[TableType], before: Tables) -> tuple[Contribution, list[str]]:
    contribution = Contribution(package)
    faults = _find_name_faults(package, before)
    for table in types if not faults else ():
        module = _find_module(package, table.module)
        if module is None or not (table.module or hasattr(module, table.name)):
            continue
        rows = getattr(module, table.name, None)
        if isinstance(rows, tuple):
            checked, found = _check_rows(table, rows, package, module, before.rows(table.stored_as))
            contribution.rows[table.stored_as], contribution.modules[table.stored_as] = checked, module
            faults += found
        else:
            faults.append(f"{_label(module, package)} has no tuple {table.name}")
    return contribution, faults


def _label(module: ModuleType, package: Package) -> str:
    """Return how to name a module to whoever wrote it: a plugin's author does not know where it is imported."""
    return module.__name__.rpartition(".")[2] if package.is_plugin else module.__name__


def _find_name_faults(package: Package, before: Tables) -> list[str]:
    if not package.is_plugin:
        return []
    if package.fault is not None:
        return [package.fault]
    if not _PLUGIN_ID.fullmatch(package.source):
        return [f"the id {package.source!r} is not lower-case letters, digits and hyphens"]
    if package.source == SHIPPED:
        return [f"the id {SHIPPED} is reserved"]
    if any(loaded.package.source == package.source for loaded in before.results):
        return [f"there are two plugins with the id {package.source}"]
    return []


def _find_module(package: Package, name: str) -> ModuleType | None:
    """Import the module of a package, if it has one."""
    with _time_limit() if package.is_plugin else contextlib.nullcontext():
        root = import_module(package.name)
        if not name:
            return root
        path = f"{package.name}.{name}"
        return import_module(path) if hasattr(root, "__path__") and find_spec(path) else None


@contextlib.contextmanager
def _time_limit() -> Iterator[None]:
    """Raise TimeoutError in the block after IMPORT_SECONDS; only the main thread can be interrupted."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(*_: Any) -> None:
        raise TimeoutError(f"importing it takes longer than {IMPORT_SECONDS:g} seconds")

    former = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, IMPORT_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)


def _check_rows(
    table: TableType, rows: tuple[Any, ...], package: Package, module: ModuleType, earlier: tuple[Any, ...]
) -> tuple[tuple[Any, ...], list[str]]:
    """Return the rows as they are stored, and all that is wrong with them."""
    faults, before = list[str](), list(earlier)
    for position, given in enumerate(rows):
        if wrong := _find_wrong_types(table, given):
            faults.append(f"{_label(module, package)}.{table.name}[{position}] {wrong}")
            continue
        row = table.convert(given, package) if table.convert else given
        faults += _find_duplicates(table, row, before)
        faults += table.check(Candidate(row, package, module, before)) if table.check else ()
        before.append(row)
    return tuple(before[len(earlier) :]), faults


def _find_duplicates(table: TableType, row: Any, before: Iterable[Any]) -> list[str]:
    if table.key is None:
        return []
    key = getattr(row, table.key)
    return [f"{key}: declared twice"] if any(getattr(each, table.key, None) == key for each in before) else []


def _find_wrong_types(table: TableType, row: Any) -> str:
    """Return what is of another type than declared, if anything: constructing a struct does not check it."""
    if type(row) is not table.row:
        return f"is not a {table.row.__name__}"
    hints = _hints(type(row))
    wrong = [name for name in table.row.__struct_fields__ if not _is_a(getattr(row, name), hints[name])]
    return "has wrong fields: " + ", ".join(f"{name} is {getattr(row, name)!r:.100}" for name in wrong) if wrong else ""


@cache
def _hints(shape: type[Any]) -> dict[str, Any]:
    return get_type_hints(shape)


def _is_a(value: Any, hint: Any) -> bool:
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if origin in (Union, UnionType):
        return any(_is_a(value, each) for each in arguments)
    if origin is Literal:
        return value in arguments
    if origin is type:
        return isinstance(value, type) and issubclass(value, arguments[0])
    if origin is tuple:
        return isinstance(value, tuple) and all(_is_a(each, arguments[0]) for each in value)
    if hint in (None, NoneType):
        return value is None
    return isinstance(value, (int, float) if hint is float else origin or hint)
