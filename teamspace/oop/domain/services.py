"""What plugins can ask the server for. Whatever concerns people's data runs as the caller, through the same gates."""

import base64
import logging
import re
from typing import Any

import msgspec

from teamspace import repository
from teamspace.ai import Gateway
from teamspace.completions import ModelRequest
from teamspace.core import clock, text
from teamspace.core.db import Db
from teamspace.core.egress import Egress, EgressFailed, EgressRefused, NetworkReach, OutgoingRequest, Timeouts, parse
from teamspace.core.errors import BadRequest, FeatureDisabled, Forbidden, OutOfScope
from teamspace.core.permissions import Feature, Permission
from teamspace.core.principal import Principal
from teamspace.oop.domain import limits
from teamspace.oop.schemas import ChatQuestion, Fetch, Fetched, ToolQuestion
from teamspace.tools import Toolbox, ToolContext

log = logging.getLogger("teamspace.oop")
_LEVELS = {"info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}
_HEADER = re.compile(r"[a-z0-9-]{1,100}")
_OUR_HEADERS = frozenset({"host", "connection", "content-length", "transfer-encoding", "te", "upgrade", "expect"})
_PURPOSE = "plugin"


class PluginServices(msgspec.Struct, frozen=True):
    """The parts of the server that requests of plugins reach."""

    toolbox: Toolbox
    gateway: Gateway
    egress: Egress


async def ask_tool(services: PluginServices, db: Db, who: Principal, tool: str, question: ToolQuestion) -> Any:
    result = await services.toolbox.call(db, who, tool, question.arguments, ToolContext("plugin"))
    return result.value


async def find_key(db: Db, who: Principal, question: ToolQuestion) -> str:
    """Return the key of the document that a question is about; NotFound if the caller cannot read it."""
    document = question.arguments.get("document")
    if not isinstance(document, str):
        raise BadRequest.at("/arguments/document", "oop.no_document")
    return (await repository.get_by_id_or_key(db, who, document)).key


async def chat(services: PluginServices, db: Db, who: Principal, conversation: ChatQuestion) -> dict[str, Any]:
    """Have a conversation continued, charged to the caller."""
    if not who.in_scope(Permission.CHAT_USE):
        raise OutOfScope("rights.out_of_scope", permission=Permission.CHAT_USE)
    if Feature.CHAT not in who.features:
        raise FeatureDisabled("rights.feature_off", feature=Feature.CHAT)
    if not who.has_permission(Permission.CHAT_USE):
        raise Forbidden("rights.needs", permission=Permission.CHAT_USE)
    request = ModelRequest(messages=conversation.messages, max_tokens=conversation.max_tokens)
    given = await services.gateway.call(db, who, request, purpose=_PURPOSE)
    return {"text": given.answer.text, "usage": msgspec.to_builtins(given.answer.usage)}


def host_of(fetch: Fetch) -> str:
    """Return the host of a URL as grants name it: with its port, unless it is that of https."""
    try:
        target = parse(fetch.url)
    except EgressRefused as refusal:
        raise BadRequest("oop.url", reason=str(refusal)) from None
    return target.host if (target.scheme, target.port) == ("https", 443) else f"{target.host}:{target.port}"


async def fetch(services: PluginServices, who: Principal, asked: Fetch, seconds: float) -> Fetched:
    headers = {name.lower(): value for name, value in asked.headers.items()}
    if wrong := [name for name in headers if not _HEADER.fullmatch(name) or name in _OUR_HEADERS]:
        raise BadRequest("oop.header", name=text.one_line(wrong[0], max_length=100))
    request = OutgoingRequest(
        asked.method, asked.url, NetworkReach.LISTED, who.org_id, headers, asked.body.encode(),
        Timeouts(read=seconds, total=seconds), limits.FETCHED_BYTES,
    )  # fmt: skip
    try:
        async with services.egress.stream(request) as response:
            body = b"".join([piece async for piece in response])
    except EgressFailed as fault:
        raise BadRequest("oop.fetch", reason=str(fault)) from None
    kind = response.headers.get("content-type", "")
    try:
        return Fetched(response.status, kind, body.decode(), is_base64=False)
    except UnicodeDecodeError:
        return Fetched(response.status, kind, base64.b64encode(body).decode(), is_base64=True)


def write_log(plugin: str, level: str, message: str) -> None:
    log.log(_LEVELS[level], "the plugin %s: %s", plugin, text.one_line(message, max_length=1000))


def now() -> dict[str, str]:
    return {"now": clock.stamp()}
