"""Jobs in SQL: one statement per function, no rules.

`moment(seconds)` is the database's clock, so servers with different clocks agree on when a lease has expired.
The predicates repeat those of the partial indexes word for word: a claim only scans the index of admitted jobs.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from teamspace.core.db import NOW, Fence, Reads, Tx, as_json, columns
from teamspace.core.tables import Invariant
from teamspace.jobs.schemas import (
    NORMAL,
    Authority,
    ClaimSlot,
    CompanyPlan,
    EncodedInput,
    ExtendedJob,
    Job,
    JobBodies,
    JobClaim,
    JobEnd,
    JobOrigin,
    JobRow,
    JobTexts,
    JobTitle,
    LandedJob,
    Lane,
    LaneCapacity,
    LaneState,
    NewJob,
    QuotaBlock,
    ReadyJob,
    RunPart,
    ServedChannel,
    State,
    Transition,
)
from teamspace.quota import Dimension, Level, QuotaAccount, Spend

_BACKLOG = "state = 'queued' AND phase = 'ready' AND rank IS NULL"
_ADMITTED = "state = 'queued' AND phase = 'ready' AND rank IS NOT NULL"
_CLAIMED = (
    "id = :id AND state = 'running' AND attempt = :attempt AND claim_hash = :claim_hash AND executor_id = :executor_id"
    " AND lease_until > moment(0)"
)
_RANKED = "rank >= 0"
"""Has a rank, for the index over all channels. Claims say it differently, so that they use the index of their channel."""
_ELSEWHERE = "channel NOT LIKE '%@local'"
"""Jobs that the server itself does not claim."""
_RUNS = "COALESCE(jobs.state, '') = 'running'"
"""For jobs that are found by their id. PostgreSQL would prefer an index of running jobs, if there were few when it last
looked, and read all of them for each batch."""
_WITHDRAW = "rank = NULL, phase = 'ready', waits = NULL"
"""Moves a job that is admitted and not yet claimed back to the backlog."""
_CHANNEL_TTL = 60
"""Seconds for which a channel counts as served after a worker polled it."""
_ARCHIVE_COLUMNS = (
    "id, org_id, team_id, user_id, kind, title, subject_type, subject_id, model, run_id, step, item, idempotency_key,"
    " state, priority, run_at, attempt, max_attempts, executor_id, progress, message, retry_of, input,"
    " result, error, created_at, started_at, finished_at"
)
_ARCHIVE_AS_JOB_ROW = (
    "id, kind, state, team_id, user_id, title, subject_type, subject_id, model, executor_id, priority, run_at, attempt,"
    " max_attempts, progress, message, error, retry_of, created_at, started_at, finished_at, '', 'ready', NULL, NULL, NULL"
)


# Enqueue


_CLOCK = (
    f"COALESCE((SELECT rank FROM jobs WHERE state = 'running' AND {_RANKED} ORDER BY rank DESC LIMIT 1),"
    f" (SELECT rank FROM jobs WHERE state = 'queued' AND phase = 'ready' AND {_RANKED} ORDER BY rank LIMIT 1),"
    # Parked jobs keep their ranks: if the clock restarted at 0, they would come long after the others.
    f" (SELECT rank FROM jobs WHERE state = 'queued' AND {_RANKED} ORDER BY rank DESC LIMIT 1), 0)"
)
"""How far the queue has come: not the lowest waiting rank, else the newest job would always be first."""


async def insert(
    tx: Tx, id: str, kind: str, authority: Authority, *, channel: str, model: str | None, priority: int,
    run_at: str | None, max_attempts: int, input: EncodedInput, title: JobTitle | None, origin: JobOrigin | None,
    idempotency_key: str | None, retry_of: str | None, reservation_id: str | None = None, admitted: bool = False,
) -> bool:  # fmt: skip
    """Insert a queued job; return False if there is one of the same origin or idempotency key already.

    With `admitted` it is the next of its channel.
    """
    subject = title.subject if title else None
    return await tx.exists(
        "INSERT INTO jobs (id, org_id, team_id, user_id, scope, limited_by, kind, title, subject_type, subject_id, channel,"
        " model, run_id, step, item, idempotency_key, state, phase, priority, run_at, rank, attempt, max_attempts,"
        " lease_expiries, reservation_id, stop_requested, estimate, input, retry_of, created_at) VALUES (:id, :org_id,"
        " :team_id, :user_id, :scope, :limited_by, :kind, :title, :subject_type, :subject_id, :channel, :model, :run_id,"
        " :step, :item, :idempotency_key, 'queued',"
        " CASE WHEN CAST(:run_at AS TEXT) > moment(0) THEN 'scheduled' ELSE 'ready' END, :priority,"
        f" COALESCE(CAST(:run_at AS TEXT), moment(0)), {_CLOCK if admitted else 'NULL'}, 0, :max_attempts, 0,"
        " :reservation_id, FALSE, :estimate, :input, :retry_of, moment(0))"
        " ON CONFLICT DO NOTHING RETURNING id",
        id=id, org_id=authority.account.org_id, team_id=authority.account.team_id, user_id=authority.account.user_id,
        scope=authority.stored_scope,
        limited_by=authority.limited_by, kind=kind, title=title.text if title else None,
        subject_type=subject.type if subject else None, subject_id=subject.id if subject else None, channel=channel,
        model=model, run_id=origin.run_id if origin else None, step=origin.step if origin else None,
        item=origin.item if origin else None, idempotency_key=idempotency_key, run_at=run_at, priority=priority,
        max_attempts=max_attempts, input=input.json, estimate=as_json(input.estimate) if input.estimate else None,
        retry_of=retry_of, reservation_id=reservation_id,
    )  # fmt: skip


async def add_running(tx: Tx, job: Job, claim: JobClaim, title: JobTitle | None) -> None:
    """Add a new job without an origin, which is running with this claim."""
    await tx.add(
        "INSERT INTO jobs (id, org_id, team_id, user_id, scope, limited_by, kind, title, subject_type, subject_id, channel,"
        " model, state, phase, priority, run_at, attempt, max_attempts, lease_expiries, executor_id, claim_hash, lease_until,"
        " started_at, reservation_id, stop_requested, estimate, input, created_at) VALUES (:id, :org_id, :team_id, :user_id,"
        " :scope, :limited_by, :kind, :title, :subject_type, :subject_id, :channel, :model, 'running', 'ready', :priority,"
        " moment(0), :attempt, :max_attempts, 0, :executor_id, :claim_hash, moment(:lease), moment(0), :reservation_id,"
        " FALSE, :estimate, :input, moment(0))",
        id=job.id, org_id=job.org_id, team_id=job.team_id, user_id=job.user_id,
        scope=None if job.scope is None else as_json(job.scope), limited_by=job.limited_by, kind=job.kind,
        title=title.text if title else None, subject_type=title.subject.type if title else None,
        subject_id=title.subject.id if title else None, channel=job.channel, model=job.model, priority=NORMAL,
        attempt=claim.attempt, max_attempts=job.max_attempts, executor_id=claim.executor_id, claim_hash=claim.hash,
        lease=claim.lease, reservation_id=job.reservation_id,
        estimate=None if job.estimate is None else as_json(job.estimate), input=job.input,
    )  # fmt: skip


async def insert_many(
    tx: Tx, kind: str, account: QuotaAccount, new: Sequence[NewJob], *, channel: str, priority: int
) -> None:
    """Insert queued jobs with one statement; one whose origin has a job already is left out."""
    types = dict.fromkeys(NewJob.__struct_fields__, "TEXT") | {"item": "BIGINT", "max_attempts": "BIGINT"}
    rows = tx.dialect.json_table("new_jobs", **types)
    await tx.add(
        "INSERT INTO jobs (id, org_id, team_id, user_id, scope, limited_by, kind, title, subject_type, subject_id, channel,"
        " run_id, step, item, state, phase, priority, run_at, attempt, max_attempts, lease_expiries, stop_requested,"
        " estimate, input, created_at)"
        " SELECT new_job.id, :org_id, :team_id, :user_id, new_job.scope, new_job.limited_by, :kind, new_job.title,"
        " new_job.subject_type, new_job.subject_id, :channel, new_job.run_id, new_job.step, new_job.item, 'queued',"
        " 'ready', CAST(:priority AS BIGINT), moment(0), 0, new_job.max_attempts, 0, FALSE, new_job.estimate,"
        " new_job.input, moment(0)"
        f" FROM ({rows}) AS new_job WHERE TRUE ON CONFLICT DO NOTHING",
        org_id=account.org_id, team_id=account.team_id, user_id=account.user_id, kind=kind, channel=channel,
        priority=priority, new_jobs=as_json(new),
    )  # fmt: skip


async def insert_next(
    tx: Tx, kind: str, account: QuotaAccount, new: NewJob, *, channel: str, priority: int, claim: JobClaim, rank: int
) -> Job | None:
    """Insert a job that is running, with this rank, if no other of its channel or lane waits and its company is not
    suspended; else it is queued. None if its origin has a job already."""
    waits = (
        f"EXISTS (SELECT 1 FROM jobs WHERE channel = :channel AND {_ADMITTED})"
        f" OR EXISTS (SELECT 1 FROM jobs WHERE team_id = :team_id AND channel = :channel AND {_BACKLOG})"
        " OR EXISTS (SELECT 1 FROM orgs WHERE id = :org_id AND suspended_at IS NOT NULL)"
    )
    return await tx.one(
        Job,
        # Materialized, else PostgreSQL would plan and ask it for each column that depends on it.
        f"WITH place AS MATERIALIZED (SELECT NOT ({waits}) AS free, moment(0) AS now, moment(:lease) AS lease_end)"
        " INSERT INTO jobs (id, org_id, team_id, user_id, scope, limited_by, kind, title, subject_type, subject_id, channel,"
        " run_id, step, item, state, phase, priority, run_at, rank, attempt, max_attempts, lease_expiries, executor_id,"
        " claim_hash, lease_until, started_at, stop_requested, estimate, input, created_at)"
        " SELECT :id, :org_id, :team_id, :user_id, CAST(:scope AS TEXT), CAST(:limited_by AS TEXT), :kind, :title,"
        " :subject_type, :subject_id, :channel, :run_id, :step, CAST(:item AS BIGINT),"
        " CASE WHEN place.free THEN 'running' ELSE 'queued' END, 'ready', CAST(:priority AS BIGINT), place.now,"
        " CASE WHEN place.free THEN CAST(:rank AS BIGINT) END, CASE WHEN place.free THEN CAST(:attempt AS BIGINT) ELSE 0 END,"
        " CAST(:max_attempts AS BIGINT), 0, CASE WHEN place.free THEN :executor_id END,"
        " CASE WHEN place.free THEN :claim_hash END, CASE WHEN place.free THEN place.lease_end END,"
        " CASE WHEN place.free THEN place.now END, FALSE, CAST(:estimate AS TEXT), :input, place.now"
        f" FROM place WHERE TRUE ON CONFLICT DO NOTHING RETURNING {columns(Job)}",
        org_id=account.org_id, team_id=account.team_id, user_id=account.user_id, kind=kind, channel=channel,
        priority=priority, rank=rank, attempt=claim.attempt, executor_id=claim.executor_id, claim_hash=claim.hash,
        lease=claim.lease, **msgspec.structs.asdict(new),
    )  # fmt: skip


async def find_by_origin(db: Reads, origin: JobOrigin) -> str | None:
    """Return the id of the job for this item of a run, also if it is archived."""
    where = "run_id = :run_id AND step = :step AND item = :item"
    return await db.one(
        str, f"SELECT id FROM jobs WHERE {where} UNION ALL SELECT id FROM job_archive WHERE {where}",
        run_id=origin.run_id, step=origin.step, item=origin.item,
    )  # fmt: skip


async def find_last_of(tx: Tx, run_id: str, step: str) -> RunPart | None:
    """Return the job for the highest item of a step of a run, also if it is archived."""
    where = "run_id = :run_id AND step = :step ORDER BY item DESC LIMIT 1"
    live, archived = (
        f"SELECT * FROM (SELECT item, state FROM {table} WHERE {where}) AS found" for table in ("jobs", "job_archive")
    )
    return await tx.one(
        RunPart, f"{live} UNION ALL {archived} ORDER BY item DESC LIMIT 1", run_id=run_id, step=step,
    )  # fmt: skip


async def find_by_key(db: Reads, team_id: str, idempotency_key: str) -> str | None:
    """Return the id of the team's job with this idempotency key, also if it is archived."""
    where = "team_id = :team_id AND idempotency_key = :key"
    return await db.one(
        str, f"SELECT id FROM jobs WHERE {where} UNION ALL SELECT id FROM job_archive WHERE {where}",
        team_id=team_id, key=idempotency_key,
    )  # fmt: skip


