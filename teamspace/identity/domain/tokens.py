"""Sessions and API tokens: minted once, kept as digests, revoked for good."""

import logging
from math import inf

import msgspec
from msgspec import UNSET

from teamspace.core import clock, crypto, paging, text
from teamspace.core.db import Db, Tx
from teamspace.core.errors import BadRequest, Conflict, NotFound, OutOfScope
from teamspace.core.ids import new_id
from teamspace.core.permissions import Permission
from teamspace.core.principal import Grantable, Principal, system
from teamspace.core.replies import Page
from teamspace.identity import access, store
from teamspace.identity.schemas import ApiToken, IssuedToken, NewToken, Session

log = logging.getLogger("teamspace.identity")
SESSION_LIFE, SESSION_IDLE = 30 * clock.DAY, clock.DAY
MOST_SESSIONS = 10
FIRST_TOKEN_TTL = USUAL_TTL = 90 * clock.DAY
TOUCH_EVERY = clock.MINUTE
_DEAD_KEPT = 30 * clock.DAY
_PREFIXED = ("files:", "workflows:")


async def open_session(
    tx: Tx, *, user_id: str, org_id: str, team_id: str, given_by: str | None = None
) -> tuple[str, str, str]:
    """A fresh session: its id, its token and when it ends at the latest. `given_by` chose the password, if not they."""
    expires_at = clock.later(SESSION_LIFE)
    token_id, token = await _mint(
        tx, "session", org_id, team_id, user_id, "session", None, expires_at, given_by=given_by
    )
    await store.revoke_oldest_sessions(tx, user_id, MOST_SESSIONS, clock.stamp())
    await store.touch_user(tx, token_id, clock.stamp())
    return token_id, token, expires_at


async def issue_token(
    tx: Tx, *, user_id: str, org_id: str, team_id: str, name: str, scope: list[str] | None, ttl: float | None,
    given_by: str | None = None, minted: bool = False,
) -> IssuedToken:  # fmt: skip
    """`given_by` is whoever else gets to see it; `minted` one that is made with another credential."""
    expires_at = None if ttl is None else clock.later(ttl)
    token_id, token = await _mint(
        tx, "api", org_id, team_id, user_id, name, scope, expires_at, given_by=given_by, minted=minted
    )
    return IssuedToken(id=token_id, name=name, token=token, scope=scope, expires_at=expires_at)


async def issue_worker_token(tx: Tx, *, org_id: str, team_id: str, name: str) -> tuple[str, str]:
    """Nobody's credential: it reaches jobs alone, until it is revoked. Its id, and the token."""
    return await _mint(tx, "worker", org_id, team_id, None, name, None, None)


async def revoke_token(tx: Tx, token_id: str) -> None:
    """For whoever issued it under rules of their own."""
    await store.revoke_one(tx, token_id, clock.stamp())


async def create(db: Db, who: Principal, draft: NewToken) -> IssuedToken:
    """A token that can do no more than its maker can at this moment."""
    name = text.name(draft.name, "name", most=80)
    scope = checked_scope(who, draft.scope)
    async with db.write(who, "token.create", alone=("user", who.user_id)) as tx:
        issued = await issue_token(
            tx, user_id=who.user_id, org_id=who.org_id, team_id=who.team_id, name=name, scope=scope,
            ttl=_life(who, draft), given_by=who.given_by, minted=True,
        )  # fmt: skip
        tx.target, tx.detail = issued.id, {"scope": scope, "expires_at": issued.expires_at}
    return issued


def _life(who: Principal, draft: NewToken) -> float | None:
    """As asked, or as long as usual; made with a scoped token, no longer than that one has left."""
    left = inf if who.scope is None or who.expires_at is None else clock.seconds(who.expires_at) - clock.now()
    if draft.ttl is UNSET:
        return min(USUAL_TTL, left)
    asked = inf if draft.ttl == "never" else float(draft.ttl)
    if asked > left:
        raise OutOfScope("A scoped token cannot make one that outlives it.")
    return None if asked == inf else asked


async def listing(db: Db, who: Principal, query: paging.Paging) -> Page[ApiToken]:
    rows = await store.select_tokens(db, access.team_tokens(who), query.before, query.size + 1)
    return paging.page(rows, query, lambda token: token.id)


async def revoke(db: Db, who: Principal, token_id: str) -> None:
    async with db.write(who, "token.revoke") as tx:
        tx.target = token_id
        if not await store.revoke(tx, access.team_tokens(who), token_id, clock.stamp()):
            raise NotFound()


