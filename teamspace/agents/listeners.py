"""What goes with a turn that was deleted: the steps of its run."""

from teamspace.agents.domain import runs
from teamspace.conversations import TurnForgotten
from teamspace.core.db import Tx
from teamspace.core.tables import On

LISTENERS = (On(TurnForgotten, "turn_forgotten", "The steps of its run are deleted."),)


async def turn_forgotten(tx: Tx, event: TurnForgotten) -> None:
    await runs.forget(tx, event.id)
