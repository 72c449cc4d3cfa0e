"""Workflows and runs in SQL: one statement per function, no rules."""

from collections.abc import Mapping, Sequence

import msgspec

from teamspace.core.db import Fence, Reads, Tx, as_json, columns
from teamspace.core.tables import Invariant
from teamspace.quota import QuotaAccount
from teamspace.workflows.schemas import (
    DefinitionRow,
    ItemRow,
    JobEndRow,
    JobStateRow,
    NewestRun,
    NewRun,
    NewStep,
    RunFault,
    RunRow,
    RunState,
    RunStepRow,
    SourceRow,
    StepInput,
    StepState,
    TitledRunRow,
)

_DEFINITION = (
    "versions.slug, versions.version, versions.source, versions.author_id, versions.digest, versions.title,"
    " versions.description, versions.steps, versions.max_steps, versions.inputs, workflows.created_at, versions.created_at"
)
_VERSIONS = (
    "JOIN workflow_versions AS versions ON versions.team_id = workflows.team_id AND versions.slug = workflows.slug"
)


def _title(table: str) -> str:
    return (
        f"COALESCE((SELECT NULLIF(named.title, '') FROM workflow_versions AS named WHERE named.team_id = {table}.team_id"
        f" AND named.slug = {table}.slug AND named.version = {table}.version), {table}.slug)"
    )


TITLE = _title("workflows")
"""The title of a row of `workflows`; its slug if it has none."""
_RUN = f"{columns(RunRow, 'runs')}, {_title('runs')}"
"""A run with the title of its workflow."""


# Definitions


async def get_source(db: Reads, team_id: str, slug: str) -> SourceRow | None:
    """Return the newest version of a team's workflow, and where it comes from."""
    return await db.one(
        SourceRow,
        "SELECT workflows.slug, workflows.version, workflows.source, versions.digest"
        f" FROM workflows {_VERSIONS} AND versions.version = workflows.version"
        " WHERE workflows.team_id = :team_id AND workflows.slug = :slug",
        team_id=team_id, slug=slug,
    )  # fmt: skip


async def select_sources(db: Reads, team_id: str, slugs: Sequence[str]) -> list[SourceRow]:
    return await db.all(
        SourceRow,
        "SELECT workflows.slug, workflows.version, workflows.source, versions.digest"
        f" FROM workflows {_VERSIONS} AND versions.version = workflows.version"
        f" WHERE workflows.team_id = :team_id AND workflows.slug {db.dialect.in_strings.format('slugs')}",
        team_id=team_id, slugs=as_json(slugs),
    )  # fmt: skip


async def count(db: Reads, team_id: str, most: int) -> int:
    """Count the team's workflows, up to `most`."""
    return await db.one(
        int,
        "SELECT COUNT(*) FROM (SELECT 1 FROM workflows WHERE team_id = :team_id LIMIT :most) AS found",
        team_id=team_id, most=most,
    ) or 0  # fmt: skip


async def put(tx: Tx, org_id: str, team_id: str, slug: str, version: int, source: str, now: str) -> None:
    await tx.run(
        "INSERT INTO workflows (team_id, slug, org_id, version, source, created_at)"
        " VALUES (:team_id, :slug, :org_id, :version, :source, :now)"
        " ON CONFLICT (team_id, slug) DO UPDATE SET version = excluded.version, source = excluded.source",
        team_id=team_id, slug=slug, org_id=org_id, version=version, source=source, now=now,
    )  # fmt: skip


async def put_spec(tx: Tx, org_id: str, team_id: str, digest: str, spec: str) -> None:
    await tx.run(
        "INSERT INTO workflow_specs (team_id, digest, org_id, spec) VALUES (:team_id, :digest, :org_id, :spec)"
        " ON CONFLICT DO NOTHING",
        team_id=team_id, digest=digest, org_id=org_id, spec=spec,
    )  # fmt: skip


