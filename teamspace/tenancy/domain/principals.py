"""From a token to a caller, and the guard that stops a suspended company's writes."""

from math import inf

import msgspec

from teamspace import identity
from teamspace.core import clock, crypto
from teamspace.core.db import Db, Guard, Reads, Tx
from teamspace.core.errors import Forbidden, NotFound, OrgSuspended, TenantSuspended, TokenExpired, Unauthenticated
from teamspace.core.permissions import Permission
from teamspace.core.principal import Call, Grantable, Kind, Principal
from teamspace.tenancy import store
from teamspace.tenancy.domain import roles
from teamspace.tenancy.schemas import Bucket, Credential, Standing

RIGHTS = frozenset({"tokens", "users", "memberships", "org_roles", "orgs", "teams", "instance"})
"""The tables that a principal is made of."""
_MOST_REMEMBERED = 10_000
_BUCKET = "team-"
_KINDS: dict[str, Kind] = {"session": "session", "api": "api", "s3": "s3"}


class Known(msgspec.Struct):
    """A caller as last looked up, until when that holds, and from when a use is worth noting."""

    principal: Principal
    ends_at: float
    note_from: float
    secret: str = ""
    """Of an access key, which signs with it."""
    bucket: str = ""


class Callers:
    """Turns tokens into principals, and remembers them for reads until anybody's rights change.

    In this process a change is seen by the very next request. One made by another process is seen by
    the next write, which asks the database for the epoch first, and by reads within a second.
    """

    def __init__(self, last_use: identity.LastUse, *, hosted: bool = False) -> None:
        self._last_use = last_use
        self._hosted = hosted
        self._known: dict[str, Known] = {}
        self._epoch: tuple[int, str] = (-1, "")

    async def identify(self, db: Db, token: str, call: Call, *, afresh: bool) -> Principal:
        if not crypto.well_formed(token):
            raise Unauthenticated()
        return self.used(await self._find(db, token, afresh=afresh), call)

    async def find_key(self, db: Db, key_id: str) -> Known:
        """An access key, whose use is not noted before its signature is seen to be right."""
        known = await self._find(db, key_id, afresh=True)
        if not known.secret:
            raise Unauthenticated()
        return known

    async def _find(self, db: Db, token: str, *, afresh: bool) -> Known:
        epoch = await db.rights_epoch(afresh=afresh)
        if epoch != self._epoch:
            self._known.clear()
            self._epoch = epoch
        known = self._known.get(token)
        # A session that looks idle may have been used meanwhile, here or elsewhere.
        if known is None or clock.now() >= known.ends_at:
            known = await _look_up(db, token, hosted=self._hosted)
            # What was read while an epoch ended may be of the old one: it serves this request only.
            if epoch == self._epoch:
                self._remember(token, known)
        return known

    def _remember(self, token: str, known: Known) -> None:
        if len(self._known) >= _MOST_REMEMBERED:
            self._known.clear()
        self._known[token] = known

    def used(self, known: Known, call: Call) -> Principal:
        now = clock.now()
        if now >= known.ends_at:
            raise TokenExpired
        if now >= known.note_from:
            self._last_use.note(known.principal.token_id)
            known.note_from = now + identity.TOUCH_EVERY
        return msgspec.structs.replace(known.principal, call=call)


async def _look_up(db: Db, token: str, *, hosted: bool) -> Known:
    credential = await store.get_credential(db, crypto.digest(token))
    if credential is None or credential.revoked_at is not None or credential.disabled_at is not None:
        raise Unauthenticated()
    principal = _worker(credential) if credential.kind == "worker" else _person(credential)
    if hosted and credential.tenant_suspended:
        principal = msgspec.structs.replace(principal, tenant_suspended=True)
    # A credential that was never used is noted at its first use, however soon that is.
    used_at = clock.seconds(credential.last_used_at) if credential.last_used_at else -inf
    known = Known(principal, _end(credential, used_at), used_at + identity.TOUCH_EVERY)
    if credential.secret is not None:
        known.secret = identity.access_keys.opened(db, credential.id, credential.secret)
        known.bucket = _bucket(credential.team_slug)
    return known


