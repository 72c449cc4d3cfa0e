"""Quotas in SQL: one statement per function, no rules."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from teamspace.core.db import NOW, Reads, Tx, as_json, columns
from teamspace.core.tables import Invariant
from teamspace.quota.schemas import (
    SPENDING,
    STORAGE,
    DayAmounts,
    DaySource,
    DayZero,
    Dimension,
    Interval,
    Level,
    LimitState,
    NewReservation,
    QuotaAccount,
    Reservation,
    SettledSpend,
    Settlement,
    Spender,
    Subject,
    TrafficAmount,
    UsedAmount,
    Window,
)

_STARTS = "CASE l.per " + " ".join(f"WHEN '{window}' THEN :{window}" for window in Window) + " END"
CLOSED = "closed"
"""Used instead of a window: the sum of everything that was deleted from the ledger."""
STORED_DAYS = DaySource("quota_stored_days", "day", "bytes", "objects")
TRAFFIC_DAYS = DaySource("quota_traffic_days", "day", "received", "sent")
USED_DAYS = DaySource("quota_used", "starts_at", "requests", "tokens", f"per = '{Window.DAY}'")
_ACTIVE = f"settled_at IS NULL AND expires_at > {NOW}"


def _used_sql(where: str) -> str:
    chosen = "CASE l.dimension WHEN 'ai.requests' THEN u.requests ELSE u.tokens END"
    return (
        f"(SELECT COALESCE(CAST(SUM({chosen}) AS BIGINT), 0) FROM quota_used AS u"
        f" WHERE u.per = l.per AND u.starts_at = {_STARTS} AND {where})"
    )


def _reserved_sql(where: str) -> str:
    chosen = "CASE l.dimension WHEN 'ai.requests' THEN h.requests WHEN 'ai.tokens.total' THEN h.tokens ELSE h.slots END"
    return f"(SELECT COALESCE(CAST(SUM({chosen}) AS BIGINT), 0) FROM quota_ledger AS h WHERE {_ACTIVE} AND {where})"


def _stored_sql(where: str) -> str:
    chosen = "CASE l.dimension WHEN 'storage.bytes' THEN s.bytes ELSE s.objects END"
    return f"(SELECT COALESCE(CAST(SUM({chosen}) AS BIGINT), 0) FROM quota_stored AS s WHERE {where})"


def _dimension_list(dimensions: Sequence[Dimension]) -> str:
    return ", ".join(f"'{dimension}'" for dimension in dimensions)


# The tenant's counters are sharded.
_TENANT_USED, _TENANT_STORED = "u.level = 'tenant'", "s.level = 'tenant'"
_SPENDING = (
    "SELECT l.level, l.dimension, l.most, l.per,"
    f" CASE l.level WHEN 'tenant' THEN {_used_sql(_TENANT_USED)}"
    f" ELSE {_used_sql('u.level = l.level AND u.subject = l.subject')} END,"
    f" CASE l.level WHEN 'tenant' THEN {_reserved_sql('TRUE')} WHEN 'org' THEN {_reserved_sql('h.org_id = l.subject')}"
    f" ELSE {_reserved_sql('h.team_id = l.subject')} END, l.subject FROM quota_limits AS l WHERE l.dimension IN ({_dimension_list(SPENDING)})"
)
_STORAGE = (
    "SELECT l.level, l.dimension, l.most, l.per,"
    f" CASE l.level WHEN 'tenant' THEN {_stored_sql(_TENANT_STORED)}"
    f" ELSE {_stored_sql('s.level = l.level AND s.subject = l.subject')} END,"
    f" 0, l.subject FROM quota_limits AS l WHERE l.dimension IN ({_dimension_list(STORAGE)})"
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


async def select_limits(db: Reads, subject: Subject, starts: Mapping[str, str]) -> list[LimitState]:
    """Select the limits of a subject. `starts` is the start of the current window of each length."""
    return await db.all(
        LimitState,
        f"{_SPENDING} AND {_OF_SUBJECT} UNION ALL {_STORAGE} AND {_OF_SUBJECT}",
        level=subject.level, subject=subject.id, **starts,
    )  # fmt: skip


async def select_account_limits(db: Reads, account: QuotaAccount, starts: Mapping[str, str]) -> list[LimitState]:
    """Select the limits that apply to the account, at every level."""
    return await db.all(
        LimitState,
        f"{_SPENDING} AND {_OF_ACCOUNT} UNION ALL {_STORAGE} AND {_OF_ACCOUNT}",
        org_id=account.org_id, team_id=account.team_id, **starts,
    )  # fmt: skip


async def select_spending_limits(
    db: Reads, org_ids: Iterable[str], team_ids: Iterable[str], starts: Mapping[str, str]
) -> list[LimitState]:
    """Select the spending limits of the tenant, of companies and of teams, without unlimited ones."""
    of_orgs, of_teams = (db.dialect.in_strings.format(name) for name in ("org_ids", "team_ids"))
    return await db.all(
        LimitState,
        f"{_SPENDING} AND l.most IS NOT NULL"
        f" AND ((l.level = 'tenant' AND l.subject = '') OR (l.level = 'org' AND l.subject {of_orgs})"
        f" OR (l.level = 'team' AND l.subject {of_teams}))",
        org_ids=as_json([*org_ids]), team_ids=as_json([*team_ids]), **starts,
    )  # fmt: skip


async def select_storage_limits(db: Reads, org_id: str, team_id: str) -> list[LimitState]:
    """Select the storage limits that apply to a team, without unlimited ones."""
    return await db.all(
        LimitState, f"{_STORAGE} AND l.most IS NOT NULL AND {_OF_ACCOUNT}", org_id=org_id, team_id=team_id
    )  # fmt: skip


async def add_stored(tx: Tx, org_id: str, team_id: str, shard: str, size: int, objects: int) -> None:
    """Add to the counters, always the company's first: its row lock until the commit also protects the team's counter."""
    await tx.run(
        "INSERT INTO quota_stored (level, subject, org_id, bytes, objects) VALUES"
        " ('org', :org_id, :org_id, :size, :objects), ('team', :team_id, :org_id, :size, :objects),"
        " ('tenant', :shard, '', :size, :objects)"
        " ON CONFLICT (level, subject) DO UPDATE SET bytes = quota_stored.bytes + excluded.bytes,"
        " objects = quota_stored.objects + excluded.objects",
        org_id=org_id, team_id=team_id, shard=shard, size=size, objects=objects,
    )  # fmt: skip


async def add_stored_day(tx: Tx, org_id: str, team_id: str, shard: str, day: str, size: int, objects: int) -> None:
    """Add to the day's change; the locks of the counters protect it."""
    await tx.add(
        "INSERT INTO quota_stored_days (level, day, subject, org_id, bytes, objects) VALUES"
        " ('org', :day, :org_id, :org_id, :size, :objects), ('team', :day, :team_id, :org_id, :size, :objects),"
        " ('tenant', :day, :shard, '', :size, :objects)"
        " ON CONFLICT (level, day, subject) DO UPDATE SET bytes = quota_stored_days.bytes + excluded.bytes,"
        " objects = quota_stored_days.objects + excluded.objects",
        org_id=org_id, team_id=team_id, shard=shard, day=day, size=size, objects=objects,
    )  # fmt: skip


