"""Jobs in SQL: one statement per function, no rules.

`moment(seconds)` is the database's clock, so servers with different clocks agree on when a lease has expired.
The predicates repeat those of the partial indexes word for word: a claim only scans the index of admitted jobs.
"""

from collections.abc import Sequence
from functools import lru_cache

import msgspec

from teamspace.core.db import Fence, Reads, Tx, columns, in_list
from teamspace.core.db.dialect import Dialect
from teamspace.core.tables import Invariant
from teamspace.jobs.schemas import (
    ClaimedJob,
    ClaimSlot,
    CompanyPlan,
    JobBodies,
    JobClaim,
    JobFault,
    JobRow,
    Lane,
    LaneCapacity,
    LaneState,
    QuotaBlock,
    ReadyJob,
    ReleasedJob,
    RequestedJob,
    ServedChannel,
    State,
)
from teamspace.quota import Dimension, Level

_BACKLOG = "state = 'queued' AND phase = 'ready' AND rank IS NULL"
_ADMITTED = "state = 'queued' AND phase = 'ready' AND rank IS NOT NULL"
_CLAIMED = (
    "id = :id AND state = 'running' AND attempt = :attempt AND claim_hash = :claim_hash AND executor_id = :executor_id"
    " AND lease_until > moment(0)"
)
_RELEASE = (
    "executor_id = NULL, claim_hash = NULL, lease_until = NULL, reservation_id = NULL, progress = NULL, message = NULL"
)
_WITHDRAW = "rank = NULL, phase = 'ready', waits = NULL"
"""Moves a job that is admitted and not yet claimed back to the backlog."""
_CHANNEL_TTL = 60
"""Seconds for which a channel counts as served after a worker polled it."""
_ARCHIVE_COLUMNS = (
    "id, org_id, team_id, user_id, kind, model, state, priority, run_at, attempt, max_attempts, executor_id, progress,"
    " message, retry_of, input, result, error, created_at, started_at, finished_at"
)
_ARCHIVE_AS_JOB_ROW = (
    "id, kind, state, team_id, user_id, model, executor_id, priority, run_at, attempt, max_attempts, progress, message,"
    " error, retry_of, created_at, started_at, finished_at, '', 'ready', NULL, NULL, NULL"
)


# Enqueue


async def insert(
    tx: Tx, id: str, lane: Lane, user_id: str, *, channel: str, model: str | None, priority: int, run_at: str | None,
    max_attempts: int, input: str, retry_of: str | None,
) -> None:  # fmt: skip
    await tx.run(
        "INSERT INTO jobs (id, org_id, team_id, user_id, kind, channel, model, state, phase, priority, run_at, attempt,"
        " max_attempts, lease_expiries, input, retry_of, created_at) VALUES (:id, :org_id, :team_id, :user_id, :kind, :channel, :model,"
        " 'queued', CASE WHEN CAST(:run_at AS TEXT) > moment(0) THEN 'scheduled' ELSE 'ready' END, :priority,"
        " COALESCE(CAST(:run_at AS TEXT), moment(0)), 0, :max_attempts, 0, :input, :retry_of, moment(0))",
        id=id, org_id=lane.org_id, team_id=lane.team_id, user_id=user_id, kind=lane.kind, channel=channel, model=model,
        priority=priority, run_at=run_at, max_attempts=max_attempts, input=input, retry_of=retry_of,
    )  # fmt: skip


# Lanes


async def select_lanes(tx: Tx, lanes: Sequence[Lane]) -> list[LaneState]:
    """Return how full the lanes are. Their companies are locked (shared), so a suspension is seen or waits."""
    return await tx.all(LaneState, _lanes_sql(len(lanes), tx.dialect.share_lock), **_lane_params(lanes))


def _lane_params(lanes: Sequence[Lane]) -> dict[str, str]:
    return {
        f"{name}_{at}": getattr(lane, name) for at, lane in enumerate(lanes) for name in ("org_id", "team_id", "kind")
    }


