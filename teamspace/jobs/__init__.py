"""Durable work: a queue that is fair between teams, leases that fence, and the server's own worker."""

from teamspace.jobs.domain.asker import refused
from teamspace.jobs.domain.kinds import Kind, Kinds, bind
from teamspace.jobs.domain.places import (
    any_place,
    executor_place,
    kind_of,
    local_place,
    model_place,
    push_place,
    served_by,
)
from teamspace.jobs.domain.placing import Placed, Placing
from teamspace.jobs.domain.queue import LEASE, Queue, parse, stale
from teamspace.jobs.domain.runner import LOCAL, Runner, Station, Work
from teamspace.jobs.domain.sweeping import recover, sweep, tidy
from teamspace.jobs.schemas import Claim, Claimed, Fault, Obsolete
from teamspace.jobs.store import INVARIANTS

__all__ = [
    "INVARIANTS",
    "LEASE",
    "LOCAL",
    "Claim",
    "Claimed",
    "Fault",
    "Kind",
    "Kinds",
    "Obsolete",
    "Placed",
    "Placing",
    "Queue",
    "Runner",
    "Station",
    "Work",
    "any_place",
    "bind",
    "executor_place",
    "kind_of",
    "local_place",
    "model_place",
    "parse",
    "push_place",
    "recover",
    "refused",
    "served_by",
    "stale",
    "sweep",
    "tidy",
]
