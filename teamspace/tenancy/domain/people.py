"""Sign-in, whoami, profile, and account commands of the command line."""

import msgspec
from msgspec import UNSET

from teamspace import identity
from teamspace.core import clock
from teamspace.core.db import Db, Reads, Tx
from teamspace.core.errors import BadRequest, Conflict, Forbidden, NotFound, Refusal
from teamspace.core.principal import Call, Principal, system
from teamspace.core.refusals import Refusals
from teamspace.settings import Settings
from teamspace.tenancy import store
from teamspace.tenancy.domain.time_zones import TIME_ZONES
from teamspace.tenancy.schemas import (
    Activation,
    Locales,
    Login,
    Membership,
    Opened,
    Org,
    OrgRole,
    PersonActivated,
    PreferenceChange,
    Profile,
    Role,
    SignedIn,
    Team,
    UserView,
    Whoami,
    to_user_view,
)


async def sign_in(db: Db, who: Principal, settings: Settings, refusals: Refusals, request: Login) -> Opened:
    try:
        return await _sign_in(db, who, settings, request)
    except Refusal as refusal:
        if refusal.recorded:
            person = await identity.find_person(db, request.username)
            refusals.add_sign_in(who, refusal, request.username, (person.id, person.org_id) if person else None)
        raise


async def _sign_in(db: Db, who: Principal, settings: Settings, request: Login) -> Opened:
    """Check the password, then the second factor, then open a session; the code is used in the same commit."""
    proof = await identity.check_password(db, who, request.username, request.password, request.totp or None)
    person = proof.person
    try:
        membership = _choose_team(await store.select_memberships(db, person.id), request.team)
    except Refusal:
        await identity.uncount_failure(db, who, proof)
        raise
    async with db.write(as_person(who, person, membership), "session.open", lock=("user", person.id)) as tx:
        await identity.complete_sign_in(tx, proof)
        await identity.use_second_factor(tx, person.id, request.totp or "")
        return await _begin(tx, settings, person, membership, stay=request.stay, given_by=proof.password_by)


def as_person(who: Principal, person: identity.Person, membership: Membership) -> Principal:
    """Return the principal of a person who has just proved their identity."""
    return Principal(
        "session",
        who.call,
        user_id=person.id,
        username=person.username,
        org_id=person.org_id,
        team_id=membership.team_id,
    )


async def _begin(
    tx: Tx, settings: Settings, person: identity.Person, membership: Membership, *, stay: bool,
    given_by: str | None = None,
) -> Opened:  # fmt: skip
    """Open a session, and let the browser keep the person signed in if they want that and the instance allows it."""
    if not stay or settings.stay_days == 0:
        return Opened(await open_session(tx, person, membership, given_by=given_by))
    kept, cookie = await identity.staying.begin(
        tx, user_id=person.id, org_id=person.org_id, team_id=membership.team_id, given_by=given_by,
        days=settings.stay_days,
    )  # fmt: skip
    tx.detail = {"kept_until": kept.expires_at}
    session = await open_session(tx, person, membership, given_by=given_by, stay=kept)
    return Opened(session, identity.stay_cookie.keep(settings, cookie, kept.expires_at))


async def open_session(
    tx: Tx, person: identity.Person, membership: Membership, *, given_by: str | None = None,
    stay: identity.Stay | None = None,
) -> SignedIn:  # fmt: skip
    session_id, token, expires_at = await identity.open_session(
        tx, user_id=person.id, org_id=person.org_id, team_id=membership.team_id, given_by=given_by, stay=stay
    )
    tx.target = tx.target or session_id
    org, team = await _get_org_and_team(tx, person.org_id, membership.team_id)
    return SignedIn(token, "bearer", expires_at, to_user_view(person), team, org)


async def activate(db: Db, who: Principal, settings: Settings, request: Activation) -> Opened:
    """Use the link, set the password and open a session in one commit."""
    person = await identity.find_invited(db, request.token)
    membership = _choose_team(await store.select_memberships(db, person.id), None)
    password_hash = await identity.hash_first_password(person, request.password)
    async with db.write(as_person(who, person, membership), "account.activate", lock=("user", person.id)) as tx:
        tx.target = person.id
        await identity.redeem_link(tx, person, request.token, password_hash)
        await identity.use_second_factor(tx, person.id, "")
        await tx.emit(PersonActivated(person.id))
        return await _begin(tx, settings, person, membership, stay=request.stay)


async def whoami(db: Db, who: Principal) -> Whoami:
    person = await identity.find_person(db, who.username)
    if person is None or who.role is None:
        raise NotFound()
    org, team = await _get_org_and_team(db, who.org_id, who.team_id)
    return Whoami(
        user=to_user_view(person),
        team=team,
        role=Role(who.role),
        teams=await store.select_memberships(db, who.user_id),
        org=org,
        org_role=OrgRole(who.org_role) if who.org_role else None,
        operator=who.operator,
        two_factor=await identity.has_second_factor(db, who.user_id),
        locale=person.locale,
        time_zone=person.time_zone,
        permissions=sorted(permission for permission in who.permissions if who.in_scope(permission)),
        features=sorted(who.features),
        credential=who.kind,
        scope=None if who.scope is None else [str(entry) for entry in who.scope],
        preferences=await store.get_preferences(db, who.user_id, who.team_id),
    )


