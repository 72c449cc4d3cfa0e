"""The S3 API: handles requests with an S3 signature.

Each request is verified, matched to an operation, checked for permission, then run. Unverified requests are refused.
"""

from collections.abc import Mapping
from functools import partial
from urllib.parse import urlsplit

from teamspace import tenancy
from teamspace.core import clock, ranges
from teamspace.core.addresses import rate_limit_key
from teamspace.core.errors import OrgSuspended, OutOfScope, Refusal, TenantSuspended, Unauthenticated
from teamspace.core.http import MountedResponse
from teamspace.core.limits import Rate
from teamspace.core.principal import Call, Principal
from teamspace.core.refusals import Refusals
from teamspace.core.request import Request
from teamspace.core.sending import Response
from teamspace.s3.domain import error_codes, operations, xml
from teamspace.s3.domain.canonical import RawRequest
from teamspace.s3.domain.checksums import PREFIX
from teamspace.s3.domain.errors import S3Error
from teamspace.s3.domain.operations import Operation, ResourceLevel
from teamspace.s3.domain.requests import Reply, S3Request, S3Response, Services
from teamspace.s3.domain.signing import Verified, has_s3_credentials, verify
from teamspace.tenancy import CachedCaller, CallerCache

_XML = "application/xml"
_SANDBOX = {"content-security-policy": "default-src 'none'; sandbox"}
"""Stored content that is opened by its link cannot run scripts on this origin."""
_NO_CACHE_CONTROL = {"cache-control": ""}
"""No default for objects: clients take it for a value set by the writer, and store it with copies they make."""
_CORS = {"access-control-allow-origin": "*", "access-control-expose-headers": "*"}
"""Pages of any origin may send requests, since only the signature gives access."""


class S3App:
    name = "s3"

    def __init__(self, services: Services, callers: CallerCache, refused_rate: Rate, refusals: Refusals) -> None:
        self._services, self._callers, self._refused_rate, self._refusals = services, callers, refused_rate, refusals
        self._suffix = f".{urlsplit(services.address).hostname or ''}"

    def matches(self, request: Request) -> bool:
        """Match requests with S3 credentials and requests for a bucket; unsigned ones get an S3 error."""
        return (
            has_s3_credentials(request.headers, request.query)
            or tenancy.looks_like_bucket(request.path[1:])
            or (request.method == "OPTIONS" and tenancy.looks_like_bucket(self._bucket_from_host(request.host)))
        )

    async def handle(self, request: Request, call: Call) -> MountedResponse:
        if request.method == "OPTIONS":
            return MountedResponse(_preflight(request), "s3:preflight")
        route, who = self.name, None
        try:
            host_bucket = self._bucket_from_host(request.host)
            keys = partial(self._find_key, call, fresh=request.method not in ("GET", "HEAD"))
            verified = await verify(_raw_request(request), clock.now(), keys, host_bucket)
            who = self._callers.record_use(verified.key, call)
            operation, key = self._find_operation(request, verified, host_bucket)
            route = f"s3:{operation.name}"
            s3_request = self._build_request(request, verified, who, operation, key)
            response = await _to_response(request, await operation.handler(s3_request))
        except (S3Error, Refusal) as refusal:
            if who and isinstance(refusal, Refusal) and refusal.recorded:
                self._refusals.add_request(who, refusal, route)
            await request.drain()
            response = _error_response(request, error_codes.as_s3_error(refusal))
        return MountedResponse(response, route, who)

    def refusal_response(self, request: Request, refusal: Refusal) -> Response:
        return _error_response(request, error_codes.as_s3_error(refusal))

    def _find_operation(
        self, request: Request, verified: Verified[CachedCaller], host_bucket: str
    ) -> tuple[Operation, str]:
        """Return the operation and the key. An access key can only use its own bucket."""
        level, bucket, key = _parse_path(verified.path, host_bucket)
        operation = operations.find_operation(request.method, level, verified.query, verified.headers)
        if bucket and bucket != verified.key.bucket:
            raise _no_such_bucket(operation)
        return operation, key

    def _build_request(
        self, request: Request, verified: Verified[CachedCaller], who: Principal, operation: Operation, key: str
    ) -> S3Request:
        _check_permission(operation, who)
        _check_owner(verified.headers, who)
        return S3Request(
            self._services, who, verified.key.bucket, key, verified.query, verified.headers, verified.payload,
            request.chunks,
        )  # fmt: skip

    def _bucket_from_host(self, host: str) -> str:
        """Return the bucket of a virtual-hosted-style request, or ""."""
        return host.removesuffix(self._suffix) if self._suffix != "." and host.endswith(self._suffix) else ""

    async def _find_key(self, call: Call, access_key_id: str, *, fresh: bool) -> CachedCaller:
        try:
            return await self._callers.find_key(self._services.db, access_key_id, fresh=fresh)
        except Unauthenticated:
            # Rate-limited by address, as other refused credentials are, so that guessing keys here is no faster.
            self._refused_rate.spend(rate_limit_key(call.address))
            raise S3Error(
                "InvalidAccessKeyId", "The AWS Access Key Id you provided does not exist in our records."
            ) from None


