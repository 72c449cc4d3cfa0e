"""A transport for libraries that bring their own HTTP client: the client cannot leave the one way out.

It follows no redirects and keeps no cookies, since it never sees the headers. It is given a transport, so it reads no
proxies from the environment.
"""

from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING

import httpx2

from teamspace.core.egress.requests import EgressFailed, NetworkReach, OutgoingRequest, PieceFilter, Timeouts

if TYPE_CHECKING:
    from teamspace.core.egress.client import Egress
    from teamspace.core.egress.sending import StreamedResponse

_REMOVED_FROM_REQUESTS = frozenset(
    {"accept-encoding", "connection", "content-length", "cookie", "host", "keep-alive", "proxy-authorization", "te",
     "trailer", "transfer-encoding", "upgrade"}
)  # fmt: skip
_REMOVED_FROM_RESPONSES = frozenset({"location", "set-cookie"})


class EgressTransport(httpx2.AsyncBaseTransport):
    def __init__(
        self, egress: "Egress", reach: NetworkReach, on_behalf_of: str, timeouts: Timeouts, max_bytes: int,
        filtered: PieceFilter | None = None,
    ) -> None:  # fmt: skip
        """The timeouts given here apply, not those of the client."""
        self._egress, self._reach, self._on_behalf_of = egress, reach, on_behalf_of
        self._timeouts, self._max_bytes, self._filtered = timeouts, max_bytes, filtered

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        headers = {name: value for name, value in request.headers.items() if name not in _REMOVED_FROM_REQUESTS}
        sent = OutgoingRequest(
            request.method, str(request.url), self._reach, self._on_behalf_of, headers, await request.aread(),
            self._timeouts, self._max_bytes,
        )  # fmt: skip
        try:
            response = await self._egress.open(sent)
        except EgressFailed as fault:
            raise httpx2.NetworkError(f"The server {fault}.", request=request) from fault
        shown = {name: value for name, value in response.headers.items() if name not in _REMOVED_FROM_RESPONSES}
        return httpx2.Response(response.status, headers=shown, stream=_Body(response, self._filtered), request=request)


def create_client(transport: httpx2.AsyncBaseTransport, headers: Mapping[str, str]) -> httpx2.AsyncClient:
    """Return a client for a library that takes one; it sends these headers with every request."""
    return httpx2.AsyncClient(transport=transport, headers=headers, timeout=None)


class _Body(httpx2.AsyncByteStream):
    def __init__(self, response: "StreamedResponse", filtered: PieceFilter | None) -> None:
        self._response = response
        content_type = response.headers.get("content-type", "")
        self._pieces = filtered(content_type, response) if filtered else response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for piece in self._pieces:
                yield piece
        except EgressFailed as fault:
            raise httpx2.NetworkError(f"The server {fault}.") from fault

    async def aclose(self) -> None:
        self._response.close()
