"""The notes every server stores: 90% seen by the team, 10% private."""

import json
from random import Random

WORDS = (
    "agenda",
    "budget",
    "client",
    "deadline",
    "estimate",
    "feedback",
    "goal",
    "handover",
    "invoice",
    "journal",
    "launch",
    "meeting",
    "offer",
    "plan",
    "review",
    "sprint",
)
SAMPLES = 1000


def samples() -> list[dict[str, str]]:
    """The same notes in every run, about 250 characters each."""
    pick = Random(1)
    return [
        {
            "title": f"Note {number} {pick.choice(WORDS)}",
            "body": " ".join(pick.choices(WORDS, k=32)),
            "visibility": "private" if number % 10 == 0 else "team",
        }
        for number in range(SAMPLES)
    ]


ANSWER = json.dumps(samples()[1]).encode()