async def sessions(db: Db, who: Principal) -> list[Session]:
    rows = await store.select_sessions(db, access.own_sessions(who), clock.stamp(), clock.ago(SESSION_IDLE))
    return [Session(**msgspec.structs.asdict(row), current=row.id == who.token_id) for row in rows]


async def end_session(db: Db, who: Principal, token_id: str) -> None:
    async with db.write(who, "session.end", alone=("user", who.user_id)) as tx:
        tx.target = token_id
        if not await store.revoke(tx, access.own_sessions(who), token_id, clock.stamp()):
            raise NotFound()


async def sign_out(db: Db, who: Principal) -> None:
    if who.kind != "session":
        raise Conflict("Only a session can be signed out of; revoke an API token under /api/tokens.")
    await end_session(db, who, who.token_id)


async def end_sessions(tx: Tx, user_id: str, *, keep: str = "") -> None:
    await store.revoke_sessions(tx, user_id, keep, clock.stamp())


async def revoke_in_team(tx: Tx, user_id: str, team_id: str) -> None:
    """Somebody leaves the team: none of their credentials for it outlives that."""
    await store.revoke_in_team(tx, user_id, team_id, clock.stamp())


def parse_scope(entry: str) -> Grantable:
    """`notes:read`, or with a key prefix `files:read:contracts/`."""
    for permission in Permission:
        if entry == permission:
            return Grantable(permission)
        if entry.startswith(f"{permission}:") and permission.startswith(_PREFIXED):
            return Grantable(permission, entry[len(permission) + 1 :])
    raise BadRequest.at("/scope", f"{entry[:80]} is not a permission, or takes no key prefix")


def checked_scope(who: Principal, scope: list[str] | None) -> list[str] | None:
    """As it is stored; nobody gives what they do not have."""
    entries = None if scope is None else [parse_scope(entry) for entry in scope]
    _check_reach(who, entries)
    return None if entries is None else [str(entry) for entry in entries]


def _check_reach(who: Principal, entries: list[Grantable] | None) -> None:
    if entries is None:
        if who.scope is not None:
            raise OutOfScope("A scoped token cannot make one without a scope.")
        return
    for entry in entries:
        if not who.holds(entry.permission, entry.prefix) or entry.permission is Permission.JOBS_EXECUTE:
            raise OutOfScope(f"You cannot give {entry}, which you do not have.")


async def _mint(
    tx: Tx, kind: str, org_id: str, team_id: str, user_id: str | None, name: str, scope: list[str] | None,
    expires_at: str | None, *, given_by: str | None = None, minted: bool = False,
) -> tuple[str, str]:  # fmt: skip
    token_id, token, now = new_id(), crypto.new_token(kind[0]), clock.stamp()
    await store.insert_token(
        tx, id=token_id, kind=kind, org_id=org_id, team_id=team_id, user_id=user_id, name=name,
        digest=crypto.digest(token), hint=token[:9], created_at=now, expires_at=expires_at,
        # Signing in is a session's first use, from which its idle time runs.
        last_used_at=now if kind == "session" else None,
        scope=None if scope is None else msgspec.json.encode(scope).decode(),
        address=tx.who.call.address, agent=text.line(tx.who.call.agent, most=200), given_by=given_by, minted=minted,
    )  # fmt: skip
    return token_id, token


class LastUse:
    """Remembers when credentials were used, so that a read need not wait for a write; saved now and then."""

    def __init__(self) -> None:
        self._used: dict[str, str] = {}

    def note(self, token_id: str) -> None:
        self._used.setdefault(token_id, clock.stamp())

    async def save(self, db: Db) -> None:
        used, self._used = self._used, {}
        if used:
            async with db.upkeep(system(), same_rights=True) as tx:
                # Tokens first: a write holds its token before it changes its person.
                for token_id, at in sorted(used.items()):
                    await store.touch(tx, token_id, at)
                for token_id, at in sorted(used.items()):
                    await store.touch_user(tx, token_id, at)


_OLD = (
    (store.delete_dead_tokens, _DEAD_KEPT),
    (store.delete_old_attempts, 0),
    (store.delete_old_activations, _DEAD_KEPT),
    (store.delete_old_places, _DEAD_KEPT),
)
"""What is dropped, and how long after its end."""


async def clean(db: Db) -> None:
    """Drop credentials and links that ended long ago, and counts of failures whose time is over."""
    for delete, kept in _OLD:
        # Each by itself: one that cannot be done must not keep the others from it.
        try:
            async with db.upkeep(system()) as tx:
                await delete(tx, clock.ago(kept))
        except Exception:
            log.exception("%s failed; it is tried again", delete.__name__)
