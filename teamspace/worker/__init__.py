"""A worker that claims jobs from a server and runs them on a model server: the reference client of the protocol.

The person who runs it chooses both addresses, so it may call any host, also on private networks. It only uses the
server's HTTP API.
"""

import asyncio
from contextlib import aclosing

from teamspace.completions import ModelEndpoint
from teamspace.core.egress import Egress, EgressRefused, NetworkReach, parse
from teamspace.worker.bridge import KINDS
from teamspace.worker.protocol import Server
from teamspace.worker.running import Worker, WorkerError

__all__ = ["KINDS", "WorkerError", "run"]


def run(
    *, server: str, token: str, url: str, key: str | None = None, model: str | None = None, kinds: list[str], slots: int
) -> None:  # fmt: skip
    """Work until a signal stops the worker or the server rejects it."""
    for address in (server, url):
        try:
            parse(address)
        except EgressRefused as fault:
            raise WorkerError(f"{address} {fault}") from None
    if unknown := sorted(set(kinds) - set(KINDS)):
        raise WorkerError(f"{unknown[0]} is not one of {', '.join(sorted(KINDS))}")
    asyncio.run(_run(server, token, ModelEndpoint(url.rstrip("/"), NetworkReach.ANY, key, model), kinds, slots))


async def _run(server: str, token: str, endpoint: ModelEndpoint, kinds: list[str], slots: int) -> None:
    async with aclosing(Egress()) as egress:
        await Worker(Server(egress, server, token), egress, endpoint, kinds=kinds, slots=slots).run()
