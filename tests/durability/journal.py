"""What the clients know, kept outside the server: what they asked for, what was acknowledged, what is uncertain."""

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

State = dict[str, Any] | None
"""A note or a token as the API shows it; None is the state of not being there."""


class Violation(Exception):
    """The server broke a promise."""


@dataclass
class Subject:
    """A note or a token of one client, which nobody else writes to."""

    name: str
    possible: list[State]
    """How it may be: one state when that is certain; the one before and the one after when it is not."""
    id: str = ""
    secret: str = ""
    unanswered: str = ""
    """The request that makes it uncertain. Nothing more is asked of it until it was looked at."""

    @property
    def certain(self) -> bool:
        return len(self.possible) == 1

    @property
    def state(self) -> dict[str, Any]:
        """Of a subject that is certainly there."""
        (state,) = self.possible
        assert state is not None
        return state

    @property
    def usable(self) -> bool:
        return self.certain and self.possible[0] is not None

    def become(self, state: State) -> None:
        self.possible, self.unanswered = [state], ""
        if state is not None:
            self.id = state["id"]

    def took_effect(self) -> None:
        """The unanswered request did."""
        self.possible, self.unanswered = self.possible[-1:], ""


@dataclass
class Step:
    """One request, and the state that it leaves its subject in."""

    subject: Subject
    method: str
    path: str
    body: Any
    status: int
    """The answer that acknowledges it."""
    after: State
    headers: dict[str, str] = field(default_factory=dict)
    records: int = 1
    """The rows that it adds to the audit trail."""
    request_id: str = ""
    answer: bytes = b""


class Journal:
    """The file of what happened since the last verification, and the counts that the audit trail must agree with."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.acknowledged = 0
        self.unknown = 0
        self.rows: dict[str, int | None] = {}
        """How many audit rows each request must have; None when it may have one or none."""
        self.either: list[tuple[str, str]] = []
        """A request and its repetition, of which exactly one has its row."""
        self._numbers = 0
        self._file = path.open("w")

    def new_request(self) -> str:
        self._numbers += 1
        return f"soak-{self._numbers:09d}"

    def intent(self, step: Step) -> None:
        step.request_id = self.new_request()
        self._write(
            request=step.request_id, subject=step.subject.name, method=step.method, path=step.path, body=step.body,
            headers=step.headers,
        )  # fmt: skip

    def acknowledge(self, step: Step, state: State) -> None:
        self._write(request=step.request_id, acknowledged=state)
        self.acknowledged += 1
        self.rows[step.request_id] = step.records
        step.subject.become(state)

    def doubt(self, step: Step, why: str) -> None:
        self._write(request=step.request_id, unknown=why)
        self.unknown += 1
        self.rows[step.request_id] = None
        step.subject.possible.append(step.after)
        step.subject.unanswered = step.request_id

    def deny(self, subject: Subject) -> None:
        """An unanswered request must not have had an effect."""
        if subject.unanswered:
            self.rows[subject.unanswered] = 0
            subject.become(subject.possible[0])

    def settle(self, subject: Subject, seen: State) -> None:
        """The verification saw which of the possible states it is."""
        if seen not in subject.possible:
            raise Violation(_impossible(subject, seen))
        if not subject.certain and subject.possible[0] != subject.possible[1]:
            self.rows[subject.unanswered] = int(seen != subject.possible[0])
        subject.become(seen)

    def compare(self, recorded: Counter[str]) -> None:
        """Every effect is on the audit trail once, and nothing is that had no effect."""
        for request_id, rows in self.rows.items():
            found = recorded[request_id]
            if (rows is None and found > 1) or (rows is not None and found != rows):
                raise Violation(f"X2: the audit trail has {found} rows of {request_id} instead of {rows}")

        for pair in self.either:
            if sum(recorded[request_id] for request_id in pair) != 1:
                raise Violation(f"X5: one idempotency key, but the audit trail has not one row of {pair}")

    def compact(self, subjects: list[Subject]) -> None:
        """All is verified: from here on only what was found counts."""
        self.rows.clear()
        self.either.clear()
        self._file.seek(0)
        self._file.truncate()
        for subject in subjects:
            self._write(verified=subject.name, state=subject.possible[0])
        self._file.flush()

    def close(self) -> None:
        self._file.close()

    def _write(self, **fields: Any) -> None:
        self._file.write(json.dumps(fields, default=str) + "\n")


def _impossible(subject: Subject, seen: State) -> str:
    rule = "X1: an acknowledged write is not as it was acknowledged" if subject.certain else "X2: a write is half there"
    expected = "\n      or ".join(shown(state) for state in subject.possible)
    return f"{rule}\n  subject  {subject.name} {subject.id}\n  expected {expected}\n  found    {shown(seen)}"


def shown(state: State) -> str:
    """For people: the text of a note is long and says the same line over and over."""
    if state is None:
        return "nothing"
    body = {"body": f"{len(state['body'])} letters: {state['body'][:30]!r}"} if "body" in state else {}
    return json.dumps({**state, **body}, default=str)
