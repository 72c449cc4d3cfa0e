"""A worker in a process of its own: it claims, works and lands over HTTP, and writes down what it was told.

    python -m tests.durability.worker PORT NOTES    (its token comes on standard input)

Its notes are lines of a verb, a job and an attempt: `took` when it was handed one, `landed` when the server took the
result, `stale` when it did not. An unanswered result is sent again until there is an answer.
"""

import asyncio
import hashlib
import re
import sys
from pathlib import Path
from typing import Any

from tests.durability.wire import Answer, Connection, Silent, Unanswered, Unreachable

_AGAIN = 0.1
_SECONDS = re.compile(r"\[work:(\d+)\]")


def answer(prompt: str) -> str:
    """What a worker makes of a prompt."""
    return hashlib.sha256(prompt.encode()).hexdigest()


class Worker:
    def __init__(self, port: int, token: str, notes: Path) -> None:
        self._connection = Connection(port, token)
        self._notes = notes

    async def run(self) -> None:
        while True:
            reply = await self._tell("/api/workers/claim", {"kinds": ["ai.chat"], "max_wait": 5})
            if reply.status == 200:
                await self._work(reply.json["job"], reply.json["claim_token"])

    async def _work(self, job: dict[str, Any], token: str) -> None:
        self._note("took", job)
        prompt = job["input"]["prompt"]
        if asked := _SECONDS.search(prompt):
            await asyncio.sleep(int(asked[1]))
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        result = {"text": answer(prompt), "usage": usage}
        reply = await self._tell(f"/api/workers/jobs/{job['id']}/complete", {"claim_token": token, "result": result})
        self._note({204: "landed", 409: "stale"}[reply.status], job)

    async def _tell(self, path: str, body: dict[str, Any]) -> Answer:
        """The answer, asked for until there is one."""
        while True:
            try:
                reply = await self._connection.call("POST", path, body)
                if reply.status != 503:
                    return reply
            except (Unreachable, Unanswered, Silent):
                pass
            await asyncio.sleep(_AGAIN)

    def _note(self, verb: str, job: dict[str, Any]) -> None:
        with self._notes.open("a") as notes:
            notes.write(f"{verb} {job['id']} {job['attempt']}\n")


if __name__ == "__main__":
    asyncio.run(Worker(int(sys.argv[1]), sys.stdin.readline().strip(), Path(sys.argv[2])).run())
