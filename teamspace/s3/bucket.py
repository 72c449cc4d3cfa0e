"""The S3 path: a request that carries an S3 signature is answered here, in S3's words.

verify, find the operation, ask for the right, do it. What is not verified goes nowhere.
"""

from collections.abc import Mapping
from functools import partial
from urllib.parse import urlsplit

from teamspace import tenancy
from teamspace.core import clock, ranges
from teamspace.core.addresses import neighbourhood
from teamspace.core.errors import OrgSuspended, OutOfScope, Refusal, TenantSuspended, Unauthenticated
from teamspace.core.http import Annexed
from teamspace.core.limits import Rate
from teamspace.core.principal import Call, Principal
from teamspace.core.refusals import Refusals
from teamspace.core.request import Request
from teamspace.core.sending import Outgoing
from teamspace.s3.domain import operations, refusing, xml
from teamspace.s3.domain.canonical import Asked
from teamspace.s3.domain.checksums import PREFIX
from teamspace.s3.domain.faults import Fault
from teamspace.s3.domain.operations import Level, Operation
from teamspace.s3.domain.signing import Verified, recognised, verify
from teamspace.s3.domain.visits import Answer, House, Reply, Visit
from teamspace.tenancy import Callers, Known

_XML = "application/xml"
_INERT = {"content-security-policy": "default-src 'none'; sandbox"}
"""Whatever somebody has stored: opened by its link, it runs nothing on this origin."""
_NOT_OURS_TO_SAY = {"cache-control": ""}
"""Of an object, clients take it for what its writer said, and keep it with the copies they make."""
_OPEN = {"access-control-allow-origin": "*", "access-control-expose-headers": "*"}
"""Pages elsewhere may ask, since nothing but the signature opens anything here."""


class Path:
    def __init__(self, house: House, callers: Callers, refused_rate: Rate, refusals: Refusals) -> None:
        self._house, self._callers, self._refused_rate, self._refusals = house, callers, refused_rate, refusals
        self._suffix = f".{urlsplit(house.address).hostname or ''}"

    def takes(self, request: Request) -> bool:
        """Whatever is signed for S3, and whatever asks for a bucket: without a signature it is refused in S3's words."""
        return (
            recognised(request.headers, request.query)
            or tenancy.is_bucket(request.path[1:])
            or (request.method == "OPTIONS" and tenancy.is_bucket(self._bucket_of(request.host)))
        )

    async def answer(self, request: Request, call: Call) -> Annexed:
        if request.method == "OPTIONS":
            return Annexed(_preflight(request), "s3:preflight")
        route, who = "s3", None
        try:
            verified = await self._verified(request, call)
            who = self._callers.used(verified.key, call)
            operation, key = self._matched(request, verified)
            route = f"s3:{operation.name}"
            visit = self._admitted(request, verified, who, operation, key)
            answer = await _outgoing(request, await operation.handler(visit))
        except (Fault, Refusal) as refusal:
            if who and isinstance(refusal, Refusal) and refusal.recorded:
                self._refusals.of_request(who, refusal, route)
            await request.drain()
            answer = _told(request, refusing.as_fault(refusal))
        return Annexed(answer, route, who.user_id if who else "", who.token_id if who else "")

    def refused(self, request: Request, refusal: Refusal) -> Annexed:
        return Annexed(_told(request, refusing.as_fault(refusal)), "s3")

    async def _verified(self, request: Request, call: Call) -> Verified[Known]:
        return await verify(_asked(request), clock.now(), partial(self._key, call), self._bucket_of(request.host))

    def _matched(self, request: Request, verified: Verified[Known]) -> tuple[Operation, str]:
        """What is asked, and of which key, in the one bucket that the access key opens."""
        level, bucket, key = _place(verified.path, self._bucket_of(request.host))
        operation = operations.matched(request.method, level, verified.query, verified.headers)
        if bucket and bucket != verified.key.bucket:
            raise _absent(operation)
        return operation, key

    def _admitted(
        self, request: Request, verified: Verified[Known], who: Principal, operation: Operation, key: str
    ) -> Visit:
        _check(operation, who)
        _check_owner(verified.headers, who)
        return Visit(
            self._house, who, verified.key.bucket, key, verified.query, verified.headers, verified.payload, request.chunks
        )  # fmt: skip

    def _bucket_of(self, host: str) -> str:
        """When the bucket is the first part of the name under which it was asked."""
        return host.removesuffix(self._suffix) if self._suffix != "." and host.endswith(self._suffix) else ""

    async def _key(self, call: Call, access_key_id: str) -> Known:
        try:
            return await self._callers.find_key(self._house.db, access_key_id)
        except Unauthenticated:
            # A refused credential costs its address, so that guessing is no faster than asking openly.
            self._refused_rate.spend(neighbourhood(call.address))
            raise Fault(
                "InvalidAccessKeyId", "The AWS Access Key Id you provided does not exist in our records."
            ) from None


