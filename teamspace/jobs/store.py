"""Jobs in SQL: one statement per function, no rules.

`moment(seconds)` is the database's clock: servers whose own clocks differ agree on when a lease is over.
The predicates are written out as the indexes have them; a claim walks the index of the admitted and nothing else.
"""

from collections.abc import Sequence
from functools import lru_cache

import msgspec

from teamspace.core.db import Fence, Reads, Tx, columns, listed
from teamspace.core.db.dialect import Dialect
from teamspace.core.tables import Invariant
from teamspace.jobs.schemas import (
    Asked,
    Block,
    Bodies,
    Claim,
    Claimed,
    Fault,
    JobRow,
    Landed,
    Lane,
    LaneState,
    Opening,
    Place,
    Room,
    Standing,
    State,
    Turn,
)
from teamspace.quota import Dimension, Level

_BACKLOG = "state = 'queued' AND phase = 'ready' AND rank IS NULL"
_ADMITTED = "state = 'queued' AND phase = 'ready' AND rank IS NOT NULL"
_HELD = (
    "id = :id AND state = 'running' AND attempt = :attempt AND claim_hash = :claim_hash AND executor_id = :executor_id"
    " AND lease_until > moment(0)"
)
_LET_GO = "executor_id = NULL, claim_hash = NULL, lease_until = NULL, hold_id = NULL, progress = NULL, message = NULL"
_WITHDRAWN = "rank = NULL, phase = 'ready', waits = NULL"
"""Of what is admitted and not yet taken: it goes back to wait."""
_LIVE_FOR = 60
"""Seconds for which a place counts as served after somebody asked there."""
_KEPT = (
    "id, org_id, team_id, user_id, kind, model, state, priority, run_at, attempt, attempts, executor_id, progress,"
    " message, retry_of, input, result, error, created_at, started_at, finished_at"
)
_ARCHIVED = (
    "id, kind, state, team_id, user_id, model, executor_id, priority, run_at, attempt, attempts, progress, message,"
    " error, retry_of, created_at, started_at, finished_at, '', 'ready', NULL, NULL, NULL"
)


# Into the queue


async def insert(
    tx: Tx, id: str, lane: Lane, user_id: str, *, place: str, model: str | None, priority: int, run_at: str | None,
    attempts: int, input: str, retry_of: str | None,
) -> None:  # fmt: skip
    await tx.run(
        "INSERT INTO jobs (id, org_id, team_id, user_id, kind, place, model, state, phase, priority, run_at, attempt,"
        " attempts, lapses, input, retry_of, created_at) VALUES (:id, :org_id, :team_id, :user_id, :kind, :place, :model,"
        " 'queued', CASE WHEN CAST(:run_at AS TEXT) > moment(0) THEN 'scheduled' ELSE 'ready' END, :priority,"
        " COALESCE(CAST(:run_at AS TEXT), moment(0)), 0, :attempts, 0, :input, :retry_of, moment(0))",
        id=id, org_id=lane.org_id, team_id=lane.team_id, user_id=user_id, kind=lane.kind, place=place, model=model,
        priority=priority, run_at=run_at, attempts=attempts, input=input, retry_of=retry_of,
    )  # fmt: skip


# Lanes


async def select_lanes(tx: Tx, lanes: Sequence[Lane]) -> list[LaneState]:
    """How full they are. Their companies are held as they are, so that a suspension comes before or after."""
    return await tx.all(LaneState, _asking(len(lanes), tx.dialect.share), **_named(lanes))


def _named(lanes: Sequence[Lane]) -> dict[str, str]:
    return {
        f"{name}_{at}": getattr(lane, name) for at, lane in enumerate(lanes) for name in ("org_id", "team_id", "kind")
    }


