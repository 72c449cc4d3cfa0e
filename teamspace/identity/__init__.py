"""People and their proofs: accounts, passwords, second factors, sessions and API tokens.

Identity knows who somebody is. What they may do, and in which team, is tenancy's business above it.
"""

from teamspace.identity.domain import access_keys
from teamspace.identity.domain.accounts import find, register, rename, replace_password
from teamspace.identity.domain.activation import invite, invited, prepare, redeem
from teamspace.identity.domain.codes import armed, satisfy
from teamspace.identity.domain.passwords import KDF, check_strength, hashed
from teamspace.identity.domain.second_factor import disarm
from teamspace.identity.domain.sign_in import excuse, guess, prove, settle
from teamspace.identity.domain.tokens import (
    FIRST_TOKEN_TTL,
    SESSION_IDLE,
    TOUCH_EVERY,
    LastUse,
    clean,
    issue_token,
    issue_worker_token,
    open_session,
    parse_scope,
    revoke_in_team,
    revoke_token,
)
from teamspace.identity.schemas import AccessKey, IssuedKey, Person
from teamspace.identity.store import COUNTS, INVARIANTS, SEALED

__all__ = [
    "COUNTS",
    "FIRST_TOKEN_TTL",
    "INVARIANTS",
    "KDF",
    "SEALED",
    "SESSION_IDLE",
    "TOUCH_EVERY",
    "AccessKey",
    "IssuedKey",
    "LastUse",
    "Person",
    "access_keys",
    "armed",
    "check_strength",
    "clean",
    "disarm",
    "excuse",
    "find",
    "guess",
    "hashed",
    "invite",
    "invited",
    "issue_token",
    "issue_worker_token",
    "open_session",
    "parse_scope",
    "prepare",
    "prove",
    "redeem",
    "register",
    "rename",
    "replace_password",
    "revoke_in_team",
    "revoke_token",
    "satisfy",
    "settle",
]
