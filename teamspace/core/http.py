"""The gate: every request passes the same steps in the same order.

Match, admit (credential, scope, suspension, feature, permission), decode, handle, encode. A Refusal at any
step becomes a problem body, or what the route's own error format makes of it.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Sequence
from contextlib import aclosing
from typing import Any, Protocol

import msgspec

from teamspace.core import idempotency, paging, ranges
from teamspace.core.addresses import Network, client_address, is_trusted, rate_limit_key
from teamspace.core.counts import Counts
from teamspace.core.crypto import constant_time_equal
from teamspace.core.db import Db, IdempotencyKeyTaken, SerializationFailure, retry_on_conflict
from teamspace.core.decoding import decode_body, decode_query
from teamspace.core.disconnect import Disconnected
from teamspace.core.errors import (
    BadRequest,
    FeatureDisabled,
    Forbidden,
    InternalError,
    MethodNotAllowed,
    NotFound,
    OrgSuspended,
    OutOfScope,
    Overloaded,
    RateLimited,
    Refusal,
    TenantSuspended,
    Unauthenticated,
)
from teamspace.core.idempotency import FirstStream
from teamspace.core.limits import KeyedConcurrencyLimit, LoadShedder, Rate, Stopping
from teamspace.core.logs import LogHandler
from teamspace.core.metrics import Metrics
from teamspace.core.paging import Paging
from teamspace.core.permissions import Permission
from teamspace.core.principal import Call, Principal
from teamspace.core.refusals import Refusals
from teamspace.core.replies import Content, Download, EventStream, Reply, SeeOther, StoredContent
from teamspace.core.request import Receive, Request, Scope
from teamspace.core.routing import (
    ORGADMIN,
    PROVISION,
    PUBLIC,
    SUPERADMIN,
    Cors,
    Endpoint,
    Own,
    Route,
    Router,
    decode_parameter,
)
from teamspace.core.sending import Response, ResponseWriter, Send
from teamspace.core.traffic import Traffic
from teamspace.core.watchdog import Watchdog


class Identify(Protocol):
    """Turns a bearer token into a principal; `fresh` means that cached rights must be verified first."""

    def __call__(self, db: Db, token: str, call: Call, *, fresh: bool) -> Awaitable[Principal]: ...


class MountedResponse(msgspec.Struct, frozen=True):
    """The response of a mounted application, and the fields for the access log."""

    response: Response
    route: str = "-"
    who: Principal | None = None


class MountedApp(Protocol):
    """Another protocol on the same port, with its own credentials and error format."""

    name: str
    """In the access log, for requests that are refused before they are handled."""

    def matches(self, request: Request) -> bool: ...

    def handle(self, request: Request, call: Call) -> Awaitable[MountedResponse]: ...

    def refusal_response(self, request: Request, refusal: Refusal) -> Response: ...


log = logging.getLogger("teamspace.http")

DOWNLOADS_OF_TOKEN, DOWNLOADS_OF_ADDRESS = 64, 256
"""Concurrent streaming responses. Each uses an open file and the memory that the HTTP server queues for slow readers."""


_PROBLEM = "application/problem+json"
_REQUEST_ID = b"<request id>"
"""Stands for it in a response that was encoded before."""
_PREFLIGHT = {"access-control-allow-headers": "content-type", "access-control-max-age": "600"}
_EXPOSED = {"access-control-expose-headers": "retry-after, x-request-id"}


class Gate:
    """The ASGI application."""

    def __init__(
        self,
        endpoints: Sequence[Endpoint],
        db: Db,
        identify: Identify,
        *,
        stopping: Stopping,
        log_handler: LogHandler | None = None,
        metrics: Metrics | None = None,
        token_rate: Rate,
        anonymous_rate: Rate,
        trusted: Sequence[Network] = (),
        provision_token: str | None = None,
        tls: bool = False,
        mounted: MountedApp | None = None,
        refusals: Refusals | None = None,
        traffic: Traffic | None = None,
        counts: Counts | None = None,
    ) -> None:
        self._router = Router(endpoints)
        self._error_formats = {one.route.path: one.route.errors for one in endpoints if one.route.errors}
        self._db = db
        self._identify = identify
        self._log_handler = log_handler
        self._metrics = metrics
        self._token_rate = token_rate
        self._anonymous_rate = anonymous_rate
        self._trusted = trusted
        self._provision_token = provision_token
        self._writer = ResponseWriter(stopping, tls=tls)
        self._mounted = mounted
        self._refusals = refusals
        self._traffic = traffic
        self._downloads = KeyedConcurrencyLimit(
            "busy.downloads_by", counts, token=DOWNLOADS_OF_TOKEN, address=DOWNLOADS_OF_ADDRESS
        )
        late = Overloaded("server.overloaded")
        self._late_problem, self._late_headers = msgspec.json.encode(late.problem(_REQUEST_ID.decode())), late.headers
        self._active: dict[_RequestInfo, asyncio.Task[Any] | None] = {}
        """The requests in progress."""
        self.watchdog = Watchdog(self._active)
        self.shedder = LoadShedder(self.watchdog.record_delay)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        started = time.perf_counter()
        request = Request(scope, receive)
        info = _RequestInfo()
        self._active[info] = asyncio.current_task()
        try:
            response = await self._respond(request, info)
            if info.cors is not None:
                response.headers = {**response.headers, **_EXPOSED, "access-control-allow-origin": info.cors}
            if request.expects_continue:
                # The client will not send the body now, and its next request must not be read as one.
                response.headers = {**response.headers, "connection": "close"}
            info.response = response
            if response.stays_open:
                info.answered_after = time.perf_counter() - started
            info.status = await self._deliver(request, info, response, send)
        except Disconnected:
            begun = info.response
            # A stream that stays open has no other end.
            info.status = begun.status if begun is not None and begun.stays_open else 499
        finally:
            request.disconnect.close()
            del self._active[info]
            self.watchdog.end(info.route)
            self._count_traffic(request, info)
            self._log_request(request, info, time.perf_counter() - started)

    @property
    def active(self) -> int:
        """How many requests are in progress."""
        return len(self._active)

    async def wait_idle(self) -> None:
        """Wait until no request is in progress."""
        while tasks := [task for task in self._active.values() if task is not None]:
            await asyncio.wait(tasks)

    def cancel_all(self) -> None:
        """Cancel every active request."""
        for task in tuple(self._active.values()):
            if task is not None:
                task.cancel()

    async def _deliver(self, request: Request, info: "_RequestInfo", response: Response, send: Send) -> int:
        """Send the response; return its status. If it cannot be delivered, undo what it hands out."""
        try:
            if request.disconnect.has_disconnected:
                raise Disconnected
            if response.streams and request.method != "HEAD":
                return await self._deliver_stream(request, info, response, send)
            await self._send(request, response, send)
            return response.status
        except BaseException:
            if response.on_undelivered:
                await response.on_undelivered()
            raise

    async def _deliver_stream(self, request: Request, info: "_RequestInfo", response: Response, send: Send) -> int:
        address = rate_limit_key(self._address(request))
        with contextlib.ExitStack() as held:
            try:
                if not response.stays_open:
                    held.enter_context(self._downloads.take(token=info.token, address=address))
            except RateLimited as refusal:
                assert not isinstance(response.body, bytes)
                async with aclosing(response.body):
                    response = self._refusal_response(request, refusal)
            await self._send(request, response, send)
        return response.status

    def _refusal_response(self, request: Request, refusal: Refusal) -> Response:
        if self._mounted is not None and self._mounted.matches(request):
            return self._mounted.refusal_response(request, refusal)
        if error_format := self._error_formats.get(request.path):
            return Response(refusal.status, msgspec.json.encode(error_format.render(refusal)), headers=refusal.headers)
        return _problem(refusal, request.id)

    async def _send(self, request: Request, response: Response, send: Send) -> None:
        head = request.method == "HEAD"
        await self._writer.send(send, response, request.id, head=head, disconnect=request.disconnect)

    def _refuse_late(self, request: Request, info: "_RequestInfo") -> Response | None:
        """Refuse a read that has waited too long, without the steps that lead other requests to the same refusal.

        Under overload most are refused, and what that takes is missing for those that are answered.
        """
        if not self.shedder.is_late(request.waited) or request.method != "GET":
            return None
        if self._mounted is not None and self._mounted.matches(request):
            return None
        endpoint, _, _ = self._router.match("GET", request.path)
        if endpoint is None or endpoint.route.unlimited or endpoint.route.errors:
            return None
        info.route, info.cors = endpoint.route.path, endpoint.route.cors
        self.shedder.count_refusal()
        body = self._late_problem.replace(_REQUEST_ID, request.id.encode())
        return Response(Overloaded.status, body, _PROBLEM, self._late_headers)

    async def _respond(self, request: Request, info: "_RequestInfo") -> Response:
        try:
            if late := self._refuse_late(request, info):
                return late
            if self._mounted is not None and self._mounted.matches(request):
                return await self._respond_mounted(self._mounted, request, info)
            return await self._respond_routed(request, info)
        except Refusal as refusal:
            self._record(request, info, refusal)
            await request.drain()
            return self._refusal_response(request, refusal)
        except Disconnected:
            raise
        except Exception:
            log.exception("request %s failed", request.id)
            return self._refusal_response(request, InternalError("request.internal_error"))

    def _record(self, request: Request, info: "_RequestInfo", refusal: Refusal) -> None:
        if self._refusals and refusal.recorded and info.who is not None:
            self._refusals.add_request(info.who, refusal, f"{request.method} {info.route}")

    async def _respond_mounted(self, mounted: MountedApp, request: Request, info: "_RequestInfo") -> Response:
        info.route = mounted.name
        request.check()
        self.shedder.admit(request.waited)
        handled = await mounted.handle(request, Call(request.id, self._address(request), request.agent))
        info.route = handled.route
        if handled.who is not None:
            info.who, info.user, info.token = handled.who, handled.who.user_id, handled.who.token_id
        return handled.response

    def _address(self, request: Request) -> str:
        """Return the client's address, taken from X-Forwarded-For if the proxy is trusted."""
        if not self._trusted:
            return request.address
        forwarded = request.headers.get(b"x-forwarded-for", b"").decode("latin-1")
        return client_address(request.address, forwarded, self._trusted)

    async def _respond_routed(self, request: Request, info: "_RequestInfo") -> Response:
        request.check()
        if preflight := self._preflight(request, info):
            return preflight
        endpoint, parameters = self._match(request, info)
        if not endpoint.route.unlimited:
            self.shedder.admit(request.waited)
        who = await self._admit(request, endpoint, info)
        info.user, info.token = who.user_id, who.token_id
        if "upload" in endpoint.wants:
            return await self._handle_upload(request, endpoint, who, parameters)
        body = await request.json(endpoint.route.limit) if endpoint.route.writes else b""
        if endpoint.body is None and body not in (b"", b"{}"):
            raise BadRequest("request.no_body")
        arguments = _arguments(self._db, request, endpoint, who, parameters, body)
        header = request.headers.get(b"idempotency-key")
        if header is None or not endpoint.takes_key or not (who.user_id or who.token_id):
            return await self._handle(request, endpoint, arguments)
        return await self._handle_once(request, endpoint, who, arguments, header, body)

    # match

    def _match(self, request: Request, info: "_RequestInfo") -> tuple[Endpoint, dict[str, str]]:
        method = "GET" if request.method == "HEAD" else request.method
        endpoint, values, allowed = self._router.match(method, request.path)
        if endpoint is None:
            if allowed:
                methods = ", ".join(sorted(allowed))
                raise MethodNotAllowed("request.allowed_methods", methods=methods).with_headers({"allow": methods})
            raise NotFound("request.no_such_path")
        info.route, info.cors = endpoint.route.path, endpoint.route.cors
        return endpoint, {
            name: decode_parameter(value) for name, value in zip(endpoint.parameters, values, strict=True)
        }

    def _preflight(self, request: Request, info: "_RequestInfo") -> Response | None:
        """Answer a browser that asks whether a page of another origin may send a request, if its route allows that."""
        if request.method != "OPTIONS":
            return None
        method = request.headers.get(b"access-control-request-method", b"").decode("latin-1")
        endpoint, _, _ = self._router.match("GET" if method == "HEAD" else method, request.path)
        if endpoint is None or endpoint.route.cors is None:
            return None
        info.route, info.cors = endpoint.route.path, endpoint.route.cors
        self.shedder.admit(request.waited)
        self._anonymous_rate.spend(rate_limit_key(self._address(request)))
        headers = {"access-control-allow-methods": method} | _PREFLIGHT
        return Response(204, content_type=None, headers=headers)

    # admit

    async def _admit(self, request: Request, endpoint: Endpoint, info: "_RequestInfo") -> Principal:
        route = endpoint.route
        call = self._call(request, route)
        if route.auth is PUBLIC:
            return await self._public_caller(request, route, call)
        if route.auth is PROVISION:
            return self._provisioner(request, call)
        who = info.who = await self._identify_caller(request, call, fresh=route.writes)
        if "upload" not in endpoint.wants:  # a folder is thousands of files: they are limited by concurrency
            self._token_rate.spend(who.token_id)
        _check_scope(endpoint, who)
        _check_suspension(endpoint, who)
        _check_feature(endpoint, who)
        _check_permission(endpoint, who)
        return who

    def _call(self, request: Request, route: Route) -> Call:
        host = request.host if route.auth is PUBLIC else ""
        if self._trusted and route.auth is PUBLIC and is_trusted(request.address, self._trusted):
            host = request.forwarded_host or host
        return Call(
            request.id, self._address(request), request.agent, host, only_headers=request.method == "HEAD",
            while_suspended=route.while_suspended, instance_plane=route.auth is SUPERADMIN,
        )  # fmt: skip

    async def _public_caller(self, request: Request, route: Route, call: Call) -> Principal:
        """Return the caller of a public route: anonymous, unless the route uses a credential and it is valid."""
        offered = route.optional_credential and b"authorization" in request.headers
        if offered:
            with contextlib.suppress(Unauthenticated):
                who = await self._identify(self._db, request.bearer(), call, fresh=False)
                self._token_rate.spend(who.token_id)
                return who
        if offered or not route.unlimited:
            self._anonymous_rate.spend(rate_limit_key(call.address))
        return Principal("anonymous", call)

    async def _identify_caller(self, request: Request, call: Call, *, fresh: bool) -> Principal:
        try:
            return await self._identify(self._db, request.bearer(), call, fresh=fresh)
        except Unauthenticated:
            # Counts against the address, so that guessing tokens is no faster than anonymous requests.
            self._anonymous_rate.spend(rate_limit_key(call.address))
            raise

    def _provisioner(self, request: Request, call: Call) -> Principal:
        self._anonymous_rate.spend(rate_limit_key(call.address))
        if self._provision_token is None:
            raise NotFound("request.no_such_path")
        if not constant_time_equal(request.bearer(), self._provision_token):
            raise Unauthenticated()
        return Principal("provision", call, token_id="provision")

    # handle

    async def _handle(self, request: Request, endpoint: Endpoint, arguments: dict[str, Any]) -> Response:
        try:
            result = await endpoint.handler(**arguments)
        except SerializationFailure:
            result = await retry_on_conflict(lambda: endpoint.handler(**arguments), failed=1)
        response = self._encode(request, result)
        return (
            await ranges.with_first_chunk(response)
            if isinstance(result, StoredContent) and request.method != "HEAD"
            else response
        )

    async def _handle_once(
        self,
        request: Request,
        endpoint: Endpoint,
        who: Principal,
        arguments: dict[str, Any],
        header: bytes,
        body: bytes,
    ) -> Response:
        claim = idempotency.parse_key(header, _identity(request, endpoint), body)
        if first := await idempotency.find_replay(self._db, who, claim):
            return await self._replay(request, endpoint, arguments, first)
        who.call.claim = claim
        try:
            response = await self._handle(request, endpoint, arguments)
        except IdempotencyKeyTaken:
            if first := await idempotency.find_replay(self._db, who, claim, taken=True):
                return await self._replay(request, endpoint, arguments, first)
            raise Overloaded("idempotency.first_failed") from None
        except Refusal as refusal:
            if claim.taken:  # it took effect: a repeat must get the same answer, not a second effect
                await idempotency.store_response(self._db, who, claim, self._refusal_response(request, refusal))
            raise
        if claim.taken:
            await idempotency.store_response(self._db, who, claim, response)
        return response

    async def _replay(
        self, request: Request, endpoint: Endpoint, arguments: dict[str, Any], first: Response | FirstStream
    ) -> Response:
        """Return the first response; the handler opens a stream again."""
        if isinstance(first, Response):
            return first
        again = {**arguments, "replay_of": first.target}
        return idempotency.mark_replayed(await self._handle(request, endpoint, again))

    async def _handle_upload(
        self, request: Request, endpoint: Endpoint, who: Principal, parameters: dict[str, str]
    ) -> Response:
        """Stream the raw body to the handler; it can be read only once, so any retry is up to the handler."""
        arguments = _arguments(self._db, request, endpoint, who, parameters, b"")
        async with aclosing(request.chunks(endpoint.route.limit)) as chunks:
            return self._encode(request, await endpoint.handler(**arguments, upload=chunks))

    # encode

    def _encode(self, request: Request, result: Any) -> Response:
        if result is None:
            return Response(204, content_type=None)
        if isinstance(result, Reply):
            return _reply(request, result, _with_signed_cursor(self._db, result.body))
        if isinstance(result, Content):
            if _is_known(request, result.headers.get("etag", "").strip('"')):
                return Response(304, content_type=None, headers=result.headers)
            return self._writer.content(result)
        if isinstance(result, SeeOther):
            headers = {**result.headers, "location": result.location}
            return Response(303, content_type=None, headers=headers, payer=result.payer)
        if isinstance(result, Download):
            return self._writer.download(result)
        if isinstance(result, StoredContent):
            return ranges.respond(request, result)
        if isinstance(result, EventStream):
            return self._writer.events(result)
        return Response(200, msgspec.json.encode(_with_signed_cursor(self._db, result)))

    def _count_traffic(self, request: Request, info: "_RequestInfo") -> None:
        who, response = info.who, info.response
        payer = (who.org_id, who.team_id) if who is not None and who.team_id else response and response.payer
        sent = response.sent if response else 0
        if self._traffic is not None and payer and (request.received or sent):
            self._traffic.add(*payer, request.received, sent)

    def _log_request(self, request: Request, info: "_RequestInfo", seconds: float) -> None:
        if self._metrics:
            # Clients can invent methods: those must not become labels.
            method = request.method if info.route != "-" else "-"
            answered_after = seconds if info.answered_after is None else info.answered_after
            self._metrics.observe(method, info.route, info.status, answered_after)
        if self._log_handler:
            self._log_handler.access(
                request=request.id, method=request.method, route=info.route, status=info.status,
                ms=seconds * 1000, user=info.user or "-",
            )  # fmt: skip


