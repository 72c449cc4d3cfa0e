"""Accounts, passwords, second factors, sessions and API tokens.

Identity authenticates people. Teams and permissions are in the package above, tenancy.
"""

from teamspace.identity.domain import access_keys, stay_cookie, staying, throttle
from teamspace.identity.domain.accounts import find_person, get_person, register, replace_password, update_profile
from teamspace.identity.domain.activation import create_activation_link, find_invited, hash_first_password, redeem_link
from teamspace.identity.domain.codes import has_second_factor, use_second_factor
from teamspace.identity.domain.passwords import KDF, check_strength, hash_password
from teamspace.identity.domain.passwords import matches as matches_password
from teamspace.identity.domain.second_factor import remove_second_factor
from teamspace.identity.domain.sign_in import check_password, complete_sign_in, count_guess, uncount_failure
from teamspace.identity.domain.staying import StayMatch
from teamspace.identity.domain.tokens import (
    FIRST_TOKEN_TTL,
    LAST_USE_INTERVAL,
    SESSION_IDLE,
    LastUse,
    delete_expired_credentials,
    issue_token,
    issue_worker_token,
    open_session,
    parse_scope,
    revoke_in_team,
    revoke_token,
)
from teamspace.identity.schemas import AccessKey, IssuedKey, Person, Stay
from teamspace.identity.store import COUNTS, ENCRYPTED, INVARIANTS

__all__ = [
    "COUNTS",
    "ENCRYPTED",
    "FIRST_TOKEN_TTL",
    "INVARIANTS",
    "KDF",
    "LAST_USE_INTERVAL",
    "SESSION_IDLE",
    "AccessKey",
    "IssuedKey",
    "LastUse",
    "Person",
    "Stay",
    "StayMatch",
    "access_keys",
    "check_password",
    "check_strength",
    "complete_sign_in",
    "count_guess",
    "create_activation_link",
    "delete_expired_credentials",
    "find_invited",
    "find_person",
    "get_person",
    "has_second_factor",
    "hash_first_password",
    "hash_password",
    "issue_token",
    "issue_worker_token",
    "matches_password",
    "open_session",
    "parse_scope",
    "redeem_link",
    "register",
    "remove_second_factor",
    "replace_password",
    "revoke_in_team",
    "revoke_token",
    "stay_cookie",
    "staying",
    "throttle",
    "uncount_failure",
    "update_profile",
    "use_second_factor",
]
