"""Where SQLite and PostgreSQL differ; everything else is the same SQL on both."""

import re

import msgspec

Replacement = tuple[re.Pattern[str], str]
_ONLY = re.compile(r"^-- (?:only (?=sqlite|postgres)|on both)(\w*).*$", re.MULTILINE)


class Dialect(msgspec.Struct, frozen=True):
    name: str
    share: str
    """Makes a SELECT inside a transaction hold its row as it is until the commit."""
    skip_locked: str
    """Makes a SELECT inside a transaction lock its rows, and pass over those that another holds."""
    strings: str
    """The strings of a JSON list as rows; the parameter's name goes into the braces."""
    position: str
    """The function that finds a text in another, counting from 1; 0 where it is not."""
    bytewise: str
    """Gives an expression the order of the columns."""
    bounds_each_way: bool
    """Whether each arm of a UNION must be limited by itself, or is read only as far as the whole needs."""
    prelude: str
    """Run before the migrations, each time."""
    types: tuple[Replacement, ...]
    """From the migrations' words, which are SQLite's but for BOOLEAN, to this database's."""

    def schema(self, sql: str) -> str:
        """From a line `-- only sqlite` or `-- only postgres` to the next such line or `-- on both`, one is meant."""
        first, *parts = _ONLY.split(sql)
        sql = first + "".join(
            part for name, part in zip(parts[::2], parts[1::2], strict=True) if name in ("", self.name)
        )
        for pattern, replacement in self.types:
            sql = pattern.sub(replacement, sql)
        return sql


SQLITE = Dialect(
    name="sqlite",
    share="",  # there is one writer
    skip_locked="",
    strings="SELECT value FROM json_each(:{})",
    position="instr",
    bytewise="COLLATE BINARY",
    bounds_each_way=False,
    prelude="",  # the engine gives every connection its `moment`
    types=((re.compile(r"\bBOOLEAN\b"), "INTEGER"),),
)

POSTGRES = Dialect(
    name="postgres",
    share="FOR SHARE",
    skip_locked="FOR UPDATE SKIP LOCKED",
    strings="SELECT jsonb_array_elements_text(CAST(:{} AS JSONB))",
    position="strpos",
    bytewise='COLLATE "C"',
    bounds_each_way=True,
    # The database's clock, so many seconds from now, as our own text. What must agree between servers is told by it.
    prelude="""
        CREATE OR REPLACE FUNCTION moment(seconds double precision) RETURNS text LANGUAGE sql STABLE AS $$
            SELECT to_char((statement_timestamp() + make_interval(secs => seconds)) AT TIME ZONE 'UTC',
                           'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
        $$;
    """,
    types=(
        # Text sorts by bytes on both, so that an order seen on one holds on the other.
        (re.compile(r"\bTEXT\b"), 'TEXT COLLATE "C"'),
        (re.compile(r"\bINTEGER\b"), "BIGINT"),
        (re.compile(r"\bBLOB\b"), "BYTEA"),
        (re.compile(r"\) STRICT(, WITHOUT ROWID)?;"), ");"),
    ),
)