# Lanes


async def select_lanes(tx: Tx, lanes: Sequence[Lane]) -> list[LaneState]:
    """Return how full the lanes are. Their companies are locked (shared), so a suspension is seen or waits."""
    lane = "jobs.team_id = requested.team_id AND jobs.kind = requested.kind AND rank IS NOT NULL"
    requested = tx.dialect.json_table("lanes", org_id="TEXT", team_id="TEXT", kind="TEXT")
    return await tx.all(
        LaneState,
        f"WITH requested AS MATERIALIZED ({requested})"
        " SELECT requested.org_id, requested.team_id, requested.kind, orgs.plan, orgs.suspended_at IS NOT NULL,"
        f" (SELECT COUNT(*) FROM jobs WHERE {lane}), (SELECT MAX(rank) FROM jobs WHERE {lane}),"
        f" {_CLOCK}"
        f" FROM requested JOIN orgs ON orgs.id = requested.org_id {_of_orgs(tx.dialect.share_lock)}",
        lanes=as_json(lanes),
    )


def _of_orgs(lock: str) -> str:
    return f"{lock} OF orgs" if lock else ""


async def move(tx: Tx, limit: int, channel: str, target: str, except_orgs: Sequence[str]) -> list[Lane]:
    """Move queued jobs to another channel, except for those of some companies; return the lane of each."""
    return await tx.all(
        Lane,
        f"WITH chosen AS MATERIALIZED (SELECT id AS chosen_id FROM jobs WHERE state = 'queued' AND channel = :channel"
        f" AND {_ELSEWHERE} AND org_id NOT IN ({tx.dialect.json_strings.format('except_orgs')}) LIMIT :limit"
        f" {tx.dialect.row_lock}) UPDATE jobs SET channel = :target FROM chosen WHERE jobs.id = chosen.chosen_id"
        " RETURNING jobs.org_id, jobs.team_id, jobs.kind",
        channel=channel, target=target, except_orgs=as_json(except_orgs), limit=limit,
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
    backlog = tx.dialect.each_first.format(
        table="jobs",
        rest=f"WHERE team_id = wanted.team_id AND channel = wanted.channel AND {_BACKLOG}"
        f" ORDER BY priority, id LIMIT {_round_up(max(lane.free for lane in capacities))} {tx.dialect.skip_locked}",
    )
    chosen = tx.dialect.in_query.format("SELECT chosen_id FROM numbered WHERE turn <= free")
    given = tx.dialect.json_table(
        "wanted", org_id="TEXT", team_id="TEXT", kind="TEXT", channel="TEXT", free="BIGINT", after_rank="BIGINT"
    )
    # The server's own channel, and those that a worker polled recently.
    wanted = (
        "SELECT team_id, kind, channel, free, after_rank FROM given UNION"
        " SELECT given.team_id, given.kind, served.channel, given.free, given.after_rank FROM given JOIN job_channels AS served"
        f" ON served.kind = given.kind AND served.org_id IN ('', given.org_id) AND served.seen_at > moment(-{_CHANNEL_TTL})"
    )
    return await tx.all(
        str,
        f"WITH given AS MATERIALIZED ({given}), wanted AS MATERIALIZED ({wanted}),"
        f" waiting AS MATERIALIZED (SELECT jobs.id, jobs.priority, wanted.* FROM wanted {backlog}),"
        " numbered AS MATERIALIZED (SELECT id AS chosen_id, free, after_rank,"
        " ROW_NUMBER() OVER (PARTITION BY team_id, kind ORDER BY priority, id) AS turn FROM waiting)"
        f" UPDATE jobs SET rank = after_rank + :step * turn FROM numbered WHERE jobs.id {chosen} AND jobs.id = chosen_id"
        " RETURNING jobs.channel",
        wanted=as_json(capacities), step=step,
    )  # fmt: skip


def _round_up(limit: int) -> int:
    """Round a LIMIT up to one of few numbers (1, 2, 3, 4, 6, 8, 12, 16, 24...), for the text of a statement.

    With a limit as a parameter PostgreSQL would plan the statement anew every time, which takes longer than to run it.
    """
    power = 1 << (limit - 1).bit_length()
    return power * 3 // 4 if limit <= power * 3 // 4 else power


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
        f"UPDATE jobs SET {_WITHDRAW} WHERE {_RANKED} AND state = 'queued' AND org_id = :org_id",
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
        f"UPDATE jobs SET {_WITHDRAW} WHERE {_RANKED} AND state = 'queued'"
        " AND org_id IN (SELECT id FROM orgs WHERE suspended_at IS NOT NULL)"
    )


