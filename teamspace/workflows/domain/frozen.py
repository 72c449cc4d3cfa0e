"""Specs by their digest: decoded once in each process, since every step of every run needs one."""

from collections import OrderedDict

import msgspec

from teamspace.core import pools
from teamspace.core.db import Reads
from teamspace.workflows import store
from teamspace.workflows.domain.language.specs import WorkflowSpec

_KEPT = 64
_THREAD_BYTES = 32 * 1024


class _Decoded:
    """The specs that were used last."""

    def __init__(self) -> None:
        self._specs: OrderedDict[tuple[str, str], WorkflowSpec] = OrderedDict()

    def get(self, key: tuple[str, str]) -> WorkflowSpec | None:
        if key in self._specs:
            self._specs.move_to_end(key)
        return self._specs.get(key)

    def keep(self, key: tuple[str, str], spec: WorkflowSpec) -> WorkflowSpec:
        self._specs[key] = spec
        while len(self._specs) > _KEPT:
            self._specs.popitem(last=False)
        return spec


_decoded = _Decoded()


async def load(db: Reads, team_id: str, digest: str) -> WorkflowSpec:
    """Return a spec of a team."""
    key = team_id, digest
    if found := _decoded.get(key):
        return found
    stored = await store.get_spec(db, team_id, digest)
    assert stored is not None
    spec = await pools.TEXT.run(_decode, stored) if len(stored) > _THREAD_BYTES else _decode(stored)
    return _decoded.keep(key, spec)


def _decode(stored: str) -> WorkflowSpec:
    return msgspec.json.decode(stored, type=WorkflowSpec)