def _raw_request(request: Request) -> RawRequest:
    return RawRequest(request.method, request.path.encode("latin-1"), request.query, request.raw_headers)


def _parse_path(path: str, host: str) -> tuple[ResourceLevel, str, str]:
    """Return level, bucket and key: both from the path, or the bucket from the host."""
    bucket, key = (host, path[1:]) if host else (path[1:].partition("/")[0], path[1:].partition("/")[2])
    if key:
        return ResourceLevel.OBJECT, bucket, key
    return (ResourceLevel.BUCKET, bucket, "") if bucket else (ResourceLevel.SERVICE, "", "")


def _no_such_bucket(operation: Operation) -> S3Error:
    if operation.name == "CreateBucket":
        return S3Error("AccessDenied", "There is one bucket per team; others cannot be created.")
    return S3Error("NoSuchBucket", "The specified bucket does not exist")


def _check_permission(operation: Operation, who: Principal) -> None:
    """Check scope and suspension before the body is read. The repository checks access to the objects."""
    if operation.permission is not None and not who.in_scope(operation.permission):
        raise OutOfScope("s3.out_of_scope", permission=operation.permission)
    if operation.writes and who.tenant_suspended:
        raise TenantSuspended
    if operation.writes and who.org_suspended:
        raise OrgSuspended


def _check_owner(headers: Mapping[str, str], who: Principal) -> None:
    """Check the bucket owner that the client expects, if it sends one."""
    for name in ("x-amz-expected-bucket-owner", "x-amz-source-expected-bucket-owner"):
        if headers.get(name, who.team_id) != who.team_id:
            raise S3Error("AccessDenied", "The bucket does not belong to the expected owner.")


async def _to_response(request: Request, reply: Reply) -> Response:
    headers = _headers(request)
    if isinstance(reply, S3Response):
        kind = _XML if reply.body else None
        return Response(reply.status, reply.body, kind, headers | dict(reply.headers))
    response = ranges.respond(request, reply)
    if response.status == 304 or (response.status == 206 and reply.span is None):
        # The checksum is of the whole object, but clients compare it with the bytes they get.
        response.headers = {name: text for name, text in response.headers.items() if not name.startswith(PREFIX)}
    response.headers = headers | _NO_CACHE_CONTROL | response.headers
    return await ranges.with_first_chunk(response) if request.method != "HEAD" else response


def _error_response(request: Request, fault: S3Error) -> Response:
    resource = request.path
    body = xml.error(fault.code, fault.message, resource, request.id)
    return Response(fault.status, body, _XML, _headers(request) | dict(fault.headers))


def _headers(request: Request) -> dict[str, str]:
    own = {**_SANDBOX, "x-amz-request-id": request.id}
    return own | _CORS if b"origin" in request.headers else own


def _preflight(request: Request) -> Response:
    """Answer a CORS preflight request."""
    requested = request.headers.get(b"access-control-request-headers", b"").decode("latin-1")
    allowed = {"access-control-allow-methods": "GET, HEAD, PUT, POST, DELETE", "access-control-max-age": "3600"}
    headers = {**_CORS, **allowed, **({"access-control-allow-headers": requested} if requested else {})}
    return Response(200, b"", None, headers)
