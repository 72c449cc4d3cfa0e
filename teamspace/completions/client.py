"""Call an OpenAI-compatible model server."""

from collections.abc import AsyncIterable, AsyncIterator, Iterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, contextmanager, suppress

from teamspace.completions import wire
from teamspace.completions.errors import failure, refusal
from teamspace.completions.schemas import Delta, ModelAnswer, ModelEndpoint, ModelRequest
from teamspace.core.egress import Egress, EgressFailed, OutgoingRequest, Timeouts

_TIMEOUTS = Timeouts(read=280, total=290)
"""A response that is not streamed sends nothing until it is complete, and a streamed one nothing until it begins."""
_PROBE_TIMEOUTS = Timeouts(connect=3, read=3, total=3)
MAX_ANSWER_BYTES = MAX_PROBE_BYTES = 2 * 1024 * 1024
"""Longer responses would hold the event loop while they are decoded."""
_MAX_STREAM_BYTES = 32 * 1024 * 1024
"""A streamed token takes some 250 bytes."""
_MAX_ERROR_BYTES = 64 * 1024


async def complete(egress: Egress, endpoint: ModelEndpoint, request: ModelRequest) -> ModelAnswer:
    """Request a completion; every failure raises CompletionError."""
    with _egress_errors(request):
        async with egress.stream(_outgoing(endpoint, wire.to_wire(request, endpoint.model))) as response:
            if response.status != 200:
                raise refusal(response.status, await _beginning(response))
            body = await response.read()
    return wire.from_wire(request, body)


@asynccontextmanager
async def stream(
    egress: Egress, endpoint: ModelEndpoint, request: ModelRequest
) -> AsyncIterator[AsyncIterator[Delta | ModelAnswer]]:
    """Request a completion and yield its deltas as they arrive, then the whole answer.

    Every failure raises CompletionError, with what was spent until then. Leaving the block ends the completion.
    """
    body = wire.to_wire(request, endpoint.model, stream=True)
    async with AsyncExitStack() as stack:
        with _egress_errors(request):
            response = await stack.enter_async_context(egress.stream(_outgoing(endpoint, body, _MAX_STREAM_BYTES)))
        if response.status != 200:
            raise refusal(response.status, await _beginning(response))
        # Closed here: left to the garbage collector, it would be closed by another task.
        yield await stack.enter_async_context(aclosing(wire.from_wire_stream(request, response)))


async def list_models(egress: Egress, endpoint: ModelEndpoint) -> list[str] | None:
    """Return the names of the listed models, perhaps none; None if the server is unreachable or denies access."""
    request = OutgoingRequest(
        "GET", f"{endpoint.url}/models", endpoint.reach, endpoint.on_behalf_of,
        headers=_authorization(endpoint), timeouts=_PROBE_TIMEOUTS, max_bytes=MAX_PROBE_BYTES,
    )  # fmt: skip
    try:
        response = await egress.call(request)
    except EgressFailed:
        return None
    if response.status >= 500 or response.status in (401, 403, 429):
        return None
    return wire.models_from_wire(response.body)


def _outgoing(endpoint: ModelEndpoint, body: bytes, max_bytes: int = MAX_ANSWER_BYTES) -> OutgoingRequest:
    return OutgoingRequest(
        "POST", f"{endpoint.url}/chat/completions", endpoint.reach, endpoint.on_behalf_of,
        headers={"content-type": "application/json", **_authorization(endpoint)},
        body=body, timeouts=_TIMEOUTS, max_bytes=max_bytes,
    )  # fmt: skip


def _authorization(endpoint: ModelEndpoint) -> dict[str, str]:
    return {"authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}


async def _beginning(pieces: AsyncIterable[bytes]) -> bytes:
    """Return the beginning of an error's body, as far as it comes: the status alone says that nothing was spent."""
    body = bytearray()
    with suppress(EgressFailed):
        async for piece in pieces:
            body += piece
            if len(body) > _MAX_ERROR_BYTES:
                break
    return bytes(body)


@contextmanager
def _egress_errors(request: ModelRequest) -> Iterator[None]:
    try:
        yield
    except EgressFailed as fault:
        raise failure(fault, request) from fault
