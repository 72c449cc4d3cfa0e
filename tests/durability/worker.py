"""A worker process: it claims and completes jobs over HTTP, and logs the answers.

    python -m tests.durability.worker PORT NOTES    (its token comes on standard input)

Its log has lines of an event, a job and an attempt: `claimed`, then `accepted` or `stale` by the server's answer to the
result. An unanswered result is sent again until there is an answer.
"""

import asyncio
import hashlib
import re
import sys
from pathlib import Path
from typing import Any

from tests.durability.wire import Answer, Connection, Silent, Unanswered, Unreachable

_RETRY_DELAY = 0.1
_SECONDS = re.compile(r"\[work:(\d+)\]")


def answer(prompt: str) -> str:
    """The result of a worker for a prompt."""
    return hashlib.sha256(prompt.encode()).hexdigest()


class Worker:
    def __init__(self, port: int, token: str, notes: Path) -> None:
        self._connection = Connection(port, token)
        self._notes = notes

    async def run(self) -> None:
        while True:
            reply = await self._post("/api/workers/claim", {"kinds": ["ai.chat"], "max_wait": 5})
            if reply.status == 200:
                await self._work(reply.json["job"], reply.json["claim_token"])

    async def _work(self, job: dict[str, Any], token: str) -> None:
        self._note("claimed", job)
        prompt = job["input"]["prompt"]
        if duration := _SECONDS.search(prompt):
            await asyncio.sleep(int(duration[1]))
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        result = {"text": answer(prompt), "usage": usage}
        reply = await self._post(f"/api/workers/jobs/{job['id']}/complete", {"claim_token": token, "result": result})
        self._note({204: "accepted", 409: "stale"}[reply.status], job)

    async def _post(self, path: str, body: dict[str, Any]) -> Answer:
        """Post until there is an answer."""
        while True:
            try:
                reply = await self._connection.call("POST", path, body)
                if reply.status != 503:
                    return reply
            except (Unreachable, Unanswered, Silent):
                pass
            await asyncio.sleep(_RETRY_DELAY)

    def _note(self, event: str, job: dict[str, Any]) -> None:
        with self._notes.open("a") as notes:
            notes.write(f"{event} {job['id']} {job['attempt']}\n")


if __name__ == "__main__":
    asyncio.run(Worker(int(sys.argv[1]), sys.stdin.readline().strip(), Path(sys.argv[2])).run())
