"""The audit trail in SQL: one statement per function, no rules. Every SELECT of events is within a fence.

A page is sought along a walk: the rows of one index, from the newest, among which is all that is wanted.
What it passes is judged by the conditions, which hold the fence and every filter. So a few indexes serve
all combinations of filters, and no statement looks at more rows than it is told to.
"""

from teamspace.audit.schemas import EventRow, Search
from teamspace.core.db import Fence, Reads, Way, columns
from teamspace.core.db.audit import START, Line, Sealed

_EVENT = (
    "audit.id, audit.at, audit.actor_kind, audit.actor_id, users.username, audit.action, audit.target, audit.detail,"
    " audit.team_id, audit.request_id, audit.address, audit.seq, audit.hash"
)
Walk = tuple[Way, ...]
_ALL = 2**31
"""As many as there are between two ids."""
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


async def select(db: Reads, search: Search, walk: Walk, first: str, before: str, limit: int) -> list[EventRow]:
    """The newest of what is wanted, from the id `first` on and before `before`."""
    return await db.all(
        EventRow,
        f"SELECT {_EVENT} FROM audit LEFT JOIN users ON users.id = audit.actor_id"
        f" WHERE audit.id IN ({_walked(db, walk)}) AND {_conditions(search)} ORDER BY audit.id DESC LIMIT :most",
        **_params(search), first=first, before=before, limit=_ALL, most=limit,
    )  # fmt: skip


async def reached(db: Reads, search: Search, walk: Walk, before: str, stride: int) -> str | None:
    """Where `stride` rows of the walk end; None when the walk itself ends before that."""
    return await db.one(
        str,
        f"SELECT id FROM ({_walked(db, walk)}) AS walk ORDER BY id DESC LIMIT 1 OFFSET :passed",
        **_params(search), first=search.first, before=before, limit=stride, passed=stride - 1,
    )  # fmt: skip


async def select_lines(db: Reads, search: Search, after: int, through: int) -> list[Line]:
    """What is wanted of one stretch of the chain, oldest first, each row beside the hash of the one before it."""
    return await db.all(
        Line,
        f"SELECT {columns(Sealed, 'audit')}, COALESCE(previous.hash, '{START}') FROM audit"
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


def walks(search: Search) -> list[Walk]:
    """Every index that leads past all that is wanted; of several actions, each is a way of its own."""
    found: list[Walk] = []
    if "target" in search.filters:
        found.append((Way(f"{_COMPANY} AND audit.target = :target"),))
    if "actor" in search.filters:
        found.append((Way(f"{_COMPANY} AND {_ACTOR}"),))
    if search.actions:
        found.append(tuple(Way(f"{_COMPANY} AND audit.action = :{name}") for name in _named(search.actions)))
    if "team_id" in search.fence.params:
        found.append((Way("audit.team_id = :team_id"),))
    return found or [(Way(_COMPANY),)]


def _walked(db: Reads, walk: Walk) -> str:
    return Fence("audit", walk).newest(db.dialect, "audit.id >= :first")


def _conditions(search: Search) -> str:
    conditions = [search.fence.sql, *(_FILTERS[name] for name in search.filters)]
    if search.actions:
        conditions.append(f"audit.action IN ({', '.join(f':{name}' for name in _named(search.actions))})")
    return " AND ".join(conditions)


def _params(search: Search) -> dict[str, str]:
    return {**search.fence.params, **search.filters, **_named(search.actions)}


def _named(actions: tuple[str, ...]) -> dict[str, str]:
    return {f"action_{number}": action for number, action in enumerate(actions)}
