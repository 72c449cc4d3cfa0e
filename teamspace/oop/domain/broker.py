"""The broker: answers a plugin's requests for capabilities, each of which passes the same checks.

The manifest asks for the capability, an operator has granted it, and a running call of one of the plugin's tools backs
the request: that the team has turned the tool on is checked when it is called. Then the request is made as the caller,
who must be allowed to make it.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import msgspec

from teamspace.core.db import Db
from teamspace.core.errors import Refusal
from teamspace.core.principal import Principal
from teamspace.oop import store
from teamspace.oop.domain import capabilities, fetching, limits, messages, services, values
from teamspace.oop.domain.capabilities import Capability
from teamspace.oop.domain.services import PluginServices
from teamspace.oop.domain.tickets import Ticket, Tickets
from teamspace.oop.schemas import (
    Asked,
    CapabilityUse,
    ChatQuestion,
    Fetch,
    FileDraft,
    JobQuestion,
    KeyPrefix,
    KeyValue,
    LogLine,
    OneKey,
    PluginMessage,
    ToolQuestion,
    TranslationQuestion,
)

METHOD_NOT_FOUND, INVALID_PARAMS, FAILED = -32601, -32602, -32000
NOT_GRANTED, NO_TICKET, REFUSED = -32001, -32002, -32003


class BrokerFault(Exception):
    """A request is answered with an error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class Broker:
    """Answers one plugin."""

    def __init__(self, plugin: str, declared: Sequence[Capability], parts: PluginServices, db: Db) -> None:
        self.tickets = Tickets()
        self._plugin, self._declared, self._services, self._db = plugin, tuple(declared), parts, db
        self._used, self._refused = Counter[str](), Counter[str]()
        self._log_began, self._log_lines = 0.0, 0
        self._methods: dict[str, tuple[str, type[Asked], Callable[[Principal, Any, Ticket], Awaitable[Any]]]] = {
            "kv.get":       ("kv",           OneKey,              self._get),
            "kv.put":       ("kv",           KeyValue,            self._put),
            "kv.delete":    ("kv",           OneKey,              self._delete),
            "kv.list":      ("kv",           KeyPrefix,           self._list),
            "notes.read":   ("notes.read",   ToolQuestion,        self._read_note),
            "search":       ("search",       ToolQuestion,        self._search),
            "kg.read":      ("kg.read",      ToolQuestion,        self._find_entities),
            "repo.read":    ("repo.read",    ToolQuestion,        self._read_document),
            "repo.write":   ("repo.write",   FileDraft,           self._write_file),
            "ai.chat":      ("ai.chat",      ChatQuestion,        self._chat),
            "ai.translate": ("ai.translate", TranslationQuestion, self._translate),
            "jobs.enqueue": ("jobs.enqueue", JobQuestion,         self._enqueue),
            "http.fetch":   ("http.fetch",   Fetch,               self._fetch),
        }  # fmt: skip

    def report(self, granted: Sequence[str]) -> list[CapabilityUse]:
        """Return what the plugin asks for in its manifest, and what it has asked for without that."""
        names = [each.name for each in self._declared]
        names += sorted(self._refused.keys() - set(names))
        return [CapabilityUse(name, name in granted, self._used[name], self._refused[name]) for name in names]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer requests until the plugin closes the channel, some at a time."""
        free, running = asyncio.Semaphore(limits.REQUESTS), set[asyncio.Task[None]]()

        async def answer(request: PluginMessage) -> None:
            try:
                writer.write(msgspec.json.encode(await self._answer(request)) + b"\n")
                await writer.drain()
            except OSError:
                pass  # the plugin has ended
            finally:
                free.release()

        try:
            async for request in messages.read(reader, limits.SENT_BYTES):
                await free.acquire()
                task = asyncio.create_task(answer(request))
                running.add(task)
                task.add_done_callback(running.discard)
        finally:
            for task in running:
                task.cancel()

    async def _answer(self, request: PluginMessage) -> dict[str, Any]:
        response: dict[str, Any] = {"jsonrpc": "2.0", "id": request.id}
        try:
            return {**response, "result": await self._perform(request.method or "", request.params)}
        except BrokerFault as fault:
            error: dict[str, Any] = {"code": fault.code, "message": str(fault)}
        except Refusal as refusal:
            error = {"code": REFUSED, "message": refusal.detail, "data": {"code": refusal.code}}
        except TimeoutError:
            error = {"code": FAILED, "message": "There was not enough time."}
        except Exception:
            services.log.exception("a request of the plugin %s failed", self._plugin)
            error = {"code": FAILED, "message": "The server failed."}
        return {**response, "error": error}

    async def _perform(self, method: str, params: dict[str, Any]) -> Any:
        if method in capabilities.TICKETLESS:
            await self._admit(method, "")
            return self._without_ticket(method, params)
        if method not in self._methods:
            raise BrokerFault(METHOD_NOT_FOUND, "There is no such capability.")
        kind, shape, handler = self._methods[method]
        asked = _convert(params, shape)
        ticket = self.tickets.use(asked.ticket)
        if ticket is None:
            self._refused[self._name_of(kind)] += 1
            raise BrokerFault(NO_TICKET, "The ticket is not that of a running call, or was used too often.")
        async with asyncio.timeout(ticket.seconds_left):
            name = await self._admit(kind, await self._subject(kind, ticket.who, asked))
            try:
                result = await handler(ticket.who, asked, ticket)
            except Refusal:
                self._refused[name] += 1
                raise
        self._used[name] += 1
        return result

    async def _admit(self, kind: str, subject: str) -> str:
        """Return the name of the capability that covers a request; raise BrokerFault if there is none."""
        declared = [each for each in self._declared if each.kind == kind and each.covers(subject)]
        if not declared:
            self._refused[kind] += 1
            raise BrokerFault(NOT_GRANTED, f"The manifest does not ask for {Capability(kind, subject).name[:300]}.")
        row = await store.get_grants(self._db, self._plugin)
        granted = [each.name for each in declared if row and each.name in row.capabilities]
        if not granted:
            self._refused[declared[0].name] += 1
            raise BrokerFault(NOT_GRANTED, f"No operator has granted {declared[0].name}.")
        return granted[0]

    def _name_of(self, kind: str) -> str:
        return next((each.name for each in self._declared if each.kind == kind), kind)

    async def _subject(self, kind: str, who: Principal, asked: Any) -> str:
        """Return the key, kind of job or host that a request is about."""
        match asked:
            case Fetch():
                return fetching.host_of(asked)
            case FileDraft(key=subject) | JobQuestion(kind=subject):
                return subject
        return await services.find_key(self._db, who, asked) if kind == "repo.read" else ""

    def _without_ticket(self, method: str, params: dict[str, Any]) -> Any:
        self._used[method] += 1
        if method == "clock":
            return services.now()
        line = _convert(params, LogLine)
        now = asyncio.get_running_loop().time()
        if now - self._log_began > 60:
            self._log_began, self._log_lines = now, 0
        self._log_lines += 1
        if self._log_lines > limits.LOG_LINES_PER_MINUTE:
            raise BrokerFault(REFUSED, f"There were more than {limits.LOG_LINES_PER_MINUTE} lines in this minute.")
        services.write_log(self._plugin, line.level, line.message)
        return None

    # Methods

    async def _get(self, who: Principal, asked: OneKey, ticket: Ticket) -> Any:
        return await values.get(self._db, who, self._plugin, asked.key)

    async def _put(self, who: Principal, asked: KeyValue, ticket: Ticket) -> None:
        await values.put(self._db, who, self._plugin, asked.key, asked.value)

    async def _delete(self, who: Principal, asked: OneKey, ticket: Ticket) -> None:
        await values.delete(self._db, who, self._plugin, asked.key)

    async def _list(self, who: Principal, asked: KeyPrefix, ticket: Ticket) -> list[str]:
        return await values.list_keys(self._db, who, self._plugin, asked.prefix)

    async def _read_note(self, who: Principal, asked: ToolQuestion, ticket: Ticket) -> Any:
        return await services.ask_tool(self._services, self._db, who, "read_note", asked)

    async def _search(self, who: Principal, asked: ToolQuestion, ticket: Ticket) -> Any:
        return await services.ask_tool(self._services, self._db, who, "search", asked)

    async def _find_entities(self, who: Principal, asked: ToolQuestion, ticket: Ticket) -> Any:
        return await services.ask_tool(self._services, self._db, who, "kg_find", asked)

    async def _read_document(self, who: Principal, asked: ToolQuestion, ticket: Ticket) -> Any:
        return await services.ask_tool(self._services, self._db, who, "read_document", asked)

    async def _chat(self, who: Principal, asked: ChatQuestion, ticket: Ticket) -> Any:
        return await services.chat(self._services, self._db, who, asked)

    async def _translate(self, who: Principal, asked: TranslationQuestion, ticket: Ticket) -> Any:
        return await services.translate(self._services, self._db, who, asked)

    async def _write_file(self, who: Principal, asked: FileDraft, ticket: Ticket) -> Any:
        return await services.write_file(self._services, self._db, who, asked)

    async def _enqueue(self, who: Principal, asked: JobQuestion, ticket: Ticket) -> Any:
        return await services.enqueue(self._services, self._db, who, asked)

    async def _fetch(self, who: Principal, asked: Fetch, ticket: Ticket) -> Any:
        secrets = {}
        for name in fetching.secrets_of(asked):
            used = await self._admit("secret", name)
            if name in self._services.secrets:
                secrets[name] = self._services.secrets[name]
                self._used[used] += 1
        seconds = min(limits.FETCH_SECONDS, ticket.seconds_left)
        return await fetching.fetch(self._services.egress, who, asked, secrets, seconds)


def _convert(params: dict[str, Any], shape: type[Any]) -> Any:
    try:
        return msgspec.convert(params, shape)
    except msgspec.ValidationError as fault:
        raise BrokerFault(INVALID_PARAMS, str(fault)) from None
