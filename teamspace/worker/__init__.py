"""A worker that claims jobs from a server and has them done by a model server: the reference of the protocol.

Whoever runs it names both addresses, so it may call anything, on private networks too. It knows nothing of the
server but its HTTP interface.
"""

import asyncio

from teamspace.completions import Endpoint
from teamspace.core.egress import Egress, Reach, Refused, parse
from teamspace.worker.bridge import KINDS
from teamspace.worker.protocol import Server
from teamspace.worker.running import Worker, WorkerError

__all__ = ["KINDS", "WorkerError", "run"]


def run(
    *, server: str, token: str, url: str, key: str | None = None, model: str | None = None, kinds: list[str], slots: int
) -> None:  # fmt: skip
    """Until a signal ends it, or the server turns it away."""
    for address in (server, url):
        try:
            parse(address)
        except Refused as fault:
            raise WorkerError(f"{address} {fault}") from None
    if unknown := sorted(set(kinds) - set(KINDS)):
        raise WorkerError(f"{unknown[0]} is not one of {', '.join(sorted(KINDS))}")
    asyncio.run(_run(server, token, Endpoint(url.rstrip("/"), Reach.ANY, key, model), kinds, slots))


async def _run(server: str, token: str, endpoint: Endpoint, kinds: list[str], slots: int) -> None:
    egress = Egress()
    await Worker(Server(egress, server, token), egress, endpoint, kinds=kinds, slots=slots).run()