@lru_cache(64)
def _lanes_sql(count: int, share: str) -> str:
    requested = ", ".join(
        f"(CAST(:org_id_{at} AS TEXT), CAST(:team_id_{at} AS TEXT), CAST(:kind_{at} AS TEXT))" for at in range(count)
    )
    lane = "jobs.team_id = requested.team_id AND jobs.kind = requested.kind AND rank IS NOT NULL"
    return (
        f"WITH requested (org_id, team_id, kind) AS (VALUES {requested})"
        " SELECT requested.org_id, requested.team_id, requested.kind, orgs.plan, orgs.suspended_at IS NOT NULL,"
        f" (SELECT COUNT(*) FROM jobs WHERE {lane}), (SELECT MAX(rank) FROM jobs WHERE {lane}),"
        # By how far the queue has come, not by the lowest waiting rank: else the newest job would always be first.
        " COALESCE((SELECT rank FROM jobs WHERE state = 'running' ORDER BY rank DESC LIMIT 1),"
        f" (SELECT rank FROM jobs WHERE {_ADMITTED} ORDER BY rank LIMIT 1),"
        # Parked jobs keep their ranks: if the clock restarted at 0, they would come long after the others.
        " (SELECT rank FROM jobs WHERE rank IS NOT NULL ORDER BY rank DESC LIMIT 1), 0)"
        f" FROM requested JOIN orgs ON orgs.id = requested.org_id {share}"
    )


async def move(tx: Tx, channel: str, target: str, except_orgs: Sequence[str]) -> list[Lane]:
    """Move queued jobs to another channel, except for those of some companies; return their lanes."""
    return await tx.all(
        Lane,
        "UPDATE jobs SET channel = :target WHERE state = 'queued' AND channel NOT LIKE '%@local' AND channel = :channel"
        f" AND org_id NOT IN ({tx.dialect.json_strings.format('except_orgs')}) RETURNING org_id, team_id, kind",
        channel=channel, target=target, except_orgs=msgspec.json.encode(except_orgs).decode(),
    )  # fmt: skip


async def select_channels(db: Reads) -> list[ServedChannel]:
    """Return the channels that a worker polled recently."""
    return await db.all(
        ServedChannel, f"SELECT {columns(ServedChannel)} FROM job_channels WHERE seen_at > moment(-{_CHANNEL_TTL})"
    )  # fmt: skip


async def admit(tx: Tx, capacities: Sequence[LaneCapacity], step: int) -> list[str]:
    """Give ranks to the first jobs of each backlog; return the channels of those admitted.

    The caller has locked the lanes and must not wait for rows: a job that is just being cancelled is skipped.
    """
    values: dict[str, str | int] = {"step": step}
    for at, lane in enumerate(capacities):
        values |= {f"team_{at}": lane.team_id, f"free_{at}": lane.free, f"after_{at}": lane.after_rank}
        values |= {f"channel_{at}_{number}": channel for number, channel in enumerate(lane.channels)}
    return await tx.all(
        str, _admit_sql(tuple(len(lane.channels) for lane in capacities), tx.dialect.skip_locked), **values
    )


@lru_cache(64)
def _admit_sql(channels: tuple[int, ...], skip_locked: str) -> str:
    lanes = " UNION ALL ".join(
        f"SELECT id, :after_{at} + :step * turn AS new_rank FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY priority, id) AS turn"
        f" FROM ({_backlog_sql(at, count, skip_locked)}) AS waiting_{at} ORDER BY priority, id LIMIT :free_{at}) AS lane_{at}"
        for at, count in enumerate(channels)
    )
    return (
        f"WITH chosen (chosen_id, new_rank) AS MATERIALIZED ({lanes})"
        " UPDATE jobs SET rank = chosen.new_rank FROM chosen WHERE jobs.id = chosen.chosen_id RETURNING jobs.channel"
    )


