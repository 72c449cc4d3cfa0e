"""The client side of the worker protocol: claim a job, send heartbeats, complete it or fail it."""

from typing import Any

import msgspec

from teamspace.core.egress import INSTANCE, Egress, EgressFailed, HttpResponse, NetworkReach, OutgoingRequest, Timeouts

LEASE = 60.0
"""Seconds from a claim, and from each heartbeat."""
MAX_WAIT = 10.0
"""Seconds to wait for a job in one request. The server allows 30, but stopping the worker would take as long."""
_TIMEOUTS = Timeouts(connect=5, read=MAX_WAIT + 20, total=MAX_WAIT + 40)


class ServerUnavailable(Exception):
    """The server cannot be reached at the moment; worth a retry."""


class ClaimLost(Exception):
    """The claim is stale: requests about this job are refused."""


class RequestRejected(Exception):
    """The server refused the request; a retry would not help."""


class WorkerJob(msgspec.Struct, frozen=True):
    id: str
    kind: str
    input: dict[str, Any]
    model: str | None
    attempt: int


class Assignment(msgspec.Struct, frozen=True):
    """A claimed job. The claim token is sent with every request about it."""

    job: WorkerJob
    claim_token: str


class _Problem(msgspec.Struct, frozen=True):
    detail: str = ""


class Server:
    def __init__(self, egress: Egress, url: str, token: str) -> None:
        self._egress, self._url = egress, url.rstrip("/")
        self._headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}

    async def claim(self, kinds: list[str] | None, models: list[str]) -> Assignment | None:
        """Claim the next job, or return None if none came in time."""
        request = {"models": models, "max_wait": MAX_WAIT, **({"kinds": kinds} if kinds else {})}
        response = await self._post("/api/workers/claim", request)
        try:
            return None if response.status == 204 else msgspec.json.decode(response.body, type=Assignment)
        except msgspec.DecodeError:
            raise ServerUnavailable("the server's response is not a job") from None

    async def heartbeat(self, assignment: Assignment) -> None:
        await self._report(assignment, "heartbeat", {})

    async def complete(self, assignment: Assignment, result: msgspec.Struct) -> None:
        """Send the result. Can be repeated if the response was lost: the result is stored once."""
        await self._report(assignment, "complete", {"result": result})

    async def fail(self, assignment: Assignment, message: str, *, code: str = "failed", retryable: bool = True) -> None:
        error = {"message": message[:4000], "code": code, "retryable": retryable}
        await self._report(assignment, "fail", {"error": error})

    async def _report(self, assignment: Assignment, verb: str, body: dict[str, Any]) -> None:
        await self._post(
            f"/api/workers/jobs/{assignment.job.id}/{verb}", {"claim_token": assignment.claim_token, **body}
        )

    async def _post(self, path: str, body: dict[str, Any]) -> HttpResponse:
        try:
            response = await self._egress.call(
                OutgoingRequest(
                    "POST", self._url + path, NetworkReach.ANY, INSTANCE,
                    headers=self._headers, body=msgspec.json.encode(body), timeouts=_TIMEOUTS,
                )
            )  # fmt: skip
        except EgressFailed as fault:
            raise ServerUnavailable(f"the server {fault}") from fault
        if response.status in (200, 204):
            return response
        message = f"the server answered {response.status}: {_detail(response.body)}"
        if response.status == 409:
            raise ClaimLost(message)
        if response.status >= 500 or response.status in (408, 429):
            raise ServerUnavailable(message)
        raise RequestRejected(message)


def _detail(body: bytes) -> str:
    try:
        return msgspec.json.decode(body, type=_Problem).detail
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return "not a problem response"