@lru_cache(64)
def _asking(count: int, share: str) -> str:
    asked = ", ".join(
        f"(CAST(:org_id_{at} AS TEXT), CAST(:team_id_{at} AS TEXT), CAST(:kind_{at} AS TEXT))" for at in range(count)
    )
    lane = "jobs.team_id = asked.team_id AND jobs.kind = asked.kind AND rank IS NOT NULL"
    return (
        f"WITH asked (org_id, team_id, kind) AS (VALUES {asked})"
        " SELECT asked.org_id, asked.team_id, asked.kind, orgs.plan, orgs.suspended_at IS NOT NULL,"
        f" (SELECT COUNT(*) FROM jobs WHERE {lane}), (SELECT MAX(rank) FROM jobs WHERE {lane}),"
        # By how far the queue has come, and not by what waits: else the newest would always be first.
        " COALESCE((SELECT rank FROM jobs WHERE state = 'running' ORDER BY rank DESC LIMIT 1),"
        f" (SELECT rank FROM jobs WHERE {_ADMITTED} ORDER BY rank LIMIT 1),"
        # Those who wait for a quota keep their ranks: a clock that began anew would leave them far behind.
        " (SELECT rank FROM jobs WHERE rank IS NOT NULL ORDER BY rank DESC LIMIT 1), 0)"
        f" FROM asked JOIN orgs ON orgs.id = asked.org_id {share}"
    )


async def move(tx: Tx, place: str, target: str, but_of: Sequence[str]) -> list[Lane]:
    """Jobs that wait at a place go to another, except for those of some companies."""
    return await tx.all(
        Lane,
        "UPDATE jobs SET place = :target WHERE state = 'queued' AND place NOT LIKE '%@local' AND place = :place"
        f" AND org_id NOT IN ({tx.dialect.strings.format('but_of')}) RETURNING org_id, team_id, kind",
        place=place, target=target, but_of=msgspec.json.encode(but_of).decode(),
    )  # fmt: skip


async def select_places(db: Reads) -> list[Place]:
    """Where somebody asked for work lately."""
    return await db.all(
        Place, f"SELECT {columns(Place)} FROM job_places WHERE seen_at > moment(-{_LIVE_FOR})"
    )  # fmt: skip


async def admit(tx: Tx, rooms: Sequence[Room], step: int) -> list[str]:
    """Give ranks to the first of each backlog; the places of those admitted.

    Whoever holds a lane waits for no row: one that is being cancelled is passed over.
    """
    values: dict[str, str | int] = {"step": step}
    for at, room in enumerate(rooms):
        values |= {f"team_{at}": room.team_id, f"room_{at}": room.room, f"after_{at}": room.after}
        values |= {f"place_{at}_{number}": place for number, place in enumerate(room.places)}
    return await tx.all(str, _admitting(tuple(len(room.places) for room in rooms), tx.dialect.skip_locked), **values)


@lru_cache(64)
def _admitting(places: tuple[int, ...], skip_locked: str) -> str:
    lanes = " UNION ALL ".join(
        f"SELECT id, :after_{at} + :step * turn AS given FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY priority, id) AS turn"
        f" FROM ({_waiting(at, count, skip_locked)}) AS waiting_{at} ORDER BY priority, id LIMIT :room_{at}) AS lane_{at}"
        for at, count in enumerate(places)
    )
    return (
        f"WITH chosen (chosen_id, given) AS MATERIALIZED ({lanes})"
        " UPDATE jobs SET rank = chosen.given FROM chosen WHERE jobs.id = chosen.chosen_id RETURNING jobs.place"
    )


def _waiting(at: int, places: int, skip_locked: str) -> str:
    """The first of a lane's backlog in each of its places."""
    return " UNION ALL ".join(
        f"SELECT id, priority FROM (SELECT id, priority FROM jobs WHERE team_id = :team_{at}"
        f" AND place = :place_{at}_{number} AND {_BACKLOG} ORDER BY priority, id LIMIT :room_{at}"
        f" {skip_locked}) AS place_{at}_{number}"
        for number in range(places)
    )


async def next_lane(db: Reads, after: Lane, org_id: str | None = None) -> Lane | None:
    """The first lane beyond `after` in which somebody waits; of one company, if it is named."""
    only = "" if org_id is None else "AND org_id = :only"
    return await db.one(
        Lane,
        f"SELECT org_id, team_id, kind FROM jobs WHERE {_BACKLOG} {only}"
        " AND (org_id, team_id, kind) > (:org_id, :team_id, :kind) ORDER BY org_id, team_id, kind LIMIT 1",
        org_id=after.org_id, team_id=after.team_id, kind=after.kind, **({"only": org_id} if org_id else {}),
    )  # fmt: skip


async def withdraw_company(tx: Tx, org_id: str) -> None:
    """What is admitted and not yet taken goes back to wait."""
    await tx.run(
        f"UPDATE jobs SET {_WITHDRAWN} WHERE rank IS NOT NULL AND state = 'queued' AND org_id = :org_id",
        org_id=org_id,
    )