async def withdraw_unserved(tx: Tx) -> None:
    """Move jobs that no worker can take back to the backlog: they must not count against their lane's cap."""
    await tx.run(
        f"UPDATE jobs SET {_WITHDRAW} WHERE {_RANKED} AND state = 'queued' AND channel IN"
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
        f"UPDATE jobs SET run_at = moment(0) WHERE state = 'queued' AND phase = 'parked' AND {_RANKED}"
        " AND (org_id = :org_id OR :org_id = '')",
        org_id=org_id,
    )


async def put_channel(tx: Tx, channel: str, org_id: str, kind: str) -> None:
    await tx.run(
        "INSERT INTO job_channels (channel, org_id, kind, seen_at) VALUES (:channel, :org_id, :kind, moment(0))"
        " ON CONFLICT (channel, org_id) DO UPDATE SET seen_at = excluded.seen_at",
        channel=channel, org_id=org_id, kind=kind,
    )  # fmt: skip


async def delete_stale_channels(tx: Tx, limit: int, ago: float) -> list[str]:
    """Delete channels that were not polled for so long: workers choose model names freely, so there can be many."""
    return await tx.all(
        str,
        "DELETE FROM job_channels WHERE (channel, org_id) IN (SELECT channel, org_id FROM job_channels"
        " WHERE seen_at < moment(:since) LIMIT :limit) RETURNING channel",
        since=-ago, limit=limit,
    )  # fmt: skip


