"""What a backup may contain: for each subject, its states from the start of the backup to its end."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.durability.journal import Journal, State, Step, Subject, Violation, shown


@dataclass
class History:
    """The states of one note or token while a backup was made."""

    subject: Subject
    before: list[State]
    """The possible states when the backup began: nearly always exactly one."""
    steps: list[Step] = field(default_factory=list)
    """The requests that were in flight then or came later, in order."""

    def check(self, seen: State, recorded: Counter[str]) -> None:
        """The restored state is one of these, and the audit log ends with the request that led to it."""
        for count, states in enumerate([self.before, *([step.after] for step in self.steps)]):
            if seen in states and all(
                recorded[step.request_id] == (step.records if index < count else 0)
                for index, step in enumerate(self.steps)
            ):
                return
        described = [f"{step.request_id} ({recorded[step.request_id]} rows) {shown(step.after)}" for step in self.steps]
        lines = [*map(shown, self.before), *described, f"but found {shown(seen)}"]
        raise Violation(f"{self.subject.name} is in a state it never had:\n  " + "\n  ".join(lines))


class BackupJournal(Journal):
    """A journal that also knows what was acknowledged before a backup and what came during it."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.histories: dict[str, History] = {}
        self._in_flight: dict[str, Step] = {}
        self._acknowledged_before: dict[str, int | None] = {}
        self._recording = False

    def begin(self, subjects: list[Subject]) -> None:
        """A backup begins: everything acknowledged so far must be in it."""
        self.histories = {subject.name: History(subject, list(subject.possible)) for subject in subjects}
        for step in self._in_flight.values():
            self.histories[step.subject.name].steps.append(step)
        self._acknowledged_before = dict(self.rows)
        self._recording = True

    def end(self) -> None:
        """Requests from here on cannot be in the backup."""
        self._recording = False

    def intent(self, step: Step) -> None:
        super().intent(step)
        self._in_flight[step.request_id] = step
        if self._recording:
            history = self.histories.setdefault(step.subject.name, History(step.subject, [None]))
            history.steps.append(step)

    def acknowledge(self, step: Step, state: State) -> None:
        super().acknowledge(step, state)
        self._in_flight.pop(step.request_id)
        step.after = state

    def doubt(self, step: Step, why: str) -> None:
        super().doubt(step, why)
        self._in_flight.pop(step.request_id)

    def check_acknowledged(self, recorded: Counter[str]) -> None:
        """Everything acknowledged before the backup has its rows in the restored audit log."""
        for request_id, rows in self._acknowledged_before.items():
            if rows is not None and recorded[request_id] != rows:
                raise Violation(f"{request_id} was acknowledged, but has {recorded[request_id]} audit rows of {rows}")
