"""Where a job is to be done. Capabilities above this one know of executors; the queue knows names of places."""

from typing import Protocol

import msgspec

from teamspace.core.db import Tx
from teamspace.core.principal import Principal
from teamspace.jobs.domain.kinds import Kind


class Placed(msgspec.Struct, frozen=True):
    place: str
    model: str | None = None


class Placing(Protocol):
    async def place(self, tx: Tx, who: Principal, kind: Kind, input: msgspec.Struct) -> Placed: ...
