"""Drafts of the console's texts on a real server that is killed: every text is stored once, and the counts are right."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.durability.leases import end_leases
from tests.durability.test_jobs import PATIENCE, Client
from tests.support.served import Served, teamspace

LOCALE = "fr"
SLOW = {"target": LOCALE, "term": "file", "translation": "fichier [simulate:slow:1]"}
"""A term that makes each job with it take a second, so that some jobs run when others have ended."""


class Drafting(Client):
    def drafts(self) -> list[dict[str, Any]]:
        return [job for job in self.pages("/api/jobs") if job["kind"] == "l10n.draft"]

    def pages(self, path: str) -> list[dict[str, Any]]:
        items, cursor = list[dict[str, Any]](), ""
        while True:
            separator = "&" if "?" in path else "?"
            shown = self.served.call("GET", f"{path}{separator}limit=200{cursor}", token=self.token)
            items += shown["items"]
            if shown["next_cursor"] is None:
                return items
            cursor = f"&cursor={shown['next_cursor']}"

    def counts(self) -> dict[str, int]:
        items = self.served.call("GET", "/api/l10n/coverage", token=self.token)["items"]
        (counts,) = [item for item in items if item["locale"] == LOCALE]
        return dict(counts)

    def stored(self) -> int:
        """How many texts the audit log says were stored: one that was stored twice counts twice."""
        rows = self.pages("/api/audit?action=l10n.store_drafts")
        return sum(int(row["detail"]["drafted"]) for row in rows)

    async def wait_until_some_have_ended(self, number: int) -> None:
        """Wait until so many jobs have ended, or more, and one is running."""
        async with asyncio.timeout(PATIENCE):
            while True:
                states = [job["state"] for job in self.drafts()]
                if states.count("succeeded") >= number and ("running" in states or "queued" not in states):
                    return
                await asyncio.sleep(0.02)


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> dict[str, str]:
    return {"SERVICE_DATA": str(tmp_path / "data"), "SERVICE_DATABASE_URL": database_url}


async def test_drafts_of_a_killed_server_are_stored_once(settings: dict[str, str]) -> None:
    with Served(settings) as served:
        client = Drafting(served)
        served.call("POST", "/api/glossary", SLOW, client.token)
        queued = served.call("POST", "/api/l10n/draft", {"locale": LOCALE}, client.token)
        assert (len(queued["jobs"]), queued["queued"]) == (20, 500)
        for ended in (1, 8):  # a job has three attempts
            await client.wait_until_some_have_ended(ended)
            served.kill()
            if url := settings[
                "SERVICE_DATABASE_URL"
            ]:  # another server might still run them: the leases must end first
                await end_leases(url)
            served.start()
        done = [await client.wait_for(job["id"], "succeeded") for job in queued["jobs"]]
        assert max(job["attempt"] for job in done) > 1, "no job was running at a kill"
        counts, texts = client.counts(), client.pages(f"/api/l10n/messages?locale={LOCALE}&status=machine")
        assert counts["machine"] == len({text["id"] for text in texts}) == len(texts) == client.stored()
        assert counts["machine"] + sum(job["result"]["left"] for job in done) == queued["queued"]
        assert counts["total"] == counts["machine"] + counts["missing"]
        again = served.call("POST", "/api/l10n/draft", {"locale": LOCALE}, client.token)
        assert again["queued"] + again["remaining"] == counts["missing"]
    assert teamspace("doctor", settings=settings).returncode == 0
