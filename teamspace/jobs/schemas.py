"""Data types of jobs: drafts, claims, rows and responses."""

from enum import StrEnum
from typing import Annotated, Any, Self

import msgspec

from teamspace.core.errors import KeyedError
from teamspace.core.messages import Key, Param, render
from teamspace.core.paging import Paging
from teamspace.core.replies import Page
from teamspace.quota import Plan

NORMAL = 1


class State(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Phase(StrEnum):
    """What a queued job waits for: its start time, its turn, or a quota."""

    SCHEDULED = "scheduled"
    READY = "ready"
    PARKED = "parked"


class WaitReason(StrEnum):
    """Why a job is not running yet."""

    SCHEDULED = "scheduled"
    RETRY = "retry"
    QUOTA = "quota"
    CAP = "cap"
    NO_WORKER = "no_worker"
    SUSPENDED = "suspended"
    NEXT = "next"


class Lane(msgspec.Struct, frozen=True):
    """The jobs of one kind and one team. They share a cap and are admitted in order."""

    org_id: str
    team_id: str
    kind: str


class ServedChannel(msgspec.Struct, frozen=True):
    """A channel that workers poll for jobs of a kind, and for which company ('' is any)."""

    channel: str
    kind: str
    org_id: str


class CompanyPlan(msgspec.Struct, frozen=True):
    """A company's plan and whether it is suspended."""

    plan: Plan
    suspended: bool


class LaneCapacity(msgspec.Struct, frozen=True):
    """How many jobs of a lane can be admitted now, from which channels, and after which rank."""

    team_id: str
    channels: tuple[str, ...]
    free: int
    after_rank: int


class LaneState(msgspec.Struct, frozen=True):
    org_id: str
    team_id: str
    kind: str
    plan: Plan
    suspended: bool
    taken: int
    highest_rank: int | None
    """The highest rank in the lane."""
    clock: int
    """The rank that the whole queue has reached."""


class JobFault(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why an attempt failed, and whether the job is tried again."""

    message: Annotated[str, msgspec.Meta(min_length=1, max_length=4000)]
    code: Annotated[str, msgspec.Meta(max_length=64)] = "failed"
    retryable: bool = True
    key: Key | None = None
    """The key of the message in the catalog's namespace `refusals`; None if a worker wrote it."""
    params: dict[str, Param] = {}

    @classmethod
    def keyed(cls, key: Key, code: str, /, *, retryable: bool = True, **params: Param) -> Self:
        return cls(render(key, params), code, retryable, key, params)

    @classmethod
    def of(cls, error: KeyedError, code: str, *, retryable: bool) -> Self:
        return cls(str(error), code, retryable, error.key, error.params)


class ClaimedJob(msgspec.Struct, frozen=True):
    """A running job, as its worker gets it."""

    id: str
    org_id: str
    team_id: str
    user_id: str
    kind: str
    channel: str
    model: str | None
    attempt: int
    max_attempts: int
    lease_expiries: int
    reservation_id: str | None
    lease_until: str
    rank: int
    input: str

    @property
    def lane(self) -> Lane:
        return Lane(self.org_id, self.team_id, self.kind)


class ClaimSlot(msgspec.Struct, frozen=True):
    """A channel to claim from, with the most jobs to claim and the companies to exclude."""

    channel: str
    limit: int
    excluded_orgs: tuple[str, ...] = ()


class ReadyJob(msgspec.Struct, frozen=True):
    """An admitted job that can be claimed."""

    id: str
    org_id: str
    kind: str


class JobClaim(msgspec.Struct, frozen=True):
    """Proof that a worker may change a job: the attempt number, and a secret known only to this executor."""

    job_id: str
    attempt: int
    secret: str
    executor_id: str
    lease: float = 60
    """Seconds by which a heartbeat extends the lease."""

    def __str__(self) -> str:
        return f"{self.job_id}.{self.attempt}.{self.secret}"


class ReleasedJob(msgspec.Struct, frozen=True):
    """A job that has just stopped running, or was cancelled or made ready."""

    id: str
    org_id: str
    team_id: str
    kind: str
    channel: str
    reservation_id: str | None

    @property
    def lane(self) -> Lane:
        return Lane(self.org_id, self.team_id, self.kind)


class QuotaBlock(msgspec.Struct, frozen=True):
    """The quota that a parked job waits for."""

    dimension: str
    level: str
    resets_at: str | None


class Waiting(msgspec.Struct, frozen=True):
    """Why a queued job is not running, and until when, if known."""

    reason: WaitReason
    detail: str
    key: Key
    """The key of the detail in the catalog's namespace `refusals`."""
    params: dict[str, Param]
    until: str | None = None
    quota: QuotaBlock | None = None
    """The quota it waits for, if the reason is `quota`."""

    @classmethod
    def because(
        cls, reason: WaitReason, key: Key, until: str | None = None, quota: QuotaBlock | None = None, /, **params: Param
    ) -> Self:
        return cls(reason, render(key, params), key, params, until, quota)


class JobRow(msgspec.Struct, frozen=True):
    """A job as stored, without input and result."""

    id: str
    kind: str
    state: State
    team_id: str
    user_id: str
    model: str | None
    executor_id: str | None
    priority: int
    run_at: str
    attempt: int
    max_attempts: int
    progress: int | None
    message: str | None
    error: JobFault | None
    retry_of: str | None
    created_at: str
    started_at: str | None
    finished_at: str | None
    channel: str
    phase: Phase
    rank: int | None
    waits: QuotaBlock | None
    lease_until: str | None


class JobSummary(msgspec.Struct, frozen=True, kw_only=True, tag_field="view", tag="outline"):
    """What members see of other members' jobs."""

    id: str
    kind: str
    state: State
    created_at: str
    started_at: str | None
    finished_at: str | None


class JobItem(msgspec.Struct, frozen=True, kw_only=True, tag_field="view", tag="full"):
    """A job in a list."""

    id: str
    kind: str
    state: State
    owner: str
    team_id: str
    model: str | None
    executor: str | None
    priority: int
    run_at: str
    attempt: int
    max_attempts: int
    progress: float | None
    message: str | None
    waiting: Waiting | None
    error: JobFault | None
    """Why the last attempt failed. A queued job with an error will be retried."""
    retry_of: str | None
    lease_expires_at: str | None
    created_at: str
    started_at: str | None
    finished_at: str | None


class JobPage(Page[JobItem | JobSummary], frozen=True):
    pass


class JobDetail(JobItem, frozen=True, kw_only=True, tag="full"):
    """A job with input and result."""

    input: Any
    result: Any


class RequestedJob(msgspec.Struct, frozen=True):
    """The requester and the input of a job."""

    user_id: str
    input: str


class Obsolete(KeyedError):
    """Raised by a handler when the subject of the job no longer exists: the job is cancelled, not failed."""

    @property
    def fault(self) -> JobFault:
        return JobFault.of(self, "not_found", retryable=False)


class JobBodies(msgspec.Struct, frozen=True):
    input: str
    result: str | None


class JobDraft(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A job to create: a kind and its input, or `retry_of` a finished job."""

    kind: str | None = None
    input: dict[str, Any] | None = None
    run_at: str | None = None
    priority: Annotated[int, msgspec.Meta(ge=0, le=2)] = NORMAL
    """0 runs before, 2 after the team's other jobs of this kind."""
    retry_of: str | None = None


class JobQuery(Paging, frozen=True):
    state: State | None = None
    kind: str | None = None
