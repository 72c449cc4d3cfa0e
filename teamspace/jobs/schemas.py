"""Data types of jobs: drafts, claims, rows and responses."""

from enum import StrEnum
from typing import Annotated, Any, Self

import msgspec

from teamspace.core import crypto
from teamspace.core.errors import KeyedError, QuotaExceeded
from teamspace.core.messages import Key, Param, render
from teamspace.core.paging import Paging
from teamspace.core.principal import Principal, Scope, intersect
from teamspace.core.replies import Page
from teamspace.quota import Plan, QuotaAccount, Spend

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
    """How many jobs of a lane can be admitted now, and after which rank."""

    org_id: str
    team_id: str
    kind: str
    channel: str
    """The server's own; channels that workers serve now are added to it."""
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


class Authority(msgspec.Struct, frozen=True):
    """On whose behalf a job runs, and what limits it. The person's rights are those at the time it runs."""

    account: QuotaAccount
    """The company, the team and the person; no person if the company itself has the work done."""
    scope: Scope | None = None
    """The scope of the token it was requested with; None if there is no limit."""
    limited_by: str | None = None
    """Another member of the team: the job has only the permissions that both have."""

    @classmethod
    def of(cls, who: Principal) -> "Authority":
        return cls(QuotaAccount.of(who), who.scope)

    @classmethod
    def of_company(cls, org_id: str, team_id: str) -> "Authority":
        """For work that no member requested, such as an anonymous visitor's."""
        return cls(QuotaAccount(org_id, team_id, ""))

    @property
    def stored_scope(self) -> str | None:
        """The scope as JSON."""
        return None if self.scope is None else msgspec.json.encode([str(entry) for entry in self.scope]).decode()

    def unscoped(self) -> "Authority":
        """For the server's own work on what the person wrote: a token's scope limits its caller, not the server."""
        return Authority(self.account, limited_by=self.limited_by)

    def shared_with(self, other: "Authority") -> "Authority":
        """Return the authority to act for this person with only the rights that the other has too."""
        return Authority(self.account, intersect(self.scope, other.scope), other.account.user_id)


class JobOrigin(msgspec.Struct, frozen=True):
    """The item of a step of a run that a job is for. There is one job for each."""

    run_id: str
    step: str
    item: int = 0


class RunPart(msgspec.Struct, frozen=True):
    """How the job for an item of a step stands."""

    item: int
    state: State


class JobSubject(msgspec.Struct, frozen=True):
    """What a job is about, such as an object or a note."""

    type: str
    id: str


class JobTitle(msgspec.Struct, frozen=True):
    """What people see of a job in lists: the name of its subject, and the subject to link to."""

    text: str
    subject: JobSubject


MAX_FAULT = 4000
"""Characters of the message of a fault."""


class JobFault(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why an attempt failed, and whether the job is tried again."""

    message: Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_FAULT)]
    code: Annotated[str, msgspec.Meta(max_length=64)] = "failed"
    retryable: bool = True
    key: Key | None = None
    """The key of the message in the catalog's namespace `refusals`; None if a worker wrote it."""
    params: dict[str, Param] = {}

    @classmethod
    def keyed(cls, key: Key, code: str, /, *, retryable: bool = True, **params: Param) -> Self:
        return cls(_fitting(render(key, params)), code, retryable, key, params)

    @classmethod
    def of(cls, error: KeyedError, code: str, *, retryable: bool) -> Self:
        return cls(_fitting(str(error)), code, retryable, error.key, error.params)


def _fitting(message: str) -> str:
    """Return what can be read again: a message can repeat one that is as long as possible."""
    return message if len(message) <= MAX_FAULT else f"{message[: MAX_FAULT - 1]}…"


class Succeeded(msgspec.Struct, frozen=True):
    """The job has a valid result."""

    result: msgspec.Struct
    json: str = ""
    """The result as it is stored. Encoded at once, so that no transaction has to wait for that."""

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "json", msgspec.json.encode(self.result).decode())


class Failed(msgspec.Struct, frozen=True):
    """The attempt failed; the job is retried if the fault allows it and attempts are left."""

    fault: JobFault
    spent: Spend | None = None
    """What the attempt cost all the same, such as a paid reply that was refused."""


class Parked(msgspec.Struct, frozen=True):
    """A quota is exhausted: the job waits for it. The attempt does not count."""

    block: "QuotaBlock"


class Cancelled(msgspec.Struct, frozen=True):
    """A person cancelled it while it waited, or its subject is gone."""

    fault: JobFault | None = None


class Lost(msgspec.Struct, frozen=True):
    """The lease expired: the worker is gone. The job is run again, a few times, if its kind is repeatable."""


class Returned(msgspec.Struct, frozen=True):
    """The worker gave the job back, never got it, or was retired. Neither an attempt nor a lease expiry counts.

    A job of a kind that is not repeatable fails: its attempt may have had effects.
    """


Outcome = Succeeded | Failed | Parked | Cancelled | Lost | Returned
"""How an attempt ends."""


