"""Tools in SQL: which ones a team has turned on or off."""

from teamspace.core.db import Reads, Tx
from teamspace.core.tables import Invariant
from teamspace.tools.schemas import ToolSwitch


async def find(db: Reads, team_id: str, tool: str) -> ToolSwitch | None:
    """Return what the team has chosen, or None."""
    return await db.one(
        ToolSwitch, "SELECT tool, enabled, pin FROM team_tools WHERE team_id = :team_id AND tool = :tool",
        team_id=team_id, tool=tool,
    )  # fmt: skip


async def select(db: Reads, team_id: str) -> list[ToolSwitch]:
    return await db.all(
        ToolSwitch, "SELECT tool, enabled, pin FROM team_tools WHERE team_id = :team_id", team_id=team_id
    )


async def put(tx: Tx, team_id: str, org_id: str, switch: ToolSwitch, now: str) -> None:
    await tx.run(
        "INSERT INTO team_tools (team_id, tool, org_id, enabled, pin, updated_at)"
        " VALUES (:team_id, :tool, :org_id, :enabled, :pin, :now)"
        " ON CONFLICT (team_id, tool)"
        " DO UPDATE SET enabled = excluded.enabled, pin = excluded.pin, updated_at = excluded.updated_at",
        team_id=team_id, tool=switch.tool, org_id=org_id, enabled=switch.enabled, pin=switch.pin, now=now,
    )  # fmt: skip


# fmt: off
INVARIANTS = (
    Invariant("tools.company", "a team's choice of tools belongs to the team's company",
        "SELECT team_tools.team_id FROM team_tools JOIN teams ON teams.id = team_tools.team_id"
        " WHERE teams.org_id <> team_tools.org_id"),
)
# fmt: on
