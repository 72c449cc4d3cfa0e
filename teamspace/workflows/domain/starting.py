"""Starts runs, in the transaction of whoever wants one."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from teamspace.core.db import Tx
from teamspace.core.errors import TooLarge
from teamspace.core.ids import new_id
from teamspace.jobs import Authority, Queue
from teamspace.workflows import store
from teamspace.workflows.domain import advancing
from teamspace.workflows.domain.definitions import Definition
from teamspace.workflows.domain.language.transitions import begin, measure_input
from teamspace.workflows.domain.language.validation import check_input
from teamspace.workflows.schemas import MAX_OBJECTS, NewRun

MAX_INPUT = 1024 * 1024
"""In bytes of JSON."""
_ID = re.compile(rb'"([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})"')


class PreparedRun(msgspec.Struct, frozen=True):
    """A run that can be started: its input is valid, encoded and measured."""

    definition: Definition
    input: str
    """As JSON."""
    counts: dict[str, int]
    objects: tuple[str, ...]
    """Ids in the input that could be documents."""


def prepare(definition: Definition, input: dict[str, Any]) -> PreparedRun:
    """Check and encode the input of a run, before its transaction; raise BadRequest naming what is wrong with it."""
    check_input(definition.spec, input)
    encoded = msgspec.json.encode(input)
    if len(encoded) > MAX_INPUT:
        raise TooLarge("workflows.input_too_large", limit=MAX_INPUT)
    return PreparedRun(definition, encoded.decode(), measure_input(definition.spec, input), find_ids(encoded))


async def start(
    tx: Tx, queue: Queue, authority: Authority, prepared: PreparedRun, *, locale: str, trigger_id: str | None = None,
    objects: Sequence[str] = (),
) -> str:  # fmt: skip
    """Start a run and return its id. `objects` are documents that it is about, besides those that its input names."""
    definition = prepared.definition
    new = NewRun(
        new_id(), authority, definition.slug, definition.version, definition.digest, definition.spec.max_steps,
        prepared.counts, locale, trigger_id, None,
    )  # fmt: skip
    await store.insert_run(tx, new)
    run = await advancing.lock(tx, new.id)
    assert run is not None
    await store.insert_input(tx, run, prepared.input)
    await advancing.add_objects(tx, run, (*objects, *prepared.objects))
    spec = definition.spec
    await advancing.follow(tx, queue, run, spec, begin(spec, spec.start, 0, prepared.counts), is_new=True)
    return new.id


def find_ids(encoded: bytes) -> tuple[str, ...]:
    """Return the texts in JSON that look like ids; one more than are listed, if there are so many."""
    found = dict[str, None]()
    for match in _ID.finditer(encoded):
        found[match[1].decode()] = None
        if len(found) > MAX_OBJECTS:
            break
    return tuple(found)
