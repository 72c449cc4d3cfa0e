"""The shapes of executors and of the protocol that their workers speak."""

from enum import StrEnum
from typing import Annotated, Any

import msgspec

from teamspace.core.egress import Reach
from teamspace.jobs import Fault

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=80)]
Kinds = Annotated[list[Annotated[str, msgspec.Meta(max_length=200)]], msgspec.Meta(min_length=1, max_length=50)]
Names = Annotated[list[Annotated[str, msgspec.Meta(max_length=200)]], msgspec.Meta(max_length=50)]


class Mode(StrEnum):
    LOCAL = "local"
    PULL = "pull"
    PUSH = "push"


class Health(StrEnum):
    """`up` was heard of within a minute, `stale` within an hour, `down` not since, and `new` never.

    A push executor that does not answer at the moment is not `up`, whenever it last did.
    """

    NEW = "new"
    UP = "up"
    STALE = "stale"
    DOWN = "down"


class ExecutorRow(msgspec.Struct, frozen=True):
    id: str
    org_id: str
    name: str
    mode: Mode
    model: str | None
    capabilities: list[str]
    """The kinds it takes; empty is every kind that is offered to executors of its mode, now and later."""
    token_id: str | None
    url: str | None
    fingerprint: str | None
    reach: Reach
    created_at: str | None
    last_seen_at: str | None


class PushRow(msgspec.Struct, frozen=True):
    """What is needed to call a push executor; `secret` is its key, sealed."""

    org_id: str
    url: str
    secret: str | None
    model: str | None
    reach: Reach


class SeenRow(ExecutorRow, frozen=True):
    """With how long ago it was heard of, by the database's clock, and how many jobs it holds."""

    health: Health
    running: int


class Executor(msgspec.Struct, frozen=True):
    id: str
    name: str
    mode: Mode
    model: str | None
    capabilities: list[str]
    """The kinds of jobs it takes."""
    org_id: str | None
    """The one company it works for; null is all of them."""
    health: Health
    last_seen_at: str | None
    running: int
    created_at: str | None
    url: str | None = None
    """Of a push executor; only for operators, and for those who manage its company."""
    key_fingerprint: str | None = None
    """By which its key can be recognised; the key itself is never shown."""
    simulated: bool = False
    """No model is behind it: it answers, so that everything can be tried."""


class NewExecutor(Executor, frozen=True):
    token: str | None = None
    """For its workers; shown this once."""


class Draft(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Name
    mode: Mode
    model: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None
    capabilities: Kinds | None = None
    url: Annotated[str, msgspec.Meta(min_length=1, max_length=2000)] | None = None
    """Of a push executor: an OpenAI-compatible address, up to /v1."""
    key: Annotated[str, msgspec.Meta(pattern="^[!-~]{1,1000}$")] | None = None
    """Sent with every call to it."""


class InstanceDraft(Draft, frozen=True):
    org_id: str | None = None
    """Only for this company's teams."""


class Asking(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a worker can do, and how many seconds it is ready to wait. An empty list restricts nothing."""

    kinds: Names | None = None
    """Those of them that the executor takes."""
    models: Names | None = None
    """Only jobs that name one of these, or none."""
    max_wait: float = 0


class HandedJob(msgspec.Struct, frozen=True):
    id: str
    kind: str
    input: Any
    model: str | None
    attempt: int


class Handed(msgspec.Struct, frozen=True):
    """A job in the worker's hands: it shows the claim token whenever it speaks of it."""

    job: HandedJob
    claim_token: str
    lease_expires_at: str


class Beat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    claim_token: str | None = None
    progress: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    message: Annotated[str, msgspec.Meta(max_length=500)] | None = None


class Lease(msgspec.Struct, frozen=True):
    lease_expires_at: str


class Completion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    result: Any
    claim_token: str | None = None


class Reported(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why a worker gives up. The job has failed, unless it says that another attempt may succeed."""

    message: Annotated[str, msgspec.Meta(min_length=1, max_length=4000)]
    code: Annotated[str, msgspec.Meta(max_length=64)] = "failed"
    retryable: bool = False


class Failure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    error: Reported | str
    claim_token: str | None = None

    @property
    def fault(self) -> Fault:
        if isinstance(self.error, str):
            return Fault(self.error[:4000] or "It failed.", retryable=False)
        return Fault(self.error.message, self.error.code, self.error.retryable)
