"""Proving who one is by password, at a pace that guessing cannot afford."""

import msgspec

from teamspace.core import clock
from teamspace.core.addresses import neighbourhood
from teamspace.core.db import Db, Tx
from teamspace.core.errors import Forbidden, InvalidCredentials, TotpRequired
from teamspace.core.principal import Principal
from teamspace.identity import store
from teamspace.identity.domain import accounts, codes, passwords, throttle
from teamspace.identity.schemas import Person

PER_PAIR, PER_ADDRESS, PER_USERNAME = 5, 30, 50
"""Failures of a name from one address, of an address, and of a name from anywhere."""
KNOWN_FOR = 30 * clock.DAY
"""How long an address from which somebody signed in is known as theirs."""


class Proof(msgspec.Struct, frozen=True):
    """A right password: whose, and which counts of failures it settles."""

    person: Person
    password_hash: str | None
    password_by: str | None
    """Who else chose it."""
    place: str
    limits: dict[str, int]


async def prove(db: Db, who: Principal, username: str, password: str, code: str | None) -> Proof:
    """The right password, and a code at hand where one will be needed; else a refusal."""
    key, place = accounts.username_key(username), neighbourhood(who.call.address)
    limits = await _limits(db, key, place)
    await throttle.count(db, who, limits)
    account = await store.get_account_by_name(db, key)
    if not await passwords.matches(account.password if account else None, password) or account is None:
        raise InvalidCredentials
    proof = Proof(accounts.person(account), account.password, account.password_by, place, limits)
    if account.disabled_at is not None:
        await excuse(db, who, proof)
        raise Forbidden("This account is disabled: ask an operator of the instance.")
    if code is None and await codes.armed(db, account.id):
        await excuse(db, who, proof)
        raise TotpRequired
    return proof


async def _limits(db: Db, key: str, place: str) -> dict[str, int]:
    """What is counted. From where they signed in before, nobody is locked out by what others try elsewhere."""
    limits = {f"pair:{place}|{key[:64]}": PER_PAIR, **limits_of_address(place)}
    if not await store.is_known_place(db, key, place, clock.ago(KNOWN_FOR)):
        limits[f"user:{key[:64]}"] = PER_USERNAME
    return limits


def limits_of_address(place: str) -> dict[str, int]:
    return {f"address:{place}": PER_ADDRESS}


async def guess(db: Db, who: Principal, *, right: bool) -> None:
    """For other secrets that strangers send: wrong ones count against their address like failed sign-ins."""
    limits = limits_of_address(neighbourhood(who.call.address))
    await throttle.count(db, who, limits)
    if right:
        await throttle.uncount(db, who, limits)


async def excuse(db: Db, who: Principal, proof: Proof) -> None:
    """The password was right and something else was missing: that is not a failure."""
    await throttle.uncount(db, who, proof.limits)


async def settle(tx: Tx, proof: Proof) -> None:
    """The sign-in succeeds, unless the account was changed meanwhile; the address is known as theirs from now on."""
    account = await store.get_account(tx, proof.person.id)
    if account is None or account.password != proof.password_hash or account.disabled_at is not None:
        raise InvalidCredentials
    pair, *others = proof.limits
    await store.forget_attempts(tx, pair)
    for subject in others:
        await store.uncount_attempt(tx, subject)
    await store.put_place(tx, account.id, account.org_id, proof.place, clock.stamp())
