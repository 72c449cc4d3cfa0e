"""What an examination says of one thing it looked at."""

import msgspec

SHOWN = 10
"""How many findings of a kind are kept and shown: a large disaster must fit into memory, too."""


class Verdict(msgspec.Struct):
    name: str
    doc: str = ""
    found: list[str] = []
    note: bool = False
    """A finding is worth a note, and breaks no promise."""

    @property
    def broken(self) -> bool:
        return bool(self.found) and not self.note

    def add(self, finding: str) -> None:
        if len(self.found) < SHOWN:
            self.found.append(finding)

    def __str__(self) -> str:
        word = "ok" if not self.found else "note" if self.note else "BROKEN"
        line = f"{word:<7} {self.name:<22} {self.doc}".rstrip()
        return "\n".join([line, *(f"        {finding}" for finding in self.found[:SHOWN])])
