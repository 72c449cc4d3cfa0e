"""Refused requests and failed sign-ins: logged at once, and written to the audit log soon after.

They are collected and written by a periodic task, equal ones as one row with a count. So a refusal costs no commit,
takes the same time for existing and unknown usernames, and repeated requests cannot flood the audit log.
"""

import logging

import msgspec

from teamspace.core.db import Db
from teamspace.core.errors import Refusal
from teamspace.core.principal import Principal

log = logging.getLogger("teamspace.refusals")
MAX_WAITING = 1000
_MAX_NAME = 64


class RefusalRecord(msgspec.Struct, frozen=True):
    """What was refused to whom; equal records are counted together."""

    actor_kind: str
    user_id: str
    token_id: str
    org_id: str
    team_id: str
    target: str
    address: str
    code: str
    route: str


class Refusals:
    def __init__(self) -> None:
        self._waiting: dict[RefusalRecord, tuple[Principal, int]] = {}

    def add_request(self, who: Principal, refusal: Refusal, route: str) -> None:
        """Record a request that was refused for missing rights or failed authentication."""
        _log_refusal("a request", refusal, who.username or who.kind, who, route)
        if who.org_id:
            self._add(who, who.org_id, refusal, route)

    def add_sign_in(self, who: Principal, refusal: Refusal, username: str, person: tuple[str, str] | None) -> None:
        """Record a failed sign-in; `person` is the id and company of the account with that username, if any."""
        _log_refusal("a sign-in", refusal, username, who, "-")
        if person:
            self._add(who, person[1], refusal, "", target=person[0])

    def _add(self, who: Principal, org_id: str, refusal: Refusal, route: str, target: str = "") -> None:
        record = RefusalRecord(
            who.kind, who.user_id, who.token_id, org_id, who.team_id, target, who.call.address, refusal.code, route
        )
        if record in self._waiting or len(self._waiting) < MAX_WAITING:
            first, times = self._waiting.get(record, (who, 0))
            self._waiting[record] = first, times + 1

    async def save(self, db: Db) -> None:
        waiting, self._waiting = self._waiting, {}
        for record, (who, times) in waiting.items():
            # Without a company, so that it is recorded even if the actor is suspended or deleted by now.
            actor = msgspec.structs.replace(
                who, org_id="", team_id="", call=msgspec.structs.replace(who.call, claim=None)
            )
            async with db.write(actor, "session.refuse" if record.target else "request.refuse") as tx:
                tx.org_id, tx.team_id, tx.target = record.org_id, record.team_id, record.target or None
                tx.detail = {"code": record.code, "times": times} | ({"route": record.route} if record.route else {})


def _log_refusal(what: str, refusal: Refusal, name: str, who: Principal, route: str) -> None:
    escaped = msgspec.json.encode(name[:_MAX_NAME]).decode()  # anyone can choose it
    log.warning(
        "%s was refused: code=%s name=%s address=%s route=%s", what, refusal.code, escaped, who.call.address, route
    )
