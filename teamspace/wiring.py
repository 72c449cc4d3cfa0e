"""What the server consists of: the shipped packages, the tables that packages contribute, and the rules of plugins."""

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any

import msgspec

from teamspace import blobs, jobs, onboarding, plugins, tools, workflows
from teamspace.core import loader, routing
from teamspace.core.errors import InvalidSpec
from teamspace.core.loader import Candidate, Contribution, Package, Tables, TableType
from teamspace.core.metrics import Metrics
from teamspace.core.plugin_calls import PluginGuard
from teamspace.core.routing import Endpoint, Route
from teamspace.core.tables import (
    BlobColumn,
    BlobStoreSpec,
    BootError,
    DomainEvent,
    EncryptedColumn,
    Invariant,
    JobSpec,
    On,
    OnboardingExperience,
    OwnedTable,
    Tool,
    TransientTable,
    Workflow,
)
from teamspace.events import EventSubject
from teamspace.plugins import PluginRoute
from teamspace.settings import Settings, SettingsError

PACKAGES = tuple(
    Package(f"teamspace.{name}")
    for name in (
        "core.db", "core.idempotency",
        "events",
        "identity", "quota", "audit", "blobs", "fulltext", "extraction",
        "tenancy",
        "branding", "tools", "sharing", "references",
        "notes", "jobs", "conversations",
        "executors", "repository",
        "ai", "documents", "s3", "links", "trash",
        "agents", "translation", "openai_api", "mcp",
        "pipeline", "workflows",
        "triggers", "knowledge", "presence",
        "localization",
        "search", "favourites", "activity", "onboarding",
        "instance", "console", "plugins",
        "oop",
    )
)  # fmt: skip
"""The shipped packages, lowest level first. Their routes are matched in this order, before those of plugins."""


# The rules of each table, besides the types of its fields


def _check_route(found: Candidate) -> Iterator[str]:
    route: Route = found.row
    for other in routing.find_hiding(route, found.earlier):
        yield f"{route.name}: hidden by {other.name} above it"


def _check_plugin_route(found: Candidate) -> Iterator[str]:
    route: Route = found.row
    own = f"/api/x/{found.package.source}/"
    if routing.paths_overlap(route.path, f"{own}bundle/*path") or route.path == f"{own}bundle":
        yield f"{route.name}: {own}bundle/ is reserved"
        return
    yield from _check_route(found)
    for other in found.earlier:
        if routing.overlap(other, route) and not other.path.startswith(own):
            yield f"{route.name}: would take requests from {other.name}"


def _check_kind(found: Candidate) -> Iterator[str]:
    row: JobSpec = found.row
    if not found.package.is_plugin:
        if row.kind.startswith("x."):
            yield f"{row.kind}: only a plugin's kinds begin with x."
        return
    prefix = f"x.{found.package.source}."
    if not re.fullmatch(re.escape(prefix) + r"[a-z][a-z0-9_-]{0,63}", row.kind):
        yield f"{row.kind}: a plugin's kinds are named {prefix}<name>"
    if row.remote and row.check is None:
        yield f"{row.kind}: a remote kind needs a check of its result"


def _check_listener(found: Candidate) -> Iterator[str]:
    row: On = found.row
    if not issubclass(row.event, DomainEvent):
        yield f"{row.event.__name__}: not an event"
    handler = getattr(found.module, row.handler, None)
    if not (inspect.iscoroutinefunction(handler) and len(inspect.signature(handler).parameters) >= 2):
        yield f"{row.event.__name__}: {found.module.__name__} has no async function {row.handler}(tx, event)"


def _check_blob_store(found: Candidate) -> Iterator[str]:
    row: BlobStoreSpec = found.row
    if not callable(getattr(found.module, row.opener, None)):
        yield f"{row.name}: {found.module.__name__} has no function {row.opener}(settings)"


def _check_onboarding(found: Candidate) -> Iterator[str]:
    row: OnboardingExperience = found.row
    if fault := onboarding.find_fault(row.document):
        yield f"the experience is not valid: {fault}"


# fmt: off
TABLES = (
    TableType("ROUTES",       Route,           "routes",      key="name",  check=_check_route),
    TableType("JOBS",         JobSpec,         "jobs",        key="kind",  check=_check_kind),
    TableType("TOOLS",        Tool,            "tools",       key="name"),
    TableType("LISTENERS",    On,              "listeners",                check=_check_listener),
    TableType("BLOB_STORES",  BlobStoreSpec,   "blob_stores", key="name",  check=_check_blob_store),
    TableType("BLOB_COLUMNS", BlobColumn,                     key="name"),
    TableType("INVARIANTS",   Invariant,                      key="name"),
    TableType("OWNED_TABLES", OwnedTable,                     key="table"),
    TableType("TRANSIENT",    TransientTable,                 key="table"),
    TableType("SUBJECTS",     EventSubject,                   key="kind"),
    TableType("ENCRYPTED",    EncryptedColumn,                key="name"),
)
# fmt: on
"""The tables that packages can contribute."""


# fmt: off
PLUGIN_TABLES = (
    TableType("ROUTES",      PluginRoute,   check=_check_plugin_route, convert=plugins.to_route, converted=Route),
    TableType("JOBS",        JobSpec,       key="kind", check=_check_kind),
    TableType("TOOLS",       Tool,          key="name"),
    TableType("WORKFLOWS",   Workflow,      key="slug"),
    TableType("BLOB_STORES", BlobStoreSpec, key="name", check=_check_blob_store),
    TableType("ONBOARDING",  OnboardingExperience,      check=_check_onboarding),
)
# fmt: on
"""The tables that a plugin's entry module can have."""


