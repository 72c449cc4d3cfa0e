"""The gate: every request passes here, in one order.

match, admit (credential, scope, company, feature, permission), decode, handle, encode. A refusal at
any point becomes a problem body; nothing else does.
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
from teamspace.core.addresses import Network, client_address, is_trusted, neighbourhood
from teamspace.core.crypto import same
from teamspace.core.db import AlreadyClaimed, Db, persistently
from teamspace.core.departure import Disconnected
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
from teamspace.core.limits import Rate, Shares, Shedder, Stopping
from teamspace.core.logs import Lines
from teamspace.core.metrics import Metrics
from teamspace.core.paging import Paging
from teamspace.core.permissions import Permission
from teamspace.core.principal import Call, Principal
from teamspace.core.reading import body_of, query_of
from teamspace.core.refusals import Refusals
from teamspace.core.replies import Content, Download, Events, Reply, Stored
from teamspace.core.request import Receive, Request, Scope
from teamspace.core.routing import (
    ORGADMIN,
    PROVISION,
    PUBLIC,
    SUPERADMIN,
    Endpoint,
    Own,
    Route,
    Router,
    decoded,
)
from teamspace.core.sending import Outgoing, Send, Wire
from teamspace.core.watchdog import Watchdog


class Identify(Protocol):
    """From a bearer token to a caller; `afresh` when nothing remembered may be trusted unasked."""

    def __call__(self, db: Db, token: str, call: Call, *, afresh: bool) -> Awaitable[Principal]: ...


class Annexed(msgspec.Struct, frozen=True):
    """An annex's answer, and what the access line says of it."""

    answer: Outgoing
    route: str = "-"
    user: str = ""
    token: str = ""


class Annex(Protocol):
    """Another protocol at the same address, with credentials and words of its own."""

    def takes(self, request: Request) -> bool: ...

    def answer(self, request: Request, call: Call) -> Awaitable[Annexed]: ...

    def refused(self, request: Request, refusal: Refusal) -> Annexed: ...


log = logging.getLogger("teamspace.http")

DOWNLOADS_OF_TOKEN, DOWNLOADS_OF_ADDRESS = 64, 256
"""Answers that stream at the same time. Each holds a file and what the HTTP server queues for a slow reader."""