async def insert_version(tx: Tx, org_id: str, team_id: str, row: DefinitionRow) -> None:
    await tx.run(
        "INSERT INTO workflow_versions (team_id, slug, version, org_id, source, author_id, digest, title, description,"
        " steps, max_steps, inputs, created_at) VALUES (:team_id, :slug, :version, :org_id, :source, :author_id, :digest,"
        " :title, :description, :steps, :max_steps, :inputs, :now)",
        team_id=team_id, slug=row.slug, version=row.version, org_id=org_id, source=row.source, author_id=row.author_id,
        digest=row.digest, title=row.title, description=row.description, steps=row.steps, max_steps=row.max_steps,
        inputs=as_json(row.inputs), now=row.updated_at,
    )  # fmt: skip


async def select(db: Reads, fence: Fence, after: str, limit: int) -> list[DefinitionRow]:
    """Select the newest versions of workflows, in the order of their slugs."""
    return await db.all(
        DefinitionRow,
        f"SELECT {_DEFINITION} FROM workflows {_VERSIONS} AND versions.version = workflows.version"
        f" WHERE {fence.sql} AND workflows.slug > :after ORDER BY workflows.slug LIMIT :limit",
        after=after, limit=limit, **fence.params,
    )  # fmt: skip


async def select_last_runs(db: Reads, fence: Fence, slugs: Sequence[str]) -> list[NewestRun]:
    """Select the newest run of each workflow that has one: one look into the index for each."""
    return await db.all(
        NewestRun,
        f"SELECT {columns(NewestRun, 'runs')} FROM ({db.dialect.json_strings.format('slugs')}) AS given"
        " JOIN runs ON runs.id = (SELECT newest.id FROM runs AS newest WHERE newest.team_id = :team_id"
        f" AND newest.slug = given.value ORDER BY newest.id || '' DESC LIMIT 1) WHERE {fence.sql}",
        slugs=as_json(slugs), **fence.params,
    )  # fmt: skip


async def find(db: Reads, fence: Fence, slug: str, version: int | None) -> DefinitionRow | None:
    """Return a version of a workflow, by default the newest."""
    return await db.one(
        DefinitionRow,
        f"SELECT {_DEFINITION} FROM workflows {_VERSIONS}"
        " AND versions.version = COALESCE(CAST(:version AS BIGINT), workflows.version)"
        f" WHERE {fence.sql} AND workflows.slug = :slug",
        slug=slug, version=version, **fence.params,
    )  # fmt: skip


async def get_spec(db: Reads, team_id: str, digest: str) -> str | None:
    return await db.one(
        str, "SELECT spec FROM workflow_specs WHERE team_id = :team_id AND digest = :digest",
        team_id=team_id, digest=digest,
    )  # fmt: skip


# Runs: written under the lock of the run


_NEW_RUN = {
    "id": "TEXT", "scope": "TEXT", "limited_by": "TEXT", "trigger_id": "TEXT", "resumed_from": "TEXT", "slug": "TEXT",
    "version": "BIGINT", "digest": "TEXT", "max_steps": "BIGINT", "state": "TEXT", "step": "TEXT", "steps_used": "BIGINT",
    "counts": "TEXT", "locale": "TEXT", "objects": "BIGINT", "error": "TEXT",
}  # fmt: skip


async def insert_runs(tx: Tx, account: QuotaAccount, runs: Sequence[NewRun]) -> None:
    """Insert runs of one account."""
    given = ", ".join(f"given.{column}" for column in _NEW_RUN)
    await tx.add(
        f"INSERT INTO runs (org_id, team_id, owner_id, {', '.join(_NEW_RUN)}, requests, tokens, created_at, finished_at)"
        f" SELECT :org_id, :team_id, :owner_id, {given}, 0, 0, moment(0),"
        " CASE WHEN given.state = 'running' THEN NULL ELSE moment(0) END"
        f" FROM ({tx.dialect.json_table('runs', **_NEW_RUN)}) AS given",
        org_id=account.org_id, team_id=account.team_id, owner_id=account.user_id, runs=as_json(list(map(_to_columns, runs))),
    )  # fmt: skip