def load_shipped() -> Tables:
    """Return the tables of the shipped packages and plugins."""
    return loader.load(plugins.find_shipped(), PLUGIN_TABLES, loader.load(PACKAGES, TABLES))


SHIPPED = load_shipped()


def load(settings: Settings) -> Tables:
    """Return all tables: of what ships, and of the plugins in the folders that the settings name."""
    return add(plugins.find(settings.plugins))


def add(more: Iterable[Package]) -> Tables:
    """Return the tables of what ships and of more plugins."""
    return loader.load(more, PLUGIN_TABLES, SHIPPED)


BLOB_COLUMNS = SHIPPED.rows(BlobColumn)
INVARIANTS = (*SHIPPED.rows(Invariant), *blobs.invariants(BLOB_COLUMNS))
ENCRYPTED = SHIPPED.rows(EncryptedColumn)
TRANSIENT_TABLES = frozenset(row.table for row in SHIPPED.rows(TransientTable))


def open_store(settings: Settings, tables: Tables | None = None, guard: PluginGuard | None = None) -> blobs.BlobStore:
    """Open the blob store that the settings select; the guard counts the failures of a plugin's store."""
    found = {
        row.name: (row, contribution)
        for contribution in (tables or load(settings)).contributions
        for row in contribution.rows.get(BlobStoreSpec, ())
    }
    if settings.blob_store not in found:
        raise SettingsError(f"SERVICE_BLOB_STORE: must be one of {', '.join(found)}")
    row, contribution = found[settings.blob_store]
    store = _open(row, contribution, settings)
    if isinstance(store, blobs.FolderStore | blobs.BucketStore):
        return store
    if missing := blobs.find_missing(store):
        raise BootError(f"{row.name}: {type(store).__name__} is not a blob store: it has no {', '.join(missing)}")
    return blobs.PluginStore(
        row.name, contribution.package.source, store, guard or PluginGuard(Metrics()), settings.data / "blobs",
        settings.disk_floor,
    )  # fmt: skip


def _open(row: BlobStoreSpec, contribution: Contribution, settings: Settings) -> Any:
    opener = getattr(contribution.modules[BlobStoreSpec], row.opener)
    try:
        return opener(settings)
    except (Exception, SystemExit) as fault:
        if not contribution.package.is_plugin:
            raise
        raise BootError(f"{row.name}: it cannot be opened: {type(fault).__name__}: {fault}") from fault


class Bound(msgspec.Struct, frozen=True):
    """Rows bound to their functions, with the arguments that these take from the server."""

    endpoints: list[Endpoint]
    kinds: list[jobs.BoundKind]
    tools: list[tools.BoundTool]
    workflows: list[workflows.PluginWorkflow]


def bind(tables: Tables, provided: Mapping[type, Any]) -> tuple[Bound, dict[Package, str]]:
    """Bind the rows of every package; return them, and the plugins that do not match their code, with the reason.

    Raises BootError with all mismatches of shipped packages.
    """
    bound, faults, failures = Bound([], [], [], []), list[str](), dict[Package, str]()
    for contribution in tables.contributions:
        found = _bind(contribution, provided, bound)
        if found and contribution.package.is_plugin:
            failures[contribution.package] = loader.explain(contribution.package, found)
        else:
            faults += found
    if faults:
        raise BootError("the tables do not match the code:\n  " + "\n  ".join(faults))
    return bound, failures or _check_workflows(tables, bound)


def _check_workflows(tables: Tables, bound: Bound) -> dict[Package, str]:
    """Add the workflows of plugins, which can call the tools of all others; return the plugins whose specs have faults."""
    shapes = {tool.name: workflows.shape_of(tool) for tool in bound.tools}
    failures = dict[Package, str]()
    for contribution in tables.contributions:
        for row in contribution.rows.get(Workflow, ()):
            try:
                checked = workflows.check(row.spec, shapes.get)
                bound.workflows.append(workflows.PluginWorkflow(contribution.package.source, checked))
            except InvalidSpec as fault:
                told = "; ".join(f"{each.pointer}: {each.message}" for each in fault.extra["errors"])
                failures[contribution.package] = f"the workflow {row.slug}: {told}"
    return failures


def _bind(contribution: Contribution, provided: Mapping[type, Any], bound: Bound) -> list[str]:
    def modules(row: type) -> list[ModuleType]:
        return [contribution.modules[row]] if row in contribution.modules else []

    package = contribution.package
    try:
        endpoints, wrong_routes = (
            plugins.bind_routes(modules(Route), provided, package)
            if package.is_plugin
            else routing.bind(modules(Route), provided)
        )
        kinds, wrong_kinds = jobs.bind(modules(JobSpec), provided)
        own_tools, wrong_tools = tools.bind(modules(Tool), provided, package)
    except Exception as fault:
        if not package.is_plugin:
            raise
        return [f"{type(fault).__name__}: {fault}"]
    faults = [*wrong_routes, *wrong_kinds, *wrong_tools]
    if not faults:
        bound.endpoints.extend(endpoints)
        bound.kinds.extend(kinds)
        bound.tools.extend(own_tools)
    return faults