class Gate:
    """The ASGI application."""

    def __init__(
        self,
        endpoints: Sequence[Endpoint],
        db: Db,
        identify: Identify,
        *,
        stopping: Stopping,
        lines: Lines | None = None,
        metrics: Metrics | None = None,
        token_rate: Rate,
        anonymous_rate: Rate,
        trusted: Sequence[Network] = (),
        provision_token: str | None = None,
        tls: bool = False,
        annex: Annex | None = None,
        refusals: Refusals | None = None,
    ) -> None:
        self._router = Router(endpoints)
        self._db = db
        self._identify = identify
        self._lines = lines
        self._metrics = metrics
        self._token_rate = token_rate
        self._anonymous_rate = anonymous_rate
        self._trusted = trusted
        self._provision_token = provision_token
        self._wire = Wire(stopping, tls=tls)
        self._annex = annex
        self._refusals = refusals
        self._downloads = Shares("downloads", token=DOWNLOADS_OF_TOKEN, address=DOWNLOADS_OF_ADDRESS)
        self._tasks: set[asyncio.Task[Any]] = set()
        self.watchdog = Watchdog()
        self.shedder = Shedder(self.watchdog.ticked)
        self.underway = 0
        self.idle = asyncio.Event()
        self.idle.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        started = time.perf_counter()
        request = Request(scope, receive)
        seen = _Seen()
        task = asyncio.current_task()
        self._enter(seen, task)
        try:
            answer = await self._answered(request, seen)
            if request.is_awaited:
                # The body will not come now, and the next request must not be taken for it.
                answer.headers = {**answer.headers, "connection": "close"}
            seen.status = await self._delivered(request, seen, answer, send)
        except Disconnected:
            seen.status = 499
        finally:
            request.departure.close()
            self._leave(seen, task)
            self._note(request, seen, time.perf_counter() - started)

    def _enter(self, seen: "_Seen", task: "asyncio.Task[Any] | None") -> None:
        self.watchdog.begin(seen)
        if task is not None:
            self._tasks.add(task)
        self.underway += 1
        self.idle.clear()

    def _leave(self, seen: "_Seen", task: "asyncio.Task[Any] | None") -> None:
        self.watchdog.end(seen)
        if task is not None:
            self._tasks.discard(task)
        self.underway -= 1
        if not self.underway:
            self.idle.set()

    def cut_off(self) -> None:
        """End every request that is under way, whatever it waits for."""
        for task in tuple(self._tasks):
            task.cancel()

    async def _delivered(self, request: Request, seen: "_Seen", answer: Outgoing, send: Send) -> int:
        """The status that was sent. What was given with an answer that nobody can get any more is taken back."""
        try:
            if request.departure.happened:
                raise Disconnected
            if answer.streams and request.method != "HEAD":
                return await self._streamed(request, seen, answer, send)
            await self._send(request, answer, send)
            return answer.status
        except BaseException:
            if answer.undelivered:
                await answer.undelivered()
            raise

    async def _streamed(self, request: Request, seen: "_Seen", answer: Outgoing, send: Send) -> int:
        address = neighbourhood(self._address(request))
        with contextlib.ExitStack() as held:
            try:
                held.enter_context(self._downloads.take(token=seen.token, address=address))
            except RateLimited as refusal:
                async with aclosing(answer.body):  # type: ignore[type-var]
                    answer = self._refused(request, refusal)
            await self._send(request, answer, send)
        return answer.status

    def _refused(self, request: Request, refusal: Refusal) -> Outgoing:
        if self._annex is not None and self._annex.takes(request):
            return self._annex.refused(request, refusal).answer
        return _problem(refusal, request.id)

    async def _send(self, request: Request, answer: Outgoing, send: Send) -> None:
        head = request.method == "HEAD"
        await self._wire.send(send, answer, request.id, head=head, departure=request.departure)

    async def _answered(self, request: Request, seen: "_Seen") -> Outgoing:
        if self._annex is not None and self._annex.takes(request):
            annexed = await self._annexed(self._annex, request)
            seen.route, seen.user, seen.token = annexed.route, annexed.user, annexed.token
            return annexed.answer
        try:
            return await self._answer(request, seen)
        except Refusal as refusal:
            self._record(request, seen, refusal)
            await request.drain()
            return _problem(refusal, request.id)
        except Disconnected:
            raise
        except Exception:
            log.exception("request %s failed", request.id)
            return _problem(InternalError("The fault is on record under this request id."), request.id)

    def _record(self, request: Request, seen: "_Seen", refusal: Refusal) -> None:
        if self._refusals and refusal.recorded and seen.who is not None:
            self._refusals.of_request(seen.who, refusal, f"{request.method} {seen.route}")

    async def _annexed(self, annex: Annex, request: Request) -> Annexed:
        try:
            request.check()
            self.shedder.admit()
            return await annex.answer(request, Call(request.id, self._address(request), request.agent))
        except Refusal as refusal:
            await request.drain()
            return annex.refused(request, refusal)
        except Disconnected:
            raise
        except Exception:
            log.exception("request %s failed", request.id)
            return annex.refused(request, InternalError("The fault is on record under this request id."))

    def _address(self, request: Request) -> str:
        """The client's own, as far as a proxy that is trusted tells it."""
        if not self._trusted:
            return request.address
        forwarded = request.headers.get(b"x-forwarded-for", b"").decode("latin-1")
        return client_address(request.address, forwarded, self._trusted)

    async def _answer(self, request: Request, seen: "_Seen") -> Outgoing:
        request.check()
        endpoint, parameters = self._matched(request, seen)
        if not endpoint.route.unlimited:
            self.shedder.admit()
        who = await self._admitted(request, endpoint, seen)
        seen.user, seen.token = who.user_id, who.token_id
        if "upload" in endpoint.wants:
            return await self._uploaded(request, endpoint, who, parameters)
        body = await request.json(endpoint.route.limit) if endpoint.route.writes else b""
        if endpoint.body is None and body not in (b"", b"{}"):
            raise BadRequest("This route takes no body.")
        arguments = _arguments(self._db, request, endpoint, who, parameters, body)
        header = request.headers.get(b"idempotency-key")
        if header is None or request.method != "POST" or not (who.user_id or who.token_id):
            return await self._handled(request, endpoint, arguments)
        return await self._once(request, endpoint, who, arguments, header, body)

    # match

    def _matched(self, request: Request, seen: "_Seen") -> tuple[Endpoint, dict[str, str]]:
        method = "GET" if request.method == "HEAD" else request.method
        endpoint, values, allowed = self._router.match(method, request.path)
        if endpoint is None:
            if allowed:
                methods = ", ".join(sorted(allowed))
                raise MethodNotAllowed(f"This path takes {methods}.", headers={"allow": methods})
            raise NotFound("There is nothing at this address.")
        seen.route = endpoint.route.path
        return endpoint, {name: decoded(value) for name, value in zip(endpoint.parameters, values, strict=True)}

    # admit

    async def _admitted(self, request: Request, endpoint: Endpoint, seen: "_Seen") -> Principal:
        route = endpoint.route
        call = self._call(request, route)
        if route.auth is PUBLIC:
            return await self._anybody(request, route, call)
        if route.auth is PROVISION:
            return self._provisioner(request, call)
        who = seen.who = await self._identified(request, call, afresh=route.writes)
        self._token_rate.spend(who.token_id)
        _check_scope(endpoint, who)
        _check_standing(endpoint, who)
        _check_feature(endpoint, who)
        _check_permission(endpoint, who)
        return who

    def _call(self, request: Request, route: Route) -> Call:
        host = request.host if route.auth is PUBLIC else ""
        if self._trusted and route.auth is PUBLIC and is_trusted(request.address, self._trusted):
            host = request.forwarded_host or host
        return Call(
            request.id, self._address(request), request.agent, host,
            while_suspended=route.while_suspended, instance_plane=route.auth is SUPERADMIN,
        )  # fmt: skip

    async def _anybody(self, request: Request, route: Route, call: Call) -> Principal:
        """The caller of a public route: nobody in particular, unless the route cares and the credential holds."""
        offered = route.recognises and b"authorization" in request.headers
        if offered:
            with contextlib.suppress(Unauthenticated):
                who = await self._identify(self._db, request.bearer(), call, afresh=False)
                self._token_rate.spend(who.token_id)
                return who
        if offered or not route.unlimited:
            self._anonymous_rate.spend(neighbourhood(call.address))
        return Principal("anonymous", call)

    async def _identified(self, request: Request, call: Call, *, afresh: bool) -> Principal:
        try:
            return await self._identify(self._db, request.bearer(), call, afresh=afresh)
        except Unauthenticated:
            # A refused credential costs its address, so that guessing is no faster than asking openly.
            self._anonymous_rate.spend(neighbourhood(call.address))
            raise

    def _provisioner(self, request: Request, call: Call) -> Principal:
        self._anonymous_rate.spend(neighbourhood(call.address))
        if self._provision_token is None:
            raise NotFound("There is nothing at this address.")
        if not same(request.bearer(), self._provision_token):
            raise Unauthenticated()
        return Principal("provision", call, token_id="provision")

    # handle

    async def _handled(self, request: Request, endpoint: Endpoint, arguments: dict[str, Any]) -> Outgoing:
        result = await persistently(lambda: endpoint.handler(**arguments))
        answer = self._encoded(request, result)
        return await ranges.begun(answer) if isinstance(result, Stored) and request.method != "HEAD" else answer

    async def _once(
        self,
        request: Request,
        endpoint: Endpoint,
        who: Principal,
        arguments: dict[str, Any],
        header: bytes,
        body: bytes,
    ) -> Outgoing:
        claim = idempotency.claim(header, f"{request.method} {request.path}", body)
        if first := await idempotency.repeated(self._db, who, claim):
            return first
        who.call.claim = claim
        try:
            answer = await self._handled(request, endpoint, arguments)
        except AlreadyClaimed:
            if first := await idempotency.repeated(self._db, who, claim, taken=True):
                return first
            raise Overloaded("The first request with this Idempotency-Key failed: send it again.") from None
        if claim.taken:
            await idempotency.keep(self._db, who, claim, answer)
        return answer

    async def _uploaded(
        self, request: Request, endpoint: Endpoint, who: Principal, parameters: dict[str, str]
    ) -> Outgoing:
        """A raw body flows through the handler; it can be read once, so whatever is tried again is its business."""
        arguments = _arguments(self._db, request, endpoint, who, parameters, b"")
        async with aclosing(request.chunks(endpoint.route.limit)) as chunks:  # type: ignore[type-var]
            return self._encoded(request, await endpoint.handler(**arguments, upload=chunks))

    # encode

    def _encoded(self, request: Request, result: Any) -> Outgoing:
        if result is None:
            return Outgoing(204, content_type=None)
        if isinstance(result, Reply):
            return _reply(request, result, _with_signed_cursor(self._db, result.body))
        if isinstance(result, Content):
            return self._wire.content(result)
        if isinstance(result, Download):
            return self._wire.download(result)
        if isinstance(result, Stored):
            return ranges.answered(request, result)
        if isinstance(result, Events):
            return self._wire.events(result, request.departure)
        return Outgoing(200, msgspec.json.encode(_with_signed_cursor(self._db, result)))

    def _note(self, request: Request, seen: "_Seen", seconds: float) -> None:
        if self._metrics:
            # A method that no route knows is the client's invention: it must not become a label.
            method = request.method if seen.route != "-" else "-"
            self._metrics.answered(method, seen.route, seen.status, seconds)
        if self._lines:
            self._lines.access(
                request=request.id, method=request.method, route=seen.route, status=seen.status,
                ms=seconds * 1000, user=seen.user or "-",
            )  # fmt: skip