async def withdraw_beyond(tx: Tx, org_id: str, cap: int) -> None:
    """What a company's lanes have let in beyond the cap goes back to wait, the last in turn first."""
    await tx.run(
        f"UPDATE jobs SET {_WITHDRAWN} WHERE state = 'queued' AND id IN"
        " (SELECT id FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY team_id, kind"
        " ORDER BY CASE state WHEN 'running' THEN 0 ELSE 1 END, rank) AS turn FROM jobs WHERE rank IS NOT NULL"
        " AND team_id IN (SELECT id FROM teams WHERE org_id = :org_id)) AS admitted WHERE turn > :cap)",
        org_id=org_id, cap=cap,
    )  # fmt: skip


async def withdraw_suspended(tx: Tx) -> None:
    """Should a suspension's own withdrawal have been lost."""
    await tx.run(
        f"UPDATE jobs SET {_WITHDRAWN} WHERE rank IS NOT NULL AND state = 'queued'"
        " AND org_id IN (SELECT id FROM orgs WHERE suspended_at IS NOT NULL)"
    )


async def withdraw_unserved(tx: Tx) -> None:
    """Jobs that nobody can take must not hold their lane's room, whatever else they wait for."""
    await tx.run(
        f"UPDATE jobs SET {_WITHDRAWN} WHERE rank IS NOT NULL AND state = 'queued' AND place IN"
        f" (SELECT place FROM job_places WHERE seen_at <= moment(-{_LIVE_FOR})) AND NOT EXISTS (SELECT 1 FROM job_places"
        f" WHERE job_places.place = jobs.place AND job_places.org_id IN ('', jobs.org_id)"
        f" AND seen_at > moment(-{_LIVE_FOR}))"
    )


async def mark(tx: Tx, org_id: str) -> None:
    """Something about a company has changed, or about all of them where none is named."""
    await tx.run("INSERT INTO job_marks (org_id) VALUES (:org_id) ON CONFLICT DO NOTHING", org_id=org_id)


async def take_marks(tx: Tx) -> list[str]:
    return await tx.all(str, "DELETE FROM job_marks RETURNING org_id")


async def has_marks(db: Reads) -> bool:
    return bool(await db.one(int, "SELECT 1 FROM job_marks LIMIT 1"))


async def end_parking(tx: Tx, org_id: str) -> None:
    """Of all companies where none is named."""
    await tx.run(
        "UPDATE jobs SET run_at = moment(0) WHERE state = 'queued' AND phase = 'parked' AND rank IS NOT NULL"
        " AND (org_id = :org_id OR :org_id = '')",
        org_id=org_id,
    )


async def put_place(tx: Tx, place: str, org_id: str, kind: str) -> None:
    await tx.run(
        "INSERT INTO job_places (place, org_id, kind, seen_at) VALUES (:place, :org_id, :kind, moment(0))"
        " ON CONFLICT (place, org_id) DO UPDATE SET seen_at = excluded.seen_at",
        place=place, org_id=org_id, kind=kind,
    )  # fmt: skip


async def forget_places(tx: Tx, seconds: float) -> None:
    """A worker names its models itself: what nobody has asked for in a while is not kept."""
    await tx.run("DELETE FROM job_places WHERE seen_at < moment(:ago)", ago=-seconds)


# In somebody's hands


async def select_admitted(
    tx: Tx, openings: Sequence[Opening], *, org_id: str | None, models: Sequence[str] | None
) -> list[Turn]:
    """Those whose turn it is there, the first first; nobody else takes them before this transaction ends."""
    values: dict[str, str | int] = {} if org_id is None else {"org_id": org_id}
    if models is not None:
        values["models"] = msgspec.json.encode(models).decode()
    for at, opening in enumerate(openings):
        values |= {f"place_{at}": opening.place, f"most_{at}": opening.most}
        values |= {f"without_{at}_{number}": org for number, org in enumerate(opening.without)}
    without = tuple(len(opening.without) for opening in openings)
    return await tx.all(Turn, _choosing(without, org_id is not None, models is not None, tx.dialect), **values)