def _to_columns(run: NewRun) -> dict[str, object]:
    authority, error = run.authority, None if run.error is None else as_json(run.error)
    return {name: getattr(run, name) for name in _NEW_RUN if hasattr(run, name)} | {
        "scope": authority.stored_scope, "limited_by": authority.limited_by, "counts": as_json(run.counts), "error": error,
    }  # fmt: skip


async def insert_input(tx: Tx, account: QuotaAccount, run_id: str, input: str) -> None:
    await tx.add(
        "INSERT INTO run_inputs (run_id, org_id, team_id, input) VALUES (:run_id, :org_id, :team_id, :input)",
        run_id=run_id, org_id=account.org_id, team_id=account.team_id, input=input,
    )  # fmt: skip


async def insert_inputs(tx: Tx, account: QuotaAccount, inputs: Mapping[str, str]) -> None:
    """Insert short inputs, by run."""
    rows = [{"run_id": run_id, "input": input} for run_id, input in inputs.items()]
    await tx.add(
        "INSERT INTO run_inputs (run_id, org_id, team_id, input) SELECT given.run_id, :org_id, :team_id, given.input"
        f" FROM ({tx.dialect.json_table('inputs', run_id='TEXT', input='TEXT')}) AS given",
        org_id=account.org_id, team_id=account.team_id, inputs=as_json(rows),
    )  # fmt: skip


async def select_documents(db: Reads, org_id: str, ids: Sequence[str]) -> list[str]:
    """Select those of the ids that are documents of the company."""
    return await db.all(
        str, f"SELECT id FROM objects WHERE id {db.dialect.in_strings.format('ids')} AND org_id = :org_id",
        ids=as_json(ids), org_id=org_id,
    )  # fmt: skip


async def insert_objects(tx: Tx, account: QuotaAccount, objects: Mapping[str, Sequence[str]]) -> None:
    """Insert the documents that runs name, by run."""
    rows = [{"run_id": run_id, "object_id": object_id} for run_id, ids in objects.items() for object_id in ids]
    await tx.add(
        "INSERT INTO run_objects (run_id, object_id, org_id, team_id)"
        " SELECT given.run_id, given.object_id, :org_id, :team_id"
        f" FROM ({tx.dialect.json_table('rows', run_id='TEXT', object_id='TEXT')}) AS given",
        org_id=account.org_id, team_id=account.team_id, rows=as_json(rows),
    )  # fmt: skip


async def copy_input(tx: Tx, run_id: str, target: str) -> None:
    await tx.run(
        "INSERT INTO run_inputs (run_id, org_id, team_id, input)"
        " SELECT :target, org_id, team_id, input FROM run_inputs WHERE run_id = :run_id",
        run_id=run_id, target=target,
    )  # fmt: skip


async def copy_readers(tx: Tx, run_id: str, target: str) -> None:
    """Copy what decides who can read the run in full."""
    await tx.run(
        "INSERT INTO run_objects (run_id, object_id, org_id, team_id)"
        " SELECT :target, object_id, org_id, team_id FROM run_objects WHERE run_id = :run_id",
        run_id=run_id, target=target,
    )  # fmt: skip
    await tx.run(
        "UPDATE runs SET objects = (SELECT before.objects FROM runs AS before WHERE before.id = :run_id),"
        " private = (SELECT before.private FROM runs AS before WHERE before.id = :run_id) WHERE id = :target",
        run_id=run_id, target=target,
    )  # fmt: skip


