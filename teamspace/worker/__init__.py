"""`teamspace worker`: claims jobs from a server and runs them on a model server, with the Python client.

The person who runs it chooses both addresses, so it may call any host, also on private networks. It only uses the
server's HTTP API.
"""

import asyncio
from contextlib import aclosing

from teamspace.completions import ModelEndpoint
from teamspace.core.egress import Egress, EgressRefused, NetworkReach, parse

KINDS = ("ai.chat",)


class WorkerError(Exception):
    """The worker cannot continue; the message says why, in one line."""


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
        raise WorkerError(f"{unknown[0]} is not one of {', '.join(KINDS)}")
    asyncio.run(_run(server, token, ModelEndpoint(url.rstrip("/"), NetworkReach.ANY, key, model), kinds, slots))


async def _run(server: str, token: str, endpoint: ModelEndpoint, kinds: list[str], slots: int) -> None:
    from teamspace.client import AsyncClient, TeamspaceError  # noqa: PLC0415 - slow, and the server imports this package
    from teamspace.worker.bridge import make_worker  # noqa: PLC0415

    async with aclosing(Egress()) as egress, AsyncClient(server, token) as client:
        try:
            await make_worker(client, egress, endpoint, kinds=kinds, slots=slots).run()
        except TeamspaceError as fault:
            raise WorkerError(f"the server answered {fault}") from fault