class _RequestInfo:
    """What is known about a request, for the access log, the watchdog, the download limits and the traffic."""

    __slots__ = ("answered_after", "cors", "response", "route", "status", "token", "user", "who")

    def __init__(self) -> None:
        self.route, self.user, self.token, self.status = "-", "", "", 500
        self.who: Principal | None = None
        """The authenticated caller."""
        self.cors: Cors | None = None
        self.response: Response | None = None
        self.answered_after: float | None = None
        """Seconds until a feed began; how long it stays open says nothing about the server."""


def _check_scope(endpoint: Endpoint, who: Principal) -> None:
    if who.scope is None:
        return
    needed = endpoint.route.needs
    if isinstance(endpoint.route.permission, Own):
        raise OutOfScope("rights.own_account")
    if needed is not None and not who.in_scope(needed):
        raise OutOfScope("rights.out_of_scope", permission=needed)


def _check_suspension(endpoint: Endpoint, who: Principal) -> None:
    if not (who.tenant_suspended or who.org_suspended):
        return
    route = endpoint.route
    if not route.writes or route.while_suspended or route.dry_run:
        return
    if who.tenant_suspended:
        raise TenantSuspended
    if who.org_suspended and not (route.auth is SUPERADMIN and who.operator):
        raise OrgSuspended