def _asked(request: Request) -> Asked:
    return Asked(request.method, request.path.encode("latin-1"), request.query, request.sent)


def _place(path: str, host: str) -> tuple[Level, str, str]:
    """What a request is about, the bucket and the key: both from the path, or the bucket from the host."""
    bucket, key = (host, path[1:]) if host else (path[1:].partition("/")[0], path[1:].partition("/")[2])
    if key:
        return Level.OBJECT, bucket, key
    return (Level.BUCKET, bucket, "") if bucket else (Level.SERVICE, "", "")


def _absent(operation: Operation) -> Fault:
    if operation.name == "CreateBucket":
        return Fault("AccessDenied", "There is one bucket for each team, and no other can be made.")
    return Fault("NoSuchBucket", "The specified bucket does not exist")


def _check(operation: Operation, who: Principal) -> None:
    """Before a byte of the body is read. On which objects is the repository's rule, and asked by it."""
    if operation.permission is not None and not who.in_scope(operation.permission):
        raise OutOfScope(f"The key's scope does not include {operation.permission}.")
    if operation.writes and who.tenant_suspended:
        raise TenantSuspended
    if operation.writes and who.org_suspended:
        raise OrgSuspended


def _check_owner(headers: Mapping[str, str], who: Principal) -> None:
    """A client may say whose bucket it means."""
    for name in ("x-amz-expected-bucket-owner", "x-amz-source-expected-bucket-owner"):
        if headers.get(name, who.team_id) != who.team_id:
            raise Fault("AccessDenied", "The bucket is not of the owner that the request expects.")


async def _outgoing(request: Request, reply: Reply) -> Outgoing:
    headers = _headers(request)
    if isinstance(reply, Answer):
        kind = _XML if reply.body else None
        return Outgoing(reply.status, reply.body, kind, headers | dict(reply.headers))
    answer = ranges.answered(request, reply)
    if answer.status == 304 or (answer.status == 206 and reply.only is None):
        # The sum is one of the whole, and clients compare it with whatever they get.
        answer.headers = {name: text for name, text in answer.headers.items() if not name.startswith(PREFIX)}
    answer.headers = headers | _NOT_OURS_TO_SAY | answer.headers
    return await ranges.begun(answer) if request.method != "HEAD" else answer


def _told(request: Request, fault: Fault) -> Outgoing:
    resource = request.path
    body = xml.error(fault.code, fault.message, resource, request.id)
    return Outgoing(fault.status, body, _XML, _headers(request) | dict(fault.headers))


def _headers(request: Request) -> dict[str, str]:
    own = {**_INERT, "x-amz-request-id": request.id}
    return own | _OPEN if b"origin" in request.headers else own


def _preflight(request: Request) -> Outgoing:
    """A browser asks whether it may ask."""
    wanted = request.headers.get(b"access-control-request-headers", b"").decode("latin-1")
    allowed = {"access-control-allow-methods": "GET, HEAD, PUT, POST, DELETE", "access-control-max-age": "3600"}
    headers = {**_OPEN, **allowed, **({"access-control-allow-headers": wanted} if wanted else {})}
    return Outgoing(200, b"", None, headers)
