"""Data types of executors and of the worker protocol."""

from enum import StrEnum
from typing import Annotated, Any, Self

import msgspec

from teamspace.completions import TokenUsage
from teamspace.core.egress import NetworkReach
from teamspace.core.messages import Key, Param, render
from teamspace.jobs import JobFault
from teamspace.quota import Spend

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=80)]
Kinds = Annotated[list[Annotated[str, msgspec.Meta(max_length=200)]], msgspec.Meta(min_length=1, max_length=50)]
Names = Annotated[list[Annotated[str, msgspec.Meta(max_length=200)]], msgspec.Meta(max_length=50)]


class Mode(StrEnum):
    LOCAL = "local"
    PULL = "pull"
    PUSH = "push"


class Health(StrEnum):
    """When the executor was last seen: `up` within a minute, `stale` within an hour, `down` earlier, `new` never.

    A push executor that did not answer its last probe is not `up`, even if it was seen within a minute.
    """

    NEW = "new"
    UP = "up"
    STALE = "stale"
    DOWN = "down"


class ModelRole(StrEnum):
    """What a model is used for; teams choose an executor per role."""

    CHAT = "chat"
    """Answers to people and their agents."""
    UTILITY = "utility"
    """Work in the background: extraction and translation drafts."""


class TargetSource(StrEnum):
    """Which rule chose an executor; the first that applies."""

    NAMED = "named"
    TEAM = "team"
    INSTANCE = "instance"
    DEFAULT = "default"
    LOCAL = "local"


class ModelRoleRow(msgspec.Struct, frozen=True):
    role: ModelRole
    executor_id: str


class Reason(msgspec.Struct, frozen=True):
    """Why an executor was chosen or skipped."""

    message: str
    key: Key
    """The key of the message in the catalog's namespace `refusals`."""
    params: dict[str, Param]

    @classmethod
    def keyed(cls, key: Key, /, **params: Param) -> Self:
        return cls(render(key, params), key, params)


class ModelCatalog(msgspec.Struct, frozen=True):
    """The models that a caller can request by name."""

    executors: dict[str, str]
    """The name of an executor for each model."""
    is_open: bool
    """Whether an executor that answers now may have others, which it does not list."""


class Target(msgspec.Struct, frozen=True):
    """The executor that will answer a request."""

    executor_id: str
    name: str
    mode: Mode
    model: str | None
    """The model to request; None if only the executor knows it."""
    configured_model: str | None
    """The model that the executor was set up with; None if it answers with one of those that it lists."""
    simulated: bool
    source: TargetSource
    reasons: tuple[Reason, ...]
    """Which preferred executors were skipped, then why this one was chosen."""

    @property
    def reason(self) -> str:
        return " ".join(reason.message for reason in self.reasons)


class ExecutorRow(msgspec.Struct, frozen=True):
    id: str
    org_id: str
    name: str
    mode: Mode
    model: str | None
    capabilities: list[str]
    """The job kinds it takes; empty means every kind that executors of its mode can run, also future ones."""
    token_id: str | None
    url: str | None
    fingerprint: str | None
    reach: NetworkReach
    created_at: str | None
    last_seen_at: str | None


class PushRow(msgspec.Struct, frozen=True):
    """What is needed to call a push executor; `secret` is its key, encrypted."""

    org_id: str
    url: str
    secret: str | None
    model: str | None
    reach: NetworkReach


class OfferedRow(ExecutorRow, frozen=True):
    """An executor to choose from."""

    health: Health
    is_busy: bool
    """Whether a remote worker of it has a job: then it does not poll."""


class ExecutorStatusRow(ExecutorRow, frozen=True):
    """An executor with its health by the database's clock and its number of running jobs."""

    health: Health
    running: int


class Executor(msgspec.Struct, frozen=True):
    id: str
    name: str
    mode: Mode
    model: str | None
    capabilities: list[str]
    """The job kinds it takes."""
    org_id: str | None
    """The only company it works for; null means all companies."""
    health: Health
    last_seen_at: str | None
    running: int
    created_at: str | None
    url: str | None = None
    """The address of a push executor; only for operators and managers of its company."""
    key_fingerprint: str | None = None
    """Identifies the key; the key itself is never shown."""
    simulated: bool = False
    """Whether the executor has no real model and returns simulated answers."""