class _Seen:
    """What is known of a request, for the access line, the watchdog and the limits of its answer."""

    __slots__ = ("route", "status", "token", "user", "who")

    def __init__(self) -> None:
        self.route, self.user, self.token, self.status = "-", "", "", 500
        self.who: Principal | None = None
        """Whose credential it came with."""


def _check_scope(endpoint: Endpoint, who: Principal) -> None:
    route = endpoint.route
    needed = route.needs
    if isinstance(route.permission, Own) and who.scope is not None:
        raise OutOfScope("A scoped token cannot reach the account of its person.")
    if needed is not None and not who.in_scope(needed):
        raise OutOfScope(f"The token's scope does not include {needed}.")


def _check_standing(endpoint: Endpoint, who: Principal) -> None:
    route = endpoint.route
    if not route.writes or route.while_suspended:
        return
    if who.tenant_suspended:
        raise TenantSuspended
    if who.org_suspended and not (route.auth is SUPERADMIN and who.operator):
        raise OrgSuspended


def _check_feature(endpoint: Endpoint, who: Principal) -> None:
    feature = endpoint.route.feature
    if feature is not None and feature not in who.features:
        raise FeatureDisabled(f"The feature {feature} is off for this team.")


def _check_permission(endpoint: Endpoint, who: Principal) -> None:
    route = endpoint.route
    if who.kind == "worker" and route.needs is not Permission.JOBS_EXECUTE:
        raise Forbidden("A worker's token is for its jobs alone.")
    if route.auth is SUPERADMIN and not who.operator:
        raise Forbidden(f"This needs {route.permission}: ask an operator of the instance.")
    if route.auth is ORGADMIN and who.operator:
        return
    if route.auth is ORGADMIN and not who.org_role:
        raise Forbidden(f"This needs {route.permission}, by a role in the company.")
    if isinstance(route.permission, Permission) and not who.holds(route.permission):
        raise Forbidden(f"This needs {route.permission}.")


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
        arguments["accept"] = request.accept
    if "content_type" in wants:
        arguments["content_type"] = request.headers.get(b"content-type", b"").decode("latin-1")
    if "length" in wants:
        arguments["length"] = request.length
    if "gzip" in wants:
        arguments["gzip"] = b"gzip" in request.headers.get(b"accept-encoding", b"")
    if "departure" in wants:
        arguments["departure"] = request.departure
    if endpoint.body:
        arguments["body"] = body_of(endpoint.body, body)
    if endpoint.query:
        arguments["query"] = _with_verified_cursor(db, query_of(endpoint.query, request.parameters()))
    elif request.query and endpoint.route.path.startswith("/api/"):
        name = next(iter(request.parameters()), "")
        raise BadRequest.at(name, "this route takes no query")
    return arguments


def _with_verified_cursor(db: Db, query: Any) -> Any:
    if not isinstance(query, Paging) or query.cursor is None:
        return query
    return msgspec.structs.replace(query, cursor=paging.verified(db.vault, query.cursor))


def _with_signed_cursor(db: Db, body: Any) -> Any:
    cursor = getattr(body, "next_cursor", None)
    return body if cursor is None else msgspec.structs.replace(body, next_cursor=paging.signed(db.vault, cursor))


def _reply(request: Request, result: Reply[Any], body: Any) -> Outgoing:
    headers = dict(result.headers)
    if result.version is not None:
        tag = str(result.version)
        headers["etag"] = f'"{tag}"'
        if request.method in ("GET", "HEAD") and b"if-none-match" in request.headers:
            seen = request.match().if_none_match or frozenset()
            if tag in seen or "*" in seen:
                return Outgoing(304, content_type=None, headers=headers)
    encoded = msgspec.json.encode(body)
    return Outgoing(result.status, encoded, headers=headers, undelivered=result.undelivered)


def _problem(refusal: Refusal, request_id: str) -> Outgoing:
    body = msgspec.json.encode(refusal.problem(request_id))
    return Outgoing(refusal.status, body, "application/problem+json", refusal.headers)
