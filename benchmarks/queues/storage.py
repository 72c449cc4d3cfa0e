"""The database of a queue: empty for every measurement, so that none inherits another's rows."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import psycopg

from benchmarks.processes import cpu_seconds, ended_seconds, family
from tests.support.postgres import Postgres

_numbers = count(1)


@dataclass(frozen=True)
class Storage:
    """A database; without a URL it is SQLite in the folder."""

    folder: Path
    url: str
    postmaster: int

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "BENCHMARK_URL": self.url, "BENCHMARK_FOLDER": str(self.folder)}

    def database_cpu(self) -> float:
        """CPU seconds of all PostgreSQL processes, including ended ones; SQLite runs in the worker's process."""
        return cpu_seconds(family(self.postmaster)) + ended_seconds(self.postmaster) if self.url else 0.0

    def settle(self) -> None:
        """Update statistics and write out dirty pages, so that a measurement does not pay for its preparation."""
        if self.url:
            with psycopg.connect(self.url, autocommit=True) as connection:
                connection.execute("VACUUM (ANALYZE)")
                connection.execute("CHECKPOINT")

    @contextmanager
    def asking(self) -> Iterator[Callable[[str], bool]]:
        """Yield a function that evaluates an SQL condition on committed data."""
        if self.url:
            with psycopg.connect(self.url, autocommit=True) as server:
                yield lambda condition: _first(server.execute(f"SELECT {condition}".encode()).fetchone())
        else:
            with closing(sqlite3.connect(self.folder / "data/teamspace.sqlite")) as file:
                yield lambda condition: _first(file.execute(f"SELECT {condition}").fetchone())


def _first(row: tuple[object, ...] | None) -> bool:
    return bool(row and row[0])


@contextmanager
def fresh(folder: Path, postgres: Postgres, *, on_postgres: bool) -> Iterator[Storage]:
    number = next(_numbers)
    made = folder / str(number)
    made.mkdir()
    postmaster = int((postgres.folder / "data/postmaster.pid").read_text().split()[0])
    if not on_postgres:
        yield Storage(made, "", postmaster)
        return
    yield Storage(made, postgres.create_database(f"queue_{number}"), postmaster)
    postgres.drop_database(f"queue_{number}")
