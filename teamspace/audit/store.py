"""SQL of the audit log, one statement per function. Every SELECT of events is within a fence.

A page is found by an index walk: it reads one index from the newest row, which contains all matching rows,
and checks every row against the fence and all filters. So a few indexes serve all combinations of filters,
and each statement reads a limited number of rows.
"""

from teamspace.audit.schemas import AuditSearch, EventRow
from teamspace.core.db import Clause, Fence, Reads, columns
from teamspace.core.db.audit import ZERO_HASH, ChainLine, SealedRow

_EVENT = (
    "audit.id, audit.at, audit.actor_kind, audit.actor_id, users.username, audit.action, audit.target, audit.detail,"
    " audit.team_id, audit.request_id, audit.address, audit.seq, audit.hash"
)
Walk = tuple[Clause, ...]
_ALL = 2**31
"""No limit: all rows between two ids."""
_ACTOR = "COALESCE(audit.actor_id, audit.actor_kind) = :actor"
_COMPANY = "audit.org_id = :org_id"

# fmt: off
_FILTERS = {
    "actor":  _ACTOR,
    "target": "audit.target = :target",
    "since":  "audit.at >= :since",
    "until":  "audit.at < :until",
}
# fmt: on


async def select(db: Reads, search: AuditSearch, walk: Walk, first: str, before: str, limit: int) -> list[EventRow]:
    """Select the newest matching rows with ids from `first` to below `before`."""
    return await db.all(
        EventRow,
        f"SELECT {_EVENT} FROM audit LEFT JOIN users ON users.id = audit.actor_id"
        f" WHERE audit.id IN ({_walk_sql(db, walk)}) AND {_conditions(search)} ORDER BY audit.id DESC LIMIT :count",
        **_params(search), first=first, before=before, limit=_ALL, count=limit,
    )  # fmt: skip


async def walk_end(db: Reads, search: AuditSearch, walk: Walk, before: str, stride: int) -> str | None:
    """Return the id that the walk reaches after `stride` rows; None if it ends before."""
    return await db.one(
        str,
        f"SELECT id FROM ({_walk_sql(db, walk)}) AS walk ORDER BY id DESC LIMIT 1 OFFSET :passed",
        **_params(search), first=search.first, before=before, limit=stride, passed=stride - 1,
    )  # fmt: skip


async def select_lines(db: Reads, search: AuditSearch, after: int, through: int) -> list[ChainLine]:
    """Select the matching rows of one section of the chain, oldest first, each with the hash of the row before."""
    return await db.all(
        ChainLine,
        f"SELECT {columns(SealedRow, 'audit')}, COALESCE(previous.hash, '{ZERO_HASH}') FROM audit"
        " LEFT JOIN audit AS previous ON previous.org_id = audit.org_id AND previous.seq = audit.seq - 1"
        " WHERE audit.id IN (SELECT id FROM audit WHERE org_id = :org_id AND seq > :after AND seq <= :through)"
        f" AND {_conditions(search)} ORDER BY audit.seq",
        **_params(search), after=after, through=through,
    )  # fmt: skip


async def seq_below(db: Reads, org_id: str, id: str) -> int | None:
    return await db.one(
        int,
        "SELECT seq FROM audit WHERE org_id = :org_id AND id < :id AND seq IS NOT NULL ORDER BY id DESC LIMIT 1",
        org_id=org_id, id=id,
    )  # fmt: skip


async def seq_from(db: Reads, org_id: str, id: str) -> int | None:
    return await db.one(
        int,
        "SELECT seq FROM audit WHERE org_id = :org_id AND id >= :id AND seq IS NOT NULL ORDER BY id LIMIT 1",
        org_id=org_id, id=id,
    )  # fmt: skip


async def next_action(db: Reads, org_id: str, after: str, end: str) -> str | None:
    return await db.one(
        str,
        "SELECT action FROM audit WHERE org_id = :org_id AND action > :after AND action < :end ORDER BY action LIMIT 1",
        org_id=org_id, after=after, end=end,
    )  # fmt: skip


def index_walks(search: AuditSearch) -> list[Walk]:
    """Return the indexes that contain all matching rows; several actions are several clauses of one walk."""
    found: list[Walk] = []
    if "target" in search.filters:
        found.append((Clause(f"{_COMPANY} AND audit.target = :target"),))
    if "actor" in search.filters:
        found.append((Clause(f"{_COMPANY} AND {_ACTOR}"),))
    if search.actions:
        found.append(tuple(Clause(f"{_COMPANY} AND audit.action = :{name}") for name in _action_params(search.actions)))
    if "team_id" in search.fence.params:
        found.append((Clause("audit.team_id = :team_id"),))
    return found or [(Clause(_COMPANY),)]


def _walk_sql(db: Reads, walk: Walk) -> str:
    return Fence("audit", walk).newest(db.dialect, "audit.id >= :first")


def _conditions(search: AuditSearch) -> str:
    conditions = [search.fence.sql, *(_FILTERS[name] for name in search.filters)]
    if search.actions:
        conditions.append(f"audit.action IN ({', '.join(f':{name}' for name in _action_params(search.actions))})")
    return " AND ".join(conditions)


def _params(search: AuditSearch) -> dict[str, str]:
    return {**search.fence.params, **search.filters, **_action_params(search.actions)}


def _action_params(actions: tuple[str, ...]) -> dict[str, str]:
    return {f"action_{number}": action for number, action in enumerate(actions)}
