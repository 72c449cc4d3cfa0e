"""Pictures and fonts of a team's sign-up page. They are public as soon as they are stored."""

import base64

import msgspec

from teamspace import blobs, quota
from teamspace.blobs import BlobStore
from teamspace.core import clock, pools, text
from teamspace.core.db import Db, Reads, Tx
from teamspace.core.errors import BadRequest, Conflict, NotFound
from teamspace.core.ids import new_id
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.onboarding import access, store
from teamspace.onboarding.domain import formats
from teamspace.onboarding.domain.formats import FileFormat
from teamspace.onboarding.schemas.experience import (
    ASSET_TOKENS,
    ASSET_URL,
    MAX_ASSET,
    MAX_ASSETS,
    Asset,
    AssetRow,
    ExperienceDocument,
    NewAsset,
)

_TABLE = "onboarding_assets"


class AssetFile(msgspec.Struct, frozen=True):
    data: bytes
    content_type: str

    @property
    def is_font(self) -> bool:
        return self.content_type in formats.FONTS


async def create(db: Db, files: BlobStore, who: Principal, request: NewAsset) -> Asset:
    filename = text.clean_name(request.filename, "filename", max_length=200)
    data, found = await pools.TEXT.run(_decode, request.data)
    (await quota.storage_room(db, who.org_id, who.team_id)).check(len(data))
    digest = await blobs.store_bytes(db, files, who, who.org_id, data)
    row = AssetRow(
        id=new_id(), org_id=who.org_id, team_id=who.team_id, filename=filename, content_type=found.content_type,
        size=len(data), width=found.width, height=found.height, digest=digest, created_at=clock.stamp(),
    )  # fmt: skip
    async with db.write(who, "asset.create", lock=("experience", who.team_id)) as tx:
        if await store.count_assets(tx, who.team_id) >= MAX_ASSETS:
            raise Conflict("onboarding.asset_limit", limit=MAX_ASSETS)
        await blobs.add_reference(tx, who.org_id, digest)
        await store.insert_asset(tx, row)
        tx.target, tx.detail = row.id, {"content_type": row.content_type, "size": row.size}
        await quota.add_stored(tx, who.org_id, who.team_id, size=row.size)
    return _to_asset(row)


async def listing(db: Reads, who: Principal) -> list[Asset]:
    """Return the team's assets, newest first."""
    return [_to_asset(row) for row in await store.select_assets(db, access.fence(who, P.SETTINGS_MANAGE, _TABLE))]


async def delete(db: Db, who: Principal, asset_id: str) -> None:
    """Delete an asset, unless what visitors see has it."""
    async with db.write(who, "asset.delete", lock=("experience", who.team_id)) as tx:
        row = await store.get_asset(tx, access.fence(who, P.SETTINGS_MANAGE, _TABLE), asset_id)
        if row is None:
            raise NotFound()
        experience = await store.get(tx, access.fence(who, P.SETTINGS_MANAGE))
        if experience and experience.published and asset_id in named_by(experience.published).values():
            raise Conflict("onboarding.asset_used")
        await store.delete_asset(tx, access.fence(who, P.SETTINGS_MANAGE, _TABLE), asset_id)
        await blobs.release_references(tx, row.org_id, [row.digest])
        tx.target, tx.detail = row.id, {"content_type": row.content_type, "size": row.size}
        await quota.add_stored(tx, row.org_id, row.team_id, size=-row.size)


async def find(db: Reads, files: BlobStore, asset_id: str) -> AssetFile:
    row = await store.get_public_asset(db, asset_id)
    if row is None:
        raise NotFound()
    try:
        return AssetFile(await blobs.read(db, files, row.org_id, row.digest), row.content_type)
    except (blobs.BlobMissing, blobs.DamagedBlob):
        raise NotFound() from None


def named_by(document: ExperienceDocument) -> dict[str, str]:
    """Return the ids of the assets that a document names, by token."""
    return {token: str(document.theme[token]) for token in ASSET_TOKENS if token in document.theme}


async def check_named(tx: Tx, who: Principal, document: ExperienceDocument) -> None:
    """Raise BadRequest if the document names an asset that the team does not have, or one of another type."""
    for token, asset_id in named_by(document).items():
        row = await store.get_asset(tx, access.fence(who, P.SETTINGS_MANAGE, _TABLE), asset_id)
        if row is None or (row.content_type in formats.FONTS) != (token == "font_file"):
            raise BadRequest.at(f"/theme/{token}", "onboarding.no_asset")


def _decode(encoded: str) -> tuple[bytes, FileFormat]:
    try:
        data = base64.b64decode(encoded, validate=True)
    except ValueError:
        raise BadRequest.at("/data", "branding.logo_base64") from None
    if len(data) > MAX_ASSET:
        raise BadRequest.at("/data", "value.max_bytes", limit=MAX_ASSET)
    return data, formats.read(data, "/data")


def _to_asset(row: AssetRow) -> Asset:
    return Asset(
        id=row.id, url=f"{ASSET_URL}{row.id}", filename=row.filename, content_type=row.content_type, size=row.size,
        width=row.width, height=row.height, created_at=row.created_at,
    )  # fmt: skip