def _check_feature(endpoint: Endpoint, who: Principal) -> None:
    feature = endpoint.route.feature
    if feature is not None and feature not in who.features:
        raise FeatureDisabled("rights.feature_off", feature=feature)


def _check_permission(endpoint: Endpoint, who: Principal) -> None:
    route = endpoint.route
    if who.kind == "worker" and route.needs is not Permission.JOBS_EXECUTE:
        raise Forbidden("rights.worker_token")
    if route.auth is SUPERADMIN and not who.operator:
        raise Forbidden("rights.needs_operator", permission=str(route.permission))
    if route.auth is ORGADMIN and who.operator:
        return
    if route.auth is ORGADMIN and not who.org_role:
        raise Forbidden("rights.needs_company_role", permission=str(route.permission))
    if isinstance(route.permission, Permission) and not who.has_permission(route.permission):
        raise Forbidden("rights.needs", permission=str(route.permission))


def _arguments(
    db: Db, request: Request, endpoint: Endpoint, who: Principal, parameters: dict[str, str], body: bytes
) -> dict[str, Any]:
    arguments: dict[str, Any] = {**endpoint.provided, **parameters}
    wants = endpoint.wants
    if "db" in wants:
        arguments["db"] = db
    if "who" in wants:
        arguments["who"] = who
    if "match" in wants:
        arguments["match"] = request.match()
    if "accept" in wants:
        arguments["accept"] = request.prefers(endpoint.route.offers)
    if "content_type" in wants:
        arguments["content_type"] = request.headers.get(b"content-type", b"").decode("latin-1")
    if "length" in wants:
        arguments["length"] = request.length
    if "encodings" in wants:
        arguments["encodings"] = request.encodings
    if "languages" in wants:
        arguments["languages"] = request.languages
    if "last_event_id" in wants:
        arguments["last_event_id"] = request.headers.get(b"last-event-id", b"").decode("latin-1")
    if "origin" in wants:
        arguments["origin"] = request.headers.get(b"origin", b"").decode("latin-1")
    if "cookies" in wants:
        arguments["cookies"] = request.cookies
    if "sender" in wants:
        arguments["sender"] = request.sender
    if "replay_of" in wants:
        arguments["replay_of"] = ""
    if "disconnect" in wants:
        arguments["disconnect"] = request.disconnect
    if endpoint.body:
        arguments["body"] = decode_body(endpoint.body, body)
    if endpoint.query:
        arguments["query"] = _with_verified_cursor(
            db, decode_query(endpoint.query, _parameters(request, endpoint.query))
        )
    elif request.query and endpoint.route.path.startswith("/api/"):
        name = next(iter(request.parameters()), "")
        raise BadRequest.at(name, "request.no_query")
    return arguments


