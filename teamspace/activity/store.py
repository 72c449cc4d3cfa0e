"""The activity of a team in SQL: one statement per function, no rules."""

from collections.abc import Collection

from teamspace.activity.schemas import ActivityKind, ActivityRow, ActivityThing
from teamspace.core.db import Reads, as_json, columns

ACTIONS = (
    "note.create", "note.update", "note.share", "object.create", "object.update", "object.share", "conversation.share",
    "run.start",
)  # fmt: skip
"""What the activity shows. The index `audit_activity` has the same list: another one would not use it."""
_SHOWN = f"action IN ({', '.join(repr(action) for action in ACTIONS)})"


async def select_newest(db: Reads, org_id: str, team_id: str, before: str, limit: int) -> list[ActivityRow]:
    """Select ids and actions only; what the caller can read of it is for the fences to say."""
    return await db.all(
        ActivityRow,
        f"SELECT {columns(ActivityRow)} FROM audit WHERE team_id = :team_id AND org_id = :org_id AND {_SHOWN}"
        " AND id < :before ORDER BY id DESC LIMIT :limit",
        org_id=org_id, team_id=team_id, before=before, limit=limit,
    )  # fmt: skip


async def select_readable(db: Reads, kind: ActivityKind, ids: Collection[str]) -> list[ActivityThing]:
    """Select those of the things that the fence admits."""
    fence = kind.fence
    return await db.all(
        ActivityThing,
        f"SELECT {fence.table}.id, {kind.kind}, {kind.title}, {kind.state} FROM {fence.table}"
        f" WHERE {fence.table}.id {db.dialect.in_strings.format('ids')} AND {kind.condition} AND {fence.sql}",
        ids=as_json(sorted(ids)), **fence.params,
    )  # fmt: skip