# Running jobs


async def select_admitted(
    tx: Tx, slots: Sequence[ClaimSlot], *, org_id: str | None, models: Sequence[str] | None
) -> list[ReadyJob]:
    """Select admitted jobs of these channels in the order of their ranks, and lock them."""
    excluded = tx.dialect.json_list.format("wanted.excluded_orgs")
    most = max(slot.limit for slot in slots)
    admitted = tx.dialect.each_first.format(
        table="jobs",
        rest=f"WHERE {f'org_id = :org_id AND {_ELSEWHERE} AND ' if org_id is not None else ''}channel = wanted.channel AND {_ADMITTED}"
        f" AND org_id NOT IN ({excluded}) AND (model IS NULL OR CAST(:models AS TEXT) IS NULL"
        f" OR model IN ({tx.dialect.json_strings.format('models')})) ORDER BY rank LIMIT {_round_up(most)} {tx.dialect.skip_locked}",
    )
    wanted = tx.dialect.json_table("wanted", channel="TEXT", excluded_orgs=tx.dialect.json_type)
    params: dict[str, Any] = {} if org_id is None else {"org_id": org_id}
    return await tx.all(
        ReadyJob,
        f"WITH wanted AS MATERIALIZED ({wanted}) SELECT jobs.id, jobs.org_id, jobs.kind FROM wanted {admitted} ORDER BY jobs.rank",
        wanted=as_json(slots), models=None if models is None else as_json(models),
        **params,
    )  # fmt: skip


