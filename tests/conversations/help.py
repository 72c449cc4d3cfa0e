"""Turns as the package that asks the model writes them: a job and a turn of the same id."""

from typing import Any

from msgspec import UNSET

from teamspace import conversations, wiring
from teamspace.completions import TokenUsage
from teamspace.conversations import BegunTurn, NewConversation, TurnState
from teamspace.core import clock
from teamspace.core.db import Tx
from teamspace.core.ids import new_id
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Call, Principal
from tests.support.world import Caller, World

USAGE = TokenUsage.of(10, 5)


def principal(caller: Caller, permissions: frozenset[P] = frozenset({P.CHAT_USE})) -> Principal:
    return Principal(
        "api", Call(), user_id=caller.user_id, team_id=caller.team.id, org_id=caller.org.id, permissions=permissions
    )


async def create(world: World, caller: Caller, title: str | None = None) -> str:
    draft = NewConversation() if title is None else NewConversation(title)
    return (await conversations.create(world.db, principal(caller), draft)).id


async def begin(
    world: World, caller: Caller, conversation_id: str, prompt: Any = None, *, parent_id: Any = UNSET,
    regenerate: str | None = None,
) -> BegunTurn:  # fmt: skip
    turn_id = new_id()
    async with world.db.write(principal(caller), "chat.turn") as tx:
        begun = await conversations.begin_turn(
            tx, principal(caller), conversation_id, turn_id=turn_id, prompt=conversations.encode_prompt(prompt or ""), parent_id=parent_id,
            regenerate=regenerate,
        )  # fmt: skip
        await _start_job(tx, caller, turn_id)
    return begun


async def _start_job(tx: Tx, caller: Caller, job_id: str) -> None:
    await tx.run(
        "INSERT INTO jobs (id, org_id, team_id, user_id, kind, channel, state, phase, priority, run_at, attempt,"
        " max_attempts, lease_expiries, stop_requested, input, created_at) VALUES (:id, :org_id, :team_id, :user_id, 'ai.turn',"
        " 'ai.turn@local', 'queued', 'scheduled', 0, :later, 0, 1, 0, FALSE, '{}', :now)",
        id=job_id, org_id=caller.org.id, team_id=caller.team.id, user_id=caller.user_id, now=clock.stamp(),
        later=clock.later(clock.DAY),
    )  # fmt: skip


async def end(
    world: World,
    caller: Caller,
    turn_id: str,
    content: str = "Answer",
    *,
    state: TurnState = TurnState.DONE,
    **more: Any,
) -> None:
    async with world.db.write(principal(caller), "chat.end") as tx:
        await conversations.end_turn(tx, turn_id, content=content, state=state, usage=USAGE, **more)
        await tx.run("DELETE FROM jobs WHERE id = :id", id=turn_id)


async def say(
    world: World, caller: Caller, conversation_id: str, prompt: Any, answer: str = "Answer", **more: Any
) -> BegunTurn:
    """One complete turn."""
    begun = await begin(world, caller, conversation_id, prompt, **more)
    await end(world, caller, begun.id, answer)
    return begun


async def told(world: World, caller: Caller, turn_id: str) -> list[Any]:
    """What a model is given for a turn: the contents of its history."""
    return [turn.content for turn in await conversations.history(world.db, principal(caller), turn_id)]


async def broken(world: World) -> list[str]:
    """Return the names of the broken invariants."""
    return [row.name for row in wiring.INVARIANTS if await world.db.exists(row.sql)]
