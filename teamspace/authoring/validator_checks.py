"""What the validator of a remote kind must do: the server trusts no worker."""

import inspect
from collections.abc import Iterator
from contextlib import suppress
from functools import partial

import msgspec

from teamspace import jobs
from teamspace.authoring import samples
from teamspace.authoring.schemas import Run, Unmet
from teamspace.core.errors import Refusal


def check(run: Run, kind: jobs.BoundKind) -> None:
    subject = f"the job kind {kind.name}"
    run(subject, "refuses results of another type", partial(_refuse_misfits, kind))
    run(subject, "returns what is wrong with a result, or None", partial(_judge_samples, kind))


async def _refuse_misfits(kind: jobs.BoundKind) -> None:
    for input in _inputs(kind):
        for what, result in samples.misfitting(msgspec.json.schema(kind.result)):
            try:
                await kind.read_result(input, result)
            except Refusal:
                continue
            raise Unmet(f"a result {what} was accepted")


async def _judge_samples(kind: jobs.BoundKind) -> str | None:
    """Call the validator with results of the right type; note if it accepts them all."""
    assert kind.check is not None
    refused = tried = 0
    for input in _inputs(kind):
        for result in _results(kind):
            found = kind.check(input, result)
            problem: object = await found if inspect.isawaitable(found) else found
            if not isinstance(problem, str) and problem not in (None, False):
                raise Unmet(f"it returned {problem!r:.100}, which is neither a text nor None")
            refused, tried = refused + bool(problem), tried + 1
    return None if refused or not tried else f"it accepted all {tried} results that were tried"


def _results(kind: jobs.BoundKind) -> Iterator[msgspec.Struct]:
    schema = msgspec.json.schema(kind.result)
    for raw in [*samples.fitting(schema), *samples.variants(schema)]:
        with suppress(msgspec.ValidationError):  # a variant may be outside of the declared limits
            yield msgspec.convert(raw, kind.result)


def _inputs(kind: jobs.BoundKind) -> list[msgspec.Struct]:
    return [kind.read_input(raw) for raw in samples.fitting(msgspec.json.schema(kind.input))]
