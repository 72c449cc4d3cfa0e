"""Access keys and presigned links."""

from urllib.parse import urlsplit

from teamspace import repository, tenancy
from teamspace.core import clock
from teamspace.core.db import Db
from teamspace.core.errors import BadRequest, Conflict
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.identity import access_keys
from teamspace.repository import ObjectRow
from teamspace.s3.domain.buckets import REGION
from teamspace.s3.domain.presigning import presign
from teamspace.s3.schemas import AccessKeyList, AccessKeyWithSecret, Link, NewAccessKey, Presign
from teamspace.settings import Settings


async def issue(db: Db, settings: Settings, who: Principal, draft: NewAccessKey) -> AccessKeyWithSecret:
    key = await access_keys.issue(db, who, draft.name, draft.scope)
    return AccessKeyWithSecret(
        key.id, key.name, key.access_key_id, key.secret_access_key, key.scope, settings.address,
        (await tenancy.get_bucket(db, who.team_id)).name, REGION,
    )  # fmt: skip


async def list_keys(db: Db, settings: Settings, who: Principal) -> AccessKeyList:
    keys = await access_keys.list_keys(db, who)
    return AccessKeyList(keys, settings.address, (await tenancy.get_bucket(db, who.team_id)).name, REGION)


async def create_link(db: Db, settings: Settings, who: Principal, object_id: str, params: Presign) -> Link:
    """Create a link signed with the caller's newest key; it ends with the key, and access is checked at each use."""
    row = await _find_object(db, who, object_id, params)
    key, secret = await access_keys.get_newest(db, who)
    bucket = await tenancy.get_bucket(db, who.team_id)
    address, now = urlsplit(settings.address), clock.now()
    url = presign(
        method=params.method, scheme=address.scheme, host=address.netloc,
        path=f"/{bucket.name}/{row.key}", access_key_id=key.access_key_id, secret=secret,
        region=REGION, now=now, expires=params.expires_in, query=await _version_query(db, row, params),
    )  # fmt: skip
    return Link(url, clock.stamp(now + params.expires_in))


async def _find_object(db: Db, who: Principal, object_id: str, params: Presign) -> ObjectRow:
    reads = params.method == "GET"
    row = await (
        repository.get_visible(db, who, object_id) if reads else repository.require(db, who, object_id, P.FILES_WRITE)
    )
    if row.team_id != who.team_id:
        raise Conflict("s3.other_bucket")
    return row


async def _version_query(db: Db, row: ObjectRow, params: Presign) -> list[tuple[str, str]]:
    if params.version is None:
        return []
    if params.method == "PUT":
        raise BadRequest.at("/version", "s3.only_get")
    return [("versionId", (await repository.get_version(db, row, params.version)).id)]
