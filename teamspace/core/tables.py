"""Row types of the tables that the server collects at start, besides routes."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import partial, wraps
from types import ModuleType
from typing import Any, Literal, get_type_hints

import msgspec

from teamspace.core.permissions import Feature, Permission, Row

ArtifactKind = Literal["document", "table", "text", "link", "image"]


class BootError(Exception):
    """The tables and the code do not match. The message lists every mismatch."""


class DomainEvent(msgspec.Struct, frozen=True):
    """The base of all events: what happened, emitted in the transaction that did it."""


class On(msgspec.Struct, frozen=True):
    """A listener: `handler(tx, event)` runs in the transaction that emitted the event.

    Further arguments are objects of the server, by their type. Only a server has them: the command line calls the
    listeners that need none.
    """

    event: type
    handler: str
    doc: str


class JobSpec(msgspec.Struct, frozen=True):
    """A job kind. The handler's annotations declare its input and result.

    Functions are given by name and looked up in the table's module.
    """

    kind: str
    handler: str | None
    """None if only remote workers can run it; then `input` and `result` declare the types."""
    doc: str
    callable: bool = False
    """Whether people may request it, or only the server itself."""
    permission: Permission | None = None
    feature: Feature | None = None
    """Required of the requester, as by the corresponding route: when the job is created and again when it runs here."""
    remote: bool = False
    """Whether a remote worker may claim it."""
    repeatable: bool = True
    """Whether an attempt that was cut off is made again; if not, the job fails, and is charged with its estimate."""
    parks: bool = True
    """Whether it waits if its handler finds a quota exhausted; if not, it fails."""
    stoppable: bool = False
    """Whether its requester can stop it: the handler then ends with what it has."""
    retries_refusals: bool = False
    """Whether an attempt is repeated also after a refusal that could end otherwise another time, such as a conflict."""
    max_attempts: int = 3
    seconds: float = 600
    """The time limit of one attempt on this server."""
    estimate: str | None = None
    """Maps the input to its estimated usage; None if the kind is not metered."""
    spent: str | None = None
    """Maps the result to its actual usage."""
    check: str | None = None
    """Maps input and result to an error in the result, or None; may be async."""
    verify: str | None = None
    """Called with the requester and the input when a person requests the job; raises if it cannot be run."""
    assign: str | None = None
    """Maps the requester and the input to what a remote worker gets; None: the input as it is."""
    describe: str | None = None
    """Maps the requester and the input to the job's title, in the transaction that creates it on request."""
    ended: str | None = None
    """Called once, with the job and its outcome, in the transaction that ends it."""
    run_ended: str | None = None
    """Called instead of `ended`, with all jobs of one run that end in the transaction, and their outcomes."""
    asks_models: bool = False
    """Whether its handler asks models, itself or with tools. What it leaves open is charged when an attempt ends."""
    steps: str | None = None
    """Maps a reader and the job's id to what it has done so far, as far as the reader may know it."""
    input: type[msgspec.Struct] | None = None
    result: type[msgspec.Struct] | None = None


class Tool(msgspec.Struct, frozen=True):
    """A function that models, workflow steps and other programs can call, through `tools.Toolbox.call` only.

    The handler is given by name and looked up in the table's module. Its annotations declare the arguments.
    """

    name: str
    handler: str
    doc: str
    """Says what it does; models decide by it when to call the tool."""
    permission: Permission | Row
    """With `row(...)`, ownership or a grant may allow the call: the gate checks the token's scope, the fence decides."""
    feature: Feature | None = None
    artifacts: tuple[ArtifactKind, ...] = ()
    """The kinds of artifacts that it returns; none if it returns other values."""
    slow: bool = False
    """Whether a call can take minutes: a plugin's tool then gets them, and MCP clients get a task instead of waiting."""
    only_documents: bool = False
    """Whether its result has nothing of its caller's but what is in documents that its arguments or its result name:
    whoever may read these may see it in a run."""
    estimate: str | None = None
    """Maps the arguments, as a dictionary, to what a call is expected to spend; None: it spends nothing."""

    @property
    def needs(self) -> Permission:
        return self.permission.permission if isinstance(self.permission, Row) else self.permission


class Workflow(msgspec.Struct, frozen=True):
    """A workflow that a plugin brings: every team has it, and can publish its own version."""

    spec: dict[str, Any]
    """In the format that `GET /api/workflows/schema` describes."""

    @property
    def slug(self) -> str:
        return str(self.spec.get("slug", ""))


class OnboardingExperience(msgspec.Struct, frozen=True):
    """What the sign-up page asks, until a team publishes something else."""

    document: dict[str, Any]
    """As `PUT /api/beta/experience` takes it, without assets."""


class Invariant(msgspec.Struct, frozen=True):
    """A rule that the data must always satisfy: the query finds violations, and must find none."""

    name: str
    doc: str
    sql: str


class Count(msgspec.Struct, frozen=True):
    """A count for the operators of the instance."""

    name: str
    sql: str


class BlobColumn(msgspec.Struct, frozen=True):
    """A column that references blobs: a blob is kept as long as a row references it."""

    table: str
    column: str
    """Contains the digest; the row's org_id is the namespace."""

    @property
    def name(self) -> str:
        return f"{self.table}.{self.column}"


class BlobStoreSpec(msgspec.Struct, frozen=True):
    """A kind of blob store, which SERVICE_BLOB_STORE selects by its name."""

    name: str
    opener: str
    """`opener(settings)` returns the store: an object with the functions of `blobs.PlainBlobStore`."""
    doc: str


class OwnedTable(msgspec.Struct, frozen=True):
    """A table whose rows belong to a person in a team (`owner_id`, `team_id`, `org_id`) and can be transferred."""

    table: str
    kind: str
    """The kind of its rows in the event log."""


class TransientTable(msgspec.Struct, frozen=True):
    """A table whose rows mean nothing in another database: a backup leaves them out."""

    table: str


class EncryptedColumn(msgspec.Struct, frozen=True):
    """A column with encrypted values, each bound to its context `table|column|key`."""

    table: str
    column: str
    key: str
    """SQL for the last part of the context; it identifies the row."""
    where: str = "TRUE"

    @property
    def name(self) -> str:
        return f"{self.table}.{self.column}"


def collect_listeners(
    located: Iterable[tuple[ModuleType, On]], provided: Mapping[type, Any] | None = None
) -> dict[type, list[Callable[..., Any]]]:
    """Return the functions of the listeners, by event; those that need more than is provided are left out."""
    listeners: dict[type, list[Callable[..., Any]]] = {}
    for module, row in located:
        handler = getattr(module, row.handler)
        needed = needed_by_listener(handler)
        if not needed:
            listeners.setdefault(row.event, []).append(handler)
        elif provided is not None:
            if missing := [name for name, kind in needed.items() if kind not in provided]:
                raise BootError(f"{module.__name__}.{row.handler}: the server has no {', '.join(missing)}")
            objects = {name: provided[kind] for name, kind in needed.items()}
            listeners.setdefault(row.event, []).append(wraps(handler)(partial(handler, **objects)))
    return listeners


def needed_by_listener(handler: Callable[..., Any]) -> dict[str, type]:
    """Return the types of a listener's arguments after the transaction and the event."""
    names = list(inspect.signature(handler).parameters)[2:]
    hints = get_type_hints(handler) if names else {}
    return {name: hints[name] for name in names}
