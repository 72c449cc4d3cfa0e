"""The client: all methods by area, and how it is opened and closed. Generated from aio/client.py by client/generate.py; do not edit."""

import ssl
from typing import Any, Self

import httpx2
import msgspec

from teamspace.client.blocking.api import Api
from teamspace.client.blocking.transport import Transport
from teamspace.client.calls import Call, keyed
from teamspace.client.options import TIMEOUT, Options, read_options
from teamspace.client.retrying import Retry
from teamspace.client.wire import settings_of


class Client(Api):
    """Calls a Teamspace server.

    with Client("https://teamspace.example.com", "ts_…") as client:
        note = client.notes.create(title="Hello")
    """

    def __init__(
        self, url: str | None = None, token: str | None = None, *, timeout: float = TIMEOUT, retry: Retry | None = None,
        verify: ssl.SSLContext | bool = True,
    ) -> None:  # fmt: skip
        """Without `url` and `token`, TEAMSPACE_URL and TEAMSPACE_TOKEN are used. `timeout` is how many seconds the
        server may be silent."""
        options = read_options(url, token, timeout, retry or Retry(), verify)
        self._open(httpx2.Client(**settings_of(options)), options)

    def _open(self, http: httpx2.Client, options: Options) -> None:
        self._http, self.options = http, options
        self._transport = Transport(http, options)
        super().__init__(self._transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections, also those of clients made with `with_options`."""
        self._http.close()

    def with_options(
        self, *, token: str | None = None, timeout: float | None = None, retry: Retry | None = None
    ) -> "Client":  # fmt: skip
        """Return a client with other options that shares the connections of this one."""
        given = {"token": token, "timeout": timeout, "retry": retry}
        changed = {name: value for name, value in given.items() if value is not None}
        other = Client.__new__(Client)
        other._open(self._http, msgspec.structs.replace(self.options, **changed))
        return other

    def request(
        self, method: str, path: str, *, body: dict[str, Any] | None = None, query: dict[str, Any] | None = None
    ) -> Any:  # fmt: skip
        """Call a route that has no method here, such as a plugin's; return the decoded JSON."""
        headers = keyed(None) if method == "POST" else {}
        call: Call[Any] = Call(method=method, path=path, answer=Any, query=query or {}, body=body, headers=headers)
        return self._transport.send(call)
