"""Choose the executor that answers a request now: a person waits, so it must be one that answers.

The first of these that answers: the executor that the request names, the one that the team has chosen for the role, the
instance's default for the role, a push executor if this server has no model, this server. A request that names a model
goes to the first of them that has it, else to any executor that has it. A named executor that does not answer refuses
the request; otherwise the next one is used, and the target says why.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache

import msgspec

from teamspace import jobs
from teamspace.core.db import Reads
from teamspace.core.errors import BadRequest, Forbidden, NoExecutor
from teamspace.core.messages import Key
from teamspace.core.permissions import Permission
from teamspace.core.principal import Principal
from teamspace.executors import access, store
from teamspace.executors.domain.fleet import Fleet
from teamspace.executors.domain.offers import accepts
from teamspace.executors.domain.registry import LOCAL_NAME
from teamspace.executors.schemas import (
    Health,
    Mode,
    ModelCatalog,
    ModelRole,
    OfferedRow,
    Reason,
    Target,
    TargetSource,
)

KIND = "ai.chat"
"""The kind of job that an executor must take to answer."""
SIMULATED = "simulated"
"""The name of the simulated model."""


class Answerer(msgspec.Struct, frozen=True):
    """An executor that can answer: this server, or one that takes chats of the caller's company."""

    id: str
    org_id: str
    name: str
    mode: Mode
    model: str | None
    """The model for requests that name none; None if only the executor knows it."""
    configured_model: str | None
    """The model that it was set up with: unlike those it lists, it is known at once after a start."""
    models: tuple[str, ...] | None
    """The models it has; None if it may have any."""
    simulated: bool
    answers_now: bool


class Preference(msgspec.Struct, frozen=True):
    source: TargetSource
    name: str
    answerer: Answerer | None
    """None if the executor no longer exists."""


# fmt: off
_CHOSEN: dict[TargetSource, Key] = {
    TargetSource.NAMED:    "executors.chosen_named",
    TargetSource.TEAM:     "executors.chosen_team",
    TargetSource.INSTANCE: "executors.chosen_instance",
    TargetSource.DEFAULT:  "executors.chosen_default",
}
# fmt: on


async def choose(
    db: Reads, who: Principal, fleet: Fleet, *, name: str | None, model: str | None, role: ModelRole
) -> Target:
    """Choose who answers now, or raise NoExecutor if nobody does."""
    check_choice(who, name)
    answerers = await list_answerers(db, who, fleet)
    if name is not None:
        return _choose_named(answerers, who, name, model)
    preferences = [*await list_role_preferences(db, who, fleet, role, answerers), *_list_defaults(fleet, answerers)]
    return _choose_by_model(preferences, answerers, model) if model else _choose_preferred(preferences)


def check_choice(who: Principal, name: str | None) -> None:
    """Only operators name an executor."""
    if name is not None and not who.has_permission(Permission.INSTANCE_MANAGE):
        raise Forbidden("executors.choice", permission=Permission.INSTANCE_MANAGE)


# Who can answer


async def select_offered(db: Reads, who: Principal, fleet: Fleet, kind: str) -> list[OfferedRow]:
    """Select the executors that take jobs of a kind from the caller's company."""
    rows = await fleet.select_offered(db, access.fence(who))
    return [row for row in rows if accepts(row, kind, fleet.queue.kinds)]


async def list_answerers(db: Reads, who: Principal, fleet: Fleet) -> list[Answerer]:
    """List all executors that can answer the caller, this server first."""
    return to_answerers(fleet, await select_offered(db, who, fleet, KIND))


def to_answerers(fleet: Fleet, rows: list[OfferedRow]) -> list[Answerer]:
    """Return this server and the executors of the rows."""
    return [_local_answerer(fleet, alone=not rows), *(_to_answerer(fleet, row) for row in rows)]


def find_answerer(answerers: Iterable[Answerer], who: Principal, name: str) -> Answerer | None:
    """Find an executor by name; the company's own executors take precedence over shared ones."""
    found = [answerer for answerer in answerers if answerer.name.casefold() == name.casefold()]
    return max(found, key=lambda answerer: answerer.org_id == who.org_id, default=None)


def _local_answerer(fleet: Fleet, *, alone: bool) -> Answerer:
    if fleet.local is None:
        # Whoever requests a model by name must not get simulated answers while there are real models.
        models = None if alone else ()
        return Answerer(
            jobs.LOCAL, "", LOCAL_NAME, Mode.LOCAL, SIMULATED, SIMULATED, models, simulated=True, answers_now=True
        )
    tracker = fleet.health_of(jobs.LOCAL)
    return Answerer(
        jobs.LOCAL, "", LOCAL_NAME, Mode.LOCAL, *_models(fleet.local.model, tracker.models),
        simulated=False, answers_now=tracker.is_available,
    )  # fmt: skip


def _to_answerer(fleet: Fleet, row: OfferedRow) -> Answerer:
    tracker = fleet.health_of(row.id)
    # A worker that is busy does not poll.
    answers = tracker.is_available if row.mode is Mode.PUSH else row.health is Health.UP or row.is_busy
    return Answerer(
        row.id, row.org_id, row.name, row.mode, *_models(row.model, tracker.models), simulated=False, answers_now=answers
    )  # fmt: skip


def _models(fixed: str | None, listed: tuple[str, ...]) -> tuple[str | None, str | None, tuple[str, ...] | None]:
    """Return the model for requests that name none, the configured model, and all models; None is unknown."""
    models = (fixed,) if fixed else listed
    return next(iter(models), None), fixed, models or None


