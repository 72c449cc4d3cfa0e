"""A past for an instance that was just set up: what a team used in the last days."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from tests.support.served import Served

DAYS = 100


def invent_usage(served: Served, days: int = DAYS) -> None:
    """Write a history of storage, traffic and AI usage for the first team, on SQLite. Storage ends as it is now, plus
    what was added."""
    random = Random(7)
    today = datetime.now(UTC).date()
    with closing(sqlite3.connect(Path(served.settings["SERVICE_DATA"]) / "teamspace.sqlite")) as file, file:
        org, team = file.execute("SELECT org_id, id FROM teams ORDER BY created_at LIMIT 1").fetchone()
        file.execute("UPDATE quota_history SET since = ?", [(today - timedelta(days=days)).isoformat()])
        for table in ("orgs", "teams"):
            file.execute(f"UPDATE {table} SET created_at = ?", [f"{today - timedelta(days=days)}T08:00:00.000Z"])
        for back in range(1, days):
            day = today - timedelta(days=back)
            busy = 0.15 if day.weekday() > 4 else 1.0
            amounts = {
                "quota_stored_days": (int(random.uniform(5, 30) * 2**20 * busy), int(random.uniform(1, 9) * busy)),
                "quota_traffic_days": (
                    int(random.uniform(10, 60) * 2**20 * busy),
                    int(random.uniform(50, 400) * 2**20 * busy),
                ),
            }
            for table, pair in amounts.items():
                for level, subject in (("org", org), ("team", team)):
                    row = (level, day.isoformat(), subject, org, *pair)
                    file.execute(f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?, ?, ?, ?)", row)
            for level, subject in (("org", org), ("team", team)):
                file.execute(
                    "INSERT OR REPLACE INTO quota_stored VALUES (?, ?, ?,"
                    " COALESCE((SELECT bytes FROM quota_stored WHERE level = ? AND subject = ?), 0) + ?,"
                    " COALESCE((SELECT objects FROM quota_stored WHERE level = ? AND subject = ?), 0) + ?)",
                    (level, subject, org, level, subject, amounts["quota_stored_days"][0], level, subject,
                     amounts["quota_stored_days"][1]),
                )  # fmt: skip
            requests = int(random.uniform(5, 60) * busy)
            for level, subject in (("org", org), ("team", team)):
                for per, starts in (("day", day), ("month", day.replace(day=1))):
                    file.execute(
                        "INSERT INTO quota_used VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
                        " requests = requests + excluded.requests, tokens = tokens + excluded.tokens",
                        (level, per, f"{starts}T00:00:00.000Z", subject, org, requests, requests * 700),
                    )
