"""What goes with a turn that was deleted: the answers that models gave to its tool calls."""

from teamspace.ai.domain import once
from teamspace.conversations import TurnForgotten
from teamspace.core.db import Tx
from teamspace.core.tables import On

LISTENERS = (On(TurnForgotten, "turn_forgotten", "The answers that its tool calls got from models are deleted."),)


async def turn_forgotten(tx: Tx, event: TurnForgotten) -> None:
    await once.forget_calls(tx, event.id)