async def take(tx: Tx, ids: Sequence[str], *, executor_id: str, claim_hash: str, lease: float) -> list[Job]:
    return await tx.all(
        Job,
        "UPDATE jobs SET state = 'running', attempt = attempt + 1, stop_requested = FALSE, executor_id = :executor_id, claim_hash = :claim_hash,"
        f" lease_until = (SELECT moment(:lease)), started_at = {NOW}, waits = NULL"
        f" WHERE id {tx.dialect.in_strings.format('ids')} RETURNING {columns(Job)}",
        executor_id=executor_id, claim_hash=claim_hash, lease=lease, ids=as_json(ids),
    )  # fmt: skip


async def set_reservation(tx: Tx, job_id: str, reservation_id: str | None) -> None:
    await tx.run(
        "UPDATE jobs SET reservation_id = :reservation_id WHERE id = :id", id=job_id, reservation_id=reservation_id
    )


async def set_reservations(tx: Tx, by_job: Mapping[str, str]) -> None:
    """Set the reservation of each job."""
    sent = tx.dialect.json_table("sent", job_id="TEXT", reserved="TEXT")
    await tx.run(
        f"UPDATE jobs SET reservation_id = reserved FROM ({sent}) AS sent WHERE id = job_id",
        sent=as_json([{"job_id": job_id, "reserved": reserved} for job_id, reserved in by_job.items()]),
    )


# Jobs parked for a slot are due within some seconds, so later rows of the index need not be read.
_PARKED = "state = 'queued' AND phase <> 'ready' AND run_at <= moment(:within) AND phase = 'parked'"
_FOR_SLOT = {level.value: as_json(QuotaBlock(Dimension.CONCURRENCY, level, None)) for level in Level}


async def select_parked_orgs(tx: Tx, org_ids: Sequence[str], *, within: float) -> list[str]:
    """Return those of the companies that have jobs parked for a slot, which are due within that many seconds."""
    return await tx.all(
        str,
        f"SELECT DISTINCT org_id FROM jobs WHERE {_PARKED} AND org_id {tx.dialect.in_strings.format('org_ids')}"
        " AND waits IN (:tenant, :org, :team)",
        org_ids=as_json(org_ids), within=within, **_FOR_SLOT,
    )  # fmt: skip


async def unpark(tx: Tx, org_id: str, team_id: str, *, count: int, within: float) -> list[str]:
    """Make ready the first jobs parked for a slot that this team has freed; return their channels."""
    return await tx.all(
        str,
        f"WITH chosen AS MATERIALIZED (SELECT id AS chosen_id FROM jobs WHERE {_PARKED} AND org_id = :org_id"
        " AND (waits IN (:tenant, :org)"
        f" OR (waits = :team AND team_id = :team_id)) ORDER BY rank, id LIMIT :count {tx.dialect.skip_locked})"
        " UPDATE jobs SET phase = 'ready', waits = NULL FROM chosen WHERE jobs.id = chosen.chosen_id RETURNING jobs.channel",
        org_id=org_id, team_id=team_id, count=count, within=within, **_FOR_SLOT,
    )  # fmt: skip


async def extend(tx: Tx, claim: JobClaim, *, lease: float, progress: int | None, message: str | None) -> Job | None:
    return await tx.one(
        Job,
        "UPDATE jobs SET lease_until = moment(:lease), progress = COALESCE(CAST(:progress AS BIGINT), progress),"
        f" message = COALESCE(CAST(:message AS TEXT), message) WHERE {_CLAIMED} RETURNING {columns(Job)}",
        id=claim.job_id, attempt=claim.attempt, claim_hash=claim.hash, executor_id=claim.executor_id, lease=lease, progress=progress, message=message,
    )  # fmt: skip


async def extend_many(tx: Tx, claims: Sequence[JobClaim], lease: float) -> list[ExtendedJob]:
    """Extend the leases of these claims; stale ones are left out."""
    return await tx.all(
        ExtendedJob,
        f"WITH wanted AS MATERIALIZED ({_claims_table(tx)}) UPDATE jobs SET lease_until = (SELECT moment(:lease)) FROM wanted"
        f" WHERE {_MATCHES_CLAIM} RETURNING jobs.id, jobs.attempt, jobs.reservation_id, jobs.stop_requested",
        wanted=as_json(_claim_rows(claims)), lease=lease,
    )  # fmt: skip


async def request_stop(tx: Tx, job_id: str) -> bool:
    """Ask the handler of a running job to stop; return False if it is not running."""
    return await tx.exists(
        "UPDATE jobs SET stop_requested = TRUE WHERE id = :id AND state = 'running' RETURNING id", id=job_id
    )


async def get_claimed(db: Reads, claim: JobClaim) -> Job | None:
    """Return the running job of a claim, or None if the claim is stale."""
    return await db.one(
        Job,
        f"SELECT {columns(Job)} FROM jobs WHERE {_CLAIMED}",
        id=claim.job_id, attempt=claim.attempt, claim_hash=claim.hash, executor_id=claim.executor_id,
    )  # fmt: skip


async def set_refused_spend(tx: Tx, job_id: str, spend: Spend) -> None:
    """Record what refused results of this attempt have cost. The caller has locked the job."""
    await tx.run("UPDATE jobs SET refused_spend = :spend WHERE id = :id", id=job_id, spend=as_json(spend))


