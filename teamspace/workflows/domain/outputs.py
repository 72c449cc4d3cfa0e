"""What runs have so far: their input and the outputs of their steps, as the steps after them read them.

They are kept for a while, since the items of a map read the same. They never change, and readers must not change them.
"""

from collections import OrderedDict
from typing import Any

import msgspec

from teamspace.core import pools
from teamspace.core.db import Reads
from teamspace.workflows import store
from teamspace.workflows.domain.language.specs import MapStep, WorkflowSpec
from teamspace.workflows.schemas import StepMeta

_THREAD_BYTES = 32 * 1024
_MAX_KEPT = 16 * 1024 * 1024
"""Characters of JSON."""
_INPUT = "input "
"""The name of a run's input among its outputs; no step has it."""


class Known(msgspec.Struct, frozen=True):
    """A value of a run, and how long it is as JSON."""

    value: dict[str, Any]
    size: int


class _Value(msgspec.Struct, frozen=True):
    """A job's result without what only the engine needs."""

    value: Any = None


class _Kept:
    """The values that were read last."""

    def __init__(self) -> None:
        self._values: OrderedDict[tuple[str, str], Known] = OrderedDict()
        self._size = 0

    def get(self, key: tuple[str, str]) -> Known | None:
        if key not in self._values:
            return None
        self._values.move_to_end(key)
        return self._values[key]

    def keep(self, key: tuple[str, str], known: Known) -> Known:
        if key not in self._values and known.size <= _MAX_KEPT:
            self._values[key] = known
            self._size += known.size
            while self._size > _MAX_KEPT:
                _, freed = self._values.popitem(last=False)
                self._size -= freed.size
        return known


NOTHING = Known({}, 0)
_kept = _Kept()


async def load_input(db: Reads, run_id: str) -> Known:
    key = run_id, _INPUT
    if found := _kept.get(key):
        return found
    stored = await store.get_input(db, run_id) or "{}"
    return _kept.keep(key, Known(await decode(stored), len(stored)))


async def load(db: Reads, run_id: str, spec: WorkflowSpec, step_id: str) -> Known:
    """Return the output of a step that has succeeded: `{"result": …}`, or of a map `{"results": [{"index": 0, …}]}`."""
    key = run_id, step_id
    if found := _kept.get(key):
        return found
    size, values = 0, list[tuple[int, Any]]()
    for item in await store.select_step_items(db, run_id, step_id):
        result = await store.get_result(db, item.job_id)
        assert result is not None
        size += len(result)
        values.append((item.item, (await decode_result(result))))
    if isinstance(spec.step(step_id), MapStep):
        output: dict[str, Any] = {"results": [{"index": index, "result": value} for index, value in values]}
    else:
        output = {"result": values[0][1]}
    return _kept.keep(key, Known(output, size))


async def decode(stored: str) -> Any:
    """Decode JSON, in a thread if it is long."""
    return await pools.TEXT.run(_decode, stored) if len(stored) > _THREAD_BYTES else _decode(stored)


async def decode_result(result: str) -> Any:
    """Return the value in a job's result, decoded in a thread if it is long."""
    return await pools.TEXT.run(_decode_result, result) if len(result) > _THREAD_BYTES else _decode_result(result)


async def decode_meta(result: str) -> StepMeta:
    """Return what the engine needs of a job's result, read in a thread if it is long."""
    return await pools.TEXT.run(_decode_meta, result) if len(result) > _THREAD_BYTES else _decode_meta(result)


def _decode_meta(result: str) -> StepMeta:
    return msgspec.json.decode(result, type=StepMeta)


def _decode(stored: str) -> Any:
    return msgspec.json.decode(stored)


def _decode_result(result: str) -> Any:
    return msgspec.json.decode(result, type=_Value).value