def _backlog_sql(at: int, channels: int, skip_locked: str) -> str:
    """Select the first jobs of a lane's backlog in each of its channels."""
    return " UNION ALL ".join(
        f"SELECT id, priority FROM (SELECT id, priority FROM jobs WHERE team_id = :team_{at}"
        f" AND channel = :channel_{at}_{number} AND {_BACKLOG} ORDER BY priority, id LIMIT :free_{at}"
        f" {skip_locked}) AS channel_{at}_{number}"
        for number in range(channels)
    )


async def next_lane(db: Reads, after: Lane, org_id: str | None = None) -> Lane | None:
    """Return the next lane after `after` with waiting jobs, optionally only of one company."""
    only = "" if org_id is None else "AND org_id = :only"
    return await db.one(
        Lane,
        f"SELECT org_id, team_id, kind FROM jobs WHERE {_BACKLOG} {only}"
        " AND (org_id, team_id, kind) > (:org_id, :team_id, :kind) ORDER BY org_id, team_id, kind LIMIT 1",
        org_id=after.org_id, team_id=after.team_id, kind=after.kind, **({"only": org_id} if org_id else {}),
    )  # fmt: skip


async def withdraw_company(tx: Tx, org_id: str) -> None:
    """Move the company's admitted jobs back to the backlog."""
    await tx.run(
        f"UPDATE jobs SET {_WITHDRAW} WHERE rank IS NOT NULL AND state = 'queued' AND org_id = :org_id",
        org_id=org_id,
    )


async def withdraw_beyond(tx: Tx, org_id: str, cap: int) -> None:
    """Move admitted jobs above the cap of each lane back to the backlog, highest rank first."""
    await tx.run(
        f"UPDATE jobs SET {_WITHDRAW} WHERE state = 'queued' AND id IN"
        " (SELECT id FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY team_id, kind"
        " ORDER BY CASE state WHEN 'running' THEN 0 ELSE 1 END, rank) AS turn FROM jobs WHERE rank IS NOT NULL"
        " AND team_id IN (SELECT id FROM teams WHERE org_id = :org_id)) AS admitted WHERE turn > :cap)",
        org_id=org_id, cap=cap,
    )  # fmt: skip


async def withdraw_suspended(tx: Tx) -> None:
    """Move admitted jobs of suspended companies back to the backlog, in case the suspension itself did not."""
    await tx.run(
        f"UPDATE jobs SET {_WITHDRAW} WHERE rank IS NOT NULL AND state = 'queued'"
        " AND org_id IN (SELECT id FROM orgs WHERE suspended_at IS NOT NULL)"
    )


async def withdraw_unserved(tx: Tx) -> None:
    """Move jobs that no worker can take back to the backlog: they must not count against their lane's cap."""
    await tx.run(
        f"UPDATE jobs SET {_WITHDRAW} WHERE rank IS NOT NULL AND state = 'queued' AND channel IN"
        f" (SELECT channel FROM job_channels WHERE seen_at <= moment(-{_CHANNEL_TTL})) AND NOT EXISTS (SELECT 1 FROM job_channels"
        f" WHERE job_channels.channel = jobs.channel AND job_channels.org_id IN ('', jobs.org_id)"
        f" AND seen_at > moment(-{_CHANNEL_TTL}))"
    )


async def mark_changed(tx: Tx, org_id: str) -> None:
    """Record that a company has changed ('' is all of them)."""
    await tx.run("INSERT INTO job_changes (org_id) VALUES (:org_id) ON CONFLICT DO NOTHING", org_id=org_id)


async def take_changed(tx: Tx) -> list[str]:
    return await tx.all(str, "DELETE FROM job_changes RETURNING org_id")


async def has_changed(db: Reads) -> bool:
    return bool(await db.one(int, "SELECT 1 FROM job_changes LIMIT 1"))


async def end_parking_delay(tx: Tx, org_id: str) -> None:
    """Make the company's parked jobs due now ('' is all companies)."""
    await tx.run(
        "UPDATE jobs SET run_at = moment(0) WHERE state = 'queued' AND phase = 'parked' AND rank IS NOT NULL"
        " AND (org_id = :org_id OR :org_id = '')",
        org_id=org_id,
    )


