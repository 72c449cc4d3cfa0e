"""Verification after a crash: everything acknowledged is there, and nothing half-written."""

import asyncio
import time
from collections import Counter
from typing import Any

from tests.durability.client import Client, token_state
from tests.durability.journal import Journal, State, Step, Subject, Violation
from tests.durability.trail import Trail
from tests.durability.wire import Answer, Connection, Silent, Unanswered, Unreachable

RETRY_PATIENCE = 0.2
"""Seconds. The repetition waits for an answer that was lost with the server; only `collect` waits until it is given."""
BUSY_LIMIT = 10.0
_MAX_REPEATS, _MAX_ENDED = 3, 5


async def verify(clients: list[Client], operator: Connection, journal: Journal, trail: Trail) -> None:
    """Compare everything with the journal, and start a new one."""
    await asyncio.gather(*(_repeat_creates(client, journal) for client in clients))
    live = {token["name"]: token_state(token) for token in await everything(operator, "/api/tokens")}
    await asyncio.gather(*(_verify_client(client, live, journal) for client in clients))
    journal.compare(await trail.added())
    journal.compact([subject for client in clients for subject in client.subjects])


async def collect(clients: list[Client], journal: Journal) -> None:
    """Repeat the unanswered creates: they took effect, so the answer is a conflict or the first answer."""

    async def repeat(client: Client, step: Step) -> None:
        connection = Connection(client.connection.port, client.person.token)
        try:
            answer = await _repeat(connection, step, journal)
        finally:
            connection.close()
        replayed = answer.status == 201 and answer.json["title"] == step.body["title"]
        if not replayed and not (answer.status == 409 and answer.json["code"] == "conflict"):
            raise Violation(f"X5: the repetition of {step.request_id} was answered {answer}")

    await asyncio.gather(*(repeat(client, step) for client in clients for step in client.unanswered_creates))
    for client in clients:
        client.unanswered_creates.clear()


async def ask(
    connection: Connection, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
) -> Answer:
    """Send a request, and repeat it while the server answers 503."""
    deadline = time.monotonic() + BUSY_LIMIT
    while True:
        try:
            answer = await connection.call(method, path, body, headers)
        except (Silent, Unanswered, Unreachable) as fault:
            raise Violation(f"{method} {path}: a server that was not killed does not answer: {fault!r}") from None
        if answer.status != 503 or time.monotonic() > deadline:
            return answer
        await asyncio.sleep(0.05)


async def _verify_client(client: Client, live: dict[str, dict[str, Any]], journal: Journal) -> None:
    await _verify_notes(client, journal)
    await _verify_tokens(client, live, journal)
    client.notes = [note for note in client.notes if note.usable]
    client.tokens = [token for token in client.tokens if token.usable]
    client.idempotent_creates.clear()
    client.connection.close()


# Idempotency keys


async def _repeat_creates(client: Client, journal: Journal) -> None:
    lost = [step for step in client.idempotent_creates if not step.answer]
    answered = [step for step in client.idempotent_creates if step.answer][-_MAX_REPEATS:]
    for step in answered:
        answer = await _repeat(client.connection, step, journal)
        if answer.status != 201 or answer.body != step.answer:
            raise Violation(f"X5: {step.request_id} was answered {step.answer[:400]!r}\n  and its repetition {answer}")
    for step in lost:
        await _repeat_lost(client, step, journal)


async def _repeat_lost(client: Client, step: Step, journal: Journal) -> None:
    """The first request may have taken effect; after the second there must be exactly one effect."""
    note, repetition = step.subject, journal.new_request()
    journal.rows[repetition] = None
    journal.either.append((step.request_id, repetition))
    if note.name in await _listed(client):
        note.took_effect()
    try:
        async with asyncio.timeout(RETRY_PATIENCE if note.certain else None):
            answer = await _repeat(client.connection, step, journal, repetition)
    except TimeoutError:
        client.unanswered_creates.append(step)
        return
    if answer.status != 201 or answer.json != step.after:
        raise Violation(f"X5: the repetition of {step.request_id} was answered {answer}")
    note.become(answer.json)