async def update_profile(db: Db, who: Principal, locales: Locales, request: Profile) -> UserView:
    """Change name, locale, time zone, preferences, and the team of the session."""
    if isinstance(request.locale, str):
        available = await locales.find(db)
        if request.locale not in available:
            raise BadRequest.at("/locale", "tenancy.locale", choices=", ".join(available))
    if isinstance(request.time_zone, str) and request.time_zone not in TIME_ZONES:
        raise BadRequest.at("/time_zone", "tenancy.time_zone")
    async with db.write(who, "profile.update", lock=("user", who.user_id)) as tx:
        tx.target = who.user_id
        person = await identity.update_profile(
            tx, who.user_id, display_name=request.display_name, locale=request.locale, time_zone=request.time_zone
        )
        if request.preferences is not None:
            await _set_preferences(tx, request.preferences)
        if request.team_id is not None and request.team_id != who.team_id:
            if not await store.lock_membership(tx, request.team_id, who.user_id):
                raise NotFound("tenancy.no_membership_in")
            if who.kind != "session":
                raise Forbidden("tenancy.only_sessions")
            await store.move_session(tx, who.token_id, request.team_id)
    return to_user_view(person)


async def _set_preferences(tx: Tx, change: PreferenceChange) -> None:
    """Change the caller's preferences, in a transaction that has locked the person."""
    who = tx.who
    given = {name: value for name, value in msgspec.structs.asdict(change).items() if value is not UNSET}
    before = await store.get_preferences(tx, who.user_id, who.team_id)
    after = msgspec.structs.replace(before, **given)
    if given.keys() - {"checklist_dismissed"}:
        await store.put_preferences(tx, who.user_id, who.org_id, after)
    if after.checklist_dismissed != before.checklist_dismissed:
        dismiss = store.dismiss_checklist if after.checklist_dismissed else store.restore_checklist
        await dismiss(tx, who.user_id, who.team_id, who.org_id)


# Command line


async def create_operator(db: Db, username: str, password: str, display_name: str | None) -> None:
    """Create another operator, as owner of the first company's first team."""
    org = await store.get_first_org(db)
    team = await store.get_first_team(db, org.id) if org else None
    if org is None or team is None:
        raise Conflict("tenancy.not_set_up")
    await identity.check_strength(password, hints=(username,))
    password_hash = await identity.hash_password(password)
    async with db.write(_command_line(org.id, team.id), "user.create_operator") as tx:
        person = await identity.register(
            tx, org_id=org.id, username=username, display_name=display_name, password_hash=password_hash,
            operator=True, password_by=tx.who.kind,
        )  # fmt: skip
        await store.insert_membership(tx, team, person.id, Role.OWNER, clock.stamp())
        tx.target = person.id


async def reset_password(db: Db, username: str, password: str) -> None:
    person = await _find(db, username)
    await identity.check_strength(password, hints=(username,))
    password_hash = await identity.hash_password(password)
    async with db.write(_command_line(person.org_id), "user.reset_password", lock=("user", person.id)) as tx:
        tx.target = person.id
        await identity.replace_password(tx, person.id, password_hash, by=tx.who.kind)


async def reset_second_factor(db: Db, username: str) -> None:
    person = await _find(db, username)
    async with db.write(_command_line(person.org_id), "user.reset_second_factor", lock=("user", person.id)) as tx:
        tx.target = person.id
        await identity.remove_second_factor(tx, person.id)


async def invite(db: Db, username: str, address: str) -> str:
    """Create a new activation link for a person who lost theirs; the old one stops working."""
    person = await _find(db, username)
    async with db.write(_command_line(person.org_id), "user.invite", lock=("user", person.id)) as tx:
        tx.target = person.id
        return await identity.create_activation_link(tx, person, address)


async def _find(db: Db, username: str) -> identity.Person:
    person = await identity.find_person(db, username)
    if person is None:
        raise BadRequest("tenancy.no_user", username=username)
    return person


def _command_line(org_id: str, team_id: str = "") -> Principal:
    # The command line has access to the data folder anyway, so it also works while the company is suspended.
    return system(Call("command-line", while_suspended=True), org_id=org_id, team_id=team_id)


def _choose_team(memberships: list[Membership], requested: str | None) -> Membership:
    if not memberships:
        raise Forbidden("tenancy.no_membership")
    if requested is None:
        return memberships[0]
    for membership in memberships:
        if requested in (membership.team_id, membership.slug):
            return membership
    raise NotFound("tenancy.no_membership_in")


async def _get_org_and_team(db: Reads, org_id: str, team_id: str) -> tuple[Org, Team]:
    org, team = await store.get_org(db, org_id), await store.get_team(db, team_id)
    if org is None or team is None:
        raise NotFound()
    return org, team
