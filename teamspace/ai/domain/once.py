"""Answers by content: a request that was answered within a month is answered again from the database, for free.

For work that is repeated: a step of a run that is tried again, a document that is processed once more. The answer is
stored in the transaction that settles what it cost, and looked for once more in the one that reserves the quota: the
database may still be committing the answer of a server that was killed. Equal requests at the same time wait for the
first one, on all servers: its reservation has the digest of the request, or the job of a remote worker has, which keeps the
answer when it ends.
"""

import asyncio
import hashlib
from contextlib import suppress
from functools import partial

import msgspec

from teamspace.ai import access, store
from teamspace.ai.domain.gateway import REMEMBERED, AlreadyAnswered, BeingAnswered, Gateway, GatewayAnswer, tell_asked
from teamspace.completions import ModelAnswer, ModelRequest, TokenUsage
from teamspace.core import clock, pools
from teamspace.core.db import Db, Reads, Tx, in_batches
from teamspace.core.principal import Principal
from teamspace.executors import ModelRole
from teamspace.jobs import EndedJob, Outcome, Succeeded

KEPT_SECONDS = 30 * clock.DAY
MAX_ANSWER = 128 * 1024
"""Characters of an answer that is kept."""
MAX_ANSWERS = 2_000
"""Of a team."""
_POLL = 2.0
"""Seconds. A server that was killed tells nobody that its call has ended."""
_VERSION = 2
"""Part of every digest: increase it when old answers must not be used."""


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
    answers = _Answers(who, digest, key)
    with gateway.subscribe(digest) as news:  # before anyone is found to ask: they may be done when this waits
        while (known := await answers.find(db)) is None:
            try:
                return await gateway.call(db, who, request, purpose=purpose, role=role, memory=answers)
            except AlreadyAnswered as already:
                known = already.answer
                break
            except BeingAnswered:
                await _wait(news)
    reused = msgspec.structs.replace(known, usage=TokenUsage.of(0, 0))
    return GatewayAnswer(reused, target.name, target.simulated, reused=True)


async def _wait(news: asyncio.Event) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(_POLL):
            await news.wait()
    news.clear()


class _Answers:
    """The kept answer to one request."""

    def __init__(self, who: Principal, digest: str, key: str) -> None:
        self._who, self.digest, self._key = who, digest, key

    @property
    def run_id(self) -> str:
        """The key first, so that the jobs of a call are found by it."""
        return "/".join([*filter(None, [self._key]), self._who.team_id, self.digest])

    async def find(self, db: Reads) -> ModelAnswer | None:
        kept = await store.find_answer(db, access.answers(self._who), self.digest, clock.ago(KEPT_SECONDS))
        return None if kept is None else msgspec.json.decode(kept, type=ModelAnswer)

    async def keep(self, tx: Tx, answer: ModelAnswer) -> None:
        await _keep(tx, self._who.org_id, self._who.team_id, self.digest, self._key, answer)


async def end_chat(tx: Tx, job: EndedJob, outcome: Outcome) -> None:
    """Keep the answer of a remote worker, in the transaction that ends its job and settles what it cost."""
    if job.origin is None or job.origin.step != REMEMBERED:
        return
    call, _, digest = job.origin.run_id.rpartition("/")
    key, _, team_id = call.rpartition("/")
    if isinstance(outcome, Succeeded) and isinstance(outcome.result, ModelAnswer):
        await _keep(tx, job.account.org_id, team_id, digest, key, outcome.result)
    tell_asked(tx, digest)


async def _keep(tx: Tx, org_id: str, team_id: str, digest: str, key: str, answer: ModelAnswer) -> None:
    encoded = msgspec.json.encode(answer).decode()
    if len(encoded) <= MAX_ANSWER and answer.finish_reason == "stop":
        await store.put_answer(tx, org_id, team_id, digest, key, encoded, clock.stamp())
        await store.delete_beyond(tx, team_id, MAX_ANSWERS)


async def forget_calls(tx: Tx, run_id: str) -> None:
    """Delete the answers to the tool calls of an agent's run, whose keys begin with its id."""
    await store.delete_of_calls(tx, f"{run_id}:", f"{run_id};")


async def forget_answers(db: Db) -> None:
    """Delete answers that are too old to be used; called periodically."""
    await in_batches(db, partial(store.delete_old, before=clock.ago(KEPT_SECONDS)))


def _digest(prefix: str, request: ModelRequest) -> str:
    encoded = msgspec.json.encode(request)
    return hashlib.sha256(f"{_VERSION}\n{prefix}".encode() + encoded).hexdigest()
