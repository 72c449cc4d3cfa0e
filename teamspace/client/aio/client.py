"""The client: all methods by area, and how it is opened and closed."""

import ssl
from typing import Any, Self

import httpx2
import msgspec

from teamspace.client.aio.api import AsyncApi
from teamspace.client.aio.transport import AsyncTransport
from teamspace.client.calls import Call, keyed
from teamspace.client.options import TIMEOUT, Options, read_options
from teamspace.client.retrying import Retry
from teamspace.client.wire import settings_of


class AsyncClient(AsyncApi):
    """Calls a Teamspace server.

    async with AsyncClient("https://teamspace.example.com", "ts_…") as client:
        note = await client.notes.create(title="Hello")
    """

    def __init__(
        self, url: str | None = None, token: str | None = None, *, timeout: float = TIMEOUT, retry: Retry | None = None,
        verify: ssl.SSLContext | bool = True,
    ) -> None:  # fmt: skip
        """Without `url` and `token`, TEAMSPACE_URL and TEAMSPACE_TOKEN are used. `timeout` is how many seconds the
        server may be silent."""
        options = read_options(url, token, timeout, retry or Retry(), verify)
        self._open(httpx2.AsyncClient(**settings_of(options)), options)

    def _open(self, http: httpx2.AsyncClient, options: Options) -> None:
        self._http, self.options = http, options
        self._transport = AsyncTransport(http, options)
        super().__init__(self._transport)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections, also those of clients made with `with_options`."""
        await self._http.aclose()

    def with_options(
        self, *, token: str | None = None, timeout: float | None = None, retry: Retry | None = None
    ) -> "AsyncClient":  # fmt: skip
        """Return a client with other options that shares the connections of this one."""
        given = {"token": token, "timeout": timeout, "retry": retry}
        changed = {name: value for name, value in given.items() if value is not None}
        other = AsyncClient.__new__(AsyncClient)
        other._open(self._http, msgspec.structs.replace(self.options, **changed))
        return other

    async def request(
        self, method: str, path: str, *, body: dict[str, Any] | None = None, query: dict[str, Any] | None = None
    ) -> Any:  # fmt: skip
        """Call a route that has no method here, such as a plugin's; return the decoded JSON."""
        headers = keyed(None) if method == "POST" else {}
        call: Call[Any] = Call(method=method, path=path, answer=Any, query=query or {}, body=body, headers=headers)
        return await self._transport.send(call)