async def list_models(db: Reads, who: Principal, fleet: Fleet) -> ModelCatalog:
    """List the models that the caller can request by name."""
    answerers = await list_answerers(db, who, fleet)
    offered = {model: one.name for one in reversed(answerers) for model in one.models or ()}
    is_open = any(one.models is None and one.answers_now and not one.simulated for one in answerers)
    if len(answerers) == 1 and answerers[0].simulated:
        offered[SIMULATED] = LOCAL_NAME
    return ModelCatalog(dict(sorted(offered.items())), is_open)


# What is preferred


async def list_role_preferences(
    db: Reads, who: Principal, fleet: Fleet, role: ModelRole, answerers: list[Answerer]
) -> list[Preference]:
    """List what the team has chosen for the role, then the instance's default."""
    by_id = {answerer.id: answerer for answerer in answerers}
    preferences = []
    for row in await store.select_model_roles(db, who.team_id):
        if row.role is role:
            chosen = by_id.get(row.executor_id)
            preferences.append(Preference(TargetSource.TEAM, chosen.name if chosen else "", chosen))
    if default := fleet.role_defaults[role]:
        shared = [answerer for answerer in answerers if not answerer.org_id]
        preferences.append(Preference(TargetSource.INSTANCE, default, find_answerer(shared, who, default)))
    return preferences


def _list_defaults(fleet: Fleet, answerers: list[Answerer]) -> list[Preference]:
    """List this server, or push executors if it has only the simulated model: that is what people want.

    The company's own come first, then those of the settings, then the oldest: a new one changes nothing.
    """
    push = [answerer for answerer in answerers if answerer.mode is Mode.PUSH]
    push.sort(key=lambda one: (not one.org_id, not fleet.is_configured(one.id), one.id))
    if fleet.local is None and push:
        return [Preference(TargetSource.DEFAULT, answerer.name, answerer) for answerer in push]
    local = next(answerer for answerer in answerers if answerer.mode is Mode.LOCAL)
    return [Preference(TargetSource.LOCAL, local.name, local)]


# The choice


def _choose_named(answerers: list[Answerer], who: Principal, name: str, model: str | None) -> Target:
    found = find_answerer(answerers, who, name)
    if found is None:
        raise BadRequest.at("/executor", "executors.no_such_name")
    if model and not found.simulated and found.models is not None and model not in found.models:
        raise BadRequest.at("/model", "executors.no_such_model")
    if not found.answers_now:
        raise NoExecutor("executors.named_silent", executor=found.name)
    return _to_target(
        found, model, TargetSource.NAMED, [Reason.keyed(_CHOSEN[TargetSource.NAMED], executor=found.name)]
    )


def _choose_preferred(preferences: list[Preference]) -> Target:
    skipped: list[Reason] = []
    for preference in preferences:
        answerer = preference.answerer
        if answerer and answerer.answers_now:
            chosen = _explain(preference.source, answerer)
            return _to_target(answerer, None, preference.source, [*skipped, chosen])
        if (reason := _explain_skipped(preference)) not in skipped:
            skipped.append(reason)
    raise _nobody_answers(preference.answerer for preference in preferences)


def _choose_by_model(preferences: list[Preference], answerers: list[Answerer], model: str) -> Target:
    sources = {one.answerer.id: one.source for one in reversed(preferences) if one.answerer}
    ranked = [one.answerer for one in preferences if one.answerer]
    able = list(_having(model, [*ranked, *(one for one in answerers if one.id not in sources)]))
    if not able:
        raise BadRequest.at("/model", "executors.no_such_model")
    for answerer in able:
        if answerer.answers_now:
            source = sources.get(answerer.id, TargetSource.DEFAULT)
            if answerer.simulated:
                return _to_target(answerer, model, source, [_explain(TargetSource.LOCAL, answerer)])
            reason = Reason.keyed("executors.chosen_model", executor=answerer.name, model=model)
            return _to_target(answerer, model, source, [reason])
    raise _nobody_answers(able)


def _having(model: str, answerers: list[Answerer]) -> Iterator[Answerer]:
    """Yield those that have the model, then those that may have it: of whom only one that answers can be asked."""
    yield from (answerer for answerer in answerers if answerer.models is not None and model in answerer.models)
    yield from (answerer for answerer in answerers if answerer.models is None and answerer.answers_now)


def _to_target(answerer: Answerer, model: str | None, source: TargetSource, reasons: list[Reason]) -> Target:
    return Target(
        answerer.id, answerer.name, answerer.mode, model or answerer.model, answerer.configured_model,
        answerer.simulated, source, tuple(reasons),
    )  # fmt: skip


def _explain(source: TargetSource, answerer: Answerer) -> Reason:
    return _reason(source, answerer.name, answerer.simulated)


@lru_cache(256)
def _reason(source: TargetSource, name: str, simulated: bool) -> Reason:
    if source is not TargetSource.LOCAL:
        return Reason.keyed(_CHOSEN[source], executor=name)
    return Reason.keyed("executors.chosen_simulated" if simulated else "executors.chosen_local")


def _explain_skipped(preference: Preference) -> Reason:
    if preference.answerer:
        return Reason.keyed("executors.skipped", executor=preference.name)
    if preference.source is TargetSource.TEAM:
        return Reason.keyed("executors.team_choice_gone")
    return Reason.keyed("executors.default_gone", executor=preference.name)


def _nobody_answers(answerers: Iterable[Answerer | None]) -> NoExecutor:
    names = dict.fromkeys(answerer.name for answerer in answerers if answerer)
    return NoExecutor("executors.none_answers", executors=", ".join(names))
