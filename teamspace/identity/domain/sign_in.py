"""Sign-in by password, with limits on failed attempts."""

import msgspec

from teamspace.core import clock
from teamspace.core.addresses import rate_limit_key
from teamspace.core.db import Db, Tx
from teamspace.core.errors import Forbidden, InvalidCredentials, TotpRequired
from teamspace.core.principal import Principal
from teamspace.identity import store
from teamspace.identity.domain import accounts, codes, passwords, throttle
from teamspace.identity.schemas import Person

PER_PAIR, PER_ADDRESS, PER_USERNAME = 5, 30, 50
"""Failures of a username from one address, of an address, and of a username from all addresses."""
KNOWN_NETWORK_SECONDS = 30 * clock.DAY
"""How long a network stays known after the person signed in from it."""


class PasswordProof(msgspec.Struct, frozen=True):
    """The result of a right password: the person, and the counted attempts to take back."""

    person: Person
    password_hash: str | None
    password_by: str | None
    """Who else chose the password."""
    network: str
    limits: dict[str, int]


async def check_password(db: Db, who: Principal, username: str, password: str, code: str | None) -> PasswordProof:
    """Check the password, and that a code was sent if the second factor is on; the code is checked later."""
    key, network = accounts.username_key(username), rate_limit_key(who.call.address)
    limits = await _limits(db, key, network)
    await throttle.count_attempt(db, who, limits)
    account = await store.get_account_by_name(db, key)
    if not await passwords.matches(account.password if account else None, password) or account is None:
        raise InvalidCredentials
    proof = PasswordProof(accounts.to_person(account), account.password, account.password_by, network, limits)
    if account.disabled_at is not None:
        await uncount_failure(db, who, proof)
        raise Forbidden("sign_in.disabled")
    if code is None and await codes.has_second_factor(db, account.id):
        await uncount_failure(db, who, proof)
        raise TotpRequired
    return proof


async def _limits(db: Db, key: str, network: str) -> dict[str, int]:
    """Return the limits that apply. Known networks skip the username's, so that others cannot lock the person out."""
    limits = {f"pair:{network}|{key[:64]}": PER_PAIR, **address_limits(network)}
    if not await store.is_known_network(db, key, network, clock.ago(KNOWN_NETWORK_SECONDS)):
        limits[f"user:{key[:64]}"] = PER_USERNAME
    return limits


def address_limits(network: str) -> dict[str, int]:
    return {f"address:{network}": PER_ADDRESS}


async def count_guess(db: Db, who: Principal, *, right: bool) -> None:
    """Count a guess of another secret; a wrong one counts against the address like a failed sign-in."""
    limits = address_limits(rate_limit_key(who.call.address))
    await throttle.count_attempt(db, who, limits)
    if right:
        await throttle.uncount(db, who, limits)


async def uncount_failure(db: Db, who: Principal, proof: PasswordProof) -> None:
    """Take the failure back: the password was right, but something else was missing."""
    await throttle.uncount(db, who, proof.limits)


async def complete_sign_in(tx: Tx, proof: PasswordProof) -> None:
    """Complete the sign-in unless the account has changed meanwhile; reset failures and remember the network."""
    account = await store.get_account(tx, proof.person.id)
    if account is None or account.password != proof.password_hash or account.disabled_at is not None:
        raise InvalidCredentials
    pair, *others = proof.limits
    await store.forget_attempts(tx, pair)
    for subject in others:
        await store.uncount_attempt(tx, subject)
    await store.put_known_network(tx, account.id, account.org_id, proof.network, clock.stamp())
