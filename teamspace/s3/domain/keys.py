"""Access keys and the links that are signed with them."""

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
from teamspace.s3.schemas import Credential, Credentials, Link, NewCredential, Presign
from teamspace.settings import Settings


async def issue(db: Db, settings: Settings, who: Principal, draft: NewCredential) -> Credential:
    key = await access_keys.issue(db, who, draft.name, draft.scope)
    return Credential(
        key.id, key.name, key.access_key_id, key.secret_access_key, key.scope, settings.address,
        (await tenancy.bucket_of(db, who.team_id)).name, REGION,
    )  # fmt: skip


async def listing(db: Db, settings: Settings, who: Principal) -> Credentials:
    keys = await access_keys.listing(db, who)
    return Credentials(keys, settings.address, (await tenancy.bucket_of(db, who.team_id)).name, REGION)


async def link(db: Db, settings: Settings, who: Principal, object_id: str, wish: Presign) -> Link:
    """Signed with the caller's newest key, and good for as long as that is; their rights are asked again at its use."""
    row = await _linked(db, who, object_id, wish)
    key, secret = await access_keys.newest(db, who)
    bucket = await tenancy.bucket_of(db, who.team_id)
    address, now = urlsplit(settings.address), clock.now()
    url = presign(
        method=wish.method, scheme=address.scheme, host=address.netloc,
        path=f"/{bucket.name}/{row.key}", access_key_id=key.access_key_id, secret=secret,
        region=REGION, now=now, expires=wish.expires_in, query=await _version(db, row, wish),
    )  # fmt: skip
    return Link(url, clock.stamp(now + wish.expires_in))


async def _linked(db: Db, who: Principal, object_id: str, wish: Presign) -> ObjectRow:
    reads = wish.method == "GET"
    row = await (repository.seen(db, who, object_id) if reads else repository.held(db, who, object_id, P.FILES_WRITE))
    if row.team_id != who.team_id:
        raise Conflict("It lies in another team's bucket, which your keys do not open: download it instead.")
    return row


async def _version(db: Db, row: ObjectRow, wish: Presign) -> list[tuple[str, str]]:
    if wish.version is None:
        return []
    if wish.method == "PUT":
        raise BadRequest.at("/version", "is only for reading: a write makes the next version")
    return [("versionId", (await repository.version_of(db, row, wish.version)).id)]
