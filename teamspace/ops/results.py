"""The result of one check."""

import msgspec

MAX_FINDINGS = 10
"""The maximum number of findings per check: even large damage must fit into memory."""


class CheckResult(msgspec.Struct):
    name: str
    doc: str = ""
    found: list[str] = []
    note: bool = False
    """Findings are only informational."""

    @property
    def broken(self) -> bool:
        return bool(self.found) and not self.note

    def add(self, finding: str) -> None:
        if len(self.found) < MAX_FINDINGS:
            self.found.append(finding)

    def __str__(self) -> str:
        status = "ok" if not self.found else "note" if self.note else "BROKEN"
        line = f"{status:<7} {self.name:<22} {self.doc}".rstrip()
        return "\n".join([line, *(f"        {finding}" for finding in self.found[:MAX_FINDINGS])])