async def copy_steps(tx: Tx, run_id: str, target: str, step_ids: Sequence[str]) -> None:
    """Copy steps to another run, as succeeded."""
    await tx.run(
        "INSERT INTO run_steps (run_id, step_id, org_id, team_id, number, state, total, started_at, finished_at)"
        " SELECT :target, step_id, org_id, team_id, number, 'succeeded', total, started_at, finished_at FROM run_steps"
        f" WHERE run_id = :run_id AND step_id {tx.dialect.in_strings.format('step_ids')}",
        run_id=run_id, target=target, step_ids=as_json(step_ids),
    )  # fmt: skip


async def lock(tx: Tx, run_id: str) -> RunRow | None:
    """Lock a run until the transaction ends, and return it as the last one has left it."""
    return await tx.one(RunRow, f"SELECT {columns(RunRow)} FROM runs WHERE id = :id {tx.dialect.row_lock}", id=run_id)


async def get_stored(db: Reads, run_id: str) -> RunRow | None:
    """Return a run for the server's own work on it."""
    return await db.one(RunRow, f"SELECT {columns(RunRow)} FROM runs WHERE id = :id", id=run_id)


async def set_position(tx: Tx, run_id: str, step_id: str, steps_used: int, counts: dict[str, int]) -> None:
    await tx.add(
        "UPDATE runs SET step = :step, steps_used = :steps_used, counts = :counts WHERE id = :id",
        id=run_id, step=step_id, steps_used=steps_used, counts=as_json(counts),
    )  # fmt: skip


async def end_run(tx: Tx, run_id: str, state: RunState, error: RunFault | None) -> None:
    await tx.add(
        "UPDATE runs SET state = :state, error = :error, finished_at = moment(0) WHERE id = :id",
        id=run_id, state=state, error=None if error is None else as_json(error),
    )  # fmt: skip


async def add_usage(tx: Tx, run_id: str, requests: int, tokens: int) -> None:
    await tx.run(
        "UPDATE runs SET requests = requests + :requests, tokens = tokens + :tokens WHERE id = :id",
        id=run_id, requests=requests, tokens=tokens,
    )  # fmt: skip


async def add_objects(tx: Tx, run: RunRow, object_ids: Sequence[str], most: int) -> None:
    """List documents of the run's company among these ids; beyond `most`, count one more and list no further."""
    await tx.run(
        "INSERT INTO run_objects (run_id, object_id, org_id, team_id) SELECT :run_id, objects.id, :org_id, :team_id"
        f" FROM objects WHERE objects.id {tx.dialect.in_strings.format('ids')} AND objects.org_id = :org_id"
        " ON CONFLICT DO NOTHING",
        run_id=run.id, org_id=run.org_id, team_id=run.team_id, ids=as_json(object_ids),
    )  # fmt: skip
    await tx.run(
        "UPDATE runs SET objects = (SELECT COUNT(*) FROM (SELECT 1 FROM run_objects WHERE run_id = :id LIMIT :most)"
        " AS listed) WHERE id = :id",
        id=run.id, most=most + 1,
    )  # fmt: skip


async def set_private(tx: Tx, run_id: str) -> None:
    await tx.run("UPDATE runs SET private = TRUE WHERE id = :id AND NOT private", id=run_id)


async def insert_steps(
    tx: Tx, account: QuotaAccount, steps: Sequence[NewStep], *, first: str = "0", **params: str
) -> None:
    """Insert steps of runs; `first` is an expression for what their numbers begin with."""
    rows = [
        msgspec.structs.asdict(step) | {"error": None if step.error is None else as_json(step.error)} for step in steps
    ]
    given = tx.dialect.json_table(
        "steps", run_id="TEXT", step_id="TEXT", number="BIGINT", state="TEXT", total="BIGINT", error="TEXT"
    )
    await tx.add(
        "INSERT INTO run_steps (run_id, step_id, org_id, team_id, number, state, total, error, started_at, finished_at)"
        f" SELECT given.run_id, given.step_id, :org_id, :team_id, {first} + given.number, given.state, given.total, given.error,"
        f" moment(0), CASE WHEN given.state = 'running' THEN NULL ELSE moment(0) END FROM ({given}) AS given",
        org_id=account.org_id, team_id=account.team_id, steps=as_json(rows), **params,
    )  # fmt: skip