async def put_channel(tx: Tx, channel: str, org_id: str, kind: str) -> None:
    await tx.run(
        "INSERT INTO job_channels (channel, org_id, kind, seen_at) VALUES (:channel, :org_id, :kind, moment(0))"
        " ON CONFLICT (channel, org_id) DO UPDATE SET seen_at = excluded.seen_at",
        channel=channel, org_id=org_id, kind=kind,
    )  # fmt: skip


async def delete_stale_channels(tx: Tx, seconds: float) -> None:
    """Delete channels that were not polled for a while: workers choose model names freely, so there can be many."""
    await tx.run("DELETE FROM job_channels WHERE seen_at < moment(:ago)", ago=-seconds)


# Running jobs


async def select_admitted(
    tx: Tx, slots: Sequence[ClaimSlot], *, org_id: str | None, models: Sequence[str] | None
) -> list[ReadyJob]:
    """Select admitted jobs of these channels in the order of their ranks, and lock them."""
    values: dict[str, str | int] = {} if org_id is None else {"org_id": org_id}
    if models is not None:
        values["models"] = msgspec.json.encode(models).decode()
    for at, slot in enumerate(slots):
        values |= {f"channel_{at}": slot.channel, f"limit_{at}": slot.limit}
        values |= {f"excluded_{at}_{number}": org for number, org in enumerate(slot.excluded_orgs)}
    excluded = tuple(len(slot.excluded_orgs) for slot in slots)
    return await tx.all(ReadyJob, _admitted_sql(excluded, org_id is not None, models is not None, tx.dialect), **values)


@lru_cache(64)
def _admitted_sql(excluded: tuple[int, ...], by_company: bool, by_models: bool, dialect: Dialect) -> str:
    only = "org_id = :org_id AND" if by_company else ""
    if by_models:
        only += f" (model IS NULL OR model IN ({dialect.json_strings.format('models')})) AND"
    arms = " UNION ALL ".join(
        f"SELECT id, org_id, kind, rank FROM (SELECT id, org_id, kind, rank FROM jobs WHERE {only} {_exclusion_sql(at, count)}"
        f" channel = :channel_{at} AND {_ADMITTED} ORDER BY rank LIMIT :limit_{at} {dialect.skip_locked}) AS arm_{at}"
        for at, count in enumerate(excluded)
    )
    return f"SELECT id, org_id, kind FROM ({arms}) AS arms ORDER BY rank"


def _exclusion_sql(at: int, count: int) -> str:
    names = ", ".join(f":excluded_{at}_{number}" for number in range(count))
    return f"org_id NOT IN ({names}) AND" if names else ""


async def take(tx: Tx, ids: Sequence[str], *, executor_id: str, claim_hash: str, lease: float) -> list[ClaimedJob]:
    placeholders, params = in_list("job", ids)
    return await tx.all(
        ClaimedJob,
        "UPDATE jobs SET state = 'running', attempt = attempt + 1, executor_id = :executor_id, claim_hash = :claim_hash,"
        " lease_until = moment(:lease), started_at = moment(0), waits = NULL"
        f" WHERE id IN ({placeholders}) RETURNING {columns(ClaimedJob)}",
        executor_id=executor_id, claim_hash=claim_hash, lease=lease, **params,
    )  # fmt: skip


async def set_reservation(tx: Tx, job_id: str, reservation_id: str) -> None:
    await tx.run(
        "UPDATE jobs SET reservation_id = :reservation_id WHERE id = :id", id=job_id, reservation_id=reservation_id
    )


async def park(tx: Tx, job_id: str, block: QuotaBlock, *, until: str | None, seconds: float) -> None:
    """Undo the claim and park the job. It keeps its rank, and so counts against its lane's cap."""
    await tx.run(
        "UPDATE jobs SET state = 'queued', phase = 'parked', attempt = attempt - 1, started_at = NULL, waits = :waits,"
        f" run_at = COALESCE(CAST(:until AS TEXT), moment(:seconds)), {_RELEASE} WHERE id = :id",
        id=job_id, waits=_json(block), until=until, seconds=seconds,
    )  # fmt: skip