# Outcomes. The rows are locked first, always in the order of their ids, then changed by one statement.


async def lock_claimed(tx: Tx, claims: Sequence[JobClaim]) -> list[Job]:
    """Lock the running jobs of these claims; stale claims are left out."""
    return await tx.all(
        Job,
        f"WITH wanted AS MATERIALIZED ({_claims_table(tx)}) SELECT {columns(Job, 'jobs')} FROM wanted"
        f" JOIN jobs ON {_MATCHES_CLAIM} ORDER BY jobs.id {_of_jobs(tx.dialect.row_lock)}",
        wanted=as_json(_claim_rows(claims)),
    )  # fmt: skip


_MATCHES_CLAIM = (
    "jobs.id = wanted.id AND jobs.attempt = wanted.attempt AND jobs.claim_hash = wanted.claim_hash"
    " AND jobs.executor_id = wanted.executor_id"
    f" AND {_RUNS} AND jobs.lease_until > {NOW}"
)


def _claims_table(tx: Tx) -> str:
    return tx.dialect.json_table("wanted", id="TEXT", attempt="BIGINT", claim_hash="TEXT", executor_id="TEXT")


def _claim_rows(claims: Sequence[JobClaim]) -> list[dict[str, object]]:
    # In the order in which rows are locked: a heartbeat must not wait for a landing that waits for it.
    return [
        {"id": claim.job_id, "attempt": claim.attempt, "claim_hash": claim.hash, "executor_id": claim.executor_id}
        for claim in sorted(claims, key=lambda claim: claim.job_id)
    ]


def _of_jobs(lock: str) -> str:
    return f"{lock} OF jobs" if lock else ""


async def lock_queued(tx: Tx, job_id: str) -> Job | None:
    return await tx.one(
        Job, f"SELECT {columns(Job)} FROM jobs WHERE id = :id AND state = 'queued' {tx.dialect.row_lock}", id=job_id
    )


async def lock_queued_of_run(tx: Tx, run_id: str) -> list[Job]:
    """Lock the queued jobs of a run; those that another transaction has locked are left out."""
    return await tx.all(
        Job,
        f"SELECT {columns(Job)} FROM jobs WHERE run_id = :run_id AND state <> 'succeeded' AND state = 'queued'"
        f" ORDER BY id {tx.dialect.skip_locked}",
        run_id=run_id,
    )  # fmt: skip


async def lock_running(tx: Tx, job_id: str) -> Job | None:
    return await tx.one(
        Job, f"SELECT {columns(Job)} FROM jobs WHERE id = :id AND state = 'running' {tx.dialect.row_lock}", id=job_id
    )


async def lock_running_of(tx: Tx, executor_id: str) -> list[Job]:
    return await tx.all(
        Job,
        f"SELECT {columns(Job)} FROM jobs WHERE executor_id = :executor_id AND state = 'running'"
        f" ORDER BY id {tx.dialect.row_lock}",
        executor_id=executor_id,
    )  # fmt: skip


_EXPIRED = "state = 'running' AND lease_until <= moment(0)"


async def select_expired(db: Reads, limit: int) -> list[str]:
    """Select the ids of running jobs whose lease has expired."""
    return await db.all(str, f"SELECT id FROM jobs WHERE {_EXPIRED} ORDER BY lease_until, id LIMIT :limit", limit=limit)


async def lock_expired(tx: Tx, ids: Sequence[str]) -> list[Job]:
    """Lock those of the jobs whose lease is still expired; jobs that another transaction has locked are left out."""
    return await tx.all(
        Job,
        f"SELECT {columns(Job)} FROM jobs WHERE id {tx.dialect.in_strings.format('ids')} AND {_EXPIRED}"
        f" ORDER BY lease_until, id {tx.dialect.skip_locked}",
        ids=as_json(ids),
    )  # fmt: skip


_TRANSITION = (
    "state = change.state, phase = COALESCE(change.phase, 'ready'), attempt = COALESCE(change.attempt, jobs.attempt),"
    " rank = CASE WHEN change.keep_rank THEN jobs.rank END,"
    " max_attempts = COALESCE(change.max_attempts, jobs.max_attempts),"
    " lease_expiries = COALESCE(change.lease_expiries, jobs.lease_expiries), lease_until = NULL,"
    " progress = CASE change.state WHEN 'failed' THEN jobs.progress END,"
    " message = CASE change.state WHEN 'failed' THEN jobs.message END,"
    " executor_id = CASE change.state WHEN 'queued' THEN NULL ELSE jobs.executor_id END,"
    " claim_hash = CASE change.state WHEN 'queued' THEN NULL ELSE jobs.claim_hash END,"
    " reservation_id = CASE change.state WHEN 'queued' THEN NULL ELSE jobs.reservation_id END,"
    " started_at = CASE change.state WHEN 'queued' THEN NULL ELSE jobs.started_at END,"
    " refused_spend = NULL, waits = change.waits, result = change.result,"
    " error = CASE change.state WHEN 'succeeded' THEN NULL ELSE COALESCE(change.error, jobs.error) END,"
    " run_at = COALESCE(change.until, CASE WHEN change.delay IS NOT NULL THEN moment(change.delay) END, jobs.run_at),"
    f" finished_at = CASE change.state WHEN 'queued' THEN NULL ELSE {NOW} END"
)
_TRANSITION_COLUMNS = {
    "id": "TEXT", "state": "TEXT", "phase": "TEXT", "keep_rank": "BOOLEAN", "attempt": "BIGINT", "max_attempts": "BIGINT",
    "lease_expiries": "BIGINT", "error": "TEXT", "result": "TEXT", "waits": "TEXT", "until": "TEXT",
    "delay": "DOUBLE PRECISION",
}  # fmt: skip


