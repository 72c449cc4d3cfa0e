"""What plugins can ask the server for. Whatever concerns people's data runs as the caller, through the same gates."""

import base64
import binascii
import logging
from collections.abc import Mapping
from typing import Any

import msgspec

from teamspace import blobs, jobs, repository, translation
from teamspace.ai import DryRun, Gateway
from teamspace.blobs import BlobStore
from teamspace.completions import ModelRequest
from teamspace.core import clock, text
from teamspace.core.db import Db
from teamspace.core.egress import Egress
from teamspace.core.errors import BadRequest, FeatureDisabled, Forbidden, OutOfScope
from teamspace.core.permissions import Feature, Permission
from teamspace.core.principal import Principal
from teamspace.events import ReadableSubjects
from teamspace.jobs import JobDraft, JobRouter, Queue
from teamspace.oop.schemas import ChatQuestion, FileDraft, JobQuestion, ToolQuestion, TranslationQuestion
from teamspace.repository import VersionDraft, WriteCondition
from teamspace.tools import Toolbox, ToolContext
from teamspace.translation import NewTranslation

log = logging.getLogger("teamspace.oop")
_LEVELS = {"info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}
_PURPOSE = "plugin"


class PluginServices(msgspec.Struct, frozen=True):
    """The parts of the server that requests of plugins reach."""

    toolbox: Toolbox
    gateway: Gateway
    egress: Egress
    files: BlobStore
    queue: Queue
    router: JobRouter
    readable: ReadableSubjects
    secrets: Mapping[str, str]


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
    _check_rights(who, Permission.CHAT_USE, Feature.CHAT)
    request = ModelRequest(messages=conversation.messages, max_tokens=conversation.max_tokens)
    given = await services.gateway.call(db, who, request, purpose=_PURPOSE)
    return {"text": given.answer.text, "usage": msgspec.to_builtins(given.answer.usage)}


async def translate(
    services: PluginServices, db: Db, who: Principal, question: TranslationQuestion
) -> dict[str, Any]:  # fmt: skip
    """Translate a text with the team's glossary, charged to the caller, in whose history it is."""
    _check_rights(who, Permission.CHAT_USE, Feature.TRANSLATE)
    request = NewTranslation(question.text, question.target, question.source)
    done = await translation.translate_text(services.gateway, db, who, request)
    assert not isinstance(done, DryRun)
    return {"text": done.text, "source": done.source, "usage": msgspec.to_builtins(done.usage)}


async def write_file(services: PluginServices, db: Db, who: Principal, draft: FileDraft) -> dict[str, Any]:
    """Write a version of a file as the caller."""
    key = repository.naming.validate_key(draft.key)
    filename = repository.naming.choose_filename(None, key)
    content_type = repository.naming.parse_content_type(draft.content_type, filename)
    body = _read_body(draft)
    written = await repository.writing.upload(
        db, services.files, services.queue, who, VersionDraft(key, filename, content_type, actor_kind="agent"),
        WriteCondition(), blobs.as_stream(body), len(body),
    )  # fmt: skip
    return {"object_id": written.row.id, "version": written.version.number, "created": written.created}


async def enqueue(services: PluginServices, db: Db, who: Principal, question: JobQuestion) -> dict[str, Any]:
    """Create a job as the caller."""
    _check_rights(who, Permission.CHAT_USE)
    draft = JobDraft(question.kind, question.input)
    job = await jobs.enqueue(db, who, services.queue, services.router, services.readable, draft)
    return {"job_id": job.id, "state": job.state}


def _read_body(draft: FileDraft) -> bytes:
    try:
        return base64.b64decode(draft.body, validate=True) if draft.is_base64 else draft.body.encode()
    except (binascii.Error, UnicodeEncodeError):
        raise BadRequest.at("/body", "oop.body") from None


def _check_rights(who: Principal, permission: Permission, feature: Feature | None = None) -> None:
    if not who.in_scope(permission):
        raise OutOfScope("rights.out_of_scope", permission=permission)
    if feature is not None and feature not in who.features:
        raise FeatureDisabled("rights.feature_off", feature=feature)
    if not who.has_permission(permission):
        raise Forbidden("rights.needs", permission=permission)


def write_log(plugin: str, level: str, message: str) -> None:
    log.log(_LEVELS[level], "the plugin %s: %s", plugin, text.one_line(message, max_length=1000))


def now() -> dict[str, str]:
    return {"now": clock.stamp()}