async def unpark(tx: Tx, org_id: str, team_id: str, *, count: int, within: float) -> list[str]:
    """Make ready the first jobs parked for a slot that this team has freed; return their channels.

    Jobs parked for a slot are due within that many seconds, so later rows of the index need not be read.
    """
    return await tx.all(
        str,
        "WITH chosen AS MATERIALIZED (SELECT id AS chosen_id FROM jobs WHERE state = 'queued' AND phase <> 'ready'"
        " AND run_at <= moment(:within) AND phase = 'parked' AND org_id = :org_id AND (waits IN (:tenant, :org)"
        f" OR (waits = :team AND team_id = :team_id)) ORDER BY rank, id LIMIT :count {tx.dialect.skip_locked})"
        " UPDATE jobs SET phase = 'ready', waits = NULL FROM chosen WHERE jobs.id = chosen.chosen_id RETURNING jobs.channel",
        org_id=org_id, team_id=team_id, count=count, within=within,
        **{level.value: _json(QuotaBlock(Dimension.CONCURRENCY, level, None)) for level in Level},
    )  # fmt: skip


async def extend(
    tx: Tx, claim: JobClaim, claim_hash: str, *, lease: float, progress: int | None, message: str | None
) -> ClaimedJob | None:
    return await tx.one(
        ClaimedJob,
        "UPDATE jobs SET lease_until = moment(:lease), progress = COALESCE(CAST(:progress AS BIGINT), progress),"
        f" message = COALESCE(CAST(:message AS TEXT), message) WHERE {_CLAIMED} RETURNING {columns(ClaimedJob)}",
        id=claim.job_id, attempt=claim.attempt, claim_hash=claim_hash, executor_id=claim.executor_id, lease=lease, progress=progress, message=message,
    )  # fmt: skip


async def get_running(tx: Tx, claim: JobClaim, claim_hash: str) -> ClaimedJob | None:
    return await tx.one(
        ClaimedJob,
        f"SELECT {columns(ClaimedJob)} FROM jobs WHERE {_CLAIMED}",
        id=claim.job_id, attempt=claim.attempt, claim_hash=claim_hash, executor_id=claim.executor_id,
    )  # fmt: skip


async def succeed(tx: Tx, claim: JobClaim, claim_hash: str, result: str) -> ReleasedJob | None:
    """The claim hash stays: a worker that got no response can send the same result again."""
    return await tx.one(
        ReleasedJob,
        "UPDATE jobs SET state = 'succeeded', result = :result, error = NULL, rank = NULL, lease_until = NULL,"
        f" progress = NULL, message = NULL, finished_at = moment(0) WHERE {_CLAIMED} RETURNING {columns(ReleasedJob)}",
        id=claim.job_id, attempt=claim.attempt, claim_hash=claim_hash, executor_id=claim.executor_id, result=result,
    )  # fmt: skip


async def succeed_all(tx: Tx, ended: Sequence[tuple[JobClaim, str, str]]) -> list[ReleasedJob]:
    """Complete jobs, given as claim, hash of its secret and result; return those whose claim is valid."""
    values: dict[str, str | int] = {}
    for at, (claim, claim_hash, result) in enumerate(ended):
        values |= {f"id_{at}": claim.job_id, f"attempt_{at}": claim.attempt, f"hash_{at}": claim_hash}
        values[f"result_{at}"] = result
    return await tx.all(ReleasedJob, _succeed_sql(len(ended)), **values)


@lru_cache(64)
def _succeed_sql(count: int) -> str:
    rows = ", ".join(
        f"(CAST(:id_{at} AS TEXT), CAST(:attempt_{at} AS BIGINT), CAST(:hash_{at} AS TEXT), CAST(:result_{at} AS TEXT))"
        for at in range(count)
    )
    return (
        f"WITH ended (job, number, hash, result) AS (VALUES {rows})"
        " UPDATE jobs SET state = 'succeeded', result = ended.result, error = NULL, rank = NULL, lease_until = NULL,"
        " progress = NULL, message = NULL, finished_at = moment(0) FROM ended WHERE jobs.id = ended.job"
        " AND state = 'running' AND attempt = ended.number AND claim_hash = ended.hash AND lease_until > moment(0)"
        f" RETURNING {columns(ReleasedJob, 'jobs')}"
    )