async def insert_reservations(tx: Tx, new: Sequence[NewReservation], now: str, ttl: float) -> None:
    rows, values = tx.dialect.table(
        "rows", [_to_row(one) for one in new], id="TEXT", org_id="TEXT", team_id="TEXT", user_id="TEXT", purpose="TEXT",
        slots="BIGINT", requests="BIGINT", tokens="BIGINT", charged="BOOLEAN", job_id="TEXT", digest="TEXT",
    )  # fmt: skip
    await tx.add(
        "INSERT INTO quota_ledger (id, org_id, team_id, user_id, purpose, slots, requests, tokens, charged, job_id, digest,"
        " began_at, expires_at) SELECT id, org_id, team_id, user_id, purpose, slots, requests, tokens, charged, job_id,"
        f" digest, :now, moment(:ttl) FROM ({rows}) AS new",
        **values, now=now, ttl=ttl,
    )  # fmt: skip


class _ReservationRow(msgspec.Struct, frozen=True, gc=False):
    id: str
    org_id: str
    team_id: str
    user_id: str
    purpose: str
    slots: int
    requests: int
    tokens: int
    charged: bool
    job_id: str | None
    digest: str | None


def _to_row(new: NewReservation) -> _ReservationRow:
    account, estimate = new.account, new.estimate
    return _ReservationRow(
        new.id, account.org_id, account.team_id, account.user_id, new.purpose, new.slots, estimate.requests,
        estimate.tokens, new.charged, new.job_id, new.digest,
    )  # fmt: skip


