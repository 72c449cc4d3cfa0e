"""The shapes of jobs: what is asked for, what is claimed, and what is shown."""

from enum import StrEnum
from typing import Annotated, Any

import msgspec

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
    """What a queued job waits for: its time, its turn, or a quota."""

    SCHEDULED = "scheduled"
    READY = "ready"
    PARKED = "parked"


class Reason(StrEnum):
    """Why a job is not running yet."""

    SCHEDULED = "scheduled"
    RETRY = "retry"
    QUOTA = "quota"
    CAP = "cap"
    NO_WORKER = "no_worker"
    SUSPENDED = "suspended"
    NEXT = "next"


class Lane(msgspec.Struct, frozen=True):
    """One kind of work of one team: its jobs share a cap, and wait for each other only."""

    org_id: str
    team_id: str
    kind: str


class Place(msgspec.Struct, frozen=True):
    """Where somebody asks for work of a kind, and for which company's ('' is any)."""

    place: str
    kind: str
    org_id: str


class Standing(msgspec.Struct, frozen=True):
    """What of a company matters to its jobs."""

    plan: Plan
    suspended: bool


class Room(msgspec.Struct, frozen=True):
    """How many of a lane may be let in now, from which places, and after which rank."""

    team_id: str
    places: tuple[str, ...]
    room: int
    after: int


class LaneState(msgspec.Struct, frozen=True):
    org_id: str
    team_id: str
    kind: str
    plan: Plan
    suspended: bool
    taken: int
    top: int | None
    """The highest rank that the lane has given."""
    clock: int
    """The rank that the queue as a whole has come to."""


class Fault(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why an attempt failed. What is not `retryable` is not tried again."""

    message: Annotated[str, msgspec.Meta(min_length=1, max_length=4000)]
    code: Annotated[str, msgspec.Meta(max_length=64)] = "failed"
    retryable: bool = True


class Claimed(msgspec.Struct, frozen=True):
    """A job in somebody's hands."""

    id: str
    org_id: str
    team_id: str
    user_id: str
    kind: str
    place: str
    model: str | None
    attempt: int
    attempts: int
    lapses: int
    hold_id: str | None
    lease_until: str
    rank: int
    input: str

    @property
    def lane(self) -> Lane:
        return Lane(self.org_id, self.team_id, self.kind)


class Opening(msgspec.Struct, frozen=True):
    """A place where jobs are asked for: how many at most, and of which companies none."""

    place: str
    most: int
    without: tuple[str, ...] = ()


class Turn(msgspec.Struct, frozen=True):
    """A job whose turn it is."""

    id: str
    org_id: str
    kind: str


class Claim(msgspec.Struct, frozen=True):
    """What whoever works on a job must show: the attempt is the fence, the secret is the key of this executor alone."""

    job_id: str
    attempt: int
    secret: str
    executor_id: str
    lease: float = 60
    """Seconds that each sign of life is worth."""

    def __str__(self) -> str:
        return f"{self.job_id}.{self.attempt}.{self.secret}"


class Landed(msgspec.Struct, frozen=True):
    """A job that has just changed hands, or left them."""

    id: str
    org_id: str
    team_id: str
    kind: str
    place: str
    hold_id: str | None

    @property
    def lane(self) -> Lane:
        return Lane(self.org_id, self.team_id, self.kind)


class Block(msgspec.Struct, frozen=True):
    """The quota for which a job is parked."""

    dimension: str
    level: str
    resets_at: str | None


class Waiting(msgspec.Struct, frozen=True):
    """Why a queued job is not running, and until when if that is known."""

    reason: Reason
    detail: str
    until: str | None = None
    quota: Block | None = None
    """The quota it waits for, if that is the reason."""


class JobRow(msgspec.Struct, frozen=True):
    """A job as it is stored, without what it was given and what came of it."""

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
    attempts: int
    progress: int | None
    message: str | None
    error: Fault | None
    retry_of: str | None
    created_at: str
    started_at: str | None
    finished_at: str | None
    place: str
    phase: Phase
    rank: int | None
    waits: Block | None
    lease_until: str | None


class JobOutline(msgspec.Struct, frozen=True, kw_only=True, tag_field="view", tag="outline"):
    """A job of the team that the caller may know of, and not read."""

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
    error: Fault | None
    """Why the last attempt failed; a queued job with an error is to be tried again."""
    retry_of: str | None
    lease_expires_at: str | None
    created_at: str
    started_at: str | None
    finished_at: str | None


class JobPage(Page[JobItem | JobOutline], frozen=True):
    pass


class Job(JobItem, frozen=True, kw_only=True, tag="full"):
    """One job, with what it was given and what came of it."""

    input: Any
    result: Any


class Asked(msgspec.Struct, frozen=True):
    """Who asked for a job, and for what."""

    user_id: str
    input: str


class Obsolete(Exception):
    """Raised by a handler when what the job was about is gone: the job is cancelled, which is nobody's fault."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.fault = Fault(detail, "not_found", retryable=False)


class Bodies(msgspec.Struct, frozen=True):
    input: str
    result: str | None


class JobDraft(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A job to be done: a kind and its input, or `retry_of` a job that has ended."""

    kind: str | None = None
    input: dict[str, Any] | None = None
    run_at: str | None = None
    priority: Annotated[int, msgspec.Meta(ge=0, le=2)] = NORMAL
    """0 before, 2 after the team's other jobs of the kind."""
    retry_of: str | None = None


class JobQuery(Paging, frozen=True):
    state: State | None = None
    kind: str | None = None