@lru_cache(64)
def _choosing(without: tuple[int, ...], of_company: bool, of_models: bool, dialect: Dialect) -> str:
    only = "org_id = :org_id AND" if of_company else ""
    if of_models:
        only += f" (model IS NULL OR model IN ({dialect.strings.format('models')})) AND"
    arms = " UNION ALL ".join(
        f"SELECT id, org_id, kind, rank FROM (SELECT id, org_id, kind, rank FROM jobs WHERE {only} {_excluded(at, count)}"
        f" place = :place_{at} AND {_ADMITTED} ORDER BY rank LIMIT :most_{at} {dialect.skip_locked}) AS arm_{at}"
        for at, count in enumerate(without)
    )
    return f"SELECT id, org_id, kind FROM ({arms}) AS arms ORDER BY rank"


def _excluded(at: int, count: int) -> str:
    names = ", ".join(f":without_{at}_{number}" for number in range(count))
    return f"org_id NOT IN ({names}) AND" if names else ""


async def take(tx: Tx, ids: Sequence[str], *, executor_id: str, claim_hash: str, lease: float) -> list[Claimed]:
    places, named = listed("job", ids)
    return await tx.all(
        Claimed,
        "UPDATE jobs SET state = 'running', attempt = attempt + 1, executor_id = :executor_id, claim_hash = :claim_hash,"
        " lease_until = moment(:lease), started_at = moment(0), waits = NULL"
        f" WHERE id IN ({places}) RETURNING {columns(Claimed)}",
        executor_id=executor_id, claim_hash=claim_hash, lease=lease, **named,
    )  # fmt: skip


async def set_hold(tx: Tx, job_id: str, hold_id: str) -> None:
    await tx.run("UPDATE jobs SET hold_id = :hold_id WHERE id = :id", id=job_id, hold_id=hold_id)


async def park(tx: Tx, job_id: str, block: Block, *, until: str | None, seconds: float) -> None:
    """Back into the queue as if it had not been claimed; it keeps its turn, and so its lane's room."""
    await tx.run(
        "UPDATE jobs SET state = 'queued', phase = 'parked', attempt = attempt - 1, started_at = NULL, waits = :waits,"
        f" run_at = COALESCE(CAST(:until AS TEXT), moment(:seconds)), {_LET_GO} WHERE id = :id",
        id=job_id, waits=_json(block), until=until, seconds=seconds,
    )  # fmt: skip


async def unpark(tx: Tx, org_id: str, team_id: str, *, count: int, within: float) -> list[str]:
    """The first of a company's jobs that are parked for a slot may go, if one of this team could be theirs; their places.

    They would be looked at again within so many seconds: not all that is for later need be read to find them.
    """
    return await tx.all(
        str,
        "WITH chosen AS MATERIALIZED (SELECT id AS chosen_id FROM jobs WHERE state = 'queued' AND phase <> 'ready'"
        " AND run_at <= moment(:within) AND phase = 'parked' AND org_id = :org_id AND (waits IN (:tenant, :org)"
        f" OR (waits = :team AND team_id = :team_id)) ORDER BY rank, id LIMIT :count {tx.dialect.skip_locked})"
        " UPDATE jobs SET phase = 'ready', waits = NULL FROM chosen WHERE jobs.id = chosen.chosen_id RETURNING jobs.place",
        org_id=org_id, team_id=team_id, count=count, within=within,
        **{level.value: _json(Block(Dimension.CONCURRENCY, level, None)) for level in Level},
    )  # fmt: skip


async def extend(
    tx: Tx, claim: Claim, claim_hash: str, *, lease: float, progress: int | None, message: str | None
) -> Claimed | None:
    return await tx.one(
        Claimed,
        "UPDATE jobs SET lease_until = moment(:lease), progress = COALESCE(CAST(:progress AS BIGINT), progress),"
        f" message = COALESCE(CAST(:message AS TEXT), message) WHERE {_HELD} RETURNING {columns(Claimed)}",
        id=claim.job_id, attempt=claim.attempt, claim_hash=claim_hash, executor_id=claim.executor_id, lease=lease, progress=progress, message=message,
    )  # fmt: skip


async def get_held(tx: Tx, claim: Claim, claim_hash: str) -> Claimed | None:
    return await tx.one(
        Claimed,
        f"SELECT {columns(Claimed)} FROM jobs WHERE {_HELD}",
        id=claim.job_id, attempt=claim.attempt, claim_hash=claim_hash, executor_id=claim.executor_id,
    )  # fmt: skip