async def get_succeeded(tx: Tx, claim: JobClaim, claim_hash: str, result: str) -> ReleasedJob | None:
    """Return the job if this attempt has completed it with this result."""
    return await tx.one(
        ReleasedJob,
        f"SELECT {columns(ReleasedJob)} FROM jobs WHERE id = :id AND state = 'succeeded' AND attempt = :attempt"
        " AND claim_hash = :claim_hash AND executor_id = :executor_id AND result = :result",
        id=claim.job_id, attempt=claim.attempt, claim_hash=claim_hash, executor_id=claim.executor_id, result=result,
    )  # fmt: skip


async def end(tx: Tx, claim: JobClaim, claim_hash: str, state: State, fault: JobFault) -> ReleasedJob | None:
    """End a running job without a result."""
    return await tx.one(
        ReleasedJob,
        "UPDATE jobs SET state = :state, error = :error, rank = NULL, lease_until = NULL, claim_hash = NULL,"
        f" finished_at = moment(0) WHERE {_CLAIMED} RETURNING {columns(ReleasedJob)}",
        id=claim.job_id, attempt=claim.attempt, claim_hash=claim_hash, executor_id=claim.executor_id, state=state,
        error=_json(fault),
    )  # fmt: skip


async def postpone(tx: Tx, claim: JobClaim, claim_hash: str, fault: JobFault, seconds: float) -> ReleasedJob | None:
    """Schedule a retry. Until then the job does not count against its lane's cap."""
    return await tx.one(
        ReleasedJob,
        "UPDATE jobs SET state = 'queued', phase = 'scheduled', rank = NULL, error = :error, started_at = NULL,"
        f" run_at = moment(:seconds), {_RELEASE} WHERE {_CLAIMED} RETURNING {columns(ReleasedJob)}",
        id=claim.job_id, attempt=claim.attempt, claim_hash=claim_hash, executor_id=claim.executor_id, error=_json(fault), seconds=seconds,
    )  # fmt: skip


async def requeue(tx: Tx, claim: JobClaim, claim_hash: str) -> ReleasedJob | None:
    """Requeue a running job. The interrupted attempt does not count, nor as a lease expiry."""
    return await tx.one(
        ReleasedJob,
        "UPDATE jobs SET state = 'queued', phase = 'ready', rank = NULL, started_at = NULL, max_attempts = max_attempts + 1,"
        f" {_RELEASE} WHERE {_CLAIMED} RETURNING {columns(ReleasedJob)}",
        id=claim.job_id, attempt=claim.attempt, claim_hash=claim_hash, executor_id=claim.executor_id,
    )  # fmt: skip


async def get_requested(db: Reads, job_id: str) -> RequestedJob | None:
    return await db.one(RequestedJob, "SELECT user_id, input FROM jobs WHERE id = :id", id=job_id)


async def get_kind(db: Reads, job_id: str) -> str | None:
    return await db.one(str, "SELECT kind FROM jobs WHERE id = :id", id=job_id)


async def select_metered(db: Reads, executor_id: str) -> list[ReleasedJob]:
    """Select the executor's running jobs that have a quota reservation."""
    return await db.all(
        ReleasedJob,
        f"SELECT {columns(ReleasedJob)} FROM jobs WHERE executor_id = :executor_id AND state = 'running'"
        " AND reservation_id IS NOT NULL",
        executor_id=executor_id,
    )  # fmt: skip