async def append_steps(tx: Tx, account: QuotaAccount, run_id: str, steps: Sequence[NewStep]) -> None:
    """Insert steps of one run, numbered after those that it has."""
    await insert_steps(
        tx, account, steps, first="(SELECT COUNT(*) FROM run_steps WHERE run_id = :run_id)", run_id=run_id
    )


async def end_step(tx: Tx, run_id: str, step_id: str, state: StepState, error: RunFault | None = None) -> None:
    await tx.add(
        "UPDATE run_steps SET state = :state, error = :error, finished_at = moment(0)"
        " WHERE run_id = :run_id AND step_id = :step_id AND state = 'running'",
        run_id=run_id, step_id=step_id, state=state, error=None if error is None else as_json(error),
    )  # fmt: skip


async def insert_items(tx: Tx, account: QuotaAccount, items: Mapping[str, Sequence[ItemRow]]) -> None:
    """Insert items of steps, by run."""
    rows = [{"run_id": run_id} | msgspec.structs.asdict(item) for run_id, each in items.items() for item in each]
    given = tx.dialect.json_table(
        "items", run_id="TEXT", step_id="TEXT", item="BIGINT", job_id="TEXT", size="BIGINT", requests="BIGINT",
        tokens="BIGINT",
    )  # fmt: skip
    await tx.add(
        "INSERT INTO run_items (run_id, org_id, team_id, step_id, item, job_id, size, requests, tokens)"
        " SELECT given.run_id, :org_id, :team_id, given.step_id, given.item, given.job_id, given.size, given.requests,"
        f" given.tokens FROM ({given}) AS given",
        org_id=account.org_id, team_id=account.team_id, items=as_json(rows),
    )  # fmt: skip


async def set_items(tx: Tx, run_id: str, items: Sequence[ItemRow]) -> None:
    """Set the sizes of items' results, and add what their attempts have spent. Their jobs are as they are."""
    given = tx.dialect.json_table(
        "items", step_id="TEXT", item="BIGINT", size="BIGINT", requests="BIGINT", tokens="BIGINT"
    )
    # With IN, SQLite reads only the given items of the run by its index; otherwise all of them.
    await tx.add(
        f"WITH given AS MATERIALIZED ({given}) UPDATE run_items SET size = given.size,"
        " requests = run_items.requests + given.requests, tokens = run_items.tokens + given.tokens FROM given"
        " WHERE run_items.run_id = :run_id AND run_items.step_id IN (SELECT step_id FROM given)"
        " AND run_items.item IN (SELECT item FROM given)"
        " AND run_items.step_id = given.step_id AND run_items.item = given.item",
        run_id=run_id, items=as_json(items),
    )  # fmt: skip


async def add_item_usage(tx: Tx, item: StepInput, requests: int, tokens: int) -> None:
    await tx.run(
        "UPDATE run_items SET requests = requests + :requests, tokens = tokens + :tokens"
        " WHERE run_id = :run_id AND step_id = :step_id AND item = :item",
        run_id=item.run_id, step_id=item.step_id, item=item.item, requests=requests, tokens=tokens,
    )  # fmt: skip


async def is_unfinished(tx: Tx, run_id: str, step_id: str) -> bool:
    """Whether a job of the step has not succeeded."""
    return await tx.exists(
        "SELECT 1 FROM jobs WHERE run_id = :run_id AND step = :step_id AND state <> 'succeeded' LIMIT 1",
        run_id=run_id, step_id=step_id,
    )  # fmt: skip


async def select_idle(db: Reads, after: str, limit: int) -> list[str]:
    """Select runs after an id that have not ended and have no job that could go on."""
    return await db.all(
        str,
        "SELECT page.id FROM (SELECT id FROM runs WHERE state = 'running' AND id > :after ORDER BY id LIMIT :limit) AS page"
        " WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE run_id = page.id AND state <> 'succeeded'"
        " AND state IN ('queued', 'running')) ORDER BY page.id",
        after=after, limit=limit,
    )  # fmt: skip