class Job(msgspec.Struct, frozen=True):
    """A queued or running job, as the queue changes it."""

    id: str
    org_id: str
    team_id: str
    user_id: str
    scope: tuple[str, ...] | None
    limited_by: str | None
    kind: str
    channel: str
    model: str | None
    run_id: str | None
    step: str | None
    item: int | None
    state: State
    attempt: int
    max_attempts: int
    lease_expiries: int
    reservation_id: str | None
    lease_until: str | None
    rank: int | None
    estimate: Spend | None
    """What an attempt reserves; None if its kind is not metered."""
    refused_spend: Spend | None
    input: str

    @property
    def lane(self) -> Lane:
        return Lane(self.org_id, self.team_id, self.kind)

    @property
    def lease_end(self) -> str:
        """When the lease of a running job expires."""
        assert self.lease_until is not None
        return self.lease_until

    @property
    def account(self) -> QuotaAccount:
        return QuotaAccount(self.org_id, self.team_id, self.user_id)

    @property
    def origin(self) -> JobOrigin | None:
        return None if self.run_id is None else JobOrigin(self.run_id, self.step or "", self.item or 0)


class JobTexts(msgspec.Struct, frozen=True):
    """What a job that has ended says, as JSON."""

    id: str
    result: str | None
    error: str | None


class EndedJob(msgspec.Struct, frozen=True):
    """A job that has ended, as its kind is told."""

    id: str
    account: QuotaAccount
    origin: JobOrigin | None
    input: str
    """As JSON. It can be large, and the transaction that ends the job waits: decode only the fields that are needed."""


class EncodedInput(msgspec.Struct, frozen=True):
    """The input of a new job, encoded before its transaction begins (`Queue.encode`)."""

    json: str
    estimate: Spend | None


class JobBatch(msgspec.Struct, frozen=True):
    """The jobs of a step of a run: one for each item."""

    authority: Authority
    title: JobTitle
    items: tuple[tuple[JobOrigin, "EncodedInput"], ...]
    max_attempts: int


class NewJob(msgspec.Struct, frozen=True, omit_defaults=True):
    """One of many jobs that are inserted together."""

    id: str
    run_id: str
    step: str
    item: int
    input: str
    title: str
    subject_type: str
    subject_id: str
    max_attempts: int
    estimate: str | None = None
    scope: str | None = None
    limited_by: str | None = None


class Transition(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The columns of a job after an outcome."""

    id: str
    state: State
    phase: Phase = Phase.READY
    keep_rank: bool = False
    attempt: int | None = None
    """None keeps it, as for the next two."""
    max_attempts: int | None = None
    lease_expiries: int | None = None
    error: str | None = None
    """None keeps the error of the last attempt."""
    result: str | None = None
    waits: str | None = None
    until: str | None = None
    delay: float | None = None
    """Seconds until it is due, if `until` is not known; None if it is due already."""
    held_attempt: int | None = None
    """The claim under which it is made, with the next two; None if the row is locked and known to be current."""
    claim_hash: str | None = None
    executor_id: str | None = None


class ClaimSlot(msgspec.Struct, frozen=True):
    """A channel to claim from, with the most jobs to claim and the companies to exclude."""

    channel: str
    limit: int
    excluded_orgs: tuple[str, ...] = ()


class ExtendedJob(msgspec.Struct, frozen=True):
    """A running job whose lease was extended."""

    id: str
    attempt: int
    reservation_id: str | None
    stop_requested: bool


class LandedJob(msgspec.Struct, frozen=True, gc=False):
    """A job whose attempt has ended."""

    id: str
    reservation_id: str | None
    """None also if it waits in the queue again."""


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

    @property
    def key(self) -> tuple[str, int]:
        """The job and the attempt: a job that was lost can have two in one process."""
        return self.job_id, self.attempt

    @property
    def hash(self) -> str:
        return crypto.digest(self.secret)

    def __str__(self) -> str:
        return f"{self.job_id}.{self.attempt}.{self.secret}"


class QuotaBlock(msgspec.Struct, frozen=True):
    """The quota that a parked job waits for."""

    dimension: str
    level: str
    resets_at: str | None

    @classmethod
    def of(cls, refusal: QuotaExceeded) -> "QuotaBlock":
        return cls(*(refusal.extra[name] for name in ("dimension", "level", "resets_at")))


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
    title: str | None
    subject_type: str | None
    subject_id: str | None
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

    @property
    def subject(self) -> JobSubject | None:
        return None if self.subject_type is None else JobSubject(self.subject_type, self.subject_id or "")


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
    title: str | None
    """The name of its subject when the job was created."""
    subject: JobSubject | None
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
    steps: list[Any] = []
    """What a job without a result has done so far, if its kind stores that."""


class Obsolete(KeyedError):
    """Raised by a handler when the subject of the job no longer exists: the job is cancelled, not failed."""

    @property
    def fault(self) -> JobFault:
        return JobFault.of(self, "not_found", retryable=False)


class JobBodies(msgspec.Struct, frozen=True):
    input: str
    result: str | None


class JobEnd(msgspec.Struct, frozen=True):
    kind: str
    result: str | None
    error: JobFault | None


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