async def requeue_all_of(tx: Tx, executor_id: str) -> list[ReleasedJob]:
    """Requeue all running jobs of an executor. The interrupted attempts do not count."""
    return await tx.all(
        ReleasedJob,
        "UPDATE jobs SET state = 'queued', phase = 'ready', rank = NULL, started_at = NULL, max_attempts = max_attempts + 1,"
        f" {_RELEASE} WHERE executor_id = :executor_id AND state = 'running' RETURNING {columns(ReleasedJob)}",
        executor_id=executor_id,
    )  # fmt: skip


async def cancel(tx: Tx, job_id: str) -> ReleasedJob | None:
    return await tx.one(
        ReleasedJob,
        "UPDATE jobs SET state = 'cancelled', rank = NULL, waits = NULL, finished_at = moment(0)"
        f" WHERE id = :id AND state = 'queued' RETURNING {columns(ReleasedJob)}",
        id=job_id,
    )  # fmt: skip


# Expiry, schedule, archive


_EXPIRED = "state = 'running' AND lease_until <= moment(0)"


async def select_expired(db: Reads, limit: int) -> list[ClaimedJob]:
    """Select running jobs whose lease has expired."""
    return await db.all(
        ClaimedJob,
        f"SELECT {columns(ClaimedJob)} FROM jobs WHERE {_EXPIRED} ORDER BY lease_until, id LIMIT :limit",
        limit=limit,
    )  # fmt: skip


async def select_running_executors(db: Reads) -> list[str]:
    """Select the ids of executors with running jobs."""
    return await db.all(str, "SELECT DISTINCT executor_id FROM jobs WHERE state = 'running'")


async def end_leases(tx: Tx, executor_id: str) -> None:
    await tx.run(
        "UPDATE jobs SET lease_until = moment(0) WHERE executor_id = :executor_id AND state = 'running'",
        executor_id=executor_id,
    )


async def requeue_expired(tx: Tx, job: ClaimedJob) -> bool:
    """Requeue a job whose lease has expired, unless it was extended meanwhile."""
    return await tx.exists(
        f"UPDATE jobs SET state = 'queued', phase = 'ready', rank = NULL, lease_expiries = lease_expiries + 1, started_at = NULL, {_RELEASE}"
        f" WHERE id = :id AND attempt = :attempt AND {_EXPIRED} RETURNING id",
        id=job.id, attempt=job.attempt,
    )  # fmt: skip


async def fail_expired(tx: Tx, job: ClaimedJob, fault: JobFault) -> bool:
    return await tx.exists(
        "UPDATE jobs SET state = 'failed', error = :error, rank = NULL, lease_expiries = lease_expiries + 1, finished_at = moment(0),"
        " claim_hash = NULL, lease_until = NULL"
        f" WHERE id = :id AND attempt = :attempt AND {_EXPIRED} RETURNING id",
        id=job.id, attempt=job.attempt, error=_json(fault),
    )  # fmt: skip


async def ready_due(tx: Tx, limit: int) -> list[ReleasedJob]:
    """Make scheduled and parked jobs ready whose time has come."""
    return await tx.all(
        ReleasedJob,
        "UPDATE jobs SET phase = 'ready', waits = NULL WHERE id IN (SELECT id FROM jobs WHERE state = 'queued'"
        f" AND phase <> 'ready' AND run_at <= moment(0) ORDER BY run_at LIMIT :limit {tx.dialect.skip_locked})"
        f" RETURNING {columns(ReleasedJob)}",
        limit=limit,
    )  # fmt: skip


async def archive(tx: Tx, *, seconds: float, limit: int) -> list[str]:
    ids = await tx.all(
        str,
        f"INSERT INTO job_archive ({_ARCHIVE_COLUMNS}) SELECT {_ARCHIVE_COLUMNS} FROM jobs WHERE state IN ('succeeded', 'failed', 'cancelled')"
        " AND finished_at < moment(:ago) ORDER BY finished_at LIMIT :limit RETURNING id",
        ago=-seconds, limit=limit,
    )  # fmt: skip
    for id in ids:
        await tx.run("DELETE FROM jobs WHERE id = :id", id=id)
    return ids


# Read


_FILTERS = {"state": "state = :state", "kind": "kind = :kind"}