async def last_underway(db: Reads, after: str, limit: int) -> str | None:
    """Return the last id of the page that `select_idle` looks at; None if it is the last page."""
    found = await db.all(
        str, "SELECT id FROM runs WHERE state = 'running' AND id > :after ORDER BY id LIMIT :limit",
        after=after, limit=limit,
    )  # fmt: skip
    return found[-1] if len(found) == limit else None


async def select_ends(db: Reads, run_id: str, step_id: str) -> list[JobEndRow]:
    """Select how the jobs of a step's items have ended, without their results."""
    ended = " UNION ALL ".join(
        f"SELECT {table}.state, {table}.error, run_items.item, run_items.job_id FROM run_items"
        f" JOIN {table} ON {table}.id = run_items.job_id WHERE run_items.run_id = :run_id AND run_items.step_id = :step_id"
        for table in _JOB_TABLES
    )
    return await db.all(JobEndRow, ended, run_id=run_id, step_id=step_id)


_JOB_TABLES = ("jobs", "job_archive")


# Read


_FILTERS = {"state": "runs.state = :state", "slug": "runs.slug = :slug"}


async def select_runs(db: Reads, fence: Fence, filters: dict[str, str], before: str, limit: int) -> list[TitledRunRow]:
    """Select runs, newest first."""
    where = " AND ".join(["TRUE", *(_FILTERS[name] for name in filters)])
    return await db.all(
        TitledRunRow,
        f"SELECT {_RUN} FROM runs WHERE id IN ({fence.newest(db.dialect, where)}) ORDER BY id DESC",
        before=before, limit=limit, **fence.params, **filters,
    )  # fmt: skip


async def select_naming(
    db: Reads, fence: Fence, object_id: str, filters: dict[str, str], before: str, limit: int
) -> list[TitledRunRow]:
    """Select runs that name a document, newest first."""
    where = " AND ".join([fence.sql, *(_FILTERS[name] for name in filters)])
    return await db.all(
        TitledRunRow,
        f"SELECT {_RUN} FROM run_objects CROSS JOIN runs"
        " WHERE run_objects.object_id = :object AND run_objects.run_id < :before AND runs.id = run_objects.run_id"
        f" AND {where} ORDER BY run_objects.run_id DESC LIMIT :limit",
        object=object_id, before=before, limit=limit, **fence.params, **filters,
    )  # fmt: skip


async def get_run(db: Reads, fence: Fence, run_id: str) -> TitledRunRow | None:
    return await db.one(
        TitledRunRow, f"SELECT {_RUN} FROM runs WHERE id = :id AND {fence.sql}", id=run_id, **fence.params
    )


async def select_admitted(db: Reads, fence: Fence, ids: Sequence[str]) -> list[str]:
    """Select those of the runs that the fence admits."""
    return await db.all(
        str,
        # From the ids to the runs: SQLite would rather read all runs of the team.
        f"SELECT runs.id FROM ({db.dialect.json_strings.format('ids')}) AS given CROSS JOIN runs"
        f" WHERE runs.id = given.value AND {fence.sql}",
        ids=as_json(ids), **fence.params,
    )  # fmt: skip


async def select_active(db: Reads, ids: Sequence[str]) -> list[str]:
    """Select those of the runs of which a job is executed now."""
    return await db.all(
        str,
        f"SELECT DISTINCT run_id FROM jobs WHERE run_id {db.dialect.in_strings.format('ids')}"
        " AND state <> 'succeeded' AND state = 'running'",
        ids=as_json(ids),
    )  # fmt: skip


async def get_input(db: Reads, run_id: str) -> str | None:
    return await db.one(str, "SELECT input FROM run_inputs WHERE run_id = :run_id", run_id=run_id)


