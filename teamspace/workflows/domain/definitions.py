"""What a team has published: versions of workflows."""

import hashlib
from collections.abc import Callable
from typing import Any

import msgspec

from teamspace import events
from teamspace.core import clock, paging, pools
from teamspace.core.db import Db, Reads, Tx
from teamspace.core.errors import Conflict, InvalidSpec, NotFound
from teamspace.core.paging import Paging
from teamspace.core.principal import Principal
from teamspace.events import Change
from teamspace.tools import Toolbox
from teamspace.workflows import access, store
from teamspace.workflows.domain import frozen
from teamspace.workflows.domain.language.specs import ToolShape, WorkflowSpec
from teamspace.workflows.domain.language.validation import validate
from teamspace.workflows.domain.shapes import shape_of
from teamspace.workflows.schemas import (
    TEAM,
    DeclaredInput,
    DefinitionDetail,
    DefinitionItem,
    DefinitionPage,
    DefinitionRow,
    LastRun,
    SpecReport,
    WorkflowItem,
)

MAX_WORKFLOWS = 500
"""Of a team."""
MAX_VERSIONS = 1000
"""Of a workflow."""
_THREAD_BYTES = 32 * 1024
_BEFORE_ALL_SLUGS = ""


class Definition(msgspec.Struct, frozen=True):
    """A version of a team's workflow, ready to run."""

    team_id: str
    slug: str
    version: int
    digest: str
    spec: WorkflowSpec


class CheckedSpec(msgspec.Struct, frozen=True):
    """A valid spec, as it is stored: without a version, which the team's own count gives it."""

    spec: WorkflowSpec
    json: str
    digest: str


def find_in(toolbox: Toolbox) -> Callable[[str], ToolShape | None]:
    """Return the function that tells the validator which tools there are."""

    def find(name: str) -> ToolShape | None:
        tool = toolbox.get(name)
        return None if tool is None else shape_of(tool)

    return find


def check(raw: Any, find_tool: Callable[[str], ToolShape | None]) -> CheckedSpec:
    """Return a spec that can be stored; raise InvalidSpec with all its faults."""
    spec = validate(raw, find_tool)
    plain = {name: value for name, value in raw.items() if name != "version"} | {"format": spec.format}
    encoded = msgspec.json.encode(plain, order="sorted")
    return CheckedSpec(spec, encoded.decode(), hashlib.sha256(encoded).hexdigest())


async def check_sent(raw: dict[str, Any], toolbox: Toolbox) -> CheckedSpec:
    """Check a spec that someone sent, in a thread if it is long."""
    if len(msgspec.json.encode(raw)) > _THREAD_BYTES:
        return await pools.TEXT.run(check, raw, find_in(toolbox))
    return check(raw, find_in(toolbox))


async def publish(db: Db, who: Principal, toolbox: Toolbox, raw: dict[str, Any]) -> DefinitionDetail:
    """Store a spec as the next version of its workflow."""
    checked = await check_sent(raw, toolbox)
    async with db.write(who, "workflow.publish") as tx:
        row = await add_version(tx, who.org_id, who.team_id, checked, TEAM, who.user_id)
        tx.target = row.slug
        tx.detail = {"version": row.version}
    return to_detail(row, checked.json)


async def report(db: Db, who: Principal, toolbox: Toolbox, raw: dict[str, Any]) -> SpecReport:
    """Check a spec without storing it."""
    slug = raw.get("slug")
    before = await store.get_source(db, who.team_id, slug) if isinstance(slug, str) else None
    version = before.version + 1 if before else 1
    try:
        await check_sent(raw, toolbox)
    except InvalidSpec as refusal:
        return SpecReport(False, list(refusal.extra["errors"]), version)
    return SpecReport(True, [], version)


