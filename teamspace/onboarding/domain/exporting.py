"""Exports prospects as CSV, for spreadsheets: no value can be taken for a formula."""

import asyncio
import csv
import io
from collections.abc import AsyncGenerator, Iterable

import msgspec

from teamspace.core import clock
from teamspace.core.db import Db
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import CsvLines
from teamspace.onboarding import access, store
from teamspace.onboarding.domain import prospects
from teamspace.onboarding.schemas.prospects import ProspectQuery, ProspectRow

STRIDE = 200
"""Rows that are read at a time."""
_COLUMNS = ("id", "created_at", "email", "locale", "state", "level", "score", "doubts", "verdict", "verdict_score", "note", "decided_at")  # fmt: skip
_OTHER = "other_fields"
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


async def export(db: Db, who: Principal, query: ProspectQuery) -> CsvLines:
    """Return all prospects that match; the fields of the published experience have columns of their own."""
    live = await store.get_published(db, access.fence(who, P.SETTINGS_MANAGE))
    fields = [field.name for field in live.published.fields if field.name != "email"] if live else []
    headers = {"content-disposition": f'attachment; filename="prospects-{clock.stamp()[:10]}.csv"'}
    return CsvLines(_lines(db, who, query, fields), "text/csv; charset=utf-8", headers=headers)


async def _lines(db: Db, who: Principal, query: ProspectQuery, fields: list[str]) -> AsyncGenerator[bytes, None]:
    yield _encode([[*_COLUMNS, *fields, _OTHER]])
    before, fence = query.before, access.prospects(who)
    while rows := await prospects.select_page(db, fence, query, before, STRIDE):
        yield _encode(_to_line(row, fields) for row in rows)
        before = rows[-1].id
        await asyncio.sleep(0)  # give requests a turn between batches


def _to_line(row: ProspectRow, fields: list[str]) -> list[str]:
    verdict = row.judged
    known = (
        row.id, row.created_at, row.email, row.locale or "", row.state, row.level, row.signals.score,
        " ".join(row.signals.doubts), row.verdict, "" if verdict is None else verdict.score, row.note, row.decided_at or "",
    )  # fmt: skip
    others = {name: value for name, value in row.answers.items() if name not in fields and value != row.email}
    answers = [_to_text(row.answers.get(name, "")) for name in fields]
    return [*map(str, known), *answers, msgspec.json.encode(others).decode() if others else ""]


def _to_text(value: str | bool) -> str:
    return value if isinstance(value, str) else "true" if value else "false"


def _encode(lines: Iterable[list[str]]) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerows([_harmless(value) for value in line] for line in lines)
    return out.getvalue().encode()


def _harmless(value: str) -> str:
    """Return a value that no spreadsheet computes."""
    return f"'{value}" if value.startswith(_FORMULA) else value
