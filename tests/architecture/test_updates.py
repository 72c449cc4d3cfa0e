"""Every UPDATE is safe against a write in between, or is listed here with the lock or the reason.

A value that was read from a row and is written back undoes what another transaction wrote meanwhile. So a statement that
sets a given value must be conditional (its WHERE tests the value it replaces, or a version or state), or compute the
value from the row itself, or run under a lock that the calling verb takes before it reads. `tests/isolation/
test_lost_updates.py` tries the pairs of writes.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.architecture.source import ROOT, modules, nodes
from tests.architecture.statements import statements

LOCKED = {
    "branding.put": "branding",
    "identity.update_password": "user",
    "identity.update_profile": "user",
    "jobs.admit": "lane",
    "knowledge.move_document_name": "knowledge",
    "knowledge.put_merge": "knowledge",
    "knowledge.put_split": "knowledge",
    "links.update": "object_links",
    "localization.put_policy": "l10n_policy",
    "localization.put_messages": "l10n",
    "localization.put_digest": "l10n",
    "onboarding.put": "experience",
    "repository.confirm_derivation": "object",
    "repository.end_upload": "object",
    "repository.move": "object",
    "repository.set_name": "object",
    "repository.set_tags": "object",
    "repository.set_text": "object",
    "repository.trash": "object",
    "repository.update": "object",
    "tenancy.put_preferences": "user",
    "tenancy.set_tenant_suspended": "tenant",
    "tenancy.update_features": "team",
    "tenancy.update_org": "org",
    "tenancy.update_role": "team",
    "workflows.put": "workflow",
}
"""The lock that every verb takes which runs the statement."""
LAST_WRITER_WINS = {
    "the whole row is the value that was sent": (
        "quota.put_limit", "repository.put_grant", "repository.put_upload_part", "sharing.put_grant",
        "translation.put_term", "translation.put_memory", "oop.put_grants", "oop.put_value",
        "ai.put_answer", "presence.put",
    ),
    "one value, from the request": (
        "conversations.rename", "repository.set_visibility", "tenancy.move_session", "tenancy.put_org_role", "tools.put",
        "executors.put_model_role",
    ),
    "only the time of the last request or report": (
        "identity.put_known_network", "instance.put_process", "jobs.put_channel",
    ),
    "computed from bytes that never change": ("repository.set_sha256",),
    "follows the note, object or conversation, whose row is locked until the commit": ("fulltext.put", "fulltext.rename"),
    "schedules a check, which reads the references itself": ("blobs.release_references",),
    "a new value each time, only compared for equality": ("db.handles._start_rights_epoch",),
    "always the same value for an id": ("knowledge.put_names",),
    "locks the rows itself, before it changes them": ("jobs.land", "jobs.move"),
    "the caller has locked the rows": ("knowledge.set_known_version", "knowledge.set_listed", "events.end_stream", "events.set_saved", "jobs.apply", "jobs.take", "jobs.set_reservation", "jobs.set_refused_spend", "jobs.set_result", "triggers.update", "workflows.end_run", "workflows.set_position"),
}  # fmt: skip
"""Statements for which the order of two writers makes no difference, by reason."""
REASONED = {name for names in LAST_WRITER_WINS.values() for name in names}
_STATE = {
    "created_at",
    "removing_until",
    "retired_at",
    "revoked_at",
    "seq",
    "settled_at",
    "state",
    "version",
    "version_id",
}
"""Columns that change once or with every write: a condition on one of them detects a write in between."""
_UPDATE = re.compile(
    r"UPDATE (?:(?P<table>\w+|\{\w+\}) )?SET (?P<set>.*?)(?: FROM \w+)?(?: WHERE (?P<where>.*?))?(?: RETURNING .*)?$",
    re.DOTALL,
)
_TESTED = re.compile(r"\b(?:\w+\.)?(\w+)(?:, '')?\)? (?:=|<>|<|>|<=|>=|IS|IN|NOT)(?= )")
_CLOCK = re.compile(r":now|NULL|moment\(.*\)")


class Update(NamedTuple):
    name: str
    assigned: dict[str, str]
    tested: set[str]

    @property
    def given(self) -> set[str]:
        """The columns whose value comes from outside: neither from the row itself, nor a literal, nor the time."""
        return {column for column, value in self.assigned.items() if _is_given(column, value)}

    @property
    def is_conditional(self) -> bool:
        return bool(self.tested & (self.assigned.keys() | _STATE))


def _is_given(column: str, value: str) -> bool:
    names = re.findall(r"[\w.]+", re.sub(r":\w+|excluded\.\w+", "", value))
    computed = any(name.rsplit(".", 1)[-1] == column for name in names if not name.startswith(("sealed.", "chosen.")))
    outside = ":" in value or re.search(r"\b[a-z]\w*\.\w+", value) is not None
    return outside and not computed and not _CLOCK.fullmatch(value)


def updates(modules: dict[str, str] | None = None) -> Iterator[Update]:
    for statement in statements(modules):
        for text in re.split(r"(?=\bUPDATE (?:(?:\w+|\{\w+\}) )?SET )", statement.text)[1:]:
            found = _UPDATE.match(text)
            assert found, text
            assigned = dict(part.split(" = ", 1) for part in _split(found["set"]))
            yield Update(statement.name, assigned, set(_TESTED.findall(found["where"] or "")))


def _split(assignments: str) -> list[str]:
    """Split at the commas that are not inside parentheses."""
    parts, depth = [""], 0
    for sign in assignments:
        depth += (sign == "(") - (sign == ")")
        if sign == "," and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts]


UNCONDITIONAL = {update.name: update for update in updates() if update.given and not update.is_conditional}


@pytest.mark.parametrize("name", UNCONDITIONAL)
def test_an_update_with_given_values_is_conditional_locked_or_has_a_reason(name: str) -> None:
    assert name in LOCKED or name in REASONED, f"{name} writes {UNCONDITIONAL[name].given}: a write in between is lost"


def test_every_entry_belongs_to_an_update() -> None:
    assert (LOCKED.keys() | REASONED) - UNCONDITIONAL.keys() == set()
    assert not LOCKED.keys() & REASONED


# Locks. A verb runs a statement through functions of its own and of other packages; each way up must meet the lock.


class Function(NamedTuple):
    path: Path
    name: str
    arguments: frozenset[str]
    yields: bool
    references: frozenset[tuple[str, str]]
    """The names it uses: (module, name), or ('', name) in its own module."""
    locks: frozenset[str]
    """The strings in the locks it takes, among them their subjects."""

    @property
    def modules(self) -> set[str]:
        """The names under which others refer to its module."""
        return {self.path.stem, self.path.relative_to(ROOT).parts[0]}

    def refers_to(self, other: "Function") -> bool:
        if self.path == other.path and ("", other.name) in self.references:
            return self.name != other.name
        in_reach = other.path.stem != "store" or self.path.is_relative_to(other.path.parent)
        return in_reach and any((module, other.name) in self.references for module in other.modules)


def find_functions() -> Iterator[Function]:
    for path in modules():
        found = [node for node in nodes(path) if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef)]
        helpers = {node.name: node for node in found}
        for node in found:
            parts = list(ast.walk(node))
            arguments = frozenset(part.arg for part in parts if isinstance(part, ast.arg))
            names = {("", part.id) for part in parts if isinstance(part, ast.Name)}
            names |= {
                (part.value.id, part.attr)
                for part in parts
                if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name)
            }
            yields = any(isinstance(part, ast.Yield) for part in parts)
            yield Function(path, node.name, arguments, yields, frozenset(names), frozenset(_locks(parts, helpers)))


def _locks(parts: list[ast.AST], helpers: Mapping[str, ast.AST]) -> Iterator[str]:
    """The strings in the arguments of locks, and in the functions of the module that compute them."""
    for call in (part for part in parts if isinstance(part, ast.Call)):
        is_lock = isinstance(call.func, ast.Attribute) and call.func.attr in ("lock", "try_lock", "write_many")
        given = [*call.args] if is_lock else [word.value for word in call.keywords if word.arg == "lock"]
        for node in (node for value in given for node in ast.walk(value)):
            yield from _strings(helpers[node.id] if isinstance(node, ast.Name) and node.id in helpers else node)


def _strings(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


@cache
def functions() -> list[Function]:
    return list(find_functions())


@cache
def users() -> Mapping[str, list[Function]]:
    """The functions that use a name, whoever's it is."""
    found: defaultdict[str, list[Function]] = defaultdict(list)
    for function in functions():
        for name in {name for _, name in function.references}:
            found[name].append(function)
    return found