async def succeed(tx: Tx, claim: Claim, claim_hash: str, result: str) -> Landed | None:
    """The hash stays: a worker that never heard the answer may send the same result again."""
    return await tx.one(
        Landed,
        "UPDATE jobs SET state = 'succeeded', result = :result, error = NULL, rank = NULL, lease_until = NULL,"
        f" progress = NULL, message = NULL, finished_at = moment(0) WHERE {_HELD} RETURNING {columns(Landed)}",
        id=claim.job_id, attempt=claim.attempt, claim_hash=claim_hash, executor_id=claim.executor_id, result=result,
    )  # fmt: skip


async def succeed_all(tx: Tx, ended: Sequence[tuple[Claim, str, str]]) -> list[Landed]:
    """Each with its claim, the hash of its secret, and its result; those that are still held so."""
    values: dict[str, str | int] = {}
    for at, (claim, claim_hash, result) in enumerate(ended):
        values |= {f"id_{at}": claim.job_id, f"attempt_{at}": claim.attempt, f"hash_{at}": claim_hash}
        values[f"result_{at}"] = result
    return await tx.all(Landed, _succeeding(len(ended)), **values)


@lru_cache(64)
def _succeeding(count: int) -> str:
    rows = ", ".join(
        f"(CAST(:id_{at} AS TEXT), CAST(:attempt_{at} AS BIGINT), CAST(:hash_{at} AS TEXT), CAST(:result_{at} AS TEXT))"
        for at in range(count)
    )
    return (
        f"WITH ended (job, number, hash, brought) AS (VALUES {rows})"
        " UPDATE jobs SET state = 'succeeded', result = ended.brought, error = NULL, rank = NULL, lease_until = NULL,"
        " progress = NULL, message = NULL, finished_at = moment(0) FROM ended WHERE jobs.id = ended.job"
        " AND state = 'running' AND attempt = ended.number AND claim_hash = ended.hash AND lease_until > moment(0)"
        f" RETURNING {columns(Landed, 'jobs')}"
    )


async def get_landed(tx: Tx, claim: Claim, claim_hash: str, result: str) -> Landed | None:
    """The job, if this very result is the one that this very attempt brought."""
    return await tx.one(
        Landed,
        f"SELECT {columns(Landed)} FROM jobs WHERE id = :id AND state = 'succeeded' AND attempt = :attempt"
        " AND claim_hash = :claim_hash AND executor_id = :executor_id AND result = :result",
        id=claim.job_id, attempt=claim.attempt, claim_hash=claim_hash, executor_id=claim.executor_id, result=result,
    )  # fmt: skip


async def end(tx: Tx, claim: Claim, claim_hash: str, state: State, fault: Fault) -> Landed | None:
    """Without a result."""
    return await tx.one(
        Landed,
        "UPDATE jobs SET state = :state, error = :error, rank = NULL, lease_until = NULL, claim_hash = NULL,"
        f" finished_at = moment(0) WHERE {_HELD} RETURNING {columns(Landed)}",
        id=claim.job_id, attempt=claim.attempt, claim_hash=claim_hash, executor_id=claim.executor_id, state=state,
        error=_json(fault),
    )  # fmt: skip


async def postpone(tx: Tx, claim: Claim, claim_hash: str, fault: Fault, seconds: float) -> Landed | None:
    """To be tried again; meanwhile it holds no room in its lane."""
    return await tx.one(
        Landed,
        "UPDATE jobs SET state = 'queued', phase = 'scheduled', rank = NULL, error = :error, started_at = NULL,"
        f" run_at = moment(:seconds), {_LET_GO} WHERE {_HELD} RETURNING {columns(Landed)}",
        id=claim.job_id, attempt=claim.attempt, claim_hash=claim_hash, executor_id=claim.executor_id, error=_json(fault), seconds=seconds,
    )  # fmt: skip


async def put_back(tx: Tx, claim: Claim, claim_hash: str) -> Landed | None:
    """Into the queue again. The attempt that was cut off is not one of the job's own, and no lapse."""
    return await tx.one(
        Landed,
        "UPDATE jobs SET state = 'queued', phase = 'ready', rank = NULL, started_at = NULL, attempts = attempts + 1,"
        f" {_LET_GO} WHERE {_HELD} RETURNING {columns(Landed)}",
        id=claim.job_id, attempt=claim.attempt, claim_hash=claim_hash, executor_id=claim.executor_id,
    )  # fmt: skip