async def forget_asked(tx: Tx) -> None:
    await tx.run("UPDATE quota_ledger SET digest = NULL WHERE digest IS NOT NULL AND settled_at IS NULL")


async def is_asked(tx: Tx, team_id: str, digest: str) -> bool:
    """Whether a reservation of the team for a call with this digest is neither settled nor expired."""
    return await tx.exists(
        f"SELECT 1 FROM quota_ledger WHERE team_id = :team_id AND digest = :digest AND {_ACTIVE}",
        team_id=team_id, digest=digest,
    )  # fmt: skip


async def extend_reservation(tx: Tx, id: str, ttl: float) -> None:
    await tx.run(
        "UPDATE quota_ledger SET expires_at = moment(:ttl) WHERE id = :id AND settled_at IS NULL", id=id, ttl=ttl
    )


async def extend_reservations(tx: Tx, ids: Sequence[str], ttl: float) -> None:
    await tx.run(
        "UPDATE quota_ledger SET expires_at = moment(:ttl)"
        f" WHERE id {tx.dialect.in_strings.format('ids')} AND settled_at IS NULL",
        ids=as_json(ids), ttl=ttl,
    )  # fmt: skip


async def settle_reservations(tx: Tx, settlements: Sequence[Settlement], now: str) -> list[Reservation]:
    """Settle reservations; return those that exist and were not settled before."""
    sent, values = tx.dialect.table(
        "sent", [_to_sent(settlement) for settlement in settlements], reservation_id="TEXT", spent_requests="BIGINT",
        spent_tokens="BIGINT",
    )  # fmt: skip
    return await tx.all(
        Reservation,
        "UPDATE quota_ledger SET slots = 0, requests = COALESCE(spent_requests, requests),"
        f" tokens = COALESCE(spent_tokens, tokens), settled_at = :now FROM ({sent}) AS sent"
        f" WHERE id = reservation_id AND settled_at IS NULL RETURNING {columns(Reservation)}",
        **values, now=now,
    )  # fmt: skip


class _SentSpend(msgspec.Struct, frozen=True, gc=False):
    reservation_id: str
    spent_requests: int | None = None
    """Without figures, the row keeps those that were reserved."""
    spent_tokens: int | None = None


def _to_sent(settlement: Settlement) -> _SentSpend:
    spent = settlement.spent
    return _SentSpend(settlement.id) if spent is None else _SentSpend(settlement.id, spent.requests, spent.tokens)


async def select_lost(db: Reads, seconds: float, limit: int) -> list[Settlement]:
    """Select reservations that are charged, and expired without being settled."""
    return await db.all(
        Settlement,
        "SELECT id, org_id, NULL FROM quota_ledger WHERE settled_at IS NULL AND expires_at < moment(:ago)"
        " AND charged ORDER BY expires_at LIMIT :limit",
        ago=-seconds, limit=limit,
    )  # fmt: skip


async def select_open(db: Reads, job_ids: Sequence[str]) -> list[Settlement]:
    """Select what the handlers of jobs have reserved and not settled."""
    return await db.all(
        Settlement,
        f"SELECT id, org_id, NULL FROM quota_ledger WHERE job_id {db.dialect.in_strings.format('ids')}"
        " AND job_id IS NOT NULL AND settled_at IS NULL",
        ids=as_json(job_ids),
    )  # fmt: skip


async def delete_expired_reservations(tx: Tx, limit: int, ago: float) -> list[str]:
    """Delete reservations that expired so many seconds ago and were never settled."""
    return await tx.all(
        str,
        "DELETE FROM quota_ledger WHERE id IN (SELECT id FROM quota_ledger WHERE settled_at IS NULL"
        " AND expires_at < moment(:since) LIMIT :limit) AND settled_at IS NULL RETURNING id",
        since=-ago, limit=limit,
    )  # fmt: skip


async def take_old_settled(tx: Tx, before_id: str, limit: int) -> list[SettledSpend]:
    """Delete and return the oldest settled rows; ids are ordered by time."""
    return await tx.all(
        SettledSpend,
        "DELETE FROM quota_ledger WHERE id IN (SELECT id FROM quota_ledger WHERE id < :before_id AND settled_at IS NOT NULL"
        f" ORDER BY id LIMIT :limit {tx.dialect.skip_locked}) RETURNING {columns(SettledSpend)}",
        before_id=before_id, limit=limit,
    )  # fmt: skip


