"""Routes for visitors."""

import msgspec

from teamspace.core.db import Db
from teamspace.core.errors import BadRequest
from teamspace.core.principal import Principal
from teamspace.core.replies import Content, Created
from teamspace.core.routing import PUBLIC, Cors, Route

ANY = Cors.ANY_ORIGIN
ROUTES = (
    Route("POST", "/api/funnel/:org", PUBLIC, None, None, "sign_up", "Sign up with a company.", cors=ANY),
    Route("OPTIONS", "/api/funnel/:org", PUBLIC, None, None, "options", "For plain OPTIONS requests."),
    Route("GET", "/api/funnel/:org", PUBLIC, None, None, "config", "What the form needs.", cors=ANY),
    Route("DELETE", "/api/funnel/:org", PUBLIC, None, None, "remove", "Only for our own pages."),
    Route("GET", "/api/funnel/:org/logo", PUBLIC, None, None, "logo", "Bytes.", cors=ANY),
)


class SignUp(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    email: str


async def sign_up(db: Db, who: Principal, org: str, body: SignUp) -> Created[SignUp]:
    if "@" not in body.email:
        raise BadRequest.at("/email", "accounts.email")
    async with db.write(who, "prospect.sign_up") as tx:
        tx.org_id, tx.target = org, body.email
    return Created(body)


async def options(org: str) -> None: ...


async def config(org: str) -> dict[str, str]:
    return {"org": org}


async def remove(org: str) -> None: ...


async def logo(org: str) -> Content:
    return Content(b"logo", "image/png", {})
