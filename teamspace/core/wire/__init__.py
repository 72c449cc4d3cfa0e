"""HTTP/1.1 in the event loop of the application: a parser, connections with limits, and the listening server."""

from teamspace.core.wire.limits import WireLimits
from teamspace.core.wire.server import Server

__all__ = ["Server", "WireLimits"]
