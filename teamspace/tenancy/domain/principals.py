"""From a token to a caller, and the guard that stops a suspended company's writes."""

from teamspace import identity
from teamspace.core import clock, crypto
from teamspace.core.db import Db, Tx
from teamspace.core.errors import OrgSuspended, TokenExpired, Unauthenticated
from teamspace.core.permissions import Permission
from teamspace.core.principal import Call, Grantable, Principal
from teamspace.tenancy import store
from teamspace.tenancy.domain import roles
from teamspace.tenancy.schemas import Credential


async def identify(last_use: identity.LastUse, db: Db, token: str, call: Call) -> Principal:
    """Nothing of this is remembered between two requests: a right that was taken away is gone at once."""
    if not crypto.well_formed(token):
        raise Unauthenticated()
    credential = await store.get_credential(db, crypto.digest(token))
    if credential is None or credential.revoked_at is not None:
        raise Unauthenticated()
    _check_age(credential)
    last_use.note(credential.id, credential.last_used_at)
    if credential.kind == "worker":
        return _worker(credential, call)
    if credential.role is None or credential.user_id is None:
        raise Unauthenticated()
    return Principal(
        kind="session" if credential.kind == "session" else "api",
        call=call,
        user_id=credential.user_id,
        username=credential.username or "",
        team_id=credential.team_id,
        org_id=credential.org_id,
        token_id=credential.id,
        operator=bool(credential.operator),
        role=credential.role,
        org_role=credential.org_role,
        permissions=roles.permissions(credential.role, credential.org_role, operator=bool(credential.operator)),
        scope=_scope(credential),
        features=frozenset(credential.features),
        org_suspended=credential.suspended_at is not None,
        signed_in_at=credential.created_at if credential.kind == "session" else None,
    )


async def guard(tx: Tx) -> None:
    """A suspended company is read-only, and so is one that is being suspended at this moment."""
    if tx.org_id and not tx.who.call.while_suspended and await store.suspended(tx, tx.org_id):
        raise OrgSuspended("The company is suspended: it can be read, not changed.")


def _check_age(credential: Credential) -> None:
    if credential.expires_at is not None and credential.expires_at <= clock.stamp():
        raise TokenExpired
    idle_since = credential.last_used_at or credential.created_at
    if credential.kind == "session" and idle_since <= clock.ago(identity.SESSION_IDLE):
        raise TokenExpired


def _worker(credential: Credential, call: Call) -> Principal:
    return Principal(
        "worker", call, team_id=credential.team_id, org_id=credential.org_id, token_id=credential.id,
        permissions=roles.WORKER_TOKEN, scope=(Grantable(Permission.JOBS_EXECUTE),),
        org_suspended=credential.suspended_at is not None,
    )  # fmt: skip


def _scope(credential: Credential) -> tuple[Grantable, ...] | None:
    return None if credential.scope is None else tuple(identity.parse_scope(entry) for entry in credential.scope)
