"""A client that writes all the time and remembers the answers."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from unittest.mock import ANY

from tests.durability.journal import Journal, State, Step, Subject, Violation, shown
from tests.durability.wire import Answer, Connection, Silent, Unanswered, Unreachable

MAX_NOTES, MAX_TOKENS = 50, 5
PAUSE_SECONDS = 0.2
_WEIGHTS = {"create": 30, "create_once": 10, "update": 30, "update_stale": 3, "delete": 10, "share": 9, "unshare": 4}
_WEIGHTS |= {"issue": 4, "revoke": 3}
_PERMISSIONS = ("notes:read", "notes:write", "notes:delete", "notes:manage")


@dataclass(frozen=True)
class Person:
    """The person a client acts as."""

    number: int
    user_id: str
    team_id: str
    token: str


class Client:
    def __init__(self, person: Person, port: int, journal: Journal, colleagues: list[str], seed: str) -> None:
        self.person = person
        self.connection = Connection(port, person.token)
        self.notes: list[Subject] = []
        self.tokens: list[Subject] = []
        self.idempotent_creates: list[Step] = []
        """Creates with an Idempotency-Key since the last verification."""
        self.unanswered_creates: list[Step] = []
        """Those of them whose first answer was lost with the server; repeated from time to time."""
        self.revoked_secrets: list[str] = []
        """The tokens most recently seen as revoked."""
        self._journal = journal
        self._colleagues = colleagues
        self._random = random.Random(seed)
        self._names = 0

    @property
    def subjects(self) -> list[Subject]:
        return self.notes + self.tokens

    async def work(self, stop: asyncio.Event) -> None:
        """Write until `stop` is set or the server is gone."""
        try:
            while not stop.is_set():
                await self.take(self._choose())
        except (Unreachable, Unanswered):
            pass
        finally:
            self.connection.close()

    async def take(self, step: Step) -> None:
        await self.connection.open()
        self._journal.intent(step)
        headers = {**step.headers, "x-request-id": step.request_id}
        try:
            answer = await self.connection.call(step.method, step.path, step.body, headers)
        except Unanswered:
            self._journal.doubt(step, "no answer")
            raise
        except Silent:
            raise Violation(f"{step.method} {step.path} was neither answered nor cut off") from None
        if answer.status == 503:
            self._journal.doubt(step, str(answer))
            await asyncio.sleep(PAUSE_SECONDS)
        else:
            self._journal.acknowledge(step, self._acknowledged(step, answer))

    def _acknowledged(self, step: Step, answer: Answer) -> State:
        if answer.status != step.status:
            raise Violation(f"{step.method} {step.path} of {step.request_id} was answered {answer}")
        step.answer = answer.body
        state = _state(step, answer)
        if state != step.after:
            raise Violation(f"X1: {step.request_id} asked for {shown(step.after)}\n  and was answered {shown(state)}")
        return state

    # Choosing the next step

    def _choose(self) -> Step:
        operation = self._random.choices(list(_WEIGHTS), list(_WEIGHTS.values()))[0]
        notes = [note for note in self.notes if note.usable]
        tokens = [token for token in self.tokens if token.usable]
        if operation.startswith("create") and len(self.notes) >= MAX_NOTES:
            operation = "delete"
        if operation == "issue" and len(self.tokens) >= MAX_TOKENS:
            operation = "revoke"
        if operation in ("issue", "revoke"):
            return self._revoke(self._random.choice(tokens)) if operation == "revoke" and tokens else self._issue()
        if operation.startswith("create") or not notes:
            return self._create(once=operation == "create_once")
        note_operations: dict[str, Callable[[Subject], Step]] = {
            "update": self._update,
            "update_stale": self._update_stale,
            "delete": self._delete,
            "share": self._share,
            "unshare": self._unshare,
        }
        return note_operations[operation](self._random.choice(notes))

    def _create(self, *, once: bool) -> Step:
        note = Subject(self._name(), [None])
        self.notes.append(note)
        draft = self._content(note.name, 1)
        after = {
            **draft, "id": ANY, "owner": self.person.user_id, "team_id": self.person.team_id, "shared_with": [],
            "version": 1, "created_at": ANY, "updated_at": ANY,
        }  # fmt: skip
        step = Step(note, "POST", "/api/notes", draft, 201, after)
        if once:
            step.headers["idempotency-key"] = note.name
            self.idempotent_creates.append(step)
        return step

    def _update(self, note: Subject) -> Step:
        version = note.state["version"]
        change = self._content(note.name, version + 1)
        after = {**note.state, **change, "version": version + 1, "updated_at": ANY}
        step = Step(note, "PUT", _path(note), change, 200, after)
        if self._random.random() < 0.5:
            step.headers["if-match"] = f'"{version}"'
        return step

    def _update_stale(self, note: Subject) -> Step:
        version = note.state["version"]
        headers = {"if-match": f'"{version - 1}"'}
        return Step(note, "PUT", _path(note), self._content(note.name, version), 412, note.state, headers, records=0)

    def _delete(self, note: Subject) -> Step:
        return Step(note, "DELETE", _path(note), None, 204, None)

    def _share(self, note: Subject) -> Step:
        return self._set_grant(note, self._random.choice(self._colleagues), self._random.choice(_PERMISSIONS))

    def _unshare(self, note: Subject) -> Step:
        holders = [grant["user_id"] for grant in note.state["shared_with"]]
        return self._set_grant(note, self._random.choice(holders or self._colleagues), None)

    def _set_grant(self, note: Subject, user_id: str, permission: str | None) -> Step:
        grants = {grant["user_id"]: grant["permission"] for grant in note.state["shared_with"]}
        grants.pop(user_id, None)
        if permission:
            grants[user_id] = permission
        shared = [_grant(name, grants[name]) for name in sorted(grants)]
        draft = {"user_id": user_id, "permission": permission}
        return Step(note, "POST", f"{_path(note)}/share", draft, 200, {**note.state, "shared_with": shared})

    def _issue(self) -> Step:
        token = Subject(self._name(), [None])
        self.tokens.append(token)
        scope = self._random.choice([None, ["notes:read", "notes:write"]])
        draft = {"name": token.name, "scope": scope, "ttl": "never"}
        return Step(token, "POST", "/api/tokens", draft, 201, {"id": ANY, "name": token.name, "scope": scope})

    def _revoke(self, token: Subject) -> Step:
        return Step(token, "DELETE", f"/api/tokens/{token.id}", None, 204, None)

    def _name(self) -> str:
        self._names += 1
        return f"c{self.person.number}n{self._names}"

    def _content(self, name: str, version: int) -> dict[str, Any]:
        """Every field names the version, so that a mixture of two versions is noticed."""
        title = f"{name} v{version}"
        return {
            "title": title,
            "body": f"{title}\n" * self._random.randint(1, 100),
            "visibility": self._random.choice(["private", "team", "shared"]),
            "tags": [name, f"v{version}"],
        }


def _path(note: Subject) -> str:
    return f"/api/notes/{note.id}"


def _grant(user_id: str, permission: str) -> State:
    principal = {"principal_type": "user", "principal_id": user_id}
    return {"user_id": user_id, "permission": permission, **principal, "expires_at": None}


def _state(step: Step, answer: Answer) -> State:
    """Return the subject's state according to the answer."""
    if step.after is None:
        return None
    if step.status == 412:
        return step.subject.state
    shown: dict[str, Any] = answer.json
    if step.path.endswith("/share"):
        return {**step.subject.state, "shared_with": shown["items"]}
    if step.path == "/api/tokens":
        step.subject.secret = shown["token"]
        return token_state(shown)
    return shown


def token_state(shown: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that a token has both when issued and in the list."""
    return {name: shown[name] for name in ("id", "name", "scope")}
