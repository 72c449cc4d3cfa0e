"""Translate a document: its text, in Markdown, beside the source. What was translated is remembered piece by piece."""

import re
from collections.abc import Iterator
from itertools import islice

from teamspace import fulltext, repository, translation
from teamspace.ai import Gateway
from teamspace.core import pools
from teamspace.core.db import Db
from teamspace.core.errors import Forbidden
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.executors import ModelRole
from teamspace.extraction import ReaderPool
from teamspace.pipeline.domain import deriving
from teamspace.pipeline.schemas import DerivationPlan, DerivedContent, PipelineCall
from teamspace.quota import Spend
from teamspace.repository import MARKDOWN, VersionSource
from teamspace.tools import Artifact

TOOL = "doc_translate"
PIECE, MAX_PIECE = 48_000, 96_000
"""Characters of a text that are translated at a time. A piece ends between paragraphs, unless one is very long."""
MAX_UNITS = 4_000
"""Lines and cells of a piece: each can be a segment."""
ESTIMATE = Spend(1, 2_000)
"""What a translation is expected to spend: of a page, since a document's length is not known before it is read."""
_FENCE = re.compile(r"[ \t]{0,40}(?:`{3,}|~{3,})")
_CELL = re.compile(r"(?<!\\)\|")
_MAX_CHECKS = 50


async def translate(call: PipelineCall, gateway: Gateway, readers: ReaderPool, name: str, locale: str) -> Artifact:
    if not call.who.has_permission(P.CHAT_USE):
        raise Forbidden("tools.needs", tool=TOOL, permission=P.CHAT_USE)
    target = translation.clean_tag(locale, "arguments/locale")
    row = await deriving.find_source(call.db, call.who, name)
    found = await repository.require_version_text(call.db, call.files, readers, call.who, row.id)
    source = VersionSource(row.id, found.version.number, 0, len(found.text))
    revision = await translation.get_revision(call.db, call.who, target)
    recipe = deriving.hash_recipe(TOOL, target, revision)
    plan = DerivationPlan(row, f".{target}.md", MARKDOWN, recipe, (source,))
    failed: list[translation.FailedCheck] = []

    async def make() -> DerivedContent:
        text = await translate_long(gateway, call.db, call.who, found.text, target, failed)
        return DerivedContent(text.encode(errors="replace"), await fulltext.prepare(text, is_markdown=True))

    derived = await deriving.derive(call, plan, make)
    return Artifact(
        kind="document", title=derived.row.filename, summary=f"{row.key} in {target}", content_type=MARKDOWN,
        object_id=derived.row.id, version_id=derived.version.id,
        extra={
            "key": derived.row.key, "version": derived.version.number, "locale": target, "checks": failed[:_MAX_CHECKS],
            "source": {"object_id": row.id, "version": found.version.number, "version_id": found.version.id},
        },
    )  # fmt: skip


async def translate_long(
    gateway: Gateway, db: Db, who: Principal, text: str, target: str, failed: list[translation.FailedCheck]
) -> str:
    """Translate a text of any length. If it breaks off, what was done is not paid for again."""
    done: list[str] = []
    for piece in await pools.TEXT.run(list, pieces(text)):
        done.append(await translate_piece(gateway, db, who, piece, target, None, failed))
    return "".join(done)


async def translate_piece(
    gateway: Gateway, db: Db, who: Principal, text: str, target: str, source: str | None,
    failed: list[translation.FailedCheck],
) -> str:  # fmt: skip
    if not text.strip():
        return text
    translated = await translation.translate(
        gateway, db, who, {"": text}, target=target, source=source, role=ModelRole.UTILITY
    )
    async with db.maintenance(who) as tx:
        await translation.remember(tx, who, translated)
    failed += translated.checks
    return translated.texts[""]


def pieces(text: str) -> Iterator[str]:
    """Divide a text between paragraphs, never in a block of code unless that is too long."""
    lines, size, units, is_code = list[str](), 0, 0, False
    for line in _lines(text):
        is_full = size >= PIECE
        can_end = not is_code and not line.strip()
        if lines and (size + len(line) > MAX_PIECE or units >= MAX_UNITS or (is_full and can_end)):
            yield "".join(lines)
            lines, size, units = [], 0, 0
        if _FENCE.match(line):
            is_code = not is_code
        lines.append(line)
        size, units = size + len(line), units + 1 + line.count("|")
    if lines:
        yield "".join(lines)


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of a text; those that are too long for a piece in parts: a row of a table between cells."""
    for line in text.splitlines(keepends=True):
        is_row, start = line.lstrip().startswith("|"), 0
        while start < len(line):
            part = line[start : start + MAX_PIECE]
            end = _row_end(part) if is_row else len(part)
            if end == len(part) and start + end < len(line):
                end = part.rfind(" ") + 1 or end
            yield part[:end]
            start += end


def _row_end(part: str) -> int:
    """Return where a part of a row has as many cells as a piece may have, or else its length."""
    cells = (match.start() for match in _CELL.finditer(part) if match.start() > 0)
    return next(islice(cells, MAX_UNITS - 2, None), len(part))