def callers(target: Function) -> list[Function]:
    return [function for function in users().get(target.name, ()) if function.refers_to(target)]


def lockers(subject: str) -> list[Function]:
    """The functions that take the lock, in a given transaction or in one that they open for a block."""
    own = [function for function in functions() if subject in function.locks]
    helpers = [function for function in own if "tx" in function.arguments]
    blocks = [each for helper in helpers for each in callers(helper) if each.yields]
    return [*own, *(each for helper in (*helpers, *blocks) for each in callers(helper))]


def unlocked_ways(target: Function, locking: list[Function], seen: frozenset[Function] = frozenset()) -> list[str]:
    """The ways to run `target` without the lock, each as the function at its top."""
    if target in seen or target in locking:
        return []
    found = callers(target)
    if not found:
        return [f"{target.path.relative_to(ROOT)}: {target.name}"]
    return [way for caller in found for way in unlocked_ways(caller, locking, seen | {target})]


@pytest.mark.parametrize("name", LOCKED)
def test_every_verb_that_runs_the_statement_takes_its_lock(name: str) -> None:
    package, _, called = name.rpartition(".")
    (store,) = [each for each in functions() if each.path == ROOT / package / "store.py" and each.name == called]
    assert unlocked_ways(store, lockers(LOCKED[name])) == []


@pytest.mark.parametrize(
    ("sql", "accepted"),
    [
        ("UPDATE notes SET title = :title WHERE id = :id", False),
        ("UPDATE notes SET title = :title WHERE id = :id AND version = :seen", True),
        ("UPDATE notes SET title = COALESCE(CAST(:title AS TEXT), title) WHERE id = :id", True),
        ("UPDATE totp SET last_step = :step WHERE user_id = :id AND last_step < :step", True),
        ("UPDATE users SET seen = seen + :more, name = :name WHERE id = :id", False),
        ("INSERT INTO notes (id) VALUES (:id) ON CONFLICT (id) DO UPDATE SET title = excluded.title", False),
        ("INSERT INTO used (n) VALUES (:n) ON CONFLICT (id) DO UPDATE SET n = used.n + excluded.n", True),
        ("WITH sealed AS (SELECT 1) UPDATE audit SET hash = sealed.hash FROM sealed WHERE audit.id = sealed.id", False),
        ("UPDATE orgs SET suspended_at = :now WHERE id = :id", True),
    ],
)  # fmt: skip
def test_a_statement_is_judged_by_its_text(sql: str, accepted: bool) -> None:
    (update,) = updates({"example": f"async def f(tx: Tx) -> None:\n    await tx.run({sql!r})"})
    assert (not update.given or update.is_conditional) is accepted
