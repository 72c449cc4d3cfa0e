"""Generates docs/reference/ from the code; --check only lists pages that are out of date."""

import sys
from pathlib import Path

from teamspace.app import list_endpoints
from teamspace.core import errors
from teamspace.core.permissions import Permission
from teamspace.core.tables import Tool
from teamspace.s3.domain.operations import OPERATIONS
from teamspace.settings import SETTINGS
from teamspace.tenancy.domain.roles import BY_ORG_ROLE, BY_ROLE, OPERATOR, WORKER_TOKEN
from teamspace.wiring import INVARIANTS, SHIPPED

REFERENCE = Path(__file__).parent / "reference"
GENERATED = "Generated from the code by `scripts/docs`; do not edit.\n"
AUTH = {"P": "public", "B": "bearer", "PV": "provision", "SA": "operator", "OA": "company role"}


def table(*columns: str, rows: list[list[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n"


def routes() -> str:
    rows = []
    for endpoint in list_endpoints():
        route = endpoint.route
        needs = f"`{route.needs}`" if route.needs else ""
        rows.append([f"`{route.method}`", f"`{route.path}`", AUTH[route.auth], needs, route.feature or "", route.doc])
    return f"# Routes\n\n{GENERATED}\n" + table("Method", "Path", "Credential", "Permission", "Feature", "", rows=rows)


def settings() -> str:
    rows = [[f"`{row.name}`", f"`{row.default}`" if row.default else "", row.doc] for row in SETTINGS]
    return f"# Settings\n\n{GENERATED}\n" + table("Name", "Default", "", rows=rows)


def roles() -> str:
    holders = {"operator": OPERATOR, **BY_ROLE, **BY_ORG_ROLE, "worker token": WORKER_TOKEN}
    rows = [[f"`{name}`", *("x" if name in held else "" for held in holders.values())] for name in Permission]
    return f"# Roles and permissions\n\n{GENERATED}\n" + table("Permission", *map(str, holders), rows=rows)


def tools() -> str:
    rows = [
        [f"`{row.name}`", f"`{row.needs}`", row.feature or "", row.doc] for row in sorted(SHIPPED.rows(Tool), key=_name)
    ]
    head = f"# Tools\n\n{GENERATED}\n`GET /api/tools` lists them with the JSON schema of their arguments.\n\n"
    return head + table("Name", "Permission", "Feature", "", rows=rows)


def _name(row: Tool) -> str:
    return row.name


def refusals() -> str:
    named = sorted(_family(errors.Refusal), key=lambda kind: (kind.status, kind.code))
    rows = [[str(kind.status), f"`{kind.code}`", kind.title] for kind in named]
    return f"# Errors\n\n{GENERATED}\n" + table("Status", "Code", "", rows=rows)


def _family(kind: type[errors.Refusal]) -> list[type[errors.Refusal]]:
    own = [child for child in kind.__subclasses__() if child.__module__ == errors.__name__]
    return own + [grandchild for child in own for grandchild in _family(child)]


def invariants() -> str:
    rows = [[f"`{row.name}`", row.doc] for row in INVARIANTS]
    rows += [
        [
            "`audit.chain`",
            "every company's audit rows are numbered without gaps, and each contains the hash of the row before",
        ]
    ]
    rows += [["`setup`", "an instance without an operator that others can reach requires a bootstrap code"]]
    rows += [["`database`", "the database's own integrity check finds no damage"]]
    rows += [["`audit.heads`", "with `--heads`: the audit log contains the saved heads"]]
    rows += [["`secrets`", "with `--deep`: every encrypted value decrypts with the secret key"]]
    rows += [["`blobs.listed`", "with `--deep`: every referenced blob is in the blobs table"]]
    rows += [["`blobs.bytes`", "with `--deep`: every referenced blob exists and matches its digest"]]
    rows += [
        [
            "`unwritten`, `orphan`, `stale`",
            "with `--deep`, as a note: leftovers of a crash, which the server deletes later",
        ]
    ]
    return f"# What `teamspace doctor` checks\n\n{GENERATED}\n" + table("Invariant", "", rows=rows)


def operations() -> str:
    rows = [
        [f"`{row.name}`", f"`{row.method}`", row.level.value, " ".join(f"`{word}`" for word in row.query.split()),
         f"`{row.permission}`" if row.permission else ""]
        for row in OPERATIONS
    ]  # fmt: skip
    head = f"# Operations of the S3 path\n\n{GENERATED}\nAll other operations return `NotImplemented`.\n\n"
    return head + table("Operation", "Method", "Of", "Query", "Scope of the key", rows=rows)


PAGES = {
    "routes.md": routes, "settings.md": settings, "roles.md": roles, "errors.md": refusals,
    "tools.md": tools, "invariants.md": invariants, "s3.md": operations,
}  # fmt: skip


def main() -> None:
    stale = []
    for name, make in PAGES.items():
        path, text = REFERENCE / name, make()
        if not path.exists() or path.read_text() != text:
            stale.append(name)
            if "--check" not in sys.argv:
                path.write_text(text)
    if stale and "--check" in sys.argv:
        sys.exit(f"out of date, run scripts/docs: {', '.join(stale)}")


if __name__ == "__main__":
    main()
