"""Quotas in SQL: one statement per function, no rules."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from teamspace.core.db import Reads, Tx, columns
from teamspace.core.tables import Invariant
from teamspace.quota.schemas import (
    SPENDING,
    STORAGE,
    Account,
    Bound,
    Dimension,
    Entry,
    Interval,
    Settled,
    Spend,
    Spender,
    Subject,
    Window,
)

_STARTS = "CASE l.per " + " ".join(f"WHEN '{window}' THEN :{window}" for window in Window) + " END"
CLOSED = "closed"
"""In place of a window: what was taken out of the ledger, all of it since the beginning."""
_LIVE = "settled_at IS NULL AND expires_at > moment(0)"


def _spent(where: str) -> str:
    chosen = "CASE l.dimension WHEN 'ai.requests' THEN u.requests ELSE u.tokens END"
    return (
        f"(SELECT COALESCE(CAST(SUM({chosen}) AS BIGINT), 0) FROM quota_used AS u"
        f" WHERE u.per = l.per AND u.starts_at = {_STARTS} AND {where})"
    )


def _held(where: str) -> str:
    chosen = "CASE l.dimension WHEN 'ai.requests' THEN h.requests WHEN 'ai.tokens.total' THEN h.tokens ELSE h.slots END"
    return f"(SELECT COALESCE(CAST(SUM({chosen}) AS BIGINT), 0) FROM quota_ledger AS h WHERE {_LIVE} AND {where})"


def _kept(where: str) -> str:
    chosen = "CASE l.dimension WHEN 'storage.bytes' THEN s.bytes ELSE s.objects END"
    return f"(SELECT COALESCE(CAST(SUM({chosen}) AS BIGINT), 0) FROM quota_stored AS s WHERE {where})"


def _one_of(dimensions: Sequence[Dimension]) -> str:
    return ", ".join(f"'{dimension}'" for dimension in dimensions)


_COMPANIES = "u.level = 'org'"
# The tenant is the sum of its companies: one counter for all would be one row that everybody waits for.
_SPENDING = (
    "SELECT l.level, l.dimension, l.most, l.per,"
    f" CASE l.level WHEN 'tenant' THEN {_spent(_COMPANIES)}"
    f" ELSE {_spent('u.level = l.level AND u.subject = l.subject')} END,"
    f" CASE l.level WHEN 'tenant' THEN {_held('TRUE')} WHEN 'org' THEN {_held('h.org_id = l.subject')}"
    f" ELSE {_held('h.team_id = l.subject')} END FROM quota_limits AS l WHERE l.dimension IN ({_one_of(SPENDING)})"
)
_OF_COMPANIES = "s.level = 'org'"
_STORAGE = (
    "SELECT l.level, l.dimension, l.most, l.per,"
    f" CASE l.level WHEN 'tenant' THEN {_kept(_OF_COMPANIES)}"
    f" ELSE {_kept('s.level = l.level AND s.subject = l.subject')} END,"
    f" 0 FROM quota_limits AS l WHERE l.dimension IN ({_one_of(STORAGE)})"
)
_OF_SUBJECT = "l.level = :level AND l.subject = :subject"
_OF_ACCOUNT = (
    "((l.level = 'tenant' AND l.subject = '') OR (l.level = 'org' AND l.subject = :org_id)"
    " OR (l.level = 'team' AND l.subject = :team_id))"
)


async def put_limit(
    tx: Tx, subject: Subject, dimension: Dimension, most: int | None, per: Window | None, *, set_by: str, now: str
) -> None:
    await tx.run(
        "INSERT INTO quota_limits (level, subject, org_id, dimension, most, per, set_by, updated_at)"
        " VALUES (:level, :subject, :org_id, :dimension, :most, :per, :set_by, :now)"
        " ON CONFLICT (level, subject, dimension) DO UPDATE SET most = excluded.most, per = excluded.per,"
        " set_by = excluded.set_by, updated_at = excluded.updated_at",
        level=subject.level, subject=subject.id, org_id=subject.org_id, dimension=dimension, most=most, per=per,
        set_by=set_by, now=now,
    )  # fmt: skip


async def select_limits(db: Reads, subject: Subject, starts: Mapping[str, str]) -> list[Bound]:
    """`starts` says when the present window of each length began."""
    return await db.all(
        Bound,
        f"{_SPENDING} AND {_OF_SUBJECT} UNION ALL {_STORAGE} AND {_OF_SUBJECT}",
        level=subject.level, subject=subject.id, **starts,
    )  # fmt: skip


async def select_bounds(db: Reads, account: Account, starts: Mapping[str, str]) -> list[Bound]:
    """Everything that binds the account, at every level."""
    return await db.all(
        Bound,
        f"{_SPENDING} AND {_OF_ACCOUNT} UNION ALL {_STORAGE} AND {_OF_ACCOUNT}",
        org_id=account.org_id, team_id=account.team_id, **starts,
    )  # fmt: skip


async def select_spending_bounds(db: Reads, account: Account, starts: Mapping[str, str]) -> list[Bound]:
    return await db.all(
        Bound, f"{_SPENDING} AND {_OF_ACCOUNT}", org_id=account.org_id, team_id=account.team_id, **starts
    )


async def select_storage_bounds(db: Reads, org_id: str, team_id: str) -> list[Bound]:
    """The limits alone; what is not limited is left out."""
    return await db.all(
        Bound, f"{_STORAGE} AND l.most IS NOT NULL AND {_OF_ACCOUNT}", org_id=org_id, team_id=team_id
    )  # fmt: skip


async def add_stored(tx: Tx, org_id: str, team_id: str, size: int, objects: int) -> None:
    """The company's counter first, for everybody: its row is held until the commit, and the team's lies within."""
    await tx.run(
        "INSERT INTO quota_stored (level, subject, org_id, bytes, objects) VALUES"
        " ('org', :org_id, :org_id, :size, :objects), ('team', :team_id, :org_id, :size, :objects)"
        " ON CONFLICT (level, subject) DO UPDATE SET bytes = quota_stored.bytes + excluded.bytes,"
        " objects = quota_stored.objects + excluded.objects",
        org_id=org_id, team_id=team_id, size=size, objects=objects,
    )  # fmt: skip


async def insert_entry(
    tx: Tx, id: str, account: Account, purpose: str, spend: Spend, *, slots: int, now: str, ttl: float
) -> None:
    await tx.run(
        "INSERT INTO quota_ledger (id, org_id, team_id, user_id, purpose, slots, requests, tokens, began_at, expires_at)"
        " VALUES (:id, :org_id, :team_id, :user_id, :purpose, :slots, :requests, :tokens, :now, moment(:ttl))",
        id=id, org_id=account.org_id, team_id=account.team_id, user_id=account.user_id, purpose=purpose, slots=slots,
        requests=spend.requests, tokens=spend.tokens, now=now, ttl=ttl,
    )  # fmt: skip


async def extend_entry(tx: Tx, id: str, ttl: float) -> None:
    await tx.run(
        "UPDATE quota_ledger SET expires_at = moment(:ttl) WHERE id = :id AND settled_at IS NULL", id=id, ttl=ttl
    )


async def settle_entry(tx: Tx, id: str, spend: Spend, now: str) -> Entry | None:
    """None when it was settled before, or was never there."""
    return await tx.one(
        Entry,
        "UPDATE quota_ledger SET slots = 0, requests = :requests, tokens = :tokens, settled_at = :now"
        f" WHERE id = :id AND settled_at IS NULL RETURNING {columns(Entry)}",
        id=id, requests=spend.requests, tokens=spend.tokens, now=now,
    )  # fmt: skip


async def delete_dead_entries(tx: Tx, seconds: float) -> None:
    """Reservations of those who never came back."""
    await tx.run(
        "DELETE FROM quota_ledger WHERE settled_at IS NULL AND expires_at < moment(:ago)", ago=-seconds
    )  # fmt: skip


async def take_old_entries(tx: Tx, before_id: str, limit: int) -> list[Settled]:
    """The oldest of those that are settled; ids rise with time."""
    return await tx.all(
        Settled,
        "DELETE FROM quota_ledger WHERE id IN (SELECT id FROM quota_ledger WHERE id < :before_id AND settled_at IS NOT NULL"
        f" ORDER BY id LIMIT :limit {tx.dialect.skip_locked}) RETURNING {columns(Settled)}",
        before_id=before_id, limit=limit,
    )  # fmt: skip


async def add_used(tx: Tx, org_id: str, counters: Sequence[tuple[str, str, str, str]], spend: Spend) -> None:
    """Each counter is (level, per, starts_at, subject)."""
    values = {
        f"{name}_{place}": value
        for place, counter in enumerate(counters)
        for name, value in zip(("level", "per", "starts", "subject"), counter, strict=True)
    }
    await tx.run(_adding(len(counters)), org_id=org_id, requests=spend.requests, tokens=spend.tokens, **values)


@lru_cache(64)
def _adding(count: int) -> str:
    rows = [
        f"(:level_{place}, :per_{place}, :starts_{place}, :subject_{place}, :org_id, :requests, :tokens)"
        for place in range(count)
    ]
    return (
        "INSERT INTO quota_used (level, per, starts_at, subject, org_id, requests, tokens) VALUES"
        f" {', '.join(rows)} ON CONFLICT (level, per, starts_at, subject) DO UPDATE SET"
        " requests = quota_used.requests + excluded.requests, tokens = quota_used.tokens + excluded.tokens"
    )


async def delete_used(tx: Tx, per: Window, before: str) -> None:
    await tx.run("DELETE FROM quota_used WHERE per = :per AND starts_at < :before", per=per, before=before)


async def select_history(db: Reads, team_id: str, per: Window, since: str) -> list[Interval]:
    return await db.all(
        Interval,
        f"SELECT {columns(Interval)} FROM quota_used WHERE subject = :team_id AND per = :per AND starts_at >= :since"
        " ORDER BY starts_at",
        team_id=team_id, per=per, since=since,
    )  # fmt: skip


async def select_spenders(db: Reads, team_id: str, only: str | None, per: Window, starts_at: str) -> list[Spender]:
    """Subjects of people are `team/person`, and `0` comes after `/`."""
    return await db.all(
        Spender,
        "SELECT users.id, users.username, users.display_name, u.requests, u.tokens FROM quota_used AS u"
        " JOIN users ON u.subject = :team_id || '/' || users.id"
        " WHERE u.level = 'person' AND u.per = :per AND u.starts_at = :starts_at AND u.subject >= :first"
        " AND u.subject < :beyond ORDER BY u.tokens DESC, u.requests DESC, users.username LIMIT 20",
        team_id=team_id, per=per, starts_at=starts_at,
        first=f"{team_id}/{only or ''}", beyond=f"{team_id}/{only}0" if only else f"{team_id}0",
    )  # fmt: skip


# fmt: off
INVARIANTS = (
    Invariant("quota.windows", "a limit has a window, but for concurrency, which has none; of storage it is the lifetime",
        "SELECT subject || ' ' || dimension FROM quota_limits WHERE (per IS NULL) <> (dimension = 'ai.concurrency')"
        f" OR (dimension IN ({_one_of(STORAGE)}) AND per <> 'lifetime')"),
    Invariant("quota.subjects", "a limit binds a company, a team of it, or the tenant",
        "SELECT subject FROM quota_limits WHERE (level = 'org' AND subject <> org_id) OR (level = 'tenant' AND"
        " subject <> '') OR (level = 'team' AND NOT EXISTS (SELECT 1 FROM teams WHERE teams.id = subject"
        " AND teams.org_id = quota_limits.org_id))"),
    Invariant("quota.ledger", "the counters of a company and of a team are what its settled ledger adds up to, with what was taken out of it",
        "SELECT who FROM (SELECT subject AS who, requests, tokens FROM quota_used WHERE per = 'lifetime' AND level <> 'person'"
        f" UNION ALL SELECT subject, -requests, -tokens FROM quota_used WHERE per = '{CLOSED}'"
        " UNION ALL SELECT org_id, -requests, -tokens FROM quota_ledger WHERE settled_at IS NOT NULL"
        " UNION ALL SELECT team_id, -requests, -tokens FROM quota_ledger WHERE settled_at IS NOT NULL) AS entries"
        " GROUP BY who HAVING SUM(requests) <> 0 OR SUM(tokens) <> 0"),
    Invariant("quota.settled", "what is settled holds no slot, and nothing was spent a negative number of times",
        "SELECT id FROM quota_ledger WHERE requests < 0 OR tokens < 0 OR (settled_at IS NOT NULL AND slots <> 0)"),
    Invariant("quota.company", "what is spent is spent by a team of its company",
        "SELECT quota_ledger.id FROM quota_ledger JOIN teams ON teams.id = quota_ledger.team_id"
        " WHERE teams.org_id <> quota_ledger.org_id"),
)
# fmt: on
