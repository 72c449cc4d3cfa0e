"""Stay signed in: the exchange of a browser's cookie for a session, which no page of another site can ask for."""

from collections.abc import Mapping

from teamspace import identity
from teamspace.core.db import Db
from teamspace.core.errors import Forbidden, Unauthenticated, UnsupportedType
from teamspace.core.principal import Principal
from teamspace.core.sender import Sender
from teamspace.identity import StayMatch, stay_cookie, staying
from teamspace.settings import Settings
from teamspace.tenancy import store
from teamspace.tenancy.domain import people
from teamspace.tenancy.schemas import Membership, Opened

_REQUESTED_BY = "console"


async def resume(db: Db, who: Principal, settings: Settings, sender: Sender, cookies: Mapping[str, str]) -> Opened:
    """Return a new session of a kept sign-in, and the next cookie unless another tab was just given it."""
    _check_sender(settings, who, sender)
    offer = staying.read_cookie(db.vault, cookies.get(stay_cookie.name(settings), ""))
    stay = await staying.find(db, offer, settings.stay_days) if offer else None
    person = await identity.get_person(db, stay.user_id) if stay else None
    if offer is None or stay is None or person is None:
        raise _refusal(settings)
    await staying.count_exchange(db, who, stay)
    membership = _find_team(settings, await store.select_memberships(db, person.id), stay.team_id)
    opened: Opened | None = None
    async with db.write(people.as_person(who, person, membership), "session.resume", lock=("user", person.id)) as tx:
        tx.target = offer.stay_id
        stay = await staying.find(tx, offer, settings.stay_days)
        if stay is None:
            raise _refusal(settings)
        match = staying.compare(stay, offer)
        if match is StayMatch.STOLEN:
            tx.action = "session.revoke_stolen"
            await staying.end(tx, stay)
        else:
            session = await people.open_session(tx, person, membership, given_by=stay.given_by, stay=stay)
            cookie = await staying.rotate(tx, stay, offer) if match is StayMatch.PRESENT else None
            opened = Opened(session, stay_cookie.keep(settings, cookie, stay.expires_at) if cookie else {})
    if opened is None:
        raise _refusal(settings)
    return opened


def _refusal(settings: Settings) -> Unauthenticated:
    return Unauthenticated().with_headers(stay_cookie.forget(settings))


def _find_team(settings: Settings, memberships: list[Membership], team_id: str) -> Membership:
    """Return the team of the kept sign-in, which ends when the person leaves that team."""
    for membership in memberships:
        if membership.team_id == team_id:
            return membership
    raise _refusal(settings)


def _check_sender(settings: Settings, who: Principal, sender: Sender) -> None:
    """Refuse a request that a page of another site could have made a browser send.

    Each of these alone stops it: other sites can send forms, not JSON and no such header, and browsers say which page
    it was. Ports of one host share cookies and are one site, so the origin is compared with its port.
    """
    if sender.content_type.partition(";")[0].strip() != "application/json":
        raise UnsupportedType("request.content_type")
    is_own = sender.origin in _own_origins(settings, who, sender.host) and sender.site in ("", "same-origin")
    if sender.requested_by != _REQUESTED_BY or not is_own:
        raise Forbidden("sign_in.other_site")


def _own_origins(settings: Settings, who: Principal, host: str) -> set[str]:
    """Return the origins of this instance's pages. A trusted proxy may have replaced the host, and says which it was."""
    hosts = {host}
    if who.call.host and who.call.host != host.rpartition(":")[0] and who.call.host != host:
        hosts.add(who.call.host)
    schemes = ("https",) if settings.is_secure else ("https", "http")
    return {settings.address.lower(), *(f"{scheme}://{each}" for scheme in schemes for each in hosts)}
