"""Quotas in SQL: one statement per function, no rules."""

from collections.abc import Mapping

from teamspace.core.db import Reads, Tx
from teamspace.core.tables import Invariant
from teamspace.quota.schemas import Dimension, LimitRow, Subject, Window

_STARTS = "CASE l.per " + " ".join(f"WHEN '{window}' THEN :{window}" for window in Window) + " END"
_LIMIT = (
    "SELECT l.level, l.dimension, l.most, l.per, COALESCE(u.used, 0) FROM quota_limits AS l LEFT JOIN quota_used AS u"
    " ON u.level = l.level AND u.subject = l.subject AND u.dimension = l.dimension AND u.per = l.per"
    f" AND u.starts_at = {_STARTS}"
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


async def select_limits(db: Reads, subject: Subject, starts: Mapping[str, str]) -> list[LimitRow]:
    """`starts` says when the present window of each length began."""
    return await db.all(
        LimitRow,
        f"{_LIMIT} WHERE l.level = :level AND l.subject = :subject",
        level=subject.level, subject=subject.id, **starts,
    )  # fmt: skip


# fmt: off
INVARIANTS = (
    Invariant("quota.windows", "a limit has a window, but for concurrency, which has none",
        "SELECT subject || ' ' || dimension FROM quota_limits WHERE (per IS NULL) <> (dimension = 'ai.concurrency')"),
    Invariant("quota.subjects", "a limit binds a company, a team of it, or the tenant",
        "SELECT subject FROM quota_limits WHERE (level = 'org' AND subject <> org_id) OR (level = 'tenant' AND"
        " subject <> '') OR (level = 'team' AND NOT EXISTS (SELECT 1 FROM teams WHERE teams.id = subject"
        " AND teams.org_id = quota_limits.org_id))"),
    Invariant("quota.used", "nothing was used a negative number of times",
        "SELECT subject FROM quota_used WHERE used < 0"),
)
# fmt: on
