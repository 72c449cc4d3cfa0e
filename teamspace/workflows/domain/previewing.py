"""What a run would cost, without starting it."""

import logging
from typing import Any

from teamspace import quota
from teamspace.ai import BlockingLimit, Estimate, Gateway
from teamspace.core import pools
from teamspace.core.db import Db
from teamspace.core.messages import render
from teamspace.core.principal import Principal
from teamspace.quota import QuotaAccount, Spend
from teamspace.tools import Toolbox
from teamspace.workflows.domain.definitions import Definition
from teamspace.workflows.domain.language.bindings import BindingScope
from teamspace.workflows.domain.language.simulation import SimulatedStep, simulate
from teamspace.workflows.domain.language.validation import check_input
from teamspace.workflows.domain.starting import locale_of
from teamspace.workflows.schemas import DryStep, RunFault, WorkflowDryRun

log = logging.getLogger("teamspace.workflows")
_FREE = Spend(0, 0)


async def preview(
    db: Db, who: Principal, toolbox: Toolbox, gateway: Gateway, definition: Definition, input: dict[str, Any]
) -> WorkflowDryRun:
    """Return what a run would take at most, who would answer, and which limit would stop it now."""
    check_input(definition.spec, input)
    locale = locale_of(who)
    scope = BindingScope(
        input=input, outputs={}, run_id="", team_id=who.team_id, user_id=who.user_id, locale=locale,
        principal_locale=locale,
    )  # fmt: skip
    found = await pools.TEXT.run(simulate, definition.spec, scope, _Estimates(toolbox).get)
    offered = {tool.name for tool in await toolbox.list_offered(db, who)}
    spend = Spend(found.requests, found.tokens)
    target = await gateway.choose(db, who, name=None, model=None) if spend.requests else None
    limit = await quota.preview(db, QuotaAccount.of(who), spend) if spend != _FREE else None
    callable = all(step.tool is None or step.tool in offered for step in found.steps if step.is_certain)
    return WorkflowDryRun(
        executor=target.name if target else "", model=target.model if target else None,
        estimate=Estimate(spend.requests, spend.tokens), admitted=limit is None and callable and not found.will_fail,
        blocked_by=None if limit is None else BlockingLimit(limit.dimension, limit.level, quota.resets_at(limit)),
        steps=[_to_step(step, step.tool is None or step.tool in offered) for step in found.steps],
    )  # fmt: skip


class _Estimates:
    """What tools say about their cost."""

    def __init__(self, toolbox: Toolbox) -> None:
        self._toolbox = toolbox

    def get(self, name: str, arguments: dict[str, Any]) -> Spend:
        tool = self._toolbox.get(name)
        if tool is None or tool.estimate is None:
            return _FREE
        try:
            return tool.estimate(arguments)
        except Exception:
            log.exception("the tool %s cannot say what it costs", name)
            return _FREE


def _to_step(step: SimulatedStep, offered: bool) -> DryStep:
    fault = None if step.fault is None else RunFault(
        step.fault.rpartition(".")[2], render(step.fault, step.params), step.fault, step.params, step.id
    )  # fmt: skip
    return DryStep(
        id=step.id, kind=step.kind, tool=step.tool, jobs=step.jobs, most_jobs=step.most_jobs, requests=step.requests,
        tokens=step.tokens, certain=step.is_certain, offered=offered, error=fault,
    )  # fmt: skip