def _parameters(request: Request, query: type[msgspec.Struct]) -> dict[str, list[str]]:
    """Return the query parameters; a page, unlike the API, ignores unknown ones, such as those of campaigns."""
    found = request.parameters()
    if request.path.startswith("/api/"):
        return found
    return {name: found[name][-1:] for name in query.__struct_encode_fields__ if name in found}


def _identity(request: Request, endpoint: Endpoint) -> str:
    """Return what, besides the body, makes two requests the same to their handler."""
    offers = endpoint.route.offers
    preferred = f" {request.prefers(offers)}" if offers else ""
    return f"{request.method} {request.path}{preferred}"


def _with_verified_cursor(db: Db, query: Any) -> Any:
    if not isinstance(query, Paging) or query.cursor is None:
        return query
    return msgspec.structs.replace(query, cursor=paging.verify_cursor(db.vault, query.cursor))


def _with_signed_cursor(db: Db, body: Any) -> Any:
    cursor = getattr(body, "next_cursor", None)
    return body if cursor is None else msgspec.structs.replace(body, next_cursor=paging.sign_cursor(db.vault, cursor))


def _reply(request: Request, result: Reply[Any], body: Any) -> Response:
    headers = dict(result.headers)
    if result.version is not None:
        tag = str(result.version)
        headers["etag"] = f'"{tag}"'
        if _is_known(request, tag):
            return Response(304, content_type=None, headers=headers)
    if body is None:
        return Response(result.status, content_type=None, headers=headers)
    encoded = msgspec.json.encode(body)
    return Response(result.status, encoded, headers=headers, on_undelivered=result.on_undelivered)


def _is_known(request: Request, tag: str) -> bool:
    """Whether a client that reads has this version already."""
    if not tag or request.method not in ("GET", "HEAD") or b"if-none-match" not in request.headers:
        return False
    return bool({"*", tag} & (request.match().if_none_match or frozenset()))


def _problem(refusal: Refusal, request_id: str) -> Response:
    body = msgspec.json.encode(refusal.problem(request_id))
    return Response(refusal.status, body, _PROBLEM, refusal.headers)
