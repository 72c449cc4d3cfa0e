"""Durable jobs: a queue that is fair between teams, leases, and the server's own worker."""

from teamspace.jobs.access import SUBJECTS
from teamspace.jobs.domain.actions import enqueue, request_stop
from teamspace.jobs.domain.attempts import ATTEMPT_LEASE, JobAttempt, JobAttempts, JobContext
from teamspace.jobs.domain.authority import REQUESTER_GONE, get_principal
from teamspace.jobs.domain.channels import (
    any_channel,
    executor_channel,
    kind_of,
    local_channel,
    model_channel,
    push_channel,
    served_by,
)
from teamspace.jobs.domain.ending import INTERRUPTED, LOST, reason_of
from teamspace.jobs.domain.forgetting import forget, made_for, stop
from teamspace.jobs.domain.gathering import Asker, Gathering
from teamspace.jobs.domain.kinds import BoundKind, Kinds, bind
from teamspace.jobs.domain.queue import LEASE, Queue, parse_claim_token, stale_claim
from teamspace.jobs.domain.routing import JobRoute, JobRouter
from teamspace.jobs.domain.runner import LOCAL, Runner, WorkSource
from teamspace.jobs.domain.sweeping import delete_old, recover, sweep, tidy
from teamspace.jobs.domain.viewing import find_live_subjects, get_requested
from teamspace.jobs.schemas import (
    Authority,
    Cancelled,
    EncodedInput,
    EndedJob,
    Failed,
    Job,
    JobBatch,
    JobClaim,
    JobDraft,
    JobFault,
    JobOrigin,
    JobRow,
    JobSubject,
    JobTitle,
    Lost,
    Obsolete,
    Outcome,
    Returned,
    Succeeded,
)
from teamspace.jobs.store import INVARIANTS

__all__ = [
    "ATTEMPT_LEASE",
    "INTERRUPTED",
    "INVARIANTS",
    "LEASE",
    "LOCAL",
    "LOST",
    "REQUESTER_GONE",
    "SUBJECTS",
    "Asker",
    "Authority",
    "BoundKind",
    "Cancelled",
    "EncodedInput",
    "EndedJob",
    "Failed",
    "Gathering",
    "Job",
    "JobAttempt",
    "JobAttempts",
    "JobBatch",
    "JobClaim",
    "JobContext",
    "JobDraft",
    "JobFault",
    "JobOrigin",
    "JobRoute",
    "JobRouter",
    "JobRow",
    "JobSubject",
    "JobTitle",
    "Kinds",
    "Lost",
    "Obsolete",
    "Outcome",
    "Queue",
    "Returned",
    "Runner",
    "Succeeded",
    "WorkSource",
    "any_channel",
    "bind",
    "delete_old",
    "enqueue",
    "executor_channel",
    "find_live_subjects",
    "forget",
    "get_principal",
    "get_requested",
    "kind_of",
    "local_channel",
    "made_for",
    "model_channel",
    "parse_claim_token",
    "push_channel",
    "reason_of",
    "recover",
    "request_stop",
    "served_by",
    "stale_claim",
    "stop",
    "sweep",
    "tidy",
]
