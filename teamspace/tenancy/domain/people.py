"""Signing in, seeing oneself, and what the command line does for people who cannot."""

from teamspace import identity
from teamspace.core import clock
from teamspace.core.db import Db, Reads, Tx
from teamspace.core.errors import BadRequest, Conflict, Forbidden, NotFound, Refusal
from teamspace.core.principal import Call, Principal, system
from teamspace.core.refusals import Refusals
from teamspace.tenancy import store
from teamspace.tenancy.schemas import (
    Activation,
    Locales,
    Login,
    Org,
    OrgRole,
    Profile,
    Role,
    Seat,
    SignedIn,
    Team,
    UserView,
    Whoami,
    user_view,
)


async def sign_in(db: Db, who: Principal, refusals: Refusals, wish: Login) -> SignedIn:
    try:
        return await _sign_in(db, who, wish)
    except Refusal as refusal:
        if refusal.recorded:
            person = await identity.find(db, wish.username)
            refusals.of_sign_in(who, refusal, wish.username, (person.id, person.org_id) if person else None)
        raise


async def _sign_in(db: Db, who: Principal, wish: Login) -> SignedIn:
    """Password, then second factor, then a session; a code is spent in the commit that opens the session."""
    proof = await identity.prove(db, who, wish.username, wish.password, wish.totp or None)
    person = proof.person
    try:
        seat = _chosen(await store.select_seats(db, person.id), wish.team)
    except Refusal:
        await identity.excuse(db, who, proof)
        raise
    async with db.write(_as(who, person, seat), "session.open", alone=("user", person.id)) as tx:
        await identity.settle(tx, proof)
        await identity.satisfy(tx, person.id, wish.totp or "")
        return await _opened(tx, person, seat, given_by=proof.password_by)


def _as(who: Principal, person: identity.Person, seat: Seat) -> Principal:
    """The person that an anonymous caller has just proven to be."""
    return Principal(
        "session", who.call, user_id=person.id, username=person.username, org_id=person.org_id, team_id=seat.team_id
    )


async def _opened(tx: Tx, person: identity.Person, seat: Seat, *, given_by: str | None = None) -> SignedIn:
    session_id, token, expires_at = await identity.open_session(
        tx, user_id=person.id, org_id=person.org_id, team_id=seat.team_id, given_by=given_by
    )
    tx.target = tx.target or session_id
    org, team = await _place(tx, person.org_id, seat.team_id)
    return SignedIn(token, "bearer", expires_at, user_view(person), team, org)


async def activate(db: Db, who: Principal, wish: Activation) -> SignedIn:
    """The link is spent, the password set and a session opened in one commit, or none of it."""
    person = await identity.invited(db, wish.token)
    seat = _chosen(await store.select_seats(db, person.id), None)
    password_hash = await identity.prepare(person, wish.password)
    async with db.write(_as(who, person, seat), "account.activate", alone=("user", person.id)) as tx:
        tx.target = person.id
        await identity.redeem(tx, person, wish.token, password_hash)
        await identity.satisfy(tx, person.id, "")
        return await _opened(tx, person, seat)


async def whoami(db: Db, who: Principal) -> Whoami:
    person = await identity.find(db, who.username)
    if person is None or who.role is None:
        raise NotFound()
    org, team = await _place(db, who.org_id, who.team_id)
    return Whoami(
        user=user_view(person),
        team=team,
        role=Role(who.role),
        teams=await store.select_seats(db, who.user_id),
        org=org,
        org_role=OrgRole(who.org_role) if who.org_role else None,
        operator=who.operator,
        two_factor=await identity.armed(db, who.user_id),
        locale=person.locale,
        permissions=sorted(permission for permission in who.permissions if who.in_scope(permission)),
        features=sorted(who.features),
        credential=who.kind,
        scope=None if who.scope is None else [str(entry) for entry in who.scope],
    )


async def update_profile(db: Db, who: Principal, locales: Locales, wish: Profile) -> UserView:
    """Name, locale, and the team that this session acts in."""
    if isinstance(wish.locale, str) and wish.locale not in locales.available:
        raise BadRequest.at("/locale", f"must be one of {', '.join(locales.available)}, or null")
    async with db.write(who, "profile.update", alone=("user", who.user_id)) as tx:
        tx.target = who.user_id
        person = await identity.rename(tx, who.user_id, wish.display_name, wish.locale)
        if wish.team_id is not None and wish.team_id != who.team_id:
            if not await store.hold_seat(tx, wish.team_id, who.user_id):
                raise NotFound("There is no such team, or you are not in it.")
            if who.kind != "session":
                raise Forbidden("Only a session can switch teams; an API token belongs to one.")
            await store.move_session(tx, who.token_id, wish.team_id)
    return user_view(person)


# At the command line


async def create_operator(db: Db, username: str, password: str, display_name: str | None) -> None:
    """A further operator, as owner of the first company's first team."""
    org = await store.first_org(db)
    team = await store.first_team(db, org.id) if org else None
    if org is None or team is None:
        raise Conflict("The instance has not been set up yet.")
    await identity.check_strength(password, hints=(username,))
    password_hash = await identity.hashed(password)
    async with db.write(_console(org.id, team.id), "user.create_operator") as tx:
        person = await identity.register(
            tx, org_id=org.id, username=username, display_name=display_name, password_hash=password_hash,
            operator=True, password_by=tx.who.kind,
        )  # fmt: skip
        await store.insert_membership(tx, team, person.id, Role.OWNER, clock.stamp())
        tx.target = person.id


async def reset_password(db: Db, username: str, password: str) -> None:
    person = await _known(db, username)
    await identity.check_strength(password, hints=(username,))
    password_hash = await identity.hashed(password)
    async with db.write(_console(person.org_id), "user.reset_password", alone=("user", person.id)) as tx:
        tx.target = person.id
        await identity.replace_password(tx, person.id, password_hash, by=tx.who.kind)


async def reset_second_factor(db: Db, username: str) -> None:
    person = await _known(db, username)
    async with db.write(_console(person.org_id), "user.reset_second_factor", alone=("user", person.id)) as tx:
        tx.target = person.id
        await identity.disarm(tx, person.id)


async def invite(db: Db, username: str, address: str) -> str:
    """A new activation link, for somebody who lost theirs; the one before stops working."""
    person = await _known(db, username)
    async with db.write(_console(person.org_id), "user.invite", alone=("user", person.id)) as tx:
        tx.target = person.id
        return await identity.invite(tx, person, address)


async def _known(db: Db, username: str) -> identity.Person:
    person = await identity.find(db, username)
    if person is None:
        raise BadRequest(f"there is no user {username}")
    return person


def _console(org_id: str, team_id: str = "") -> Principal:
    # Whoever holds the data folder may help a person even while the company is suspended.
    return system(Call("command-line", while_suspended=True), org_id=org_id, team_id=team_id)


def _chosen(seats: list[Seat], wanted: str | None) -> Seat:
    if not seats:
        raise Forbidden("You are in no team any more: ask an admin to add you.")
    if wanted is None:
        return seats[0]
    for seat in seats:
        if wanted in (seat.team_id, seat.slug):
            return seat
    raise NotFound("There is no such team, or you are not in it.")


async def _place(db: Reads, org_id: str, team_id: str) -> tuple[Org, Team]:
    org, team = await store.get_org(db, org_id), await store.get_team(db, team_id)
    if org is None or team is None:
        raise NotFound()
    return org, team
