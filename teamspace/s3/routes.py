"""Access keys and presigned links over HTTP; the S3 path itself is in bucket.py."""

from teamspace.core.db import Db
from teamspace.core.errors import Conflict
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Created
from teamspace.core.routing import BEARER, OWN, Route, row
from teamspace.identity import access_keys
from teamspace.s3.domain import keys
from teamspace.s3.schemas import Credential, Credentials, Link, NewCredential, Presign
from teamspace.settings import Settings

# fmt: off
ROUTES = (
    Route("POST",   "/api/repo-obj/:id/presign", BEARER, row(P.FILES_READ), None, "presign", "A link for S3 clients and browsers, signed with the caller's newest access key, for a while.",
          refuses=(Conflict,), while_suspended=True),
    Route("GET",    "/api/s3/credentials",       BEARER, OWN,               None, "index",   "The caller's S3 access keys, with endpoint and bucket; secrets are not repeated."),
    Route("POST",   "/api/s3/credentials",       BEARER, OWN,               None, "create",  "Issue an S3 access key, perhaps with a scope; the secret is shown this once.",
          refuses=(Conflict,)),
    Route("DELETE", "/api/s3/credentials/:id",   BEARER, OWN,               None, "revoke",  "Revoke an S3 access key; what it signed stops working.",
          while_suspended=True),
)
# fmt: on


async def presign(db: Db, settings: Settings, who: Principal, id: str, body: Presign) -> Link:
    return await keys.link(db, settings, who, id, body)


async def index(db: Db, settings: Settings, who: Principal) -> Credentials:
    return await keys.listing(db, settings, who)


async def create(db: Db, settings: Settings, who: Principal, body: NewCredential) -> Created[Credential]:
    return Created(await keys.issue(db, settings, who, body))


async def revoke(db: Db, who: Principal, id: str) -> None:
    await access_keys.revoke(db, who, id)
