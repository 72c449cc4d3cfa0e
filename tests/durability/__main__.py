"""The command line of the soak test."""

import argparse
import asyncio
import random
import shutil
import signal
import sys
import tempfile
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from tests.durability.ai_soak import AiSoak
from tests.durability.file_soak import FileSoak
from tests.durability.job_soak import JobSoak
from tests.durability.journal import Violation
from tests.durability.run_soak import RunSoak
from tests.durability.soak import Plan, Soak
from tests.support.postgres import Postgres

SOAKS: dict[str, type[Soak]] = {"notes": Soak, "jobs": JobSoak, "files": FileSoak, "ai": AiSoak, "runs": RunSoak}


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/soak",
        description="Kill servers and workers under load, again and again, and check that what was acknowledged is kept.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--cycles", type=int, default=Plan.cycles, help="cycles on each database")
    parser.add_argument("--database", choices=["sqlite", "postgres", "both"], default="both", help="database to run on")
    parser.add_argument(
        "--of",
        choices=[*SOAKS, "both", "all"],
        default="all",
        help="what to test; both is notes and jobs",
    )
    parser.add_argument("--clients", type=int, default=Plan.clients, help="clients that write at the same time")
    parser.add_argument("--workers", type=int, default=Plan.workers, help="processes of the server")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32), help="random seed")
    parser.add_argument(
        "--doctor-every", type=int, default=Plan.doctor_every, help="cycles between two runs of the doctor"
    )
    parser.add_argument("--keep", action="store_true", help="keep the data of a failed run; its journal is always kept")
    return parser.parse_args()


def run(kind: type[Soak], plan: Plan, database: str, *, keep: bool) -> bool:
    """Run the soak on one database; return whether no promise was broken."""
    folder = Path(tempfile.mkdtemp(prefix=f"teamspace-soak-{database}-"))
    failed = False
    try:
        with _database(database) as postgres, kind(plan, folder, postgres) as soak:
            try:
                asyncio.run(soak.run())
            except Violation as violation:
                failed = True
                _report(soak, violation, keep=keep)
                return False
            print(f"{soak}: every promise was kept", flush=True)
            return True
    finally:
        if not failed:
            shutil.rmtree(folder)


def _database(name: str) -> AbstractContextManager[Postgres | None]:
    return Postgres.start(fsync=True) if name == "postgres" else nullcontext()


def _report(soak: Soak, violation: Violation, *, keep: bool) -> None:
    soak.served.kill()
    print(f"VIOLATION in cycle {soak.cycle} of seed {soak.plan.seed}: {violation}")
    print(f"  journal  {soak.journal.path}\n  log      {soak.served.log}")
    if not keep:
        shutil.rmtree(soak.data)
        print("  the data was removed; --keep keeps it")
        return
    print(f"  data     {soak.data}")
    if soak.postgres:
        soak.postgres.kill()
        copy = soak.data.with_name("postgres")
        shutil.copytree(soak.postgres.folder / "data", copy)
        print(f"  postgres {copy}")


def main() -> None:
    options = parse()
    # `timeout` and CI end a run with SIGTERM: clean up as for Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    plan = Plan(options.cycles, options.clients, options.seed, options.doctor_every, workers=options.workers)
    databases = ["sqlite", "postgres"] if options.database == "both" else [options.database]
    groups = {"both": ["notes", "jobs"], "all": list(SOAKS)}
    kinds = [SOAKS[name] for name in groups.get(options.of, [options.of])]
    print(f"seed {plan.seed}", flush=True)
    try:
        passed = [run(kind, plan, database, keep=options.keep) for kind in kinds for database in databases]
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(not all(passed))


if __name__ == "__main__":
    main()
