"""Repeated attempts of one call create one thing."""

import hashlib
from collections.abc import Awaitable, Callable
from typing import TypeVar

import msgspec

from teamspace.core import idempotency
from teamspace.core.db import Db, IdempotencyKeyTaken
from teamspace.core.errors import Conflict
from teamspace.core.principal import IdempotencyClaim, Principal
from teamspace.tools.schemas import ToolContext

T = TypeVar("T")


async def create_once(
    db: Db,
    who: Principal,
    context: ToolContext,
    create: Callable[[Principal], Awaitable[T]],
    find: Callable[[str], Awaitable[T]],
) -> T:
    """Create a thing, or find the one that an earlier attempt of the call created within a day.

    `create` writes as the principal it gets, so that the call's key is committed with the thing. `find` gets the
    target of that write.
    """
    if not context.key:
        return await create(who)
    claim = IdempotencyClaim(_key(who, context), b"")
    writer = msgspec.structs.replace(who, call=msgspec.structs.replace(who.call, claim=claim))
    target = await idempotency.find_target(db, writer, claim)
    if target is None:
        try:
            return await create(writer)
        except IdempotencyKeyTaken:
            await db.wait_for_commits()
            target = await idempotency.find_target(db, writer, claim)
    if target is None:
        raise Conflict("idempotency.no_response")
    return await find(target)


def _key(who: Principal, context: ToolContext) -> str:
    return "tool:" + hashlib.sha256(f"{who.user_id}|{who.team_id}|{context.key}".encode()).hexdigest()
