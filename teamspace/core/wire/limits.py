"""What one connection, one address and all connections together can take."""

import msgspec

KIB = 1024


class WireLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Sizes in bytes, times in seconds."""

    head: int = 64 * KIB
    """The request line and all headers; the gate refuses less, with a better error."""
    headers: int = 128
    framing: int = 64 * KIB
    """Chunk sizes, extensions and trailers, beyond `framing_ratio` bytes per byte of the body."""
    framing_ratio: int = 16
    pipelined: int = 32
    """Requests that can wait for the one before them."""
    starts: int = 8
    """Requests that begin in one iteration of the event loop; the others wait for the next."""
    urgent: frozenset[bytes] = frozenset()
    """Paths whose requests begin at once, however many wait."""
    immediate: frozenset[bytes] = frozenset()
    """Paths whose plain reads are answered as soon as they have arrived: the application waits for nothing there."""
    read_ahead: int = 256 * KIB
    """How much of a body is kept for an application that has not asked for it."""
    write_ahead: int = 64 * KIB
    """How much of a response may wait for the client before the application waits too."""
    piece: int = 128 * KIB
    """A body is handed to the socket in such pieces: with `write_ahead`, what a stalled reader costs."""

    handshake: float = 10.0
    """For TLS, before the time for anything else begins."""
    first_byte: float = 20.0
    head_time: float = 10.0
    body_stall: float = 30.0
    write_stall: float = 30.0
    idle: float = 75.0
    linger: float = 2.0
    """How long the rest of a request is read and discarded after a response that ended it early: closing at once
    would make the client's system discard the response."""
    rest: float = 0.5
    """How long at most nothing is read from a connection after a 503, whose Retry-After asks for twice that: refusing a
    client that repeats its request at once would leave no time for others."""
    sweep: float = 1.0
    """The sweeper's interval, which is the precision of all these times."""

    connections: int = 20_000
    connections_per_address: int = 4_096
    backlog: int = 2_048
