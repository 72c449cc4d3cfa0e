"""An echo without a model. It is metered like a real request, to try out quotas."""

from teamspace import quota
from teamspace.ai.schemas import Echo, EchoAnswer
from teamspace.completions import TokenUsage, estimate_tokens
from teamspace.core.db import Db
from teamspace.core.principal import Principal


async def echo(db: Db, who: Principal, request: Echo) -> EchoAnswer:
    cost = estimate_tokens(request.prompt)
    async with db.write(who, "ai.echo") as tx:
        await quota.spend(tx, quota.QuotaAccount.of(who), quota.Spend(1, cost), purpose="ai.echo")
    return EchoAnswer(request.prompt, TokenUsage.of(cost, 0))