async def add_used(tx: Tx, amounts: Sequence[UsedAmount]) -> None:
    """Add to counters, of which each is in the list once, in its order."""
    added, values = tx.dialect.table(
        "amounts", amounts, level="TEXT", per="TEXT", starts_at="TEXT", subject="TEXT", org_id="TEXT", requests="BIGINT",
        tokens="BIGINT",
    )  # fmt: skip
    await tx.add(
        f"INSERT INTO quota_used ({columns(UsedAmount)}) SELECT {columns(UsedAmount)}"
        # Without a WHERE, SQLite reads ON CONFLICT as the condition of a join.
        f" FROM ({added}) AS added WHERE TRUE"
        " ON CONFLICT (level, per, starts_at, subject) DO UPDATE SET"
        " requests = quota_used.requests + excluded.requests, tokens = quota_used.tokens + excluded.tokens",
        **values,
    )


async def delete_used(tx: Tx, limit: int, per: Window, before: str) -> list[str]:
    """Delete counters of old windows. With the levels, since the primary key begins with them."""
    return await tx.all(
        str,
        "DELETE FROM quota_used WHERE (level, per, starts_at, subject) IN (SELECT level, per, starts_at, subject"
        " FROM quota_used WHERE level IN ('tenant', 'org', 'team', 'person') AND per = :per AND starts_at < :before LIMIT :limit)"
        " RETURNING subject",
        per=per, before=before, limit=limit,
    )  # fmt: skip


async def select_history(db: Reads, team_id: str, per: Window, since: str) -> list[Interval]:
    return await db.all(
        Interval,
        f"SELECT {columns(Interval)} FROM quota_used WHERE subject = :team_id AND per = :per AND starts_at >= :since"
        " ORDER BY starts_at",
        team_id=team_id, per=per, since=since,
    )  # fmt: skip


async def select_spenders(db: Reads, team_id: str, only: str | None, per: Window, starts_at: str) -> list[Spender]:
    """Select the top spenders. A person's subject is `team/person`; `0` is the character after `/`."""
    return await db.all(
        Spender,
        "SELECT users.id, users.username, users.display_name, u.requests, u.tokens FROM quota_used AS u"
        " JOIN users ON u.subject = :team_id || '/' || users.id"
        " WHERE u.level = 'person' AND u.per = :per AND u.starts_at = :starts_at AND u.subject >= :first"
        " AND u.subject < :beyond ORDER BY u.tokens DESC, u.requests DESC, users.username LIMIT 20",
        team_id=team_id, per=per, starts_at=starts_at,
        first=f"{team_id}/{only or ''}", beyond=f"{team_id}/{only}0" if only else f"{team_id}0",
    )  # fmt: skip


def _level(level: Level) -> str:
    """Return the condition for a subject's rows; the tenant's counters are sharded."""
    return "level = 'tenant'" if level is Level.TENANT else f"level = '{level}' AND subject = :subject"


async def select_days(db: Reads, source: DaySource, level: Level, subject: str, since: str) -> list[DayAmounts]:
    # SQLite would rather read the days of all subjects, by the primary key, which begins with the level.
    where = _level(level) if level is Level.TENANT else f"subject = :subject AND level || '' = '{level}'"
    return await db.all(
        DayAmounts,
        f"SELECT substr({source.at}, 1, 10), CAST(SUM({source.first}) AS BIGINT), CAST(SUM({source.second}) AS BIGINT)"
        f" FROM {source.table} WHERE {where} AND {source.condition} AND {source.at} >= :since"
        f" GROUP BY {source.at} ORDER BY {source.at}",
        subject=subject, since=since,
    )  # fmt: skip


async def get_stored(db: Reads, level: Level, subject: str) -> DayAmounts:
    """Return what is stored now, in bytes and objects."""
    (row,) = await db.all(
        DayAmounts,
        "SELECT '', COALESCE(CAST(SUM(bytes) AS BIGINT), 0), COALESCE(CAST(SUM(objects) AS BIGINT), 0)"
        f" FROM quota_stored WHERE {_level(level)}",
        subject=subject,
    )  # fmt: skip
    return row


