"""Tickets: the right of one running call of a tool to ask for capabilities, in the name of its caller."""

import asyncio
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from teamspace.core.principal import Principal
from teamspace.oop.domain import limits


class Ticket:
    def __init__(self, who: Principal, deadline: float) -> None:
        self.who, self.deadline = who, deadline
        self.requests = 0

    @property
    def seconds_left(self) -> float:
        return self.deadline - asyncio.get_running_loop().time()


class Tickets:
    """The tickets of one plugin's running calls."""

    def __init__(self) -> None:
        self._live: dict[str, Ticket] = {}

    @contextmanager
    def issue(self, who: Principal, seconds: float) -> Iterator[str]:
        """Yield the secret of a ticket that is valid within the block."""
        secret = secrets.token_urlsafe(24)
        self._live[secret] = Ticket(who, asyncio.get_running_loop().time() + seconds)
        try:
            yield secret
        finally:
            del self._live[secret]

    def use(self, secret: str) -> Ticket | None:
        """Return the ticket for another request; None if there is none, or it was used too often."""
        ticket = self._live.get(secret)
        if ticket is None or ticket.seconds_left <= 0 or ticket.requests >= limits.REQUESTS_PER_CALL:
            return None
        ticket.requests += 1
        return ticket