async def _repeat(connection: Connection, step: Step, journal: Journal, request_id: str = "") -> Answer:
    if not request_id:
        request_id = journal.new_request()
        journal.rows[request_id] = 0
    headers = {**step.headers, "x-request-id": request_id}
    return await ask(connection, step.method, step.path, step.body, headers)


# Notes


async def _verify_notes(client: Client, journal: Journal) -> None:
    listed = await _listed(client)
    for note in client.notes:
        note_id = listed.get(note.name, note.id)
        if note.id and note_id != note.id:
            raise Violation(f"X1: {note.name} is {note_id}, but was acknowledged as {note.id}")
        uncertain = not note.certain
        seen = await _shown(client, note_id)
        if (seen is not None) != (note.name in listed):
            raise Violation(f"X2: {note.name} {note_id} is only in one of the list and its own address: {seen}")
        journal.settle(note, seen)
        if uncertain and seen is not None:
            await _verify_tags(client, note)


async def _listed(client: Client) -> dict[str, str]:
    """Return the ids by name, after checking that there are no duplicates and no unexpected notes."""
    items = await everything(client.connection, "/api/notes?owner=me")
    names = Counter(item["title"].split()[0] for item in items)
    unexpected = set(names) - {note.name for note in client.notes}
    if unexpected:
        raise Violation(f"X1: deleted notes are back, or notes appeared from nowhere: {sorted(unexpected)}")
    if duplicates := [name for name, count in names.items() if count > 1]:
        raise Violation(f"X5: one create made several notes: {duplicates}")
    return {item["title"].split()[0]: item["id"] for item in items}


async def _shown(client: Client, note_id: str) -> State:
    if not note_id:
        return None
    answer = await ask(client.connection, "GET", f"/api/notes/{note_id}")
    if answer.status not in (200, 404):
        raise Violation(f"GET /api/notes/{note_id} was answered {answer}")
    shown: State = answer.json if answer.status == 200 else None
    return shown


async def _verify_tags(client: Client, note: Subject) -> None:
    """Tags are stored a second time, for the filter: both copies must agree."""
    version = note.state["version"]
    for tag in (version - 1, version, version + 1):
        found = await everything(client.connection, f"/api/notes?owner=me&tag=v{tag}")
        if any(item["id"] == note.id for item in found) != (tag == version):
            raise Violation(f"X2: {note.name} {note.id} of version {version} and the filter by tag v{tag} disagree")


# Tokens


async def _verify_tokens(client: Client, live: dict[str, dict[str, Any]], journal: Journal) -> None:
    for token in client.tokens:
        seen = live.get(token.name)
        if token.secret and await _works(client, token.secret) != (seen is not None):
            raise Violation(f"X1: token {token.name} {token.id} works or not, but the list says otherwise")
        journal.settle(token, seen)
        if seen is None and token.secret:
            client.revoked_secrets.append(token.secret)
    del client.revoked_secrets[:-_MAX_ENDED]
    for secret in client.revoked_secrets:
        if await _works(client, secret):
            raise Violation(f"X5: a revoked token of client {client.person.number} works again")


async def _works(client: Client, secret: str) -> bool:
    connection = Connection(client.connection.port, secret)
    try:
        answer = await ask(connection, "GET", "/api/whoami")
    finally:
        connection.close()
    if answer.status not in (200, 401):
        raise Violation(f"GET /api/whoami was answered {answer}")
    return answer.status == 200


async def everything(connection: Connection, path: str) -> list[dict[str, Any]]:
    """Return the items of all pages of a list."""
    items: list[dict[str, Any]] = []
    cursor = ""
    while True:
        separator = "&" if "?" in path else "?"
        answer = await ask(connection, "GET", f"{path}{separator}limit=200{cursor}")
        if answer.status != 200:
            raise Violation(f"GET {path} was answered {answer}")
        items += answer.json["items"]
        if answer.json["next_cursor"] is None:
            return items
        cursor = f"&cursor={answer.json['next_cursor']}"
