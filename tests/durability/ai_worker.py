"""A worker that answers like the model of the soak: `python -m tests.durability.ai_worker PORT NOTES FIRST`.

Its token comes on standard input. What each answer costs is a number that no other has, from FIRST on: its log has lines
of an event, a job, that number and the prompt's key, with `claimed`, `accepted` and `stale` as events.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from tests.durability.worker import Worker

_THINKING = 0.2


def answer(key: str) -> str:
    return f"I have heard of it and write it down as {key}"


def usage(number: int) -> dict[str, int]:
    return {"prompt_tokens": number - 1, "completion_tokens": 1, "total_tokens": number}


def key_of(messages: list[dict[str, Any]]) -> str:
    """Return the last word of the last prompt."""
    prompt = next(message for message in reversed(messages) if message["role"] == "user")["content"]
    return str(prompt.split()[-1])


def has_to_write(messages: list[dict[str, Any]], tools: Any) -> bool:
    """Whether an agent asks, whose note is not written yet."""
    return bool(tools) and messages[-1]["role"] != "tool"


class AiWorker(Worker):
    def __init__(self, port: int, token: str, notes: Path, first: int) -> None:
        super().__init__(port, token, notes)
        self._first = first

    async def _work(self, job: dict[str, Any], token: str) -> None:
        asked = job["input"]
        prompt = [{"role": "user", "content": asked["prompt"]}] if asked.get("prompt") else []
        messages = [*asked.get("messages", []), *prompt]
        key, number = key_of(messages), self._first + len(read_calls(self._notes))
        about = {"id": job["id"], "attempt": f"{number} {key}"}
        self._note("claimed", about)
        await asyncio.sleep(_THINKING)
        result: dict[str, Any] = {"text": answer(key), "usage": usage(number)}
        if has_to_write(messages, asked.get("tools")):
            function = {"name": "create_note", "arguments": json.dumps({"title": key, "body": key})}
            wanted = {"id": "call_0", "type": "function", "function": function}
            result = {"text": "", "usage": usage(number), "tool_calls": [wanted], "finish_reason": "tool_calls"}
        reply = await self._post(f"/api/workers/jobs/{job['id']}/complete", {"claim_token": token, "result": result})
        if reply.status not in (204, 409):
            raise RuntimeError(f"the answer {number} to {key} was answered {reply}")
        self._note({204: "accepted", 409: "stale"}[reply.status], about)


def read_calls(notes: Path, event: str = "claimed") -> dict[int, str]:
    """Return the keys of a worker's answers with this event, by number."""
    lines = notes.read_text().splitlines() if notes.exists() else []
    split = (line.split() for line in lines)
    return {int(number): key for found, _, number, key in split if found == event}


if __name__ == "__main__":
    asyncio.run(AiWorker(int(sys.argv[1]), sys.stdin.readline().strip(), Path(sys.argv[2]), int(sys.argv[3])).run())