async def get_asked(db: Reads, job_id: str) -> Asked | None:
    return await db.one(Asked, "SELECT user_id, input FROM jobs WHERE id = :id", id=job_id)


async def get_kind(db: Reads, job_id: str) -> str | None:
    return await db.one(str, "SELECT kind FROM jobs WHERE id = :id", id=job_id)


async def select_metered(db: Reads, executor_id: str) -> list[Landed]:
    """The jobs that an executor holds and for which something is reserved."""
    return await db.all(
        Landed,
        f"SELECT {columns(Landed)} FROM jobs WHERE executor_id = :executor_id AND state = 'running'"
        " AND hold_id IS NOT NULL",
        executor_id=executor_id,
    )  # fmt: skip


async def give_back(tx: Tx, executor_id: str) -> list[Landed]:
    """All that an executor holds returns to the queue. The attempt that was cut off is not one of the job's own."""
    return await tx.all(
        Landed,
        "UPDATE jobs SET state = 'queued', phase = 'ready', rank = NULL, started_at = NULL, attempts = attempts + 1,"
        f" {_LET_GO} WHERE executor_id = :executor_id AND state = 'running' RETURNING {columns(Landed)}",
        executor_id=executor_id,
    )  # fmt: skip


async def cancel(tx: Tx, job_id: str) -> Landed | None:
    return await tx.one(
        Landed,
        "UPDATE jobs SET state = 'cancelled', rank = NULL, waits = NULL, finished_at = moment(0)"
        f" WHERE id = :id AND state = 'queued' RETURNING {columns(Landed)}",
        id=job_id,
    )  # fmt: skip


# What time does


_LAPSED = "state = 'running' AND lease_until <= moment(0)"


async def select_lapsed(db: Reads, limit: int) -> list[Claimed]:
    """Jobs whose holders have not been heard of."""
    return await db.all(
        Claimed,
        f"SELECT {columns(Claimed)} FROM jobs WHERE {_LAPSED} ORDER BY lease_until, id LIMIT :limit",
        limit=limit,
    )  # fmt: skip


async def select_holders(db: Reads) -> list[str]:
    """Whoever holds a job."""
    return await db.all(str, "SELECT DISTINCT executor_id FROM jobs WHERE state = 'running'")


async def end_leases(tx: Tx, executor_id: str) -> None:
    await tx.run(
        "UPDATE jobs SET lease_until = moment(0) WHERE executor_id = :executor_id AND state = 'running'",
        executor_id=executor_id,
    )


async def take_back(tx: Tx, held: Claimed) -> bool:
    """Into the queue again, unless its holder was heard of meanwhile."""
    return await tx.holds(
        f"UPDATE jobs SET state = 'queued', phase = 'ready', rank = NULL, lapses = lapses + 1, started_at = NULL, {_LET_GO}"
        f" WHERE id = :id AND attempt = :attempt AND {_LAPSED} RETURNING id",
        id=held.id, attempt=held.attempt,
    )  # fmt: skip


async def give_up(tx: Tx, held: Claimed, fault: Fault) -> bool:
    return await tx.holds(
        "UPDATE jobs SET state = 'failed', error = :error, rank = NULL, lapses = lapses + 1, finished_at = moment(0),"
        " claim_hash = NULL, lease_until = NULL"
        f" WHERE id = :id AND attempt = :attempt AND {_LAPSED} RETURNING id",
        id=held.id, attempt=held.attempt, error=_json(fault),
    )  # fmt: skip


async def ready_due(tx: Tx, limit: int) -> list[Landed]:
    """Those whose time has come may have their turn."""
    return await tx.all(
        Landed,
        "UPDATE jobs SET phase = 'ready', waits = NULL WHERE id IN (SELECT id FROM jobs WHERE state = 'queued'"
        f" AND phase <> 'ready' AND run_at <= moment(0) ORDER BY run_at LIMIT :limit {tx.dialect.skip_locked})"
        f" RETURNING {columns(Landed)}",
        limit=limit,
    )  # fmt: skip