async def apply(tx: Tx, transitions: Sequence[Transition]) -> None:
    """Change jobs that this transaction has locked.

    A finished job keeps its executor and claim: a worker that got no response can send the same result again.
    """
    changes, values = tx.dialect.table("changes", transitions, **_TRANSITION_COLUMNS)
    await tx.run(
        f"WITH change AS MATERIALIZED ({changes}) UPDATE jobs SET {_TRANSITION} FROM change WHERE jobs.id = change.id",
        **values,
    )


async def land(tx: Tx, transitions: Sequence[Transition]) -> list[LandedJob]:
    """Lock the running jobs whose claims are still valid, in the order of their ids, and change them; return them.

    Each job is in the list once.
    """
    sent, values = tx.dialect.table(
        "transitions", transitions, **_TRANSITION_COLUMNS, held_attempt="BIGINT", claim_hash="TEXT", executor_id="TEXT"
    )
    return await tx.all(
        LandedJob,
        f"WITH sent AS MATERIALIZED ({sent}), change AS MATERIALIZED (SELECT sent.* FROM sent JOIN jobs"
        " ON jobs.id = sent.id AND jobs.attempt = sent.held_attempt AND jobs.claim_hash = sent.claim_hash"
        f" AND jobs.executor_id = sent.executor_id AND {_RUNS} AND jobs.lease_until > {NOW}"
        f" ORDER BY jobs.id {_of_jobs(tx.dialect.row_lock)})"
        f" UPDATE jobs SET {_TRANSITION} FROM change WHERE jobs.id = change.id RETURNING {columns(LandedJob, 'jobs')}",
        **values,
    )


async def set_result(tx: Tx, job_id: str, result: str) -> None:
    await tx.run("UPDATE jobs SET result = :result WHERE id = :id", id=job_id, result=result)


async def get_kind(db: Reads, job_id: str) -> str | None:
    return await db.one(str, "SELECT kind FROM jobs WHERE id = :id", id=job_id)


async def get_succeeded(tx: Tx, claim: JobClaim, result: str) -> Job | None:
    """Return the job if this attempt has completed it with this result."""
    return await tx.one(
        Job,
        f"SELECT {columns(Job)} FROM jobs WHERE id = :id AND state = 'succeeded' AND attempt = :attempt"
        " AND claim_hash = :claim_hash AND executor_id = :executor_id AND result = :result",
        id=claim.job_id, attempt=claim.attempt, claim_hash=claim.hash, executor_id=claim.executor_id, result=result,
    )  # fmt: skip


# Schedule, archive


async def select_running_executors(db: Reads) -> list[str]:
    """Select the ids of executors with running jobs."""
    return await db.all(str, "SELECT DISTINCT executor_id FROM jobs WHERE state = 'running'")


async def end_leases(tx: Tx, executor_id: str) -> None:
    await tx.run(
        "UPDATE jobs SET lease_until = moment(0) WHERE executor_id = :executor_id AND state = 'running'",
        executor_id=executor_id,
    )


async def ready_due(tx: Tx, limit: int) -> list[Job]:
    """Make scheduled and parked jobs ready whose time has come."""
    return await tx.all(
        Job,
        "UPDATE jobs SET phase = 'ready', waits = NULL WHERE id IN (SELECT id FROM jobs WHERE state = 'queued'"
        f" AND phase <> 'ready' AND run_at <= moment(0) ORDER BY run_at LIMIT :limit {tx.dialect.skip_locked})"
        f" RETURNING {columns(Job)}",
        limit=limit,
    )  # fmt: skip


async def archive(tx: Tx, limit: int, ago: float) -> list[str]:
    """Move the jobs to the archive that ended so many seconds ago."""
    ids = await tx.all(
        str,
        f"INSERT INTO job_archive ({_ARCHIVE_COLUMNS}) SELECT {_ARCHIVE_COLUMNS} FROM jobs WHERE state IN ('succeeded', 'failed', 'cancelled')"
        f" AND finished_at < moment(:since) ORDER BY finished_at LIMIT :limit {tx.dialect.skip_locked} RETURNING id",
        since=-ago, limit=limit,
    )  # fmt: skip
    return await tx.all(
        str, f"DELETE FROM jobs WHERE id {tx.dialect.in_strings.format('ids')} RETURNING id", ids=as_json(ids)
    )


