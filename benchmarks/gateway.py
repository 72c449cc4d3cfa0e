"""Measure what a gateway adds to a chat: Teamspace beside Portkey and LiteLLM, in front of one model server.

The model server answers at once, so the rest is the gateway's. Gateways take turns, round by round. Run from the top of
the repository as `python -m benchmarks.gateway`; README.md explains the options and the report.
"""

import argparse
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import islice, product, repeat
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import report
from benchmarks.gateways import Bare, Forwarder, Gateway, LiteLlm, Portkey, Teamspace
from benchmarks.load import Load, Result, run
from tests.support.postgres import Postgres

RESULTS = Path(__file__).parent / "results"
PEERS = ("portkey", "litellm")
Runs = dict[str, dict[str, list[Result]]]
"""Rounds by operation and by the name of a request."""


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    rounds: int
    seconds: float


FULL = Effort(rounds=5, seconds=3.0)
SHORT = Effort(rounds=1, seconds=1.0)
CONNECTIONS = (1, 8)
WARM_CHATS, WARM_CONNECTIONS, WARM_LIMIT = 200, 8, 120.0
"""Before the first round, since compilers and caches need some hundred requests; at most so many seconds."""


def measure(gateway: Gateway, asked: Iterator[bytes], connections: int, seconds: float, warmup: float = 0.5) -> Result:
    cpu = gateway.server.cpu_seconds
    seen = run(Load(gateway.server.port, asked, connections, seconds, warmup, server_cpu=cpu))
    if seen.errors:
        raise RuntimeError(f"{gateway.name}: {seen.errors} errors, first: {seen.first_error}")
    if not seen.requests:  # so slow that nothing was answered in time: measure for longer
        return measure(gateway, asked, connections, seconds * 2, warmup)
    return seen


def take_turns(gateways: Sequence[Gateway], effort: Effort) -> Runs:
    runs: Runs = {}
    for gateway, stream in product(gateways, (False, True)):
        for asked in gateway.chats(stream=stream).values():
            measure(gateway, islice(repeat(asked), WARM_CHATS), WARM_CONNECTIONS, WARM_LIMIT, warmup=0)
    for _, stream, connections in product(range(effort.rounds), (False, True), CONNECTIONS):
        operation = f"{'stream' if stream else 'whole'}, {connections} at a time"
        for gateway in gateways:
            for name, asked in gateway.chats(stream=stream).items():
                seen = measure(gateway, repeat(asked), connections, effort.seconds)
                runs.setdefault(operation, {}).setdefault(name, []).append(seen)
                print(
                    f"{operation:22}{name:30}{seen.p50:8.2f} ms{seen.cpu_per_request:10,.0f} us CPU", flush=True
                )  # fmt: skip
    return runs


def added(rounds: Sequence[Result], bare: Sequence[Result]) -> dict[str, Any]:
    """What a gateway adds to the latency of the model server, each round compared with the server's own."""
    pairs = list(zip(rounds, bare, strict=True))
    return {
        "added_p50_ms": round(median(seen.p50 - least.p50 for seen, least in pairs), 3),
        "added_p99_ms": round(median(seen.p99 - least.p99 for seen, least in pairs), 3),
        "cpu_us_rounds": [round(seen.cpu_per_request) for seen in rounds],
    }


def summary(runs: Runs) -> dict[str, Any]:
    operations = {
        operation: {name: report.medians(rounds) | added(rounds, names["bare"]) for name, rounds in names.items()}
        for operation, names in runs.items()
    }
    return {"operations": operations, "ratios": {name: ratios(seen) for name, seen in operations.items()}}


def ratios(servers: dict[str, dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Latency that is added, and CPU: each request to Teamspace over each peer."""
    subjects = [name for name in servers if name.startswith("teamspace")]
    columns = {"added_p50": "added_p50_ms", "cpu": "server_cpu_us"}
    return {
        f"{subject}/{peer}": {
            key: round(servers[subject][column] / servers[peer][column], 2) for key, column in columns.items()
        }
        for subject, peer in product(subjects, PEERS)
        if peer in servers
    }


def show(seen: dict[str, Any]) -> None:
    print(f"\n{'operation':22}{'gateway':30}{'added p50 ms':>13}{'added p99 ms':>13}{'CPU us':>9}")
    for operation, names in seen["operations"].items():
        for name, one in names.items():
            print(
                f"{operation:22}{name:30}{one['added_p50_ms']:>13.2f}{one['added_p99_ms']:>13.2f}"
                f"{one['server_cpu_us']:>9,.0f}"
            )
    for operation, pairs in seen["ratios"].items():
        for pair, ratio in pairs.items():
            print(f"{operation:22}{pair:40}added p50 {ratio['added_p50']:.2f}, CPU {ratio['cpu']:.2f}")


def peers(folder: Path, upstream: int, names: Sequence[str]) -> Iterator[Gateway]:
    """Yield the peers that are installed; print how to install the others."""
    kinds: dict[str, Callable[[Path, int], Gateway]] = {"portkey": Portkey, "litellm": LiteLlm}
    for name in names:
        try:
            yield kinds[name](subfolder(folder, name), upstream)
        except FileNotFoundError as missing:
            print(f"skipping {name}: {missing}")


def subfolder(folder: Path, name: str) -> Path:
    made = folder / name
    made.mkdir()
    return made


def compare(folder: Path, options: argparse.Namespace, effort: Effort) -> dict[str, Any]:
    facts = {"machine": report.machine(), "effort": vars(effort)}
    with ExitStack() as stack:
        start = partial(started, stack)
        bare = start(Bare(subfolder(folder, "bare")))
        upstream = bare.server.port
        gateways: list[Gateway] = [
            bare,
            start(Forwarder(subfolder(folder, "forwarder"), upstream)),
            start(Teamspace(subfolder(folder, "teamspace"), upstream)),
        ]
        if options.postgres:
            url = stack.enter_context(Postgres.start(fsync=True)).create_database("gateway")
            gateways.append(start(Teamspace(subfolder(folder, "postgres"), upstream, url)))
        gateways += [start(peer) for peer in peers(folder, upstream, options.peers)]
        found = summary(take_turns(gateways, effort))
    facts["machine"]["load_average_after"] = round(os.getloadavg()[0], 2)
    return facts | found


def started(stack: ExitStack, gateway: Gateway) -> Gateway:
    stack.callback(gateway.server.stop)
    gateway.prepare()
    return gateway


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="under a minute")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--seconds", type=float, help="length of each measurement")
    parser.add_argument("--postgres", action="store_true", help="adds Teamspace on a private PostgreSQL")
    parser.add_argument("--peers", nargs="*", choices=PEERS, default=PEERS)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    default = SHORT if options.short else FULL
    effort = Effort(options.rounds or default.rounds, options.seconds or default.seconds)
    # A short run must not replace the results of a full one.
    output = options.output or RESULTS / ("gateway-short.json" if options.short else "gateway.json")
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        seen = compare(Path(folder), options, effort)
    show(seen)
    report.save(seen, output)


if __name__ == "__main__":
    main()
