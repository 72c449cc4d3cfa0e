"""HTTP routes of access keys and presigned links; the S3 API itself is in bucket.py."""

from teamspace.core.db import Db
from teamspace.core.errors import Conflict
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Created
from teamspace.core.routing import BEARER, OWN, Route, row
from teamspace.identity import access_keys
from teamspace.s3.domain import keys
from teamspace.s3.schemas import AccessKeyList, AccessKeyWithSecret, Link, NewAccessKey, Presign
from teamspace.settings import Settings

# fmt: off
ROUTES = (
    Route("POST",   "/api/repo-obj/:id/presign", BEARER, row(P.FILES_READ), None, "presign", "Create a presigned link with the caller's newest access key; it expires.",
          refuses=(Conflict,), while_suspended=True),
    Route("GET",    "/api/s3/credentials",       BEARER, OWN,               None, "index",   "List the caller's S3 access keys, with endpoint and bucket but without secrets."),
    Route("POST",   "/api/s3/credentials",       BEARER, OWN,               None, "create",  "Create an S3 access key, optionally with a scope; the secret is only shown once.",
          refuses=(Conflict,)),
    Route("DELETE", "/api/s3/credentials/:id",   BEARER, OWN,               None, "revoke",  "Revoke an S3 access key; links signed with it stop working.",
          while_suspended=True),
)
# fmt: on


async def presign(db: Db, settings: Settings, who: Principal, id: str, body: Presign) -> Link:
    return await keys.create_link(db, settings, who, id, body)


async def index(db: Db, settings: Settings, who: Principal) -> AccessKeyList:
    return await keys.list_keys(db, settings, who)


async def create(db: Db, settings: Settings, who: Principal, body: NewAccessKey) -> Created[AccessKeyWithSecret]:
    return Created(await keys.issue(db, settings, who, body))


async def revoke(db: Db, who: Principal, id: str) -> None:
    await access_keys.revoke(db, who, id)