async def delete_old(tx: Tx, limit: int, ago: float) -> list[str]:
    """Delete archived jobs that ended so many seconds ago, without steps of workflows, which belong to their runs."""
    return await tx.all(
        str,
        "DELETE FROM job_archive WHERE id IN (SELECT id FROM job_archive WHERE kind <> 'workflow.step'"
        " AND finished_at < moment(:since) ORDER BY finished_at LIMIT :limit) RETURNING id",
        since=-ago, limit=limit,
    )  # fmt: skip


# Deleted texts


_MADE_FOR = ("id = :id", "run_id = :id", "run_id > :first AND run_id < :last")
"""A job, those of its steps, and those of what its steps call. Each is found by an index."""


async def is_open(db: Reads, job_id: str, first: str, last: str, *, since: float) -> bool:
    """Whether the job, or one that was made for it, has not ended so many seconds ago."""
    made = " UNION ALL ".join(
        f"SELECT 1 FROM jobs WHERE {each} AND (finished_at IS NULL OR finished_at > moment(:since))"
        for each in _MADE_FOR
    )
    return await db.exists(f"SELECT 1 FROM ({made}) AS made LIMIT 1", id=job_id, first=first, last=last, since=-since)


async def select_queued(tx: Tx, job_id: str, first: str, last: str) -> list[str]:
    """Select the job and those that were made for it, if they are queued."""
    made = " UNION ALL ".join(f"SELECT id FROM jobs WHERE {each} AND state = 'queued'" for each in _MADE_FOR)
    return await tx.all(str, made, id=job_id, first=first, last=last)


async def select_texts(tx: Tx, job_id: str, first: str, last: str) -> list[JobTexts]:
    """Select the results and errors of the job and of those that were made for it."""
    made = (
        f"SELECT {columns(JobTexts)} FROM {table} WHERE {each}"
        for table in ("jobs", "job_archive")
        for each in _MADE_FOR
    )
    return await tx.all(JobTexts, " UNION ALL ".join(made), id=job_id, first=first, last=last)


async def replace_texts(tx: Tx, texts: Sequence[JobTexts]) -> None:
    """Replace the results and errors of jobs, and empty the rest of what they say. A job may be archived meanwhile.

    Off the event loop: the inputs of the jobs can have megabytes each.
    """
    replaced = tx.dialect.json_table("texts", **dict.fromkeys(JobTexts.__struct_fields__, "TEXT"))
    for table in ("jobs", "job_archive"):
        await tx.run_offloaded(
            f"UPDATE {table} SET input = '{{}}', title = NULL, message = NULL, result = replaced.result,"
            f" error = replaced.error FROM ({replaced}) AS replaced WHERE {table}.id = replaced.id",
            texts=as_json(texts),
        )


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


async def get_run_id(db: Reads, job_id: str) -> str | None:
    return await db.one(
        str,
        "SELECT run_id FROM jobs WHERE id = :id UNION ALL SELECT run_id FROM job_archive WHERE id = :id LIMIT 1",
        id=job_id,
    )  # fmt: skip


async def find_end(db: Reads, job_id: str) -> State | None:
    """Return the state of a job that has ended, else None."""
    state = await db.one(
        str,
        "SELECT state FROM jobs WHERE id = :id AND finished_at IS NOT NULL"
        " UNION ALL SELECT state FROM job_archive WHERE id = :id",
        id=job_id,
    )  # fmt: skip
    return State(state) if state else None


async def get_end(db: Reads, job_id: str) -> JobEnd | None:
    """Return how a job ended, or None if it has not."""
    return await db.one(
        JobEnd,
        "SELECT kind, result, error FROM jobs WHERE id = :id AND finished_at IS NOT NULL"
        " UNION ALL SELECT kind, result, error FROM job_archive WHERE id = :id",
        id=job_id,
    )  # fmt: skip


async def select_live_subjects(db: Reads, kind: str, subject_ids: Sequence[str]) -> list[str]:
    """Return those of the subjects for which a job of the kind waits or runs. The kind is a literal, for its index."""
    return await db.all(
        str,
        f"SELECT subject_id FROM jobs WHERE kind = '{kind}' AND state IN ('queued', 'running')"
        f" AND subject_id {db.dialect.in_strings.format('ids')}",
        ids=as_json(subject_ids),
    )  # fmt: skip


async def get_company(db: Reads, org_id: str) -> CompanyPlan | None:
    return await db.one(CompanyPlan, "SELECT plan, suspended_at IS NOT NULL FROM orgs WHERE id = :id", id=org_id)


async def count_taken(db: Reads, team_id: str, kind: str) -> int:
    """Count the admitted, parked and running jobs of a lane; never more than its cap."""
    return await db.one(
        int, "SELECT COUNT(*) FROM jobs WHERE team_id = :team_id AND kind = :kind AND rank IS NOT NULL",
        team_id=team_id, kind=kind,
    ) or 0  # fmt: skip


# fmt: off
INVARIANTS = (
    Invariant("jobs.held", "a job has a lease and a claim exactly while it runs",
        "SELECT id FROM jobs WHERE (state = 'running') <> (lease_until IS NOT NULL)"
        " OR (state = 'running' AND (claim_hash IS NULL OR executor_id IS NULL))"),
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
