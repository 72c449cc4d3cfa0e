"""People and their proofs: accounts, passwords, second factors, sessions and API tokens.

Identity knows who somebody is. What they may do, and in which team, is tenancy's business above it.
"""

from teamspace.identity.domain.accounts import find, register, rename, set_password
from teamspace.identity.domain.passwords import check_strength, hashed
from teamspace.identity.domain.second_factor import disarm, satisfy
from teamspace.identity.domain.sign_in import excuse, prove, settle
from teamspace.identity.domain.tokens import (
    FIRST_TOKEN_TTL,
    SESSION_IDLE,
    TOUCH_EVERY,
    LastUse,
    clean,
    issue_token,
    open_session,
    parse_scope,
    revoke_in_team,
)
from teamspace.identity.schemas import Person
from teamspace.identity.store import INVARIANTS

__all__ = [
    "FIRST_TOKEN_TTL",
    "INVARIANTS",
    "SESSION_IDLE",
    "TOUCH_EVERY",
    "LastUse",
    "Person",
    "check_strength",
    "clean",
    "disarm",
    "excuse",
    "find",
    "hashed",
    "issue_token",
    "open_session",
    "parse_scope",
    "prove",
    "register",
    "rename",
    "revoke_in_team",
    "satisfy",
    "set_password",
    "settle",
]
