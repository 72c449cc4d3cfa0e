"""HTTP requests of plugins: made by the server, to hosts that are granted, with secrets that no plugin sees."""

import base64
import re
from collections.abc import Mapping

from teamspace.core import text
from teamspace.core.egress import Egress, EgressFailed, EgressRefused, NetworkReach, OutgoingRequest, Timeouts, parse
from teamspace.core.errors import BadRequest
from teamspace.core.principal import Principal
from teamspace.oop.domain import limits
from teamspace.oop.domain.capabilities import SECRET_NAME
from teamspace.oop.schemas import Fetch, Fetched

_HEADER = re.compile(r"[a-z0-9-]{1,100}")
_OUR_HEADERS = frozenset({"host", "connection", "content-length", "transfer-encoding", "te", "upgrade", "expect"})
_SECRET = re.compile(rf"\{{secret:({SECRET_NAME})\}}")


def host_of(fetch: Fetch) -> str:
    """Return the host of a URL as grants name it: with its port, unless it is that of https."""
    try:
        target = parse(fetch.url)
    except EgressRefused as refusal:
        raise BadRequest("oop.url", reason=str(refusal)) from None
    return target.host if (target.scheme, target.port) == ("https", 443) else f"{target.host}:{target.port}"


def secrets_of(fetch: Fetch) -> list[str]:
    """Return the names of the secrets that a request is to be sent with."""
    return sorted({name for value in fetch.headers.values() for name in _SECRET.findall(value)})


async def fetch(
    egress: Egress, who: Principal, asked: Fetch, secrets: Mapping[str, str], seconds: float
) -> Fetched:  # fmt: skip
    headers = {name.lower(): _fill_in(value, secrets) for name, value in asked.headers.items()}
    if wrong := [name for name in headers if not _HEADER.fullmatch(name) or name in _OUR_HEADERS]:
        raise BadRequest("oop.header", name=text.one_line(wrong[0], max_length=100))
    request = OutgoingRequest(
        asked.method, asked.url, NetworkReach.LISTED, who.org_id, headers, asked.body.encode(),
        Timeouts(read=seconds, total=seconds), limits.FETCHED_BYTES,
    )  # fmt: skip
    try:
        async with egress.stream(request) as response:
            body = b"".join([piece async for piece in response])
    except EgressFailed as fault:
        raise BadRequest("oop.fetch", reason=str(fault)) from None
    kind = response.headers.get("content-type", "")
    try:
        return Fetched(response.status, kind, body.decode(), is_base64=False)
    except UnicodeDecodeError:
        return Fetched(response.status, kind, base64.b64encode(body).decode(), is_base64=True)


def _fill_in(value: str, secrets: Mapping[str, str]) -> str:
    def find(match: re.Match[str]) -> str:
        if match[1] not in secrets:
            raise BadRequest("oop.no_secret", name=match[1])
        return secrets[match[1]]

    return _SECRET.sub(find, value)
