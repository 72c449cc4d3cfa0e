"""The differences between SQLite and PostgreSQL; all other SQL is the same on both."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain
from operator import attrgetter
from typing import Any

import msgspec

Replacement = tuple[re.Pattern[str], str]
NOW = "(SELECT moment(0))"
"""The database's clock, read once per statement and not once per row."""
_MAX_VALUES = 32
"""Rows that are sent as values. Each number of them is a statement of its own."""
_SECTION = re.compile(r"^-- (?:only (?=sqlite|postgres)|on both)(\w*).*$", re.MULTILINE)


class Dialect(msgspec.Struct, frozen=True):
    name: str
    share_lock: str
    """Suffix of a SELECT in a transaction: its rows cannot change until the commit."""
    skip_locked: str
    """Suffix of a SELECT in a transaction: locks its rows and skips rows that another transaction has locked."""
    row_lock: str
    """Suffix of a SELECT in a transaction: locks its rows, and waits for another transaction that has them."""
    each_first: str
    """Joins to each row before it the first rows of a table by a query that depends on that row: `{table}` and `{rest}`,
    the query's WHERE, ORDER BY and LIMIT."""
    json_strings: str
    """A query that returns the strings of a JSON list, as `value`; the parameter's name goes into the braces."""
    json_list: str
    """The same for a column with a JSON list, whose name goes into the braces."""
    json_type: str
    """The type of such a column in `json_table`."""
    in_strings: str
    """The condition that a value is in a JSON list of strings; it uses an index like a list of literals."""
    in_query: str
    """The condition that a value is in the result of a query, which goes into the braces; it uses an index like a list of
    literals, however many rows the planner expects."""
    settled: str
    """Whether a row of `events` is final: no transaction that is still running can commit a row before it."""
    position: str
    """The function that returns the position of a substring, counted from 1, or 0 if it is absent."""
    byte_order: str
    """The collation that sorts an expression by bytes, as the text columns are sorted."""
    limits_each_branch: bool
    """Whether each branch of a UNION needs its own LIMIT; if not, the outer LIMIT stops reading early enough."""
    prelude: str
    """SQL to run before the migrations, at every start."""
    types: tuple[Replacement, ...]
    """Replacements of column types. Migrations use SQLite's types, plus BOOLEAN."""

    def json_table(self, param: str, **columns: str) -> str:
        """Return a query for the rows of a JSON list of objects, with these columns and their types."""
        if self.name == "sqlite":
            selected = ", ".join(f"value ->> '{column}' AS {column}" for column in columns)
            return f"SELECT {selected} FROM json_each(:{param})"
        typed = ", ".join(f"{column} {type}" for column, type in columns.items())
        return f"SELECT * FROM jsonb_to_recordset(CAST(:{param} AS JSONB)) AS rows ({typed})"

    def table(self, param: str, rows: Sequence[msgspec.Struct], **columns: str) -> tuple[str, dict[str, Any]]:
        """Return a query for rows with these columns and their types, and its parameters.

        SQLite takes longer to read a row out of a JSON list than to write it, so it gets a few rows as values.
        """
        if self.name != "sqlite" or not 0 < len(rows) <= _MAX_VALUES:
            return self.json_table(param, **columns), {param: msgspec.json.encode(rows).decode()}
        sql, names, values_of = _values(param, tuple(columns), len(rows))
        return sql, dict(zip(names, chain.from_iterable(map(values_of, rows)), strict=True))

    def translate(self, sql: str) -> str:
        """Return a migration in this dialect.

        A line `-- only sqlite` or `-- only postgres` limits what follows to that database, until the next such line
        or `-- on both`.
        """
        first, *parts = _SECTION.split(sql)
        sql = first + "".join(
            part for name, part in zip(parts[::2], parts[1::2], strict=True) if name in ("", self.name)
        )
        for pattern, replacement in self.types:
            sql = pattern.sub(replacement, sql)
        return sql


@lru_cache(1024)
def _values(
    param: str, columns: tuple[str, ...], count: int
) -> tuple[str, list[str], Callable[[object], Sequence[Any]]]:
    """Return a query for a number of rows, the names of its parameters, and what takes the values from a row."""
    names = [f"{param}_{row}_{column}" for row in range(count) for column in range(len(columns))]
    rows = ", ".join(
        f"({', '.join(f':{name}' for name in names[first : first + len(columns)])})"
        for first in range(0, len(names), len(columns))
    )
    selected = ", ".join(f"column{number} AS {column}" for number, column in enumerate(columns, 1))
    return f"SELECT {selected} FROM (VALUES {rows})", names, attrgetter(*columns)


SQLITE = Dialect(
    name="sqlite",
    share_lock="",  # there is one writer
    skip_locked="",
    row_lock="",
    each_first="JOIN {table} ON {table}.id IN (SELECT id FROM {table} {rest})",
    json_strings="SELECT value FROM json_each(:{})",
    json_list="SELECT value FROM json_each({})",
    json_type="TEXT",
    in_strings="IN (SELECT value FROM json_each(:{}))",
    in_query="IN ({})",
    settled="TRUE",  # there is one writer
    position="instr",
    byte_order="COLLATE BINARY",
    limits_each_branch=False,
    prelude="",  # the engine registers `moment` on every connection
    types=((re.compile(r"\bBOOLEAN\b"), "INTEGER"),),
)

POSTGRES = Dialect(
    name="postgres",
    share_lock="FOR SHARE",
    skip_locked="FOR UPDATE SKIP LOCKED",
    row_lock="FOR UPDATE",
    each_first="CROSS JOIN LATERAL (SELECT * FROM {table} {rest}) AS {table}",
    json_list="SELECT jsonb_array_elements_text({})",
    json_type="JSONB",
    json_strings="SELECT jsonb_array_elements_text(CAST(:{} AS JSONB)) AS value",
    # As an array, not a join: the rows are read, and locked, in the order of the index.
    in_strings="= ANY (ARRAY(SELECT jsonb_array_elements_text(CAST(:{} AS JSONB))))",
    in_query="= ANY (ARRAY({}))",
    settled="transaction_id < CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS TEXT) AS BIGINT)",
    position="strpos",
    byte_order='COLLATE "C"',
    limits_each_branch=True,
    # The database's clock plus an offset, in our timestamp format. Servers use it for times they must agree on.
    prelude="""
        CREATE OR REPLACE FUNCTION moment(seconds double precision) RETURNS text LANGUAGE sql STABLE AS $$
            SELECT to_char((statement_timestamp() + make_interval(secs => seconds)) AT TIME ZONE 'UTC',
                           'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
        $$;
    """,
    types=(
        # Text sorts by bytes on both databases, so both return the same order.
        (re.compile(r"\bTEXT\b"), 'TEXT COLLATE "C"'),
        (re.compile(r"\bINTEGER\b"), "BIGINT"),
        (re.compile(r"\bBLOB\b"), "BYTEA"),
        (re.compile(r"\) STRICT(, WITHOUT ROWID)?;"), ");"),
    ),
)
