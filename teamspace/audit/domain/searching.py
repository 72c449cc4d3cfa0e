"""From a caller and a query to what is wanted of which trail."""

import contextlib
import re
from datetime import UTC, datetime, timedelta

from teamspace.audit import access, store
from teamspace.audit.schemas import Search, TrailQuery
from teamspace.core import clock
from teamspace.core.db import Fence, Reads
from teamspace.core.errors import BadRequest, Forbidden
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal

SLACK = clock.MINUTE * 1000
"""How far, in milliseconds, the time inside an id may be from the time of its row, and from its commit."""
_AFTER_ALL_IDS = "~"
_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_LAST = (datetime(9999, 12, 31, 23, 59, 59, 999_000, UTC) - _EPOCH) // _MILLISECOND


def trail_of_team(who: Principal, scope: str | None) -> Fence:
    if scope is None:
        return access.team(who)
    if not who.holds(P.INSTANCE_MANAGE):
        raise Forbidden(f"The scope instance needs {P.INSTANCE_MANAGE}.")
    return access.instance()


def trail_of_company(who: Principal) -> Fence:
    return access.company(who)


async def wanted(db: Reads, fence: Fence, query: TrailQuery) -> Search:
    since, until = _moment("since", query.since), _moment("until", query.until)
    filters = {
        "actor": query.actor,
        "target": query.target,
        "since": None if since is None else _stamp(since),
        "until": None if until is None else _stamp(until),
    }
    return Search(
        fence=fence,
        filters={name: value for name, value in filters.items() if value},
        actions=await _actions(db, fence.params["org_id"], query.action) if query.action else (),
        first="" if since is None else _least_id(since - SLACK),
        end=_AFTER_ALL_IDS if until is None else _least_id(until + SLACK),
    )


async def _actions(db: Reads, org_id: str, action: str) -> tuple[str, ...]:
    """The action, and when it is a prefix every one there is below it: each has an index in order of time."""
    found = [action]
    if action.endswith("."):
        end = f"{action[:-1]}/"  # the slash follows the dot
        while following := await store.next_action(db, org_id, found[-1], end):
            found.append(following)
    return tuple(found)


def _moment(name: str, given: str | None) -> int | None:
    """Milliseconds since 1970, rounded up: a row's time has no more digits than that."""
    if given is None:
        return None
    if _TIME.fullmatch(given):
        with contextlib.suppress(ValueError):
            moment = -((_EPOCH - datetime.fromisoformat(given.upper())) // _MILLISECOND)
            return min(max(moment, 0), _LAST)
    raise BadRequest.at(name, "must be a time such as 2026-01-31T12:00:00Z (RFC 3339); a + in it is sent as %2B")


def _stamp(moment: int) -> str:
    """As `clock.stamp` writes it."""
    return (_EPOCH + moment * _MILLISECOND).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _least_id(moment: int) -> str:
    """The beginning that all ids of this millisecond share."""
    digits = f"{max(moment, 0):012x}"
    return f"{digits[:8]}-{digits[8:]}"
