"""Create, list, change and revoke the public links of an object."""

import secrets

import msgspec
from msgspec import UNSET

from teamspace import events, identity, repository, sharing, tenancy
from teamspace.core import clock, crypto, text
from teamspace.core.db import Db, Tx
from teamspace.core.errors import BadRequest, Forbidden, NotFound, OutOfScope
from teamspace.core.ids import new_id
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.events import Change
from teamspace.links import store
from teamspace.links.domain import opening
from teamspace.links.schemas import LinkChange, LinkRow, NewLink, PublicLink, PublicLinks
from teamspace.repository import ObjectRow
from teamspace.settings import Settings

MAX_LINKS = 100
TOKEN_BYTES = 18


async def create(db: Db, who: Principal, settings: Settings, object_id: str, draft: NewLink) -> PublicLink:
    """Create a link; the caller must be able to manage the object, and their token to read it."""
    name = _clean_name(draft.name)
    expires_at = sharing.parse_expiry(draft.expires_at)
    _check_readable(who, await repository.require(db, who, object_id, P.FILES_MANAGE))
    password = None if draft.password is None else await identity.hash_password(draft.password)
    token, id = secrets.token_urlsafe(TOKEN_BYTES), new_id()
    async with db.write(who, "link.create", lock=("object_links", object_id)) as tx:
        row = await repository.require(tx, who, object_id, P.FILES_MANAGE)
        _check_readable(who, row)
        if await store.count_of_object(tx, row.id) >= MAX_LINKS:
            raise BadRequest("links.limit", limit=MAX_LINKS)
        link = LinkRow(
            id=id, object_id=row.id, org_id=row.org_id, team_id=row.team_id, creator_id=who.user_id,
            creator_team_id=who.team_id, name=name,
            token_hash=crypto.digest(token), token=tx.vault.encrypt(_place(id), token.encode()), password=password,
            expires_at=expires_at, views=0, downloads=0, last_used_at=None, created_at=clock.stamp(),
        )  # fmt: skip
        await store.insert(tx, link)
        tx.detail = {"link": id, "expires_at": expires_at, "password": password is not None}
        await _record(tx, row)
    (shown,) = await _show(db, who, settings, row, [link])
    return shown


async def listing(db: Db, who: Principal, settings: Settings, object_id: str) -> PublicLinks:
    row = await repository.require(db, who, object_id, P.FILES_MANAGE)
    return PublicLinks(await _show(db, who, settings, row, await store.select_of_object(db, row.id)))


async def update(
    db: Db, who: Principal, settings: Settings, object_id: str, link_id: str, change: LinkChange
) -> PublicLink:  # fmt: skip
    """Change the name, the end or the password. Only its creator, whose rights it has, can let more people in by it."""
    _check_readable(who, await repository.require(db, who, object_id, P.FILES_MANAGE))
    given = await _parse(change)
    async with db.write(who, "link.update", lock=("object_links", object_id)) as tx:
        row = await repository.require(tx, who, object_id, P.FILES_MANAGE)
        _check_readable(who, row)
        link = await store.get_of_object(tx, row.id, link_id)
        if link is None:
            raise NotFound()
        changed = msgspec.structs.replace(link, **given)
        if _lets_in_more(link, changed) and link.creator_id != who.user_id:
            raise Forbidden("links.creator")
        if not await store.update(tx, changed):  # revoked meanwhile
            raise NotFound()
        tx.detail = {"link": link.id, **given, **({"password": bool(given["password"])} if "password" in given else {})}
        await _record(tx, row)
    (shown,) = await _show(db, who, settings, row, [changed])
    return shown


async def revoke(db: Db, who: Principal, object_id: str, link_id: str) -> None:
    async with db.write(who, "link.revoke") as tx:
        row = await repository.require(tx, who, object_id, P.FILES_MANAGE)
        if not await store.delete(tx, row.id, link_id):
            raise NotFound()
        tx.detail = {"link": link_id}
        await _record(tx, row)


async def _parse(change: LinkChange) -> dict[str, str | None]:
    """Return the columns that change."""
    given: dict[str, str | None] = {}
    if change.name is not UNSET:
        given["name"] = _clean_name(change.name)
    if change.expires_at is not UNSET:
        given["expires_at"] = sharing.parse_expiry(change.expires_at)
    if change.password is not UNSET:
        given["password"] = None if change.password is None else await identity.hash_password(change.password)
    return given


def _clean_name(name: str) -> str:
    return text.clean_name(name, "name", max_length=100) if name.strip() else ""


def _lets_in_more(link: LinkRow, changed: LinkRow) -> bool:
    """Return whether the link ends later, or its password is another one or none."""
    lasts_longer = link.expires_at is not None and (changed.expires_at is None or changed.expires_at > link.expires_at)
    return lasts_longer or (link.password is not None and changed.password != link.password)


def _check_readable(who: Principal, row: ObjectRow) -> None:
    """Refuse to show everyone what the caller's token must not read."""
    if not who.in_scope(P.FILES_READ, row.key):
        raise OutOfScope("rights.out_of_scope", permission=P.FILES_READ)


async def _record(tx: Tx, row: ObjectRow) -> None:
    tx.target, tx.team_id = row.id, row.team_id
    await events.record(tx, "object", row.id, change=Change.UPDATED, org_id=row.org_id, team_id=row.team_id)


async def _show(db: Db, who: Principal, settings: Settings, row: ObjectRow, links: list[LinkRow]) -> list[PublicLink]:
    names = await tenancy.get_names(db, row.org_id, {link.creator_id for link in links})
    makers = {(link.creator_id, link.creator_team_id) for link in links}
    able = {maker for maker in makers if await opening.may_publish(db, who.call, *maker, row.id)}
    is_readable, now = who.in_scope(P.FILES_READ, row.key), clock.stamp()
    return [
        PublicLink(
            id=link.id, name=link.name, url=_url(db, settings, link) if is_readable else None,
            has_password=link.password is not None, expires_at=link.expires_at,
            works=(link.creator_id, link.creator_team_id) in able and not opening.is_expired(link, now), views=link.views,
            downloads=link.downloads, last_used_at=link.last_used_at, created_by=link.creator_id,
            creator_name=names.get(link.creator_id, ""), created_at=link.created_at,
        )
        for link in links
    ]  # fmt: skip


def _url(db: Db, settings: Settings, link: LinkRow) -> str:
    return f"{settings.address}/s/{db.vault.decrypt(_place(link.id), link.token).decode()}"


def _place(link_id: str) -> str:
    """The place to which a link's token is bound when encrypted."""
    return f"object_links|token|{link_id}"
