"""Builds a search of the audit log from a caller and a query."""

import contextlib
import re
from datetime import UTC, datetime, timedelta

from teamspace.audit import access, store
from teamspace.audit.schemas import AuditQuery, AuditSearch
from teamspace.core import clock
from teamspace.core.db import Fence, Reads
from teamspace.core.errors import BadRequest, Forbidden
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal

SLACK = clock.MINUTE * 1000
"""The maximum difference in milliseconds between the time in an id, the row's time and its commit."""
_AFTER_ALL_IDS = "~"
_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_LAST = (datetime(9999, 12, 31, 23, 59, 59, 999_000, UTC) - _EPOCH) // _MILLISECOND


def team_log(who: Principal, scope: str | None) -> Fence:
    if scope is None:
        return access.team(who)
    if not who.has_permission(P.INSTANCE_MANAGE):
        raise Forbidden("audit.instance_scope", permission=P.INSTANCE_MANAGE)
    return access.instance()


def company_log(who: Principal) -> Fence:
    return access.company(who)


async def build_search(db: Reads, fence: Fence, query: AuditQuery) -> AuditSearch:
    since, until = _milliseconds("since", query.since), _milliseconds("until", query.until)
    filters = {
        "actor": query.actor,
        "target": query.target,
        "since": None if since is None else _stamp(since),
        "until": None if until is None else _stamp(until),
    }
    return AuditSearch(
        fence=fence,
        filters={name: value for name, value in filters.items() if value},
        actions=await _actions(db, fence.params["org_id"], query.action) if query.action else (),
        first="" if since is None else _least_id(since - SLACK),
        end=_AFTER_ALL_IDS if until is None else _least_id(until + SLACK),
    )


async def _actions(db: Reads, org_id: str, action: str) -> tuple[str, ...]:
    """Return the action; for a prefix, all existing actions below it, since the index needs exact actions."""
    found = [action]
    if action.endswith("."):
        end = f"{action[:-1]}/"  # the slash follows the dot
        while following := await store.next_action(db, org_id, found[-1], end):
            found.append(following)
    return tuple(found)


def _milliseconds(name: str, time: str | None) -> int | None:
    """Return milliseconds since 1970, rounded up: the times of rows are that precise."""
    if time is None:
        return None
    if _TIME.fullmatch(time):
        with contextlib.suppress(ValueError):
            millis = -((_EPOCH - datetime.fromisoformat(time.upper())) // _MILLISECOND)
            return min(max(millis, 0), _LAST)
    raise BadRequest.at(name, "audit.time")


def _stamp(millis: int) -> str:
    """Format like `clock.stamp`."""
    return (_EPOCH + millis * _MILLISECOND).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _least_id(millis: int) -> str:
    """Return the common prefix of all ids of this millisecond."""
    digits = f"{max(millis, 0):012x}"
    return f"{digits[:8]}-{digits[8:]}"
