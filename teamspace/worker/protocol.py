"""The protocol of workers, from their side: claim, show signs of life, bring the result or say why there is none."""

from typing import Any

import msgspec

from teamspace.core.egress import Answer, Egress, Failed, Patience, Reach

LEASE = 60.0
"""Seconds from a claim, and from each heartbeat."""
MOST_WAIT = 10.0
"""Seconds to wait for a job in one request; the server would wait for 30, but so does whoever stops this worker."""
_PATIENCE = Patience(connect=5, read=MOST_WAIT + 20, total=MOST_WAIT + 40)


class Away(Exception):
    """The server cannot be reached, or not now; another time it can."""


class Dropped(Exception):
    """The job is in other hands: nothing said about it will land."""


class Rejected(Exception):
    """The server does not take this from this worker; saying it again would not help."""


class Job(msgspec.Struct, frozen=True):
    id: str
    kind: str
    input: dict[str, Any]
    model: str | None
    attempt: int


class Handed(msgspec.Struct, frozen=True):
    """A job in our hands: the claim token is shown whenever we speak of it."""

    job: Job
    claim_token: str


class _Problem(msgspec.Struct, frozen=True):
    detail: str = ""


class Server:
    def __init__(self, egress: Egress, url: str, token: str) -> None:
        self._egress, self._url = egress, url.rstrip("/")
        self._headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}

    async def claim(self, kinds: list[str] | None, models: list[str]) -> Handed | None:
        """The next job; nothing when none came while we waited."""
        asking = {"models": models, "max_wait": MOST_WAIT, **({"kinds": kinds} if kinds else {})}
        answer = await self._post("/api/workers/claim", asking)
        try:
            return None if answer.status == 204 else msgspec.json.decode(answer.body, type=Handed)
        except msgspec.DecodeError:
            raise Away("the server answers with something else than a job") from None

    async def heartbeat(self, handed: Handed) -> None:
        await self._tell(handed, "heartbeat", {})

    async def complete(self, handed: Handed, result: dict[str, Any]) -> None:
        """May be said again when the answer was lost: the same result lands once."""
        await self._tell(handed, "complete", {"result": result})

    async def fail(self, handed: Handed, message: str, *, code: str = "failed", retryable: bool = True) -> None:
        error = {"message": message[:4000], "code": code, "retryable": retryable}
        await self._tell(handed, "fail", {"error": error})

    async def _tell(self, handed: Handed, verb: str, body: dict[str, Any]) -> None:
        await self._post(f"/api/workers/jobs/{handed.job.id}/{verb}", {"claim_token": handed.claim_token, **body})

    async def _post(self, path: str, body: dict[str, Any]) -> Answer:
        try:
            answer = await self._egress.call(
                "POST", self._url + path, Reach.ANY,
                headers=self._headers, body=msgspec.json.encode(body), patience=_PATIENCE,
            )  # fmt: skip
        except Failed as fault:
            raise Away(f"the server {fault}") from fault
        if answer.status in (200, 204):
            return answer
        said = f"the server answers {answer.status}: {_detail(answer.body)}"
        if answer.status == 409:
            raise Dropped(said)
        if answer.status >= 500 or answer.status in (408, 429):
            raise Away(said)
        raise Rejected(said)


def _detail(body: bytes) -> str:
    try:
        return msgspec.json.decode(body, type=_Problem).detail
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return "something that is no problem body"
