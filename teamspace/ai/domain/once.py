"""Answers by content: a request that was answered within a month is answered again from the database, for free.

For work that is repeated: a step of a run that is tried again, a document that is processed once more. The answer is
stored in the transaction that settles what it cost, and looked for once more in the one that reserves the quota: the
database may still be committing the answer of a server that was killed. Equal requests at the same time wait for the
first one, on this server; on two servers both are paid.
"""

import asyncio
import hashlib
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from teamspace.ai import access, store
from teamspace.ai.domain.gateway import AlreadyAnswered, Gateway, GatewayAnswer
from teamspace.completions import ModelAnswer, ModelRequest, TokenUsage
from teamspace.core import clock, pools
from teamspace.core.db import Db, Reads, Tx
from teamspace.core.principal import Principal, system
from teamspace.executors import ModelRole

KEPT_SECONDS = 30 * clock.DAY
MAX_ANSWER = 128 * 1024
"""Characters of an answer that is kept."""
MAX_ANSWERS = 2_000
"""Of a team."""
_BATCH = 500
_VERSION = 2
"""Part of every digest: increase it when old answers must not be used."""


class _Flights:
    """Lets one request of each digest ask at a time."""

    def __init__(self) -> None:
        self._locks: dict[str, asyncio.Lock] = {}
        self._users = Counter[str]()

    @asynccontextmanager
    async def hold(self, digest: str) -> AsyncIterator[None]:
        lock = self._locks.setdefault(digest, asyncio.Lock())
        self._users[digest] += 1
        try:
            async with lock:
                yield
        finally:
            self._users[digest] -= 1
            if not self._users[digest]:
                del self._users[digest], self._locks[digest]


_flights = _Flights()


async def ask_once(
    gateway: Gateway, db: Db, who: Principal, request: ModelRequest, *, purpose: str,
    role: ModelRole = ModelRole.CHAT, key: str = "",
) -> GatewayAnswer:  # fmt: skip
    """Have a request answered like `Gateway.call`, or return the answer that the team already has, with no usage.

    With a `key`, only repeats with the same key are equal: for answers that should differ otherwise.
    """
    target = await gateway.choose(db, who, name=request.executor, model=request.model, role=role)
    # Not a model that the executor lists: a server that has just started does not know them yet, and would ask again.
    model = request.model or target.configured_model or ""
    digest = await pools.TEXT.run(_digest, f"{target.executor_id}\n{model}\n{key}\n", request)
    answers = _Answers(who, digest)
    async with _flights.hold(f"{who.team_id}\n{digest}"):
        known = await answers.find(db)
        if known is None:
            try:
                return await gateway.call(db, who, request, purpose=purpose, role=role, memory=answers)
            except AlreadyAnswered as already:
                known = already.answer
    reused = msgspec.structs.replace(known, usage=TokenUsage.of(0, 0))
    return GatewayAnswer(reused, target.name, target.simulated, reused=True)


class _Answers:
    """The kept answer to one request."""

    def __init__(self, who: Principal, digest: str) -> None:
        self._who, self._digest = who, digest

    async def find(self, db: Reads) -> ModelAnswer | None:
        kept = await store.find_answer(db, access.answers(self._who), self._digest, clock.ago(KEPT_SECONDS))
        return None if kept is None else msgspec.json.decode(kept, type=ModelAnswer)

    async def keep(self, tx: Tx, answer: ModelAnswer) -> None:
        encoded = msgspec.json.encode(answer).decode()
        if len(encoded) <= MAX_ANSWER and answer.finish_reason == "stop":
            await store.put_answer(tx, self._who.org_id, self._who.team_id, self._digest, encoded, clock.stamp())
            await store.delete_beyond(tx, self._who.team_id, MAX_ANSWERS)


async def forget_answers(db: Db) -> None:
    """Delete answers that are too old to be used; called periodically."""
    while True:
        async with db.maintenance(system()) as tx:
            if len(await store.delete_old(tx, clock.ago(KEPT_SECONDS), _BATCH)) < _BATCH:
                return


def _digest(prefix: str, request: ModelRequest) -> str:
    encoded = msgspec.json.encode(request)
    return hashlib.sha256(f"{_VERSION}\n{prefix}".encode() + encoded).hexdigest()
