"""Which channel a job is offered on. Implemented by a package that knows executors; the queue only knows channels."""

from typing import Protocol

import msgspec

from teamspace.core.db import Tx
from teamspace.core.principal import Principal
from teamspace.jobs.domain.kinds import BoundKind


class JobRoute(msgspec.Struct, frozen=True):
    channel: str
    model: str | None = None


class JobRouter(Protocol):
    async def route(self, tx: Tx, who: Principal, kind: BoundKind, input: msgspec.Struct) -> JobRoute: ...
