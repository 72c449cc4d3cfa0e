"""Executes one item of one step: the handler of its job."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, ParamSpec, TypeVar

import msgspec

from teamspace.core import pools
from teamspace.core.db import Db
from teamspace.core.errors import TooLarge
from teamspace.core.principal import Meter, Principal, system
from teamspace.jobs import Obsolete
from teamspace.quota import Spend
from teamspace.tools import Toolbox, ToolContext, ToolResult
from teamspace.workflows import store
from teamspace.workflows.domain import advancing, frozen, outputs
from teamspace.workflows.domain.language.bindings import BindingScope, bind, item_at, needs_of
from teamspace.workflows.domain.language.predicates import evaluate
from teamspace.workflows.domain.language.specs import CallStep, ChoiceStep, MapStep, WorkflowSpec
from teamspace.workflows.domain.language.transitions import measure
from teamspace.workflows.domain.starting import find_ids
from teamspace.workflows.schemas import RunRow, RunState, StepInput, StepResult

P = ParamSpec("P")
T = TypeVar("T")
MAX_OUTPUT = 2560 * 1024
"""Of one item, in bytes of JSON."""
_THREAD_BYTES = 32 * 1024


async def run_step(db: Db, who: Principal, input: StepInput, toolbox: Toolbox) -> StepResult:
    """Bind the step's arguments to what the run knows by now, and call its tool; or decide a choice."""
    run = await store.get_stored(db, input.run_id)
    if run is None or run.state is not RunState.RUNNING or run.step != input.step_id:
        raise Obsolete("workflows.run_ended")
    spec = await frozen.load(db, run.team_id, run.digest)
    step = spec.step(input.step_id)
    scope, size = await _load_scope(db, who, run, spec, step)
    if isinstance(step, ChoiceStep):
        branch = await _run(size, evaluate, step.when, scope)
        return StepResult(msgspec.Raw(b"true" if branch else b"false"), branch=branch)
    arguments, named = await _run(size, _bind, step, scope, input.item)
    meter = Meter()
    caller = msgspec.structs.replace(who, call=msgspec.structs.replace(who.call, meter=meter))
    context = ToolContext("workflow", key=f"{input.run_id}:{input.step_id}:{input.item}")
    async with _counting_failures(db, run, input, meter):
        result = await toolbox.call(db, caller, step.tool, arguments, context)
        done = await _run(_length(result), _to_result, spec, step.id, result.value, meter, named)
    tool = toolbox.get(step.tool)
    return msgspec.structs.replace(done, private=tool is None or not tool.row.only_documents)


@asynccontextmanager
async def _counting_failures(db: Db, run: RunRow, input: StepInput, meter: Meter) -> AsyncIterator[None]:
    """Count what an attempt that fails has spent. One that succeeds has it in its result."""
    try:
        yield
    except Exception:
        if meter.requests or meter.tokens:
            async with db.maintenance(system(org_id=run.org_id, team_id=run.team_id)) as tx:
                await advancing.count_failed(tx, run, input, Spend(meter.requests, meter.tokens))
        raise


async def _load_scope(
    db: Db, who: Principal, run: RunRow, spec: WorkflowSpec, step: CallStep | MapStep | ChoiceStep
) -> tuple[BindingScope, int]:
    """Return what the step's references can name, and how long that is as JSON."""
    needs = needs_of(step)
    input = await outputs.load_input(db, run.id) if needs.input else outputs.NOTHING
    read = {step_id: await outputs.load(db, run.id, spec, step_id) for step_id in sorted(needs.steps)}
    scope = BindingScope(
        input=input.value, outputs={step_id: output.value for step_id, output in read.items()},
        run_id=run.id, team_id=run.team_id, user_id=run.owner_id, locale=run.locale,
        principal_locale=who.locale or run.locale,
    )  # fmt: skip
    return scope, input.size + sum(output.size for output in read.values())


async def _run(size: int, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do the work here, or in a thread if what it reads is long."""
    return await pools.TEXT.run(work, *args, **kwargs) if size > _THREAD_BYTES else work(*args, **kwargs)


def _length(result: ToolResult) -> int:
    """Return about how long a result is as JSON: what models see of it is cut only if it is long."""
    if not result.is_artifact:
        return len(result.shown) * 3
    return sum(len(value) if isinstance(value, str) else _THREAD_BYTES // 4 for value in result.value.values())


def _bind(step: CallStep | MapStep, scope: BindingScope, item: int) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the arguments, and what in them could be documents.

    The arguments are a copy: outputs are shared with the other items of a map, and a tool may change what it is given.
    """
    if isinstance(step, MapStep):
        scope = msgspec.structs.replace(scope, item=item_at(step, scope, item), index=item)
    encoded = msgspec.json.encode({name: bind(value, scope) for name, value in step.arguments.items()})
    arguments: dict[str, Any] = msgspec.json.decode(encoded)
    return arguments, find_ids(encoded)


def _to_result(spec: WorkflowSpec, step_id: str, value: Any, meter: Meter, named: tuple[str, ...]) -> StepResult:
    encoded = msgspec.json.encode(value)
    if len(encoded) > MAX_OUTPUT:
        raise TooLarge("workflows.output_too_large", limit=MAX_OUTPUT)
    objects = tuple(dict.fromkeys((*named, *find_ids(encoded))))
    usage = Spend(meter.requests, meter.tokens)
    return StepResult(msgspec.Raw(encoded), measure(spec, step_id, value), usage=usage, objects=objects)