async def archive(tx: Tx, *, seconds: float, limit: int) -> list[str]:
    ids = await tx.all(
        str,
        f"INSERT INTO job_archive ({_KEPT}) SELECT {_KEPT} FROM jobs WHERE state IN ('succeeded', 'failed', 'cancelled')"
        " AND finished_at < moment(:ago) ORDER BY finished_at LIMIT :limit RETURNING id",
        ago=-seconds, limit=limit,
    )  # fmt: skip
    for id in ids:
        await tx.run("DELETE FROM jobs WHERE id = :id", id=id)
    return ids


# Looking


_FILTERS = {"state": "state = :state", "kind": "kind = :kind"}


async def select(
    db: Reads, live: Fence, archived: Fence, filters: dict[str, str], before: str, limit: int
) -> list[JobRow]:
    """Newest first; when the queue's own table ends, the archive goes on."""
    rows: list[JobRow] = []
    for fence, shown in ((live, columns(JobRow)), (archived, _ARCHIVED)):
        where = " AND ".join(["TRUE", *(f"{fence.table}.{_FILTERS[name]}" for name in filters)])
        rows += await db.all(
            JobRow,
            f"SELECT {shown} FROM {fence.table} WHERE id IN ({fence.newest(db.dialect, where)}) ORDER BY id DESC",
            before=before, limit=limit, **fence.params, **filters,
        )  # fmt: skip
    return sorted(rows, key=lambda row: row.id, reverse=True)[:limit]


async def get(db: Reads, live: Fence, archived: Fence, job_id: str) -> JobRow | None:
    for fence, shown in ((live, columns(JobRow)), (archived, _ARCHIVED)):
        sql = f"SELECT {shown} FROM {fence.table} WHERE id = :id AND {fence.sql}"
        if row := await db.one(JobRow, sql, id=job_id, **fence.params):
            return row
    return None


async def get_bodies(db: Reads, job_id: str) -> Bodies | None:
    return await db.one(
        Bodies,
        "SELECT input, result FROM jobs WHERE id = :id UNION ALL SELECT input, result FROM job_archive WHERE id = :id",
        id=job_id,
    )


async def get_company(db: Reads, org_id: str) -> Standing | None:
    return await db.one(Standing, "SELECT plan, suspended_at IS NOT NULL FROM orgs WHERE id = :id", id=org_id)


async def count_taken(db: Reads, team_id: str, kind: str) -> int:
    """How many of a lane are admitted or running; never more than its cap."""
    return await db.one(
        int, "SELECT COUNT(*) FROM jobs WHERE team_id = :team_id AND kind = :kind AND rank IS NOT NULL",
        team_id=team_id, kind=kind,
    ) or 0  # fmt: skip


def _json(value: Block | Fault) -> str:
    return msgspec.json.encode(value).decode()


# fmt: off
INVARIANTS = (
    Invariant("jobs.held", "a job is held by somebody while it runs, and only then",
        "SELECT id FROM jobs WHERE (state = 'running') <> (lease_until IS NOT NULL)"
        " OR (state = 'running' AND (claim_hash IS NULL OR executor_id IS NULL OR rank IS NULL))"),
    Invariant("jobs.ended", "a job that has ended says when, holds no turn, and has a result or an error if it was done",
        "SELECT id FROM jobs WHERE (state IN ('succeeded', 'failed', 'cancelled')) <> (finished_at IS NOT NULL)"
        " OR (finished_at IS NOT NULL AND rank IS NOT NULL) OR (state = 'succeeded' AND result IS NULL)"
        " OR (state = 'failed' AND error IS NULL)"),
    Invariant("jobs.parked", "a job that waits for its time holds no turn, one that waits for a quota holds its own",
        "SELECT id FROM jobs WHERE state = 'queued' AND ((phase = 'scheduled' AND rank IS NOT NULL)"
        " OR (phase = 'parked' AND rank IS NULL))"),
    Invariant("jobs.company", "a job is of a team of its company",
        "SELECT jobs.id FROM jobs JOIN teams ON teams.id = jobs.team_id WHERE teams.org_id <> jobs.org_id"),
    Invariant("jobs.holds", "what is reserved for a job is a spending of its team",
        "SELECT jobs.id FROM jobs JOIN quota_ledger ON quota_ledger.id = jobs.hold_id"
        " WHERE quota_ledger.team_id <> jobs.team_id"),
    Invariant("jobs.once", "a job is in the queue or in the archive",
        "SELECT jobs.id FROM jobs JOIN job_archive ON job_archive.id = jobs.id"),
)
# fmt: on
