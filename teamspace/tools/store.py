"""Tools in SQL: which ones a team has turned on or off."""

from teamspace.core.db import Reads, Tx
from teamspace.core.tables import Invariant
from teamspace.tools.schemas import ToolSwitch


async def is_enabled(db: Reads, team_id: str, tool: str) -> bool | None:
    """Return what the team has chosen, or None."""
    return await db.one(
        bool, "SELECT enabled FROM team_tools WHERE team_id = :team_id AND tool = :tool", team_id=team_id, tool=tool
    )


async def select(db: Reads, team_id: str) -> list[ToolSwitch]:
    return await db.all(ToolSwitch, "SELECT tool, enabled FROM team_tools WHERE team_id = :team_id", team_id=team_id)


async def put(tx: Tx, team_id: str, org_id: str, tool: str, *, enabled: bool, now: str) -> None:
    await tx.run(
        "INSERT INTO team_tools (team_id, tool, org_id, enabled, updated_at)"
        " VALUES (:team_id, :tool, :org_id, :enabled, :now)"
        " ON CONFLICT (team_id, tool) DO UPDATE SET enabled = excluded.enabled, updated_at = excluded.updated_at",
        team_id=team_id, tool=tool, org_id=org_id, enabled=enabled, now=now,
    )  # fmt: skip


# fmt: off
INVARIANTS = (
    Invariant("tools.company", "a team's choice of tools belongs to the team's company",
        "SELECT team_tools.team_id FROM team_tools JOIN teams ON teams.id = team_tools.team_id"
        " WHERE teams.org_id <> team_tools.org_id"),
)
# fmt: on
