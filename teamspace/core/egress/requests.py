"""A request and its limits, and how it can fail."""

from collections.abc import AsyncIterable, Callable, Mapping
from enum import IntEnum, StrEnum

import msgspec

MAX_BYTES = 8 * 1024 * 1024
INSTANCE = "instance"
"""On whose behalf a request is sent that carries no company's data."""


PieceFilter = Callable[[str, AsyncIterable[bytes]], AsyncIterable[bytes]]
"""Maps a response's content type and the pieces of its body to the pieces that are passed on; may raise EgressFailed."""


class EgressFault(StrEnum):
    """Why there is no usable response; may be shown to any caller."""

    UNREACHABLE = "cannot be reached"
    UNRESOLVED = "cannot be resolved at the moment"
    TIMEOUT = "did not answer in time"
    NOT_HTTP = "closed the connection, or did not speak HTTP"
    COMPRESSED = "sent a compressed response that was not requested"
    TOO_LARGE = "sent a response that is too large"
    TOO_MANY_PIECES = "sent its response in too many pieces"


class Progress(IntEnum):
    """How far a request has come."""

    NOT_SENT = 0
    SENT = 1
    ANSWERED = 2
    """The response has begun."""


class EgressFailed(Exception):
    """There is no usable response. If the request was sent, the server may have done its work."""

    def __init__(self, reason: EgressFault, progress: Progress = Progress.NOT_SENT) -> None:
        super().__init__(reason)
        self.reason = reason
        self.progress = progress


class ConnectionBroken(Exception):
    """The connection has ended too early, or the server does not speak HTTP."""


class NoConnection(Exception):
    """Nothing was sent; another address of the same host may work."""


class NetworkReach(StrEnum):
    """Which hosts a request may reach, depending on who configured its URL."""

    PUBLIC = "public"
    """Public hosts over https: for URLs from tenants."""
    LISTED = "listed"
    """Also the hosts in SERVICE_EGRESS_ALLOW: for URLs from operators."""
    ANY = "any"
    """Any host: for the worker, whose own user gives the URL."""


class Timeouts(msgspec.Struct, frozen=True):
    """Seconds to connect, to receive the next bytes, and in total."""

    connect: float = 5
    read: float = 60
    total: float = 120


class OutgoingRequest(msgspec.Struct, frozen=True):
    method: str
    url: str
    reach: NetworkReach
    on_behalf_of: str
    """The company whose data is sent, or INSTANCE. Connections are not shared between them."""
    headers: Mapping[str, str] = {}
    """Lower-case names."""
    body: bytes = b""
    timeouts: Timeouts = Timeouts()
    max_bytes: int = MAX_BYTES
    """The longest response body that is read."""