async def bucket_of(db: Reads, team_id: str) -> Bucket:
    """The repository of a caller's own team, as S3 clients know it."""
    team = await store.get_team(db, team_id)
    if team is None:
        raise NotFound()
    return Bucket(_bucket(team.slug), team.created_at)


def _bucket(slug: str) -> str:
    """What a team's repository is called by S3 clients."""
    return f"{_BUCKET}{slug}"


def is_bucket(path: str) -> bool:
    """Whether a path could begin with one's name, which says nothing of whether it does."""
    return path.startswith(_BUCKET)


def _end(credential: Credential, used_at: float) -> float:
    """When the credential expires, or a session has been idle for too long."""
    expiry = clock.seconds(credential.expires_at) if credential.expires_at else inf
    return min(expiry, used_at + identity.SESSION_IDLE) if credential.kind == "session" else expiry


def _person(credential: Credential) -> Principal:
    if credential.role is None or credential.user_id is None:
        raise Unauthenticated()
    operator = bool(credential.operator)
    return Principal(
        kind=_KINDS[credential.kind],
        call=Call(),
        user_id=credential.user_id,
        username=credential.username or "",
        team_id=credential.team_id,
        org_id=credential.org_id,
        token_id=credential.id,
        operator=operator,
        role=credential.role,
        org_role=credential.org_role,
        permissions=roles.permissions(credential.role, credential.org_role, operator=operator),
        scope=_scope(credential),
        features=frozenset(credential.features),
        org_suspended=credential.suspended_at is not None,
        signed_in_at=credential.created_at if credential.kind == "session" else None,
        expires_at=credential.expires_at,
        minted=credential.minted,
        given_by=credential.given_by,
    )


async def stand_in(db: Db, call: Call, user_id: str, team_id: str) -> Principal:
    """Somebody as they are now, for work done in their name without a credential of theirs.

    The request's idempotency key stays with whoever sent it.
    """
    credential = await store.get_person(db, user_id, team_id)
    if credential is None:
        raise Unauthenticated()
    return msgspec.structs.replace(_person(credential), call=msgspec.structs.replace(call, claim=None))


def guard(*, hosted: bool) -> Guard:
    """A write is made with a credential that still works, by somebody who is still in the team and has lost no right
    since they were let in, in a company and a tenant that are not suspended.

    All of it is read in the write's own transaction, and held until its commit: a removal, a revocation or a suspension
    comes before it, or after. An upload may take hours between the gate and this.
    """

    async def check(tx: Tx) -> None:
        if not tx.org_id:
            return
        call = tx.who.call
        person = tx.who.user_id if tx.who.kind in _KINDS else ""
        credential = tx.who.token_id if person or tx.who.kind == "worker" else ""
        standing = await store.get_standing(tx, tx.org_id, tx.team_id, person, credential, hosted=hosted)
        if standing is None or standing.revoked:
            raise Unauthenticated()
        if standing.expires_at is not None and standing.expires_at <= clock.stamp():
            raise TokenExpired
        if person:
            _check_rights(tx.who, standing)
        if standing.tenant_suspended and not call.while_suspended:
            raise TenantSuspended
        if standing.suspended_at is not None and not (call.while_suspended or call.instance_plane):
            raise OrgSuspended

    return check


def _check_rights(who: Principal, standing: Standing) -> None:
    """What was asked for was judged by the rights of then: whoever has lost one since asks again."""
    if (standing.role, standing.org_role, standing.operator) == (who.role, who.org_role, who.operator):
        return
    now = roles.permissions(standing.role, standing.org_role, operator=bool(standing.operator))
    if lost := sorted(permission for permission in who.permissions - now if who.in_scope(permission)):
        raise Forbidden(f"You lost {', '.join(lost)} while this was on its way: send it again if you still may.")


def _worker(credential: Credential) -> Principal:
    return Principal(
        "worker", Call(), team_id=credential.team_id, org_id=credential.org_id, token_id=credential.id,
        permissions=roles.WORKER_TOKEN, scope=(Grantable(Permission.JOBS_EXECUTE),),
        org_suspended=credential.suspended_at is not None,
    )  # fmt: skip


def _scope(credential: Credential) -> tuple[Grantable, ...] | None:
    return None if credential.scope is None else tuple(identity.parse_scope(entry) for entry in credential.scope)
