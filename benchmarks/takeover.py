"""Measure how soon another server takes over the jobs of a killed one.

Run from the top of the repository as `python -m benchmarks.takeover`; README.md explains the report.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.report import machine, save
from tests.support.postgres import Postgres
from tests.support.served import Served

RESULTS = Path(__file__).parent / "results" / "takeover.json"
JOBS = 4
LIMIT = 90.0
PROMPT = "[simulate:hang]"


def taken_over(settings: dict[str, str], token: str) -> list[float]:
    """Kill a server that runs some jobs; return the seconds until another server has started each of them."""
    with Served(settings) as first:
        wish = {"kind": "ai.chat", "input": {"prompt": PROMPT}}
        jobs = [first.call("POST", "/api/jobs", wish, token)["id"] for _ in range(JOBS)]
        _attempted(first, token, set(jobs), 1)
        with Served(settings) as second:
            first.kill()
            began = time.monotonic()
            return [moment - began for moment in _attempted(second, token, set(jobs), 2)]


def _attempted(served: Served, token: str, waiting: set[str], attempt: int) -> list[float]:
    """Return when each job was first seen running with this attempt number."""
    moments: list[float] = []
    ends = time.monotonic() + LIMIT
    while waiting and time.monotonic() < ends:
        for job_id in sorted(waiting):
            job = served.call("GET", f"/api/jobs/{job_id}", token=token)
            if (job["state"], job["attempt"]) == ("running", attempt):
                waiting.discard(job_id)
                moments.append(time.monotonic())
        time.sleep(0.05)
    if waiting:
        raise RuntimeError(f"{len(waiting)} jobs were not started")
    return moments


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--output", type=Path, default=RESULTS)
    chosen = parser.parse_args()
    seconds: list[float] = []
    with Postgres.start(fsync=True) as postgres, tempfile.TemporaryDirectory() as folder:
        for number in range(chosen.rounds):
            data = Path(folder) / str(number)
            settings = {"SERVICE_DATA": str(data), "SERVICE_DATABASE_URL": postgres.create_database(f"round_{number}")}
            with Served(settings) as served:
                first = {"username": "ann", "password": "a benchmark passphrase"}
                token = served.call("POST", "/api/bootstrap", first)["token"]
                served.call("PATCH", f"/api/orgs/{_company(served, token)}", {"plan": "enterprise"}, token)
                served.stop()
            seconds += taken_over(settings, token)
    report: dict[str, Any] = {
        "machine": machine(),
        "jobs": len(seconds),
        "seconds": {"median": round(median(seconds), 2), "longest": round(max(seconds), 2)},
    }
    print(json.dumps(report, indent=2))
    save(report, chosen.output)


def _company(served: Served, token: str) -> str:
    id: str = served.call("GET", "/api/org", token=token)["id"]
    return id


if __name__ == "__main__":
    main()
