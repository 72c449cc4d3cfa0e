"""Texts and their index in SQL. Words of a query are quoted here, and only consist of letters and digits."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import asdict

from teamspace.core.db import Reads, Tx, as_json
from teamspace.core.db.dialect import Dialect
from teamspace.fulltext.schemas import Hits, NewText, Query, Term, TextRow, TitleRow, Words


async def put(tx: Tx, id: int, text: NewText) -> None:
    """Insert or replace the text of `kind` and `ref`; an existing text keeps its id."""
    await tx.defer(
        "INSERT INTO texts (id, kind, ref, org_id, made_by, title, labels, body, title_words, label_words, body_words)"
        " VALUES (:id, :kind, :ref, :org_id, :made_by, :title, :labels, :body, :title_words, :label_words, :body_words)"
        " ON CONFLICT (kind, ref) DO UPDATE SET org_id = excluded.org_id, made_by = excluded.made_by,"
        " title = excluded.title, labels = excluded.labels, body = excluded.body, title_words = excluded.title_words,"
        " label_words = excluded.label_words, body_words = excluded.body_words",
        id=id, **_params(text),
    )  # fmt: skip


async def rename(tx: Tx, kind: str, ref: str, title: str, labels: str, title_words: str, label_words: str) -> None:
    await tx.defer(
        "UPDATE texts SET title = :title, labels = :labels, title_words = :title_words, label_words = :label_words"
        " WHERE kind = :kind AND ref = :ref",
        kind=kind, ref=ref, title=title, labels=labels, title_words=title_words, label_words=label_words,
    )  # fmt: skip


async def delete(tx: Tx, kind: str, ref: str) -> None:
    await tx.defer("DELETE FROM texts WHERE kind = :kind AND ref = :ref", kind=kind, ref=ref)


async def select_titles(db: Reads, kind: str, refs: Sequence[str]) -> list[TitleRow]:
    return await db.all(
        TitleRow,
        f"SELECT ref, title FROM texts WHERE kind = :kind AND ref {db.dialect.in_strings.format('refs')}",
        kind=kind, refs=as_json(refs),
    )  # fmt: skip


async def select_outdated(db: Reads, made_by: int, limit: int) -> list[TextRow]:
    return await db.all(
        TextRow,
        "SELECT id, title, labels, body FROM texts WHERE made_by < :made_by ORDER BY made_by, id LIMIT :limit",
        made_by=made_by, limit=limit,
    )  # fmt: skip


async def put_words(tx: Tx, text_id: int, words: Words, made_by: int) -> None:
    """Store new words, unless the text has been written since it was read."""
    await tx.run(
        "UPDATE texts SET made_by = :made_by, title_words = :title_words, label_words = :label_words,"
        " body_words = :body_words WHERE id = :id AND made_by < :made_by",
        id=text_id, made_by=made_by, **asdict(words),
    )  # fmt: skip


def _params(text: NewText) -> dict[str, Any]:
    values = asdict(text)
    return values | asdict(values.pop("words"))


# Search. The index contains the kind and company of a text like a word, in a separate column: common words are found
# in one company without reading the texts of others.


def hits(dialect: Dialect, query: Query, kind: str, org_id: str) -> Hits:
    scope = kind + org_id.replace("-", "")
    return _on_sqlite(query, kind, scope) if dialect.name == "sqlite" else _on_postgres(query, kind, scope)


def _on_sqlite(query: Query, kind: str, scope: str) -> Hits:
    expression = " AND ".join(f'"{" ".join(term.words)}"{" *" if term.prefix else ""}' for term in query.terms)
    return Hits(
        source="texts_index CROSS JOIN texts",  # CROSS JOIN forces the planner to start with the index
        where=f"texts_index MATCH :{kind}_words AND texts.id = texts_index.rowid",
        score="relevance(texts_index, 0, 8, 4, 1)",
        newest_first="texts_index.rowid DESC",
        params={f"{kind}_words": f'scope : "{scope}" AND {{title labels body}} : ({expression})'},
        index="texts_index",
        in_index=f"texts_index MATCH :{kind}_words",
    )


def _on_postgres(query: Query, kind: str, scope: str) -> Hits:
    expression = " & ".join(f"({_phrase(term)})" for term in query.terms)
    return Hits(
        source="texts",
        where=f"texts.vector @@ CAST(CAST(:{kind}_words AS TEXT) AS tsquery)",
        score=f"ts_rank('{{0.1, 0, 0.5, 1}}', texts.vector, CAST(CAST(:{kind}_ranked AS TEXT) AS tsquery), 1)",
        newest_first="texts.id DESC",
        params={f"{kind}_words": f"'{scope}':C & ({expression})", f"{kind}_ranked": expression},
    )


def _phrase(term: Term) -> str:
    *others, last = (f"'{word}':ABD" for word in term.words)
    return " <-> ".join([*others, last + "*" if term.prefix else last])
