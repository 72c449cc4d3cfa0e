"""An answer without a model: it costs what a request would, and so shows what a quota does."""

from teamspace import quota
from teamspace.ai.schemas import Answer, Echo, TokenUsage
from teamspace.completions import tokens
from teamspace.core.db import Db
from teamspace.core.principal import Principal


async def echo(db: Db, who: Principal, wish: Echo) -> Answer:
    cost = tokens(wish.prompt)
    async with db.write(who, "ai.echo") as tx:
        await quota.spend(tx, quota.Account.of(who), quota.Spend(1, cost), purpose="ai.echo")
    return Answer(wish.prompt, "echo", TokenUsage(cost, 0, cost))
