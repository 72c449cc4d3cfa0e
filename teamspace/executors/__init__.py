"""Executors run model jobs: model servers that this server calls (push), and workers that claim jobs (pull)."""

from teamspace.executors.domain.choosing import SIMULATED, choose, list_models
from teamspace.executors.domain.completing import Completions
from teamspace.executors.domain.fleet import Fleet, recover
from teamspace.executors.domain.presence import Presence
from teamspace.executors.domain.rerouting import reroute_unserved
from teamspace.executors.domain.routing import ExecutorRouter
from teamspace.executors.domain.tokens import TokenExecutors
from teamspace.executors.schemas import Mode, ModelCatalog, ModelRole, Reason, Target, TargetSource
from teamspace.executors.store import ENCRYPTED, INVARIANTS

__all__ = [
    "ENCRYPTED",
    "INVARIANTS",
    "SIMULATED",
    "Completions",
    "ExecutorRouter",
    "Fleet",
    "Mode",
    "ModelCatalog",
    "ModelRole",
    "Presence",
    "Reason",
    "Target",
    "TargetSource",
    "TokenExecutors",
    "choose",
    "list_models",
    "recover",
    "reroute_unserved",
]