async def select(
    db: Reads, live: Fence, archived: Fence, filters: dict[str, str], before: str, limit: int
) -> list[JobRow]:
    """Select jobs and archived jobs, newest first."""
    rows: list[JobRow] = []
    for fence, selected in ((live, columns(JobRow)), (archived, _ARCHIVE_AS_JOB_ROW)):
        where = " AND ".join(["TRUE", *(f"{fence.table}.{_FILTERS[name]}" for name in filters)])
        rows += await db.all(
            JobRow,
            f"SELECT {selected} FROM {fence.table} WHERE id IN ({fence.newest(db.dialect, where)}) ORDER BY id DESC",
            before=before, limit=limit, **fence.params, **filters,
        )  # fmt: skip
    return sorted(rows, key=lambda row: row.id, reverse=True)[:limit]


async def get(db: Reads, live: Fence, archived: Fence, job_id: str) -> JobRow | None:
    for fence, selected in ((live, columns(JobRow)), (archived, _ARCHIVE_AS_JOB_ROW)):
        sql = f"SELECT {selected} FROM {fence.table} WHERE id = :id AND {fence.sql}"
        if row := await db.one(JobRow, sql, id=job_id, **fence.params):
            return row
    return None


async def get_bodies(db: Reads, job_id: str) -> JobBodies | None:
    return await db.one(
        JobBodies,
        "SELECT input, result FROM jobs WHERE id = :id UNION ALL SELECT input, result FROM job_archive WHERE id = :id",
        id=job_id,
    )


async def get_company(db: Reads, org_id: str) -> CompanyPlan | None:
    return await db.one(CompanyPlan, "SELECT plan, suspended_at IS NOT NULL FROM orgs WHERE id = :id", id=org_id)


async def count_taken(db: Reads, team_id: str, kind: str) -> int:
    """Count the admitted, parked and running jobs of a lane; never more than its cap."""
    return await db.one(
        int, "SELECT COUNT(*) FROM jobs WHERE team_id = :team_id AND kind = :kind AND rank IS NOT NULL",
        team_id=team_id, kind=kind,
    ) or 0  # fmt: skip


def _json(value: QuotaBlock | JobFault) -> str:
    return msgspec.json.encode(value).decode()


# fmt: off
INVARIANTS = (
    Invariant("jobs.held", "a job has a lease and a claim exactly while it runs",
        "SELECT id FROM jobs WHERE (state = 'running') <> (lease_until IS NOT NULL)"
        " OR (state = 'running' AND (claim_hash IS NULL OR executor_id IS NULL OR rank IS NULL))"),
    Invariant("jobs.ended", "a finished job has an end time, no rank, and a result or an error unless cancelled",
        "SELECT id FROM jobs WHERE (state IN ('succeeded', 'failed', 'cancelled')) <> (finished_at IS NOT NULL)"
        " OR (finished_at IS NOT NULL AND rank IS NOT NULL) OR (state = 'succeeded' AND result IS NULL)"
        " OR (state = 'failed' AND error IS NULL)"),
    Invariant("jobs.parked", "a scheduled job has no rank, a parked job has one",
        "SELECT id FROM jobs WHERE state = 'queued' AND ((phase = 'scheduled' AND rank IS NOT NULL)"
        " OR (phase = 'parked' AND rank IS NULL))"),
    Invariant("jobs.company", "a job's team belongs to its company",
        "SELECT jobs.id FROM jobs JOIN teams ON teams.id = jobs.team_id WHERE teams.org_id <> jobs.org_id"),
    Invariant("jobs.holds", "a job's quota reservation belongs to its team",
        "SELECT jobs.id FROM jobs JOIN quota_ledger ON quota_ledger.id = jobs.reservation_id"
        " WHERE quota_ledger.team_id <> jobs.team_id"),
    Invariant("jobs.once", "a job is not both in the queue and in the archive",
        "SELECT jobs.id FROM jobs JOIN job_archive ON job_archive.id = jobs.id"),
)
# fmt: on
