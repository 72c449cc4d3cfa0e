"""Refusals that concern somebody's rights or proofs: a log line at once, and a row of the audit trail soon after.

They are gathered and written by the upkeep, the same ones together: a refusal costs no commit, takes as long for a
name that exists as for one that does not, and nobody fills the trail by asking again and again.
"""

import logging

import msgspec

from teamspace.core.db import Db
from teamspace.core.errors import Refusal
from teamspace.core.principal import Principal

log = logging.getLogger("teamspace.refusals")
MOST_WAITING = 1000
_SHOWN_NAME = 64


class Refused(msgspec.Struct, frozen=True):
    """What was refused: to whom, or to a stranger in whose name."""

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
        self._waiting: dict[Refused, tuple[Principal, int]] = {}

    def of_request(self, who: Principal, refusal: Refusal, route: str) -> None:
        """A caller was refused what their rights or proofs do not give."""
        _tell("a request", refusal, who.username or who.kind, who, route)
        if who.org_id:
            self._note(who, who.org_id, refusal, route)

    def of_sign_in(self, who: Principal, refusal: Refusal, username: str, person: tuple[str, str] | None) -> None:
        """A sign-in failed; `person` is the id and the company of whoever has the name, if anybody has."""
        _tell("a sign-in", refusal, username, who, "-")
        if person:
            self._note(who, person[1], refusal, "", target=person[0])

    def _note(self, who: Principal, org_id: str, refusal: Refusal, route: str, target: str = "") -> None:
        refused = Refused(
            who.kind, who.user_id, who.token_id, org_id, who.team_id, target, who.call.address, refusal.code, route
        )
        if refused in self._waiting or len(self._waiting) < MOST_WAITING:
            first, times = self._waiting.get(refused, (who, 0))
            self._waiting[refused] = first, times + 1

    async def save(self, db: Db) -> None:
        waiting, self._waiting = self._waiting, {}
        for refused, (who, times) in waiting.items():
            # Of no company: a refusal is on record even if its actor is suspended or gone by now.
            actor = msgspec.structs.replace(
                who, org_id="", team_id="", call=msgspec.structs.replace(who.call, claim=None)
            )
            async with db.write(actor, "session.refuse" if refused.target else "request.refuse") as tx:
                tx.org_id, tx.team_id, tx.target = refused.org_id, refused.team_id, refused.target or None
                tx.detail = {"code": refused.code, "times": times} | ({"route": refused.route} if refused.route else {})


def _tell(what: str, refusal: Refusal, name: str, who: Principal, route: str) -> None:
    shown = msgspec.json.encode(name[:_SHOWN_NAME]).decode()  # escaped, since strangers choose it
    log.warning(
        "%s was refused: code=%s name=%s address=%s route=%s", what, refusal.code, shown, who.call.address, route
    )