class NewExecutor(Executor, frozen=True):
    token: str | None = None
    """The worker token; shown only once."""


class ExecutorDraft(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Name
    mode: Mode
    model: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None
    capabilities: Kinds | None = None
    url: Annotated[str, msgspec.Meta(min_length=1, max_length=2000)] | None = None
    """For a push executor: an OpenAI-compatible base URL, ending in /v1."""
    key: Annotated[str, msgspec.Meta(pattern="^[!-~]{1,1000}$")] | None = None
    """For a push executor: the API key to send."""


class InstanceExecutorDraft(ExecutorDraft, frozen=True):
    org_id: str | None = None
    """Limit the executor to this company."""


class ClaimRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a worker can run, and how many seconds it waits for a job. An empty list is no restriction."""

    kinds: Names | None = None
    """Only jobs of these kinds; others than the executor's are ignored."""
    models: Names | None = None
    """Only jobs that name one of these models, or no model."""
    max_wait: float = 0


class AssignedJob(msgspec.Struct, frozen=True):
    id: str
    kind: str
    input: Any
    model: str | None
    attempt: int


class JobAssignment(msgspec.Struct, frozen=True):
    """A claimed job. The worker sends the claim token with every request about it."""

    job: AssignedJob
    claim_token: str
    lease_expires_at: str


class Heartbeat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    claim_token: str | None = None
    progress: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    message: Annotated[str, msgspec.Meta(max_length=500)] | None = None


class Lease(msgspec.Struct, frozen=True):
    lease_expires_at: str


class JobCompletion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    result: Any
    claim_token: str | None = None


class ReportedError(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why the job failed on a worker. It is only tried again if `retryable` is true."""

    message: Annotated[str, msgspec.Meta(min_length=1, max_length=4000)]
    code: Annotated[str, msgspec.Meta(max_length=64)] = "failed"
    retryable: bool = False


_NO_REASON = JobFault.keyed("executors.no_reason", "failed", retryable=False)


class FailureReport(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    error: ReportedError | str
    claim_token: str | None = None
    usage: TokenUsage | None = None
    """What the attempt has used of a model all the same; it is charged if jobs of the kind are."""

    @property
    def fault(self) -> JobFault:
        if isinstance(self.error, str):
            return JobFault(self.error[:4000], retryable=False) if self.error else _NO_REASON
        return JobFault(self.error.message, self.error.code, self.error.retryable)

    @property
    def spent(self) -> Spend | None:
        return None if self.usage is None else Spend(1, self.usage.total_tokens)


class RoleExecutors(msgspec.Struct, frozen=True):
    """The name of an executor per role; null if none is chosen."""

    chat: str | None
    utility: str | None


class ModelRoles(msgspec.Struct, frozen=True):
    roles: RoleExecutors
    """What the team has chosen."""
    instance: RoleExecutors
    """What is used for roles without a choice, if the operator has set it."""


class RoleChoices(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The name of an executor per role; null returns to the instance's default, and absent roles stay."""

    chat: Name | msgspec.UnsetType | None = msgspec.UNSET
    utility: Name | msgspec.UnsetType | None = msgspec.UNSET


class ModelRolesChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    roles: RoleChoices


class AnsweringModel(msgspec.Struct, frozen=True):
    """The model that would answer the caller now; null if nobody answers."""

    model: str | None
    """Null also if only the executor knows it."""
    executor: str | None
    simulated: bool
    source: TargetSource | None
    reason: str
    reasons: tuple[Reason, ...]
    """The sentences of `reason`, with their keys."""


class RoleModel(AnsweringModel, frozen=True, kw_only=True):
    role: ModelRole


class ModelReport(AnsweringModel, frozen=True, kw_only=True):
    """The model that would answer a chat, and the one for each role."""

    roles: list[RoleModel]