async def select_steps(db: Reads, run_id: str) -> list[RunStepRow]:
    return await db.all(
        RunStepRow, f"SELECT {columns(RunStepRow)} FROM run_steps WHERE run_id = :run_id ORDER BY number", run_id=run_id
    )


async def select_items(db: Reads, run_id: str) -> list[ItemRow]:
    return await db.all(
        ItemRow,
        f"SELECT {columns(ItemRow)} FROM run_items WHERE run_id = :run_id ORDER BY step_id, item",
        run_id=run_id,
    )


async def select_step_items(db: Reads, run_id: str, step_id: str) -> list[ItemRow]:
    return await db.all(
        ItemRow,
        f"SELECT {columns(ItemRow)} FROM run_items WHERE run_id = :run_id AND step_id = :step_id ORDER BY item",
        run_id=run_id, step_id=step_id,
    )  # fmt: skip


async def select_objects(db: Reads, run_id: str) -> list[str]:
    return await db.all(
        str, "SELECT object_id FROM run_objects WHERE run_id = :run_id ORDER BY object_id", run_id=run_id
    )


async def select_job_states(db: Reads, job_ids: Sequence[str]) -> list[JobStateRow]:
    states = " UNION ALL ".join(
        f"SELECT {columns(JobStateRow)} FROM {table} WHERE id {db.dialect.in_strings.format('ids')}"
        for table in _JOB_TABLES
    )
    return await db.all(JobStateRow, states, ids=as_json(job_ids))


async def get_result(db: Reads, job_id: str) -> str | None:
    """Return the result of a job that has succeeded, also if it is archived."""
    return await db.one(
        str,
        "SELECT result FROM jobs WHERE id = :id AND state = 'succeeded'"
        " UNION ALL SELECT result FROM job_archive WHERE id = :id AND state = 'succeeded'",
        id=job_id,
    )  # fmt: skip


# fmt: off
INVARIANTS: tuple[Invariant, ...] = (
    Invariant("workflows.newest", "a workflow's newest version exists, and none is newer",
        "SELECT workflows.slug FROM workflows WHERE version <> COALESCE((SELECT MAX(versions.version)"
        " FROM workflow_versions AS versions WHERE versions.team_id = workflows.team_id"
        " AND versions.slug = workflows.slug), 0)"),
    Invariant("workflows.company", "a run's team belongs to its company",
        "SELECT runs.id FROM runs JOIN teams ON teams.id = runs.team_id WHERE teams.org_id <> runs.org_id"),
    Invariant("workflows.ended", "a run has an end time exactly if it has ended, and an error if it has failed",
        "SELECT id FROM runs WHERE (state = 'running') <> (finished_at IS NULL) OR (state = 'failed' AND error IS NULL)"),
    Invariant("workflows.steps", "a run that has ended has no running step, one that has succeeded no unfinished step",
        "SELECT runs.id FROM runs JOIN run_steps ON run_steps.run_id = runs.id WHERE (runs.state <> 'running'"
        " AND run_steps.state = 'running') OR (runs.state = 'succeeded' AND run_steps.state <> 'succeeded')"),
    Invariant("workflows.items", "a step of a run has one job for each item",
        "SELECT run_steps.run_id FROM run_steps LEFT JOIN run_items ON run_items.run_id = run_steps.run_id"
        " AND run_items.step_id = run_steps.step_id GROUP BY run_steps.run_id, run_steps.step_id, run_steps.total"
        " HAVING COUNT(run_items.item) <> run_steps.total"),
    Invariant("workflows.used", "a run has used one job for each item, and no more than its spec allows",
        "SELECT runs.id FROM runs LEFT JOIN run_items ON run_items.run_id = runs.id"
        " GROUP BY runs.id, runs.steps_used, runs.max_steps"
        " HAVING COUNT(run_items.item) <> runs.steps_used OR runs.steps_used > runs.max_steps"),
)
# fmt: on