async def get_first_days(db: Reads, org_id: str, team_id: str) -> DayZero:
    """Return the days from which there can be a history: since the company and the team exist, and since the days of
    storage and traffic are recorded."""
    (row,) = await db.all(
        DayZero,
        "SELECT substr(orgs.created_at, 1, 10), substr(teams.created_at, 1, 10), quota_history.since"
        " FROM teams JOIN orgs ON orgs.id = teams.org_id JOIN quota_history ON quota_history.number = 1"
        " WHERE teams.id = :team_id AND orgs.id = :org_id",
        org_id=org_id, team_id=team_id,
    )  # fmt: skip
    return row


async def add_traffic(tx: Tx, day: str, amounts: Sequence[TrafficAmount]) -> None:
    """Add to the day's counters, of which each is in the list once, in its order."""
    added = tx.dialect.json_table(
        "amounts", level="TEXT", subject="TEXT", org_id="TEXT", received="BIGINT", sent="BIGINT"
    )
    await tx.run(
        "INSERT INTO quota_traffic_days (level, day, subject, org_id, received, sent)"
        " SELECT level, :day, subject, org_id, received, sent"
        # Without a WHERE, SQLite reads ON CONFLICT as the condition of a join.
        f" FROM ({added}) AS added WHERE TRUE"
        " ON CONFLICT (level, day, subject) DO UPDATE SET received = quota_traffic_days.received + excluded.received,"
        " sent = quota_traffic_days.sent + excluded.sent",
        day=day, amounts=as_json(amounts),
    )  # fmt: skip


async def delete_days(tx: Tx, limit: int, table: str, before: str) -> list[str]:
    return await tx.all(
        str,
        f"DELETE FROM {table} WHERE (level, day, subject) IN (SELECT level, day, subject FROM {table}"
        " WHERE level IN ('tenant', 'org', 'team') AND day < :before LIMIT :limit) RETURNING subject",
        before=before, limit=limit,
    )  # fmt: skip


# fmt: off
INVARIANTS = (
    Invariant("quota.windows", "a limit has a window, except for concurrency; for storage the window is lifetime",
        "SELECT subject || ' ' || dimension FROM quota_limits WHERE (per IS NULL) <> (dimension = 'ai.concurrency')"
        f" OR (dimension IN ({_dimension_list(STORAGE)}) AND per <> 'lifetime')"),
    Invariant("quota.subjects", "a limit's subject is its company, a team of it, or the tenant",
        "SELECT subject FROM quota_limits WHERE (level = 'org' AND subject <> org_id) OR (level = 'tenant' AND"
        " subject <> '') OR (level = 'team' AND NOT EXISTS (SELECT 1 FROM teams WHERE teams.id = subject"
        " AND teams.org_id = quota_limits.org_id))"),
    Invariant("quota.ledger", "the counters of a company or a team equal the sum of its settled ledger rows, including deleted ones",
        "SELECT who FROM (SELECT subject AS who, requests, tokens FROM quota_used WHERE per = 'lifetime' AND level IN ('org', 'team')"
        f" UNION ALL SELECT subject, -requests, -tokens FROM quota_used WHERE per = '{CLOSED}'"
        " UNION ALL SELECT org_id, -requests, -tokens FROM quota_ledger WHERE settled_at IS NOT NULL"
        " UNION ALL SELECT team_id, -requests, -tokens FROM quota_ledger WHERE settled_at IS NOT NULL) AS entries"
        " GROUP BY who HAVING SUM(requests) <> 0 OR SUM(tokens) <> 0"),
    Invariant("quota.tenant", "the tenant's counters equal the sums of its companies' counters",
        "SELECT counted FROM (SELECT 'used' AS counted, level, requests AS one, tokens AS other FROM quota_used"
        " WHERE per = 'lifetime' UNION ALL SELECT 'stored', level, bytes, objects FROM quota_stored) AS counters"
        " GROUP BY counted HAVING SUM(CASE level WHEN 'tenant' THEN one WHEN 'org' THEN -one ELSE 0 END) <> 0"
        " OR SUM(CASE level WHEN 'tenant' THEN other WHEN 'org' THEN -other ELSE 0 END) <> 0"),
    Invariant("quota.settled", "a settled row occupies no slot, and no figure is negative",
        "SELECT id FROM quota_ledger WHERE requests < 0 OR tokens < 0 OR (settled_at IS NOT NULL AND slots <> 0)"),
    Invariant("quota.company", "a ledger row's team belongs to its company",
        "SELECT quota_ledger.id FROM quota_ledger JOIN teams ON teams.id = quota_ledger.team_id"
        " WHERE teams.org_id <> quota_ledger.org_id"),
)
# fmt: on
