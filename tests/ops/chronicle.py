"""What may be in a backup: for each thing, the states it went through from just before the backup until its end."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.durability.journal import Journal, State, Step, Subject, Violation, shown


@dataclass
class Past:
    """One note or token while a backup was made."""

    subject: Subject
    before: list[State]
    """How it may have been when the backup began: certain in all but rare cases."""
    steps: list[Step] = field(default_factory=list)
    """The requests that were under way then or came later, in their order."""

    def check(self, seen: State, recorded: Counter[str]) -> None:
        """The restored state is one of these, and the audit trail ends with the request that led to it."""
        for count, states in enumerate([self.before, *([step.after] for step in self.steps)]):
            if seen in states and all(
                recorded[step.request_id] == (step.records if place < count else 0)
                for place, step in enumerate(self.steps)
            ):
                return
        told = [f"{step.request_id} ({recorded[step.request_id]} rows) {shown(step.after)}" for step in self.steps]
        lines = [*map(shown, self.before), *told, f"but found {shown(seen)}"]
        raise Violation(f"{self.subject.name} is not as it ever was:\n  " + "\n  ".join(lines))


class Chronicle(Journal):
    """A journal that can tell, too, what was acknowledged before a moment and what came after."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.pasts: dict[str, Past] = {}
        self._underway: dict[str, Step] = {}
        self._settled: dict[str, int | None] = {}
        self._watching = False

    def begin(self, subjects: list[Subject]) -> None:
        """A backup begins: what is acknowledged by now must be in it."""
        self.pasts = {subject.name: Past(subject, list(subject.possible)) for subject in subjects}
        for step in self._underway.values():
            self.pasts[step.subject.name].steps.append(step)
        self._settled = dict(self.rows)
        self._watching = True

    def end(self) -> None:
        """What is asked for from here on cannot be in the backup."""
        self._watching = False

    def intent(self, step: Step) -> None:
        super().intent(step)
        self._underway[step.request_id] = step
        if self._watching:
            past = self.pasts.setdefault(step.subject.name, Past(step.subject, [None]))
            past.steps.append(step)

    def acknowledge(self, step: Step, state: State) -> None:
        super().acknowledge(step, state)
        self._underway.pop(step.request_id)
        step.after = state

    def doubt(self, step: Step, why: str) -> None:
        super().doubt(step, why)
        self._underway.pop(step.request_id)

    def check_settled(self, recorded: Counter[str]) -> None:
        """Whatever was acknowledged before the backup has its row, or rows, on the restored audit trail."""
        for request_id, rows in self._settled.items():
            if rows is not None and recorded[request_id] != rows:
                raise Violation(f"{request_id} was acknowledged, and has {recorded[request_id]} audit rows of {rows}")