async def add_version(
    tx: Tx, org_id: str, team_id: str, checked: CheckedSpec, source: str, author_id: str | None
) -> DefinitionRow:
    """Add a version of a workflow, or its first."""
    spec = checked.spec
    await tx.lock("workflow", f"{team_id}/{spec.slug}")
    before = await store.get_source(tx, team_id, spec.slug)
    if before is None and await store.count(tx, team_id, MAX_WORKFLOWS) >= MAX_WORKFLOWS:
        raise Conflict("workflows.too_many", limit=MAX_WORKFLOWS)
    if before is not None and before.version >= MAX_VERSIONS:
        raise Conflict("workflows.too_many_versions", limit=MAX_VERSIONS)
    row = to_row(checked, before.version + 1 if before else 1, source, author_id)
    await store.put(tx, org_id, team_id, row.slug, row.version, source, row.updated_at)
    await store.put_spec(tx, org_id, team_id, checked.digest, checked.json)
    await store.insert_version(tx, org_id, team_id, row)
    change = Change.UPDATED if before else Change.CREATED
    await events.record(tx, access.WORKFLOW.kind, row.slug, change=change, org_id=org_id, team_id=team_id)
    return row


def to_row(checked: CheckedSpec, version: int, source: str, author_id: str | None) -> DefinitionRow:
    spec, now = checked.spec, clock.stamp()
    inputs = {name: DeclaredInput(each.type, each.description) for name, each in spec.inputs.items()}
    return DefinitionRow(
        spec.slug, version, source, author_id, checked.digest, spec.title, spec.description, len(spec.steps),
        spec.max_steps, inputs, now, now,
    )  # fmt: skip


async def get_definition(db: Reads, team_id: str, slug: str) -> Definition | None:
    """Return the newest version of a team's workflow. One of a plugin must have been materialized before."""
    found = await store.get_source(db, team_id, slug)
    if found is None:
        return None
    spec = await frozen.load(db, team_id, found.digest)
    return Definition(team_id, found.slug, found.version, found.digest, spec)


def start_of(query: Paging) -> str:
    """Return the slug after which the page starts."""
    return _BEFORE_ALL_SLUGS if query.cursor is None else query.before


async def select_page(db: Db, who: Principal, query: Paging) -> list[DefinitionRow]:
    return await store.select(db, access.definitions_fence(who), start_of(query), query.size + 1)


async def to_page(db: Reads, who: Principal, rows: list[DefinitionRow], query: Paging) -> DefinitionPage:
    page = paging.page(rows, query, lambda row: row.slug)
    newest = await store.select_last_runs(db, access.team_fence(who), [row.slug for row in page.items])
    last = {run.slug: LastRun(run.id, run.state, run.created_at, run.finished_at) for run in newest}
    items = [WorkflowItem(**msgspec.structs.asdict(to_item(row)), last_run=last.get(row.slug)) for row in page.items]
    return DefinitionPage(items, page.next_cursor)


async def get_detail(db: Db, who: Principal, slug: str, version: int | None) -> DefinitionDetail:
    row = await store.find(db, access.definitions_fence(who), slug, version)
    spec = None if row is None else await store.get_spec(db, who.team_id, row.digest)
    if row is None or spec is None:
        raise NotFound()
    return to_detail(row, spec)


def to_item(row: DefinitionRow) -> DefinitionItem:
    return DefinitionItem(
        slug=row.slug, version=row.version, title=row.title, description=row.description, source=row.source,
        author=row.author_id, inputs=row.inputs, steps=row.steps, max_steps=row.max_steps, created_at=row.created_at,
        updated_at=row.updated_at,
    )  # fmt: skip


def shown(stored: str, version: int) -> dict[str, Any]:
    """Return a stored spec as people see it: with its version."""
    spec: dict[str, Any] = msgspec.json.decode(stored)
    return spec | {"version": version}


def to_detail(row: DefinitionRow, stored: str) -> DefinitionDetail:
    return DefinitionDetail(**msgspec.structs.asdict(to_item(row)), spec=shown(stored, row.version))
