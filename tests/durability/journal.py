"""The clients' knowledge, outside the server: what was requested, acknowledged, or is uncertain."""

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

State = dict[str, Any] | None
"""A note or a token as the API shows it; None if it does not exist."""


class Violation(Exception):
    """The server broke a promise."""


@dataclass
class Subject:
    """A note or a token that only one client writes to."""

    name: str
    possible: list[State]
    """Possible states: one if it is certain; else those before and after the unanswered request."""
    id: str = ""
    secret: str = ""
    unanswered: str = ""
    """The request that makes it uncertain. No more are sent until its state was verified."""

    @property
    def certain(self) -> bool:
        return len(self.possible) == 1

    @property
    def state(self) -> dict[str, Any]:
        """The state of a subject that certainly exists."""
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
        """The unanswered request took effect."""
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
    """Number of rows that it adds to the audit log."""
    request_id: str = ""
    answer: bytes = b""


class Journal:
    """The file of events since the last verification, and the row counts that the audit log must match."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.acknowledged = 0
        self.unknown = 0
        self.rows: dict[str, int | None] = {}
        """Number of audit rows that each request must have; None if it can have one or none."""
        self.either: list[tuple[str, str]] = []
        """Pairs of a request and its repetition, of which exactly one has an audit row."""
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
        """Require that an unanswered request had no effect."""
        if subject.unanswered:
            self.rows[subject.unanswered] = 0
            subject.become(subject.possible[0])

    def settle(self, subject: Subject, seen: State) -> None:
        """Record which of the possible states the verification found."""
        if seen not in subject.possible:
            raise Violation(_impossible(subject, seen))
        if not subject.certain and subject.possible[0] != subject.possible[1]:
            self.rows[subject.unanswered] = int(seen != subject.possible[0])
        subject.become(seen)

    def compare(self, recorded: Counter[str]) -> None:
        """Check that every effect has exactly one audit row, and that nothing else has one."""
        for request_id, rows in self.rows.items():
            found = recorded[request_id]
            if (rows is None and found > 1) or (rows is not None and found != rows):
                raise Violation(f"X2: the audit trail has {found} rows of {request_id} instead of {rows}")

        for pair in self.either:
            if sum(recorded[request_id] for request_id in pair) != 1:
                raise Violation(f"X5: one idempotency key, but the audit trail has not one row of {pair}")

    def compact(self, subjects: list[Subject]) -> None:
        """Start a new journal from the verified states."""
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
    """Format a state for messages, with the note's long text shortened."""
    if state is None:
        return "nothing"
    body = {"body": f"{len(state['body'])} letters: {state['body'][:30]!r}"} if "body" in state else {}
    return json.dumps({**state, **body}, default=str)
